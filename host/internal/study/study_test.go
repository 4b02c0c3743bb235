package study_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
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

// product multiplies length and width, and version 2.0.0 doubles the product. It rejects a length above 10.
type product struct{ rows int }

func (p *product) one(r *registry.Release, in value.Values) (sdk.Outcome, error) {
	p.rows++
	if in[0].Number() > 10 {
		return sdk.Outcome{}, sdk.Reject("TOO_LONG", "length", "length is above 10")
	}
	area := in[0].Number() * in[1].Number()
	if r.Version == "2.0.0" {
		area *= 2
	}
	return sdk.Outcome{Result: value.Values{value.NumberOf(area), value.TextOf("flat")}, Inputs: in}, nil
}

func (p *product) Calculate(_ context.Context, _ time.Duration, r *registry.Release, in value.Values) (sdk.Outcome, error) {
	return p.one(r, in)
}

func (p *product) CalculateBatch(_ context.Context, _ time.Duration, r *registry.Release, rows []value.Values) ([]response.Result, error) {
	results := make([]response.Result, len(rows))
	for i := range rows {
		results[i].Outcome, results[i].Err = p.one(r, rows[i])
	}
	return results, nil
}

func (p *product) Draw(context.Context, time.Duration, *registry.Release, string, value.Values) (*sdk.Figure, error) {
	return nil, errors.New("it draws nothing")
}

func newService() (*calc.Service, *product) {
	return newServiceOf(catalog.Lifecycle{}, catalog.Lifecycle{})
}

// newServiceOf has versions 1.0.0 and 2.0.0 in these states.
func newServiceOf(first, second catalog.Lifecycle) (*calc.Service, *product) {
	release := func(version string, state catalog.Lifecycle) *registry.Release {
		return &registry.Release{Capability: "test.plane.area", Version: version, Lifecycle: state, Digest: "sha256:" + strings.Repeat(version[:1], 64), EngineDigest: version, Spec: sdk.Spec{
			Contract: sdk.ContractVersion, Capability: "test.plane.area", Version: version, Tool: "area", Group: "plane", Title: "Area", Summary: "An area.",
			Inputs: []sdk.Field{
				{Name: "length", Aliases: []string{"L"}, Type: sdk.TypeNumber, Unit: "m", Required: true},
				{Name: "width", Type: sdk.TypeNumber, Unit: "m", Required: true},
				{Name: "count", Type: sdk.TypeInteger, Default: "1"},
				{Name: "mode", Type: sdk.TypeString, Enum: []string{"easy", "hard"}, Default: "easy"},
			},
			Outputs: []sdk.Field{{Name: "area", Type: sdk.TypeNumber, Unit: "m2", Required: true}, {Name: "kind", Type: sdk.TypeString, Required: true}},
		}}
	}
	p := new(product)
	return calc.New(catalog.New([]registry.Capability{{ID: "test.plane.area", Current: "1.0.0", Releases: []*registry.Release{release("1.0.0", first), release("2.0.0", second)}}}), p, nil), p
}

func run(t *testing.T, service *calc.Service, plan string) (*study.Result, error) {
	t.Helper()
	v, err := strictjson.ParseObject([]byte(plan))
	if err != nil {
		t.Fatal(err)
	}
	s, err := study.Read(service, "area", v, nil, study.JSON)
	if err != nil {
		return nil, err
	}
	return s.Run(t.Context(), nil)
}

