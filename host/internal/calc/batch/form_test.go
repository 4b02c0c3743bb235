package batch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

// kinds has an input of every kind.
type kinds struct {
	X     float64     `name:"x" alias:"xx" unit:"m" range:"[-1e50,1e300]"`
	Count int         `name:"count" default:"3"`
	Exact sdk.Decimal `name:"exact" default:"0.5"`
	List  []float64   `name:"list" unit:"m"`
	Side  struct {
		Y float64 `name:"y"`
		Z float64 `name:"z" default:"2"`
	} `name:"side"`
	Derived *float64 `name:"derived"`
	Word    string   `name:"word" default:"a\"1\\"`
}

// Complete implements [sdk.Completer].
func (k *kinds) Complete(ctx context.Context) error {
	if k.Derived == nil {
		k.Derived = new(2 * k.X)
		sdk.Assume(ctx, "twice as much")
	}
	return nil
}

func newKinds() *calc.Service {
	engine := sdk.New(sdk.Spec{
		Capability: "test.a.kinds", Version: "1.0.0", Tool: "kinds", Group: "geometry", Title: "Kinds", Summary: "Kinds.",
	}, func(_ context.Context, in kinds) (space, error) {
		sum := in.X + float64(in.Count) + in.Exact.Float + in.Side.Y*in.Side.Z + *in.Derived
		for _, x := range in.List {
			sum += x
		}
		return space{sum}, nil
	})
	r := &registry.Release{Capability: "test.a.kinds", Version: "1.0.0", Spec: engine.Spec(), EngineDigest: "sha256:kinds"}
	catalog := catalog.New([]registry.Capability{{ID: "test.a.kinds", Current: "1.0.0", Releases: []*registry.Release{r}}})
	engines := &cubes{engines: map[string]sdk.Engine{"test.a.kinds1.0.0": engine}}
	return calc.New(catalog, engines, &calc.Options{BaseURL: "https://calc.example.org"})
}

// forms are rows with # in place of each number.
var forms = []string{
	`{"id":"kinds","inputs":{"x":#,"list":[],"side":{"y":1}}}`,
	`{"id":"kinds","inputs":{"x":#,"count":#,"exact":#,"list":[1,2.50],"side":{"y":7},"derived":#,"word":"-1 \"2\" \\"}}`,
	`{"id":"kinds","inputs":{"side":{"y":1,"z":-3},"list":[#],"x":# , "count" : #}}`,
	`{"id":"kinds","inputs":{"xx":#,"list":[{"value":1,"unit":"ft"}],"side":{"y":#}},"calculation_version":"1.0.0"}`,
	`{"id":"kinds","inputs":{"x":1,"xx":#,"list":[],"side":{"y":1}}}`,
	`{"id":"kinds","inputs":{"x":{"value":#,"unit":"ft"},"count":#,"list":[],"side":{"y":1}}}`,
	`{"id":"kinds","inputs":{"x":2,"exact":"#","count":#,"list":[],"side":{"y":1}}}`,
	`{"x":#,"list":[],"side":{"y":1},"tool":"kinds"}`,
	` {"inputs":{"word":"{\"x\":1}","x":#,"side":{"y":-1e-7},"list":[0]},"id":"kinds"}` + "\r",
}

// literals are numbers and texts that are not numbers.
var literals = []string{
	"1", "2", "3.25", "4.00012345678", "-7", "0", "0", "-0", "0.0", "1.50", "10", "1e3", "1E-7", "0.000001", "0.0000001", "123456789012345",
	"12345678901234567", "0.1234567890123456", "100000000000000000000000", "9007199254740993", "2.5e0", "-1e51", "1e301", "1e400", "1e-400",
	"01", "1.", "-", "+1", ".5", "1e", "", "null", `"1"`, "true", "1,\"x\":2", "1 ", " 1", "1}", "[1]", `{"value":1,"unit":"ft"}`,
	strings.Repeat("9", 400), strings.Repeat("9", 401), "0." + strings.Repeat("1", 398),
}

// Rows of the same form get byte-identical answers to single requests, whatever their numbers are.
func TestForms(t *testing.T) {
	s := newKinds()
	r := rand.New(rand.NewPCG(1, 2))
	var in, want strings.Builder
	succeeded := 0
	for range 600 {
		row := forms[r.IntN(len(forms))]
		for range 1 + r.IntN(12) {
			line := row
			for strings.Contains(line, "#") {
				few := literals[:13] // mostly valid numbers
				if r.IntN(6) == 0 {
					few = literals
				}
				line = strings.Replace(line, "#", few[r.IntN(len(few))], 1)
			}
			answer := alone(s, line)
			in.WriteString(line + "\n")
			want.WriteString(answer)
			if strings.Contains(answer, `"success"`) {
				succeeded++
			}
		}
	}
	if got := batchOf(t, s, strings.NewReader(in.String()), nil); got != want.String() {
		t.Errorf("differs at %s", firstDifference(got, want.String()))
	}
	if succeeded < 1000 {
		t.Errorf("only %d rows succeeded", succeeded)
	}
}

// Rows of the same form cause few allocations.
func TestFormAllocations(t *testing.T) {
	const rows = 1000
	s, lines := newBench(nil), benchLines(rows)
	each := testing.AllocsPerRun(5, func() {
		if err := batch.Run(t.Context(), s, batch.NewLines(strings.NewReader(lines), ""), batch.FullLine(s.BaseURL()), discard{}, nil); err != nil {
			t.Fatal(err)
		}
	}) / rows
	if each > 0.5 {
		t.Errorf("%.2f allocations for each row", each)
	}
}

// discard discards everything.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// benchLines are calculations of the engine of eightEngine that differ only in their numbers.
func benchLines(rows int) string {
	var b strings.Builder
	for i := range rows {
		n := 1000000 + i
		fmt.Fprintf(&b, `{"id":"eight","inputs":{"a":4.%[1]d,"b":0.2%[1]d,"c":0.4%[1]d,"d":2%[1]d,"e":4321.%[1]d,"f":2500.%[1]d,"g":150.%[1]d,"h":1700.%[1]d}}`+"\n", n)
	}
	return b.String()
}
