package study_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/study"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// curves is an engine that maps the ends of binary64 to the ends of binary64. Like every engine, it rejects inputs that it
// cannot compute, and only gets finite numbers.
type curves struct{ t testing.TB }

func (c *curves) one(in value.Values) (sdk.Outcome, error) {
	x, y := in[0].Number(), in[1].Number()
	if math.IsNaN(x-x) || math.IsNaN(y-y) {
		c.t.Errorf("an engine is asked for %v, %v", x, y)
	}
	var out value.Values
	for _, z := range []float64{x, x * y, x / y, x + y, math.Cbrt(x) + y, math.Copysign(math.MaxFloat64, x)} {
		if math.IsNaN(z - z) {
			return sdk.Outcome{}, sdk.Reject(sdk.CodeNonFiniteResult, "", "beyond binary64")
		}
		out = append(out, value.NumberOf(z))
	}
	return sdk.Outcome{Result: out, Inputs: in}, nil
}

func (c *curves) Calculate(_ context.Context, _ time.Duration, _ *registry.Release, in value.Values) (sdk.Outcome, error) {
	return c.one(in)
}

func (c *curves) CalculateBatch(_ context.Context, _ time.Duration, _ *registry.Release, rows []value.Values) ([]response.Result, error) {
	results := make([]response.Result, len(rows))
	for i := range rows {
		results[i].Outcome, results[i].Err = c.one(rows[i])
	}
	return results, nil
}

func (c *curves) Draw(context.Context, time.Duration, *registry.Release, string, value.Values) (*sdk.Figure, error) {
	return nil, errors.New("it draws nothing")
}

var curveNames = []string{"same", "product", "ratio", "sum", "root", "jump"}

func newCurves(t testing.TB) *calc.Service {
	spec := sdk.Spec{
		Contract: sdk.ContractVersion, Capability: "test.ends.curves", Version: "1.0.0", Tool: "curves", Group: "ends", Title: "Curves", Summary: "Curves.",
		Inputs: []sdk.Field{{Name: "x", Type: sdk.TypeNumber, Required: true}, {Name: "y", Type: sdk.TypeNumber, Required: true}},
	}
	for _, name := range curveNames {
		spec.Outputs = append(spec.Outputs, sdk.Field{Name: name, Type: sdk.TypeNumber, Required: true})
	}
	second := spec
	second.Version = "2.0.0"
	var releases []*registry.Release
	for _, s := range []sdk.Spec{spec, second} {
		releases = append(releases, &registry.Release{Capability: s.Capability, Version: s.Version, Digest: "sha256:" + strings.Repeat(s.Version[:1], 64), EngineDigest: s.Version, Spec: s})
	}
	return calc.New(catalog.New([]registry.Capability{{ID: spec.Capability, Current: "1.0.0", Releases: releases}}), &curves{t}, nil)
}

// ends are numbers at which arithmetic overflows or underflows.
var ends = []float64{
	0, 1, -1, 3, 0.1, 5e-324, -5e-324, 2.2250738585072014e-308, 1e-300, 1e-170, -1e-155, 1e-10, 1e16, 1e154, -1e155, 1e200, 1e300, 8.9e307, -8.9e307, 1.7e308, -1.7e308,
	math.MaxFloat64, -math.MaxFloat64,
}