// The plan of a result is a request for the same bytes, and so is the answer with the result.
func TestRecompute(t *testing.T) {
	service, _ := newService()
	for _, plan := range []string{
		`{"kind":"sweep","inputs":{"width":2},"vary":{"L":{"from":{"value":1,"unit":"ft"},"to":{"value":9,"unit":"ft"},"count":5},"mode":["easy","hard"]}}`,
		`{"kind":"sweep","inputs":{"width":2},"vary":{"length":{"from":1,"to":9,"count":4,"spacing":"logarithmic"},"count":{"from":1,"to":4,"step":1}},"zip":true}`,
		`{"kind":"compare","inputs":{"width":2,"length":3},"against":"2.0.0"}`,
		`{"kind":"goal-seek","inputs":{"width":2},"unknown":"length","bracket":["1 ft",9],"goal":5}`,
		`{"kind":"sensitivity","inputs":{"width":2,"length":3}}`,
		`{"kind":"gum","inputs":{"width":2,"length":3},"uncertain":{"width":{"standard_uncertainty":0.1,"degrees_of_freedom":4},"L":{"distribution":"triangular","half_width":"1 in"}},"second_order":true}`,
		`{"kind":"monte_carlo","inputs":{"width":2,"length":3},"uncertain":{"width":{"standard_uncertainty":0.1},"L":{"standard_uncertainty":0.1}},"correlation":[{"of":["L","width"],"r":0.5}],"draws":2000,"seed":9}`,
	} {
		first, err := run(t, service, plan)
		if err != nil {
			t.Fatalf("%s: %v", plan, err)
		}
		text, err := first.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		if same, _, err := study.Recompute(t.Context(), service, text, nil); !same || err != nil {
			t.Errorf("%s is not the same again: %v\n%s", plan, err, text)
		}
		changed := bytes.Replace(text, []byte(`"calculations":`), []byte(`"calculations":1`), 1)
		if same, _, _ := study.Recompute(t.Context(), service, changed, nil); same {
			t.Errorf("%s: a changed count was not noticed", plan)
		}
		if read, err := study.Parse(text); err != nil {
			t.Errorf("%s: %v", plan, err)
		} else if rewritten, _ := read.AppendJSON(nil); !bytes.Equal(rewritten, text) {
			t.Errorf("%s is read as\n%s", text, rewritten)
		}
	}
}

// Results of deprecated and yanked versions have warnings, and can be recomputed also if a state changes.
func TestLifecycleWarnings(t *testing.T) {
	active, _ := newService()
	withdrawn, _ := newServiceOf(catalog.Lifecycle{State: catalog.Yanked, Reason: "wrong above 1 m"}, catalog.Lifecycle{State: catalog.Deprecated, Reason: "slow"})
	const yanked = "VERSION_YANKED 3 Version 1.0.0 was withdrawn, and answers only who pins it: wrong above 1 m."
	const deprecated = "VERSION_DEPRECATED 3 Version 2.0.0 is deprecated: slow."
	for plan, want := range map[string][]string{
		`{"kind":"sweep","inputs":{"width":2},"vary":{"length":[1,2,3]},"calculation_version":"1.0.0"}`:                     {yanked},
		`{"kind":"sweep","inputs":{"width":2},"vary":{"length":[1,2,3]},"calculation_version":"2.0.0"}`:                     {deprecated},
		`{"kind":"compare","inputs":{"width":2},"vary":{"length":[1,2,3]},"against":"2.0.0","calculation_version":"1.0.0"}`: {deprecated, yanked},
	} {
		r, err := run(t, withdrawn, plan)
		if err != nil {
			t.Fatalf("%s: %v", plan, err)
		}
		var got []string
		for _, w := range r.Warnings {
			got = append(got, fmt.Sprint(w.Code, " ", w.Count, " ", w.Detail))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", plan, got, want)
		}
		text, err := r.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, service := range []*calc.Service{active, withdrawn} {
			if same, _, err := study.Recompute(t.Context(), service, text, nil); !same || err != nil {
				t.Errorf("%s is not the same again: %v", plan, err)
			}
		}
		if before, err := run(t, active, plan); err != nil || len(before.Warnings) > 0 {
			t.Errorf("%s: active: %+v, %v", plan, before, err)
		} else {
			text, err = before.AppendJSON(nil)
			if err != nil {
				t.Error(err)
			} else if same, _, err := study.Recompute(t.Context(), withdrawn, text, nil); !same || err != nil {
				t.Errorf("%s: what was made before is not the same again: %v", plan, err)
			}
		}
	}
}

