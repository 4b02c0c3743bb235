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
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/units"
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

func read(t *testing.T, service *calc.Service, plan string) (*study.Study, error) {
	t.Helper()
	v, err := strictjson.ParseObject([]byte(plan))
	if err != nil {
		t.Fatal(err)
	}
	return study.Read(service, "area", v, nil, study.JSON)
}

func run(t *testing.T, service *calc.Service, plan string) (*study.Result, error) {
	t.Helper()
	s, err := read(t, service, plan)
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

// A result is shown in chosen units, and stays in the units of the Spec itself. Numbers of a derivative have both units.
func TestChoose(t *testing.T) {
	service, _ := newService()
	for _, tt := range []struct {
		plan   string
		system customary.System
		units  []string
		want   string // head and rows
	}{
		{
			`{"kind":"sweep","inputs":{"width":1},"vary":{"length":["1 ft","2 ft"]}}`, customary.US, nil,
			"length [in],area [ft2],code\n12,3.2808398950131235,\n24,6.561679790026247,\n",
		},
		{
			`{"kind":"sweep","inputs":{"width":1},"vary":{"length":["1 ft","2 ft"]}}`, customary.US, []string{"length=inches", "cm2"},
			"length [in],area [cm2],code\n12,3048,\n24,6096,\n",
		},
		{
			`{"kind":"compare","inputs":{"width":1,"length":2},"against":"2.0.0"}`, "", []string{"area=cm2"},
			"area [cm2] in 1.0.0,area [cm2] in 2.0.0,difference of area [cm2],code\n20000,40000,20000,\n",
		},
		{
			`{"kind":"goal_seek","inputs":{"width":1},"unknown":"length","bracket":[1,5],"goal":2}`, "", []string{"length=mm"},
			"length [mm],area [m2],which\n1999.9999999999998,1.9999999999999998,the number below\n2000,2,nearest to the goal\n2000.0000000000005,2.0000000000000004,the number above\n",
		},
		{
			`{"kind":"sensitivity","inputs":{"width":3,"length":2},"vary":["length"]}`, "", []string{"length=cm", "area=cm2"},
			"output,input,estimate,derivative,derivative error,elasticity,\"input, less\",output there,\"input, more\",output there,input unit,output unit,derivative unit\narea,length,200,300,5.995204332975845e-13,1,180,54000,220,66000,cm,cm2,cm2 per cm\n",
		},
		{
			`{"kind":"gum","inputs":{"width":3,"length":2},"uncertain":{"length":{"standard_uncertainty":0.5}}}`, "", []string{"length=cm", "area=cm2"},
			"output,input,estimate,standard uncertainty,degrees of freedom,sensitivity,contribution,share of the variance,input unit,output unit,sensitivity unit\narea,length,200,50,,300,15000,1,cm,cm2,cm2 per cm\narea,combined,60000,15000,,,,,,cm2,\n",
		},
	} {
		s, err := read(t, service, tt.plan)
		if err != nil {
			t.Fatalf("%s: %v", tt.plan, err)
		}
		choice, err := s.Choose(tt.system, tt.units)
		if err != nil {
			t.Fatalf("%s: %v", tt.plan, err)
		}
		r, err := s.Run(t.Context(), nil)
		if err != nil {
			t.Fatalf("%s: %v", tt.plan, err)
		}
		before, _ := r.AppendJSON(nil)
		shown, err := choice.In(r)
		if err != nil {
			t.Fatalf("%s: %v", tt.plan, err)
		}
		got, err := shown.Table(nil).CSV()
		if text := strings.ReplaceAll(string(got), "\r", ""); err != nil || text != tt.want {
			t.Errorf("%s: %v\n%swant\n%s", tt.plan, err, text, tt.want)
		}
		if after, _ := r.AppendJSON(nil); !bytes.Equal(before, after) {
			t.Errorf("%s: the result became %s", tt.plan, after)
		}
		if err := choice.Show(r); err != nil {
			t.Fatal(err)
		}
		text, _ := r.AppendJSON(nil)
		if same, _, err := study.Recompute(t.Context(), service, text, nil); !same || err != nil {
			t.Errorf("%s is not the same again: %v", text, err)
		}
	}
}

// fahrenheit shows absolute temperatures in degrees Fahrenheit. The output is in watts.
type fahrenheit struct{}

func (fahrenheit) Input(q *study.Quantity, _ float64) customary.Shown {
	own, _ := customary.Of(new(sdk.Spec), q.Unit, false)
	to, _ := units.Lookup("degF")
	return own.In(to)
}

func (fahrenheit) Output(q *study.Quantity, _ float64) customary.Shown {
	return customary.Shown{ID: q.Unit}
}

func (fahrenheit) Texts() calc.Reader { return nil }

// Uncertainties and derivatives of temperatures are differences: 10 K are 18 degrees Fahrenheit.
func TestTemperatures(t *testing.T) {
	r := &study.Result{
		Inputs: []study.Quantity{{Name: "t", Unit: "K"}}, Outputs: []study.Quantity{{Name: "loss", Unit: "W"}},
		Budget: []study.Budget{{Output: "loss", Estimate: 5, Standard: 1, Inputs: []study.Contribution{{Input: "t", Estimate: 293.15, Standard: 10, Derivative: 3.6}}}},
	}
	shown, ok := r.In(fahrenheit{})
	text, err := shown.Table(nil).CSV()
	const want = "loss,t,68,18,,2,0,,degF,W,W per degF"
	if err != nil || !ok || !strings.Contains(string(text), want) {
		t.Errorf("%v %v\n%swant %s", ok, err, text, want)
	}
}

// A histogram of temperatures has its ends as temperatures and its width as a difference.
func TestTemperatureHistogram(t *testing.T) {
	r := &study.Result{
		Outputs: []study.Quantity{{Name: "t", Unit: "K"}},
		Drawn:   []study.Drawn{{Output: "t", Draws: 2, Mean: 293.15, Standard: 10, Histogram: &study.Histogram{Low: 273.15, Width: 10, Counts: []int{1, 1}}}},
	}
	shown, ok := r.In(warm{})
	text, err := shown.Table(nil).CSV()
	if want := "t,32,50,1,degF\r\nt,50,68,1,degF\r\n"; err != nil || !ok || !strings.HasSuffix(string(text), want) || shown.Drawn[0].Standard != 18 || shown.Drawn[0].Mean != 68 {
		t.Errorf("%v %v %+v\n%swant %s", ok, err, shown.Drawn, text, want)
	}
}

// warm is fahrenheit for outputs.
type warm struct{ fahrenheit }

func (w warm) Output(q *study.Quantity, largest float64) customary.Shown { return w.Input(q, largest) }

// A unit of another quantity, an unknown one, and a unit of something that the study does not have are refused.
func TestChooseWrongly(t *testing.T) {
	service, _ := newService()
	s, err := read(t, service, `{"kind":"sweep","inputs":{"width":1},"vary":{"length":[1,2]}}`)
	if err != nil {
		t.Fatal(err)
	}
	for unit, code := range map[string]string{
		"length=kg": request.CodeIncompatibleUnit, "area=ft": request.CodeIncompatibleUnit, "length=parsnip": request.CodeUnknownUnit,
		"width=ft": request.CodeUnknownOutput, "height=ft": request.CodeUnknownOutput, "kind=ft": request.CodeUnknownOutput, "ft": request.CodeIncompatibleUnit,
	} {
		_, err := s.Choose("", []string{unit})
		if e, ok := errors.AsType[*sdk.Error](err); !ok || e.Code != code || e.Field != "unit" {
			t.Errorf("%s: %v, want %s", unit, err, code)
		}
	}
	if _, err := s.Choose("", []string{"length=ft", "L=in"}); err == nil {
		t.Error("two units of an input are accepted")
	}
	r, err := s.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Rows[0].Result[0] = math.MaxFloat64
	choice, err := s.Choose("", []string{"mm2"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := choice.In(r); err == nil {
		t.Error("a number beyond binary64 is shown")
	}
}