// extremePlan returns a random plan with such numbers.
func extremePlan(r *rand.Rand) string {
	number := func() string {
		x := ends[r.IntN(len(ends))]
		if r.IntN(4) == 0 {
			x = math.Float64frombits(r.Uint64())
			if math.IsNaN(x - x) {
				x = 2
			}
		}
		return fmt.Sprint(x)
	}
	size := func() string { return strings.TrimPrefix(number(), "-") }
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	axis := func() string {
		switch r.IntN(3) {
		case 0:
			return "[" + number() + "," + number() + "," + number() + "]"
		case 1:
			return fmt.Sprintf(`{"from":%s,"to":%s,"count":%d,"spacing":%q}`, number(), number(), 2+r.IntN(9), pick("linear", "logarithmic"))
		}
		return fmt.Sprintf(`{"from":%s,"to":%s,"step":%s}`, number(), number(), number())
	}
	uncertain := func() string {
		kind := pick(study.Distributions()...)
		text := fmt.Sprintf(`{"distribution":%q`, kind)
		for _, p := range study.Parameters(kind) {
			text += fmt.Sprintf(",%q:%s", p, size())
		}
		if kind != "t" && r.IntN(2) == 0 {
			text += `,"degrees_of_freedom":` + size()
		}
		return text + "}"
	}
	kind := study.Kinds[r.IntN(len(study.Kinds))]
	plan := fmt.Sprintf(`{"kind":%q,"inputs":{"x":%s,"y":%s},"output":[%q`, kind, number(), number(), pick(curveNames...))
	if kind != study.GoalSeek && r.IntN(2) == 0 {
		plan += fmt.Sprintf(",%q", pick(curveNames...))
	}
	plan += "]"
	switch kind {
	case study.Sweep, study.Compare:
		plan += `,"vary":{"x":` + axis() + "}"
		if kind == study.Compare {
			plan += `,"against":"2.0.0"`
		}
	case study.GoalSeek:
		plan = strings.Replace(plan, `"x":`, `"z":`, r.IntN(2)) // sometimes a name that does not exist
		plan += fmt.Sprintf(`,"unknown":"x","bracket":[%s,%s],"goal":%s`, number(), number(), number())
	case study.Sensitivity:
		plan += `,"change":` + pick("0.1", "1", "1e-300", "0.5")
	default:
		plan += `,"uncertain":{"x":` + uncertain()
		if r.IntN(2) == 0 {
			plan += `,"y":` + uncertain() + "}"
			if r.IntN(2) == 0 {
				plan += `,"correlation":[{"of":["x","y"],"r":` + pick("1", "-1", "0.5", "0.9999999999999999", "1e-300") + `}]`
			}
		} else {
			plan += "}"
		}
		plan += `,"coverage_probability":` + pick("0.5", "0.95", "0.9999")
		if kind == study.GUM {
			plan += `,"second_order":` + pick("true", "false")
		} else {
			plan += `,` + pick(`"draws":2`, `"draws":3`, `"draws":300`, `"digits":1,"max_draws":200`) + fmt.Sprintf(`,"bins":%d`, 1+r.IntN(40))
		}
	}
	return plan + "}"
}

var notFinite = regexp.MustCompile(`\b(NaN|Inf|inf)\b`)

// Every plan with the ends of binary64 has a result with finite numbers, or is refused with a code and a field. Engines only
// get finite numbers.
func TestExtremePlans(t *testing.T) {
	service := newCurves(t)
	made := map[study.Kind]int{}
	for seed := range uint64(6000) {
		checkPlan(t, service, extremePlan(rand.New(rand.NewPCG(seed, 5))), made)
	}
	for _, kind := range study.Kinds {
		if made[kind] < 20 {
			t.Errorf("%d plans of kind %s have a result", made[kind], kind)
		}
	}
}

func FuzzExtremePlans(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		checkPlan(t, newCurves(t), extremePlan(rand.New(rand.NewPCG(seed, 7))), map[study.Kind]int{})
	})
}

func checkPlan(t *testing.T, service *calc.Service, plan string, made map[study.Kind]int) {
	t.Helper()
	v, err := strictjson.ParseObject([]byte(plan))
	if err != nil {
		t.Fatalf("%s: %v", plan, err)
	}
	s, err := study.Read(service, "curves", v, nil, study.JSON)
	var r *study.Result
	if err == nil {
		r, err = s.Run(t.Context(), nil)
	}
	if err != nil {
		p, ok := errors.AsType[*problem.Problem](err)
		if !ok {
			p = problem.Of(err)
		}
		if p.Status() != 400 || p.Code == "" || p.Field == "" || p.Detail == "" || notFinite.MatchString(p.Detail) {
			t.Errorf("%s: %d %s at %q: %s", plan, p.Status(), p.Code, p.Field, p.Detail)
		}
		return
	}
	made[r.Kind]++
	text, err := r.AppendJSON(nil)
	if err != nil {
		t.Errorf("%s: %v", plan, err)
	}
	table, err := r.Table(nil).CSV()
	if err != nil || notFinite.Match(table) {
		t.Errorf("%s: %v\n%s", plan, err, table)
	}
	read, err := study.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", plan, err)
	}
	if rewritten, _ := read.AppendJSON(nil); !bytes.Equal(rewritten, text) {
		t.Errorf("%s: read again\n%s\nnot %s", plan, rewritten, text)
	}
}
