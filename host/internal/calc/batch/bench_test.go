package batch_test

import (
	"context"
	"math"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

type eight struct {
	A float64 `name:"a" alias:"aa" unit:"m"`
	B float64 `name:"b" unit:"m"`
	C float64 `name:"c" unit:"m"`
	D float64 `name:"d" unit:"m" range:"(0,)"`
	E float64 `name:"e" unit:"m"`
	F float64 `name:"f" unit:"m"`
	G float64 `name:"g" unit:"m"`
	H float64 `name:"h" unit:"m"`
}

type four struct {
	W float64 `name:"w" unit:"m"`
	X float64 `name:"x" unit:"m"`
	Y float64 `name:"y" unit:"m2"`
	Z float64 `name:"z" unit:"m"`
}

func eightEngine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "test.bench.eight", Version: "1.0.0", Tool: "eight", Group: "bench", Title: "Eight", Summary: "Adds.",
		Definition: "w = a + b\nx = {1 m}*c/d\ny = e*f\nz = g - h",
		Formulas:   []sdk.Formula{{ID: "sum"}}, Assumptions: []string{"It is a benchmark.", "It adds."},
	}, func(_ context.Context, in eight) (four, error) {
		return four{in.A + in.B, in.C / in.D, in.E * in.F, in.G - in.H}, nil
	})
}

// direct runs one engine in this process.
type direct struct{ sdk.Engine }

func (d direct) Calculate(ctx context.Context, _ time.Duration, r *registry.Release, in value.Values) (sdk.Outcome, error) {
	o, err := d.Engine.Calculate(ctx, in)
	if err == nil {
		err = r.Spec.CheckOutcome(in, o)
	}
	return o, err
}

// CalculateBatch returns the same numbers for every row, so that it takes nearly no time.
func (d direct) CalculateBatch(ctx context.Context, _ time.Duration, r *registry.Release, rows []value.Values) ([]response.Result, error) {
	results := make([]response.Result, len(rows))
	for i, row := range rows {
		results[i].Outcome = sdk.Outcome{Result: eightResult, Inputs: row}
	}
	return results, nil
}

var eightResult = value.Values{value.NumberOf(math.Pi), value.NumberOf(-1e5 / 3), value.NumberOf(2e-9 / 7), value.NumberOf(1234.5)}

func (d direct) Draw(ctx context.Context, _ time.Duration, r *registry.Release, plot string, in value.Values) (*sdk.Figure, error) {
	return nil, nil
}

// newBench publishes the engine of eightEngine.
func newBench(o *calc.Options) *calc.Service {
	engine := eightEngine()
	r := &registry.Release{Capability: "test.bench.eight", Version: "1.0.0", EngineDigest: "sha256:1", Spec: engine.Spec()}
	catalog := catalog.New([]registry.Capability{{ID: "test.bench.eight", Current: "1.0.0", Releases: []*registry.Release{r}}})
	return calc.New(catalog, direct{engine}, o)
}

// BenchmarkBatch measures the path from the bytes of rows to the bytes of their answers, without HTTP
// and without a process boundary.
func BenchmarkBatch(b *testing.B) {
	const rows = 10_000
	service, lines := newBench(&calc.Options{BaseURL: "https://calc.example.org"}), benchLines(rows)
	for name, output := range map[string]batch.Output{"full": batch.FullLine(service.BaseURL()), "lean": batch.LeanLine(service.BaseURL())} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			before := cpuTime(b)
			for b.Loop() {
				if err := batch.Run(b.Context(), service, batch.NewLines(strings.NewReader(lines), ""), output, discard{}, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N)/rows, "cpu-ns/row")
		})
	}
}

// cpuTime returns the CPU time of the process.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