// An invalid plan is refused with a code and a path in the plan.
func TestRefused(t *testing.T) {
	service, _ := newService()
	for _, tt := range []struct{ plan, code, field string }{
		{`{}`, "INVALID_PLAN", "kind"},
		{`{"kind":"sweep","inputs":{"width":2},"draws":3}`, "INVALID_PLAN", "draws"},
		{`{"kind":"sweep","inputs":{"width":2},"vary":{"lenght":[1]}}`, "UNKNOWN_INPUT", "vary.lenght"},
		{`{"kind":"sweep","inputs":{"width":2},"vary":{"length":["x"]}}`, "INVALID_NUMBER", "vary.length"},
		{`{"kind":"sweep","inputs":{"width":2},"vary":{"length":{"from":1,"to":2}}}`, "INVALID_PLAN", "vary.length"},
		{`{"kind":"sweep","inputs":{"width":2},"vary":{"length":{"from":0,"to":2,"count":3,"spacing":"logarithmic"}}}`, "INVALID_PLAN", "vary.length.from"},
		{`{"kind":"sweep","inputs":{"width":2},"vary":{"length":{"from":1,"to":2,"count":200},"count":{"from":1,"to":200,"step":1}}}`, "INVALID_PLAN", "vary"},
		{`{"kind":"sweep","inputs":{"width":2},"vary":{"length":[1,2],"count":[1]},"zip":true}`, "INVALID_PLAN", "vary.count"},
		{`{"kind":"sweep","inputs":{"width":2},"vary":{"length":[11,12]}}`, "ALL_REJECTED", "length"},
		{`{"kind":"sweep","inputs":{"width":2},"vary":{"length":[1]},"output":"kind"}`, "UNKNOWN_OUTPUT", "output"},
		{`{"kind":"compare","inputs":{"width":2,"length":1},"against":"3.0.0"}`, "VERSION_MISMATCH", "against"},
		{`{"kind":"goal_seek","inputs":{"width":2},"unknown":"length","bracket":[1,2],"goal":9}`, "NO_BRACKET", "bracket"},
		{`{"kind":"goal_seek","inputs":{"width":2},"unknown":"length","bracket":[1,12],"goal":9}`, "TOO_LONG", "bracket"},
		{`{"kind":"goal_seek","inputs":{"width":2,"length":1},"unknown":"count","bracket":[1,2],"goal":9}`, "INVALID_PLAN", "unknown"},
		{`{"kind":"goal_seek","inputs":{"width":2},"unknown":"length","bracket":[1,9],"goal":"9 kg"}`, "INCOMPATIBLE_UNIT", "goal"},
		{`{"kind":"sensitivity","inputs":{"width":2,"length":1},"change":2}`, "INVALID_NUMBER", "change"},
		{`{"kind":"gum","inputs":{"width":2,"length":1},"uncertain":{"length":{"distribution":"rectangular","half_width":0}}}`, "INVALID_DISTRIBUTION", "uncertain.length.half_width"},
		{`{"kind":"gum","inputs":{"width":2,"length":1},"uncertain":{"length":{"distribution":"trapezoidal","half_width":1}}}`, "INVALID_DISTRIBUTION", "uncertain.length.inner_half_width"},
		{`{"kind":"gum","inputs":{"width":2,"length":1},"uncertain":{"length":{"distribution":"bell"}}}`, "INVALID_DISTRIBUTION", "uncertain.length.distribution"},
		{`{"kind":"monte_carlo","inputs":{"width":2,"length":1},"uncertain":{"length":{"distribution":"t","standard_uncertainty":1,"degrees_of_freedom":2}}}`, "INVALID_DISTRIBUTION", "uncertain.length.degrees_of_freedom"},
		{`{"kind":"monte_carlo","inputs":{"width":2,"length":1},"uncertain":{"length":{"standard_uncertainty":1},"width":{"distribution":"arcsine","half_width":1}},"correlation":[{"of":["length","width"],"r":0.1}]}`, "INVALID_CORRELATION", "correlation"},
		{`{"kind":"gum","inputs":{"width":2,"length":1},"uncertain":{"length":{"standard_uncertainty":1},"width":{"standard_uncertainty":1}},"correlation":[{"of":["length","width"],"r":1.5}]}`, "INVALID_CORRELATION", "correlation"},
		{`{"kind":"monte_carlo","inputs":{"width":2,"length":1},"uncertain":{"length":{"standard_uncertainty":1}},"draws":1e9}`, "INVALID_NUMBER", "draws"},
		{`{"kind":"monte_carlo","inputs":{"width":2,"length":1},"uncertain":{"length":{"standard_uncertainty":1}},"draws":10,"digits":2}`, "INVALID_PLAN", "draws"},
		{`{"kind":"monte_carlo","inputs":{"width":2,"length":20},"uncertain":{"length":{"standard_uncertainty":0.1}},"draws":100}`, "ALL_REJECTED", "length"},
		{`{"kind":"gum","inputs":{"width":2},"uncertain":{"length":{"standard_uncertainty":0.1}}}`, "MISSING_REQUIRED_INPUT", "length"},
	} {
		_, err := run(t, service, tt.plan)
		if err == nil {
			t.Errorf("%s is made", tt.plan)
			continue
		}
		if p := problem.Of(err); p.Code != tt.code || p.Field != tt.field || p.Detail == "" || p.Suggestion == "" {
			t.Errorf("%s: %s at %q: %s", tt.plan, p.Code, p.Field, p.Message())
		}
	}
}

