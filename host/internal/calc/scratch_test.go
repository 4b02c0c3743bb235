package calc_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// cantilever has inputs of every kind that engines usually have: required and optional ones,
// aliases, defaults and choices.
type cantilever struct {
	Length       float64  `name:"length" alias:"L,span,beam_length" unit:"m" range:"(0,)"`
	Modulus      *float64 `name:"elastic_modulus" alias:"E,youngs_modulus" unit:"Pa" range:"(0,)"`
	SecondMoment *float64 `name:"second_moment_of_area" alias:"I,moment_of_inertia" unit:"m4" range:"(0,)"`
	Rigidity     *float64 `name:"flexural_rigidity" alias:"EI" unit:"N m2"`
	Peak         float64  `name:"triangle_peak_load" alias:"w0,q0" unit:"N/m" default:"0"`
	PeakLength   *float64 `name:"triangle_length" alias:"b" unit:"m"`
	Uniform      float64  `name:"outer_uniform_load" alias:"w,q" unit:"N/m" default:"0"`
	Start        *float64 `name:"outer_start" alias:"a" unit:"m"`
	OuterLength  *float64 `name:"outer_length" alias:"c" unit:"m"`
	Moment       float64  `name:"tip_moment" alias:"M0" unit:"N m" default:"0"`
	Position     *float64 `name:"position" alias:"x,at" unit:"m"`
	Model        string   `name:"model" alias:"theory" enum:"euler_bernoulli,timoshenko" default:"euler_bernoulli"`
	Shear        *float64 `name:"shear_rigidity" alias:"kAG" unit:"N"`
	Depth        *float64 `name:"section_depth" alias:"h,depth" unit:"m"`
}

type deflected struct {
	Delta float64 `name:"delta" unit:"m"`
	Model string  `name:"model" enum:"euler_bernoulli,timoshenko"`
}

const cantileverID = "test.bench.cantilever"

func cantileverEngine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: cantileverID, Version: "1.0.0", Tool: "cantilever", Group: "bench", Title: "Cantilever", Summary: "Bends.",
		Formulas:    []sdk.Formula{{ID: "eb", Expression: "EI*delta = w0*T(x;b) + w*U(x;a,L) + M0*x^2/2", Label: "Superposition"}},
		Assumptions: []string{"The material is linear and elastic.", "Deflections are small.", "The clamped support is rigid."},
		Warnings:    []string{"LOADS_CANCEL"},
	}, func(ctx context.Context, in cantilever) (deflected, error) {
		sdk.Assume(ctx, "Shear deformation is neglected.")
		switch {
		case in.Moment < 0:
			return deflected{}, sdk.Reject("TOO_ODD", "tip_moment", "the moment is negative")
		case in.Uniform < 0:
			sdk.Warn(ctx, sdk.Warning{Code: "LOADS_CANCEL", Severity: sdk.Info, Detail: fmt.Sprintf("The load is %g.", in.Uniform), Suggestion: "Look again."})
		}
		return deflected{in.Length * (in.Peak + in.Uniform + in.Moment) / 3e7, in.Model}, nil
	})
}

// crossing is an engine in this process. Its inputs and outcomes are encoded, decoded and checked
// as if it were a process of its own.
type crossing struct {
	direct
	messages sync.Pool
}

func (c *crossing) Calculate(ctx context.Context, limit time.Duration, r *registry.Release, in value.Values) (sdk.Outcome, error) {
	o, err := c.Engine.Calculate(ctx, in)
	message, _ := c.messages.Get().(*[]byte)
	if message == nil {
		message = new([]byte)
	}
	defer c.messages.Put(message)
	*message = contract.AppendOutcome((*message)[:0], 1, &o, err)
	d := contract.NewDecoder(&r.Spec, 1<<20)
	o, err = d.Outcome(*message)
	if err == nil {
		err = r.Spec.CheckOutcome(in, o)
	}
	return o, err
}

// echo answers with the same result for all inputs, and so costs almost nothing itself.
type echo struct {
	crossing
	outcome sdk.Outcome
}

func (e *echo) Calculate(ctx context.Context, limit time.Duration, r *registry.Release, in value.Values) (sdk.Outcome, error) {
	e.outcome.Inputs = in
	message, _ := e.messages.Get().(*[]byte)
	if message == nil {
		message = new([]byte)
	}
	defer e.messages.Put(message)
	*message = contract.AppendOutcome((*message)[:0], 1, &e.outcome, nil)
	d := contract.NewDecoder(&r.Spec, 1<<20)
	o, err := d.Outcome(*message)
	if err == nil {
		err = r.Spec.CheckOutcome(in, o)
	}
	return o, err
}

func catalogOf(engine sdk.Engine) *catalog.Catalog {
	spec := engine.Spec()
	r := &registry.Release{Capability: spec.Capability, Version: spec.Version, EngineDigest: "sha256:" + strings.Repeat("a", 64), Spec: spec}
	return catalog.New([]registry.Capability{{ID: spec.Capability, Current: spec.Version, Releases: []*registry.Release{r}}})
}