// Rejected draws are counted, and the statistics only include accepted draws.
func TestRejectedDrawsAreCounted(t *testing.T) {
	service, engine := newService()
	r, err := run(t, service, `{"kind":"monte_carlo","inputs":{"width":1,"length":10},"uncertain":{"length":{"distribution":"rectangular","half_width":1}},"draws":5000}`)
	if err != nil {
		t.Fatal(err)
	}
	d := r.Drawn[0]
	if len(r.Rejected) != 1 || r.Rejected[0].Code != "TOO_LONG" || r.Rejected[0].Count+d.Draws != 5000 || math.Abs(float64(d.Draws)-2500) > 200 {
		t.Errorf("%d draws, rejected %v", d.Draws, r.Rejected)
	}
	if d.Symmetric.High > 10 || math.Abs(d.Mean-9.5) > 0.05 {
		t.Errorf("%+v", d)
	}
	if engine.rows < 5000 || r.Calculations != 5000 {
		t.Errorf("%d calculations of %d rows", r.Calculations, engine.rows)
	}
}

// An adaptive study stops as soon as its digits are stable.
func TestDigits(t *testing.T) {
	service, _ := newService()
	r, err := run(t, service, `{"kind":"monte_carlo","inputs":{"width":1,"length":5},"uncertain":{"length":{"standard_uncertainty":0.3}},"digits":1,"max_draws":300000}`)
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Drawn[0].Stability; s == nil || !s.Stable || r.Calculations >= 300000 || r.Calculations%10000 != 0 {
		t.Errorf("%d draws, %+v", r.Calculations, s)
	}
}

// A study asks before it computes, and ends if Admit refuses.
func TestAdmission(t *testing.T) {
	service, engine := newService()
	plan, _ := strictjson.ParseObject([]byte(`{"kind":"monte_carlo","inputs":{"width":1,"length":5},"uncertain":{"length":{"standard_uncertainty":0.3}},"draws":40000}`))
	s, err := study.Read(service, "area", plan, nil, study.JSON)
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	asked := 0
	if _, err := s.Run(t.Context(), &study.Options{Admit: func(n int) error { asked = n; return enough }}); !errors.Is(err, enough) || asked != 40000 || engine.rows != 0 {
		t.Errorf("%v after %d, %d rows", err, asked, engine.rows)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Run(ctx, nil); !errors.Is(err, context.Canceled) || engine.rows != 0 {
		t.Errorf("%v after %d rows", err, engine.rows)
	}
}

// Inputs from one batch have a correlation of 1. Expected by hand, for 3 m by 2 m with uncertainties of 0.2 m and 0.1 m: the
// uncertainty of the product is 2·0.2 + 3·0.1. With a correlation of -1 it is the difference of both terms.
func TestFullCorrelation(t *testing.T) {
	service, _ := newService()
	for r, want := range map[string]float64{"1": 0.7, "-1": 0.1} {
		plan := `"inputs":{"length":3,"width":2},"uncertain":{"length":{"standard_uncertainty":0.2},"width":{"standard_uncertainty":0.1}},"correlation":[{"of":["length","width"],"r":` + r + `}]}`
		budget, err := run(t, service, `{"kind":"gum",`+plan)
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := run(t, service, `{"kind":"monte_carlo","draws":20000,`+plan)
		if err != nil {
			t.Fatal(err)
		}
		if u := budget.Budget[0].Standard; math.Abs(u-want) > 1e-9 {
			t.Errorf("r = %s: %v, want %v", r, u, want)
		}
		// The variance of the draws also includes the product of both deviations: 0.02² times the variance of a squared normal value.
		whole := math.Sqrt(want*want + 2*0.02*0.02)
		if u := drawn.Drawn[0].Standard; math.Abs(u-whole) > 0.02*whole {
			t.Errorf("r = %s: %v drawn, want %v", r, u, whole)
		}
	}
}