// answer computes one request, and returns the bytes of the answer or the problem.
func answer(ctx context.Context, service *calc.Service, id string, body []byte, scratch *calc.Scratch, out []byte) []byte {
	req, err := calc.Read(id, body, scratch)
	if err == nil {
		var a *calc.Answer
		a, err = service.Calculate(ctx, req)
		if err == nil {
			return a.AppendJSON(out)
		}
	}
	return problem.Of(err).AppendJSON(out, "")
}

// bodies are requests of every kind, right and wrong.
var bodies = []string{
	`{"length":3,"E":2.1e11,"second_moment_of_area":8.356e-05,"triangle_peak_load":12000.0,"outer_uniform_load":5000,"outer_start":1.5,"tip_moment":800,"position":2.25}`,
	`{"inputs":{"length":{"value":10,"unit":"ft"},"EI":1e6,"model":"timoshenko"},"calculation_version":"1.0.0"}`,
	`{"position":1,"length":2.5,"outer_uniform_load":-3,"theory":"euler_bernoulli"}`,
	`{"length":3,"tip_moment":-1}`, `{"length":3,"tip_moment":-1.5,"x":1,"at":1}`, `{"length":3,"x":1,"at":2}`,
	`{"length":"3"}`, `{}`, `{"length":1,"unknown":2}`, `{"length":1`, `[1]`, ``, `{"length":3,"model":"none"}`,
	`{"inputs":{"length":4},"calculation_version":"2.0.0"}`, `{"inputs":{"length":4},"tool":"cantilever"}`, `{"inputs":{"length":4},"tool":"other"}`,
	`{"length":1e400}`, `{"length":` + strings.Repeat("9", 300) + `}`, `{"length":"` + strings.Repeat("9", strictjson.MaxBytes) + `"}`,
}

// Requests that reuse memory get the same answers as requests with memory of their own, with
// many callers at the same time. Cached answers do not change.
func TestScratch(t *testing.T) {
	engine := cantileverEngine()
	want := make([][]byte, len(bodies))
	for i, body := range bodies {
		want[i] = answer(t.Context(), calc.New(catalogOf(engine), direct{engine}, nil), cantileverID, []byte(body), nil, nil)
	}
	service := calc.New(catalogOf(engine), &crossing{direct: direct{engine}}, &calc.Options{Cache: 1 << 20})
	var callers sync.WaitGroup
	for caller := range 8 {
		callers.Go(func() {
			var body, out []byte
			for round := range 40 {
				for i := range bodies {
					i = (i*(1+caller%3) + round) % len(bodies)
					scratch := calc.NewScratch()
					body = append(body[:0], bodies[i]...)
					out = answer(t.Context(), service, cantileverID, body, scratch, out[:0])
					scratch.Free()
					clear(body)
					if !bytes.Equal(out, want[i]) {
						t.Errorf("%.80s:\n%s, want\n%s", bodies[i], out, want[i])
					}
				}
			}
		})
	}
	callers.Wait()
}

// digits are the places in a request that make every request another one.
const digits = "#########"

var requests = []struct {
	name, id, body string
	engine         func() sdk.Engine
	result         value.Values
}{
	{"cantilever", cantileverID, `{"length":3.0,"elastic_modulus":210000000000,"second_moment_of_area":8.356e-05,"triangle_peak_load":12000.#########,"outer_uniform_load":5000.5,"outer_start":1.5,"tip_moment":800,"position":2.25}`,
		cantileverEngine, value.Values{value.NumberOf(0.0045158419100047855), value.TextOf("euler_bernoulli")}},
	{"eight", "eight", `{"a":1.25#########,"b":2.5,"c":3.75,"d":4.125,"e":5.0625,"f":6,"g":7.5,"h":8.25}`,
		eightEngine, value.Values{value.NumberOf(3.75), value.NumberOf(0.9090909090909091), value.NumberOf(30.375), value.NumberOf(-.75)}},
}

// measured is a service with one engine, and a request to it.
type measured struct {
	service *calc.Service
	id      string
	body    []byte
	place   int // of the digits
	asked   int
	out     []byte
}

func measure(i int, cache int64) *measured {
	r := &requests[i]
	engine := r.engine()
	e := &echo{crossing: crossing{direct: direct{engine}}, outcome: sdk.Outcome{Result: r.result, Assumptions: []string{"Shear deformation is neglected."}}}
	m := &measured{id: r.id, body: []byte(r.body), place: strings.Index(r.body, digits)}
	m.service = calc.New(catalogOf(engine), e, &calc.Options{BaseURL: "https://calc.example.org", MCP: true, Cache: cache})
	m.next()
	return m
}

// next changes the digits.
func (m *measured) next() {
	m.asked++
	for i, n := len(digits)-1, m.asked; i >= 0; i, n = i-1, n/10 {
		m.body[m.place+i] = byte('0' + n%10)
	}
}

func (m *measured) ask() {
	scratch := calc.NewScratch()
	m.out = answer(context.Background(), m.service, m.id, m.body, scratch, m.out[:0])
	scratch.Free()
}

// The path of a request from its bytes to the bytes of the answer, without HTTP. The engine costs
// the encoding of its outcome.
func BenchmarkAnswer(b *testing.B) {
	for i := range requests {
		m := measure(i, 16<<20)
		b.Run(requests[i].name+"/new", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.next()
				m.ask()
			}
		})
		b.Run(requests[i].name+"/known", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.ask()
			}
		})
	}
}
