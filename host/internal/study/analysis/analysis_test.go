package analysis_test

import (
	"context"
	"encoding/json"
	"math"
	"math/big"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/slipstick/slipstick/host/internal/study/analysis"
)

// aCase is a reference case of an analysis.
type aCase struct {
	ID, Kind, Model, Capability string
	Plan                        plan
	Expected                    json.RawMessage
	Tolerance                   map[string]json.RawMessage

	raw json.RawMessage
}

type plan struct {
	Inputs    map[string]float64
	Uncertain map[string]struct {
		Distribution string
		Standard     float64  `json:"standard_uncertainty"`
		Width        float64  `json:"half_width"`
		Freedom      *float64 `json:"degrees_of_freedom"`
	}
	Correlation []struct {
		Of []string
		R  float64
	}
	SecondOrder bool    `json:"second_order"`
	Probability float64 `json:"coverage_probability"`
	Draws       int
	Bracket     []float64
	Goal        float64
}

func cases(t *testing.T) []aCase {
	t.Helper()
	text, err := os.ReadFile("testdata/studies.json")
	if err != nil {
		t.Fatal(err)
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	var list []aCase
	for _, one := range raw {
		var c aCase
		if err := json.Unmarshal(one, &c); err != nil && c.Kind != "rule" { // plans of rules have other forms
			t.Fatalf("%.40s: %v", one, err)
		}
		c.raw = one
		list = append(list, c)
	}
	return list
}

type named = map[string]float64

// models are the formulas of cases that need no engine.
var models = map[string]func(x named) []float64{
	"l = ls + d - ls*(da*th + al*dt)": func(x named) []float64 {
		return []float64{x["ls"] + x["d"] - x["ls"]*(x["da"]*x["th"]+x["al"]*x["dt"])}
	},
	"R = V/I*cos(phi); X = V/I*sin(phi); Z = V/I": func(x named) []float64 {
		z := x["V"] / x["I"]
		return []float64{z * math.Cos(x["phi"]), z * math.Sin(x["phi"]), z}
	},
	"y = a + b":            func(x named) []float64 { return []float64{x["a"] + x["b"]} },
	"y = 12*H + 6*C + 6*O": func(x named) []float64 { return []float64{12*x["H"] + 6*x["C"] + 6*x["O"]} },
	"y = f*(Ae/Ais)*m":     func(x named) []float64 { return []float64{x["f"] * (x["Ae"] / x["Ais"]) * x["m"]} },
	"y = (L1 - L0)/(L0*(T1 - T0))": func(x named) []float64 {
		return []float64{(x["L1"] - x["L0"]) / (x["L0"] * (x["T1"] - x["T0"]))}
	},
	"y = (mR + dm)*(1 + (ra - 1.2)*(1/rW - 1/rR)) - 100000": func(x named) []float64 {
		return []float64{x["mR"] - 100000 + x["dm"] + (x["mR"]+x["dm"])*(x["ra"]-1.2)*(1/x["rW"]-1/x["rR"])}
	},
	"y = x1*x2": func(x named) []float64 { return []float64{x["x1"] * x["x2"]} },
	"y = 32*pi^5*h*R^4*Rinf^4/(15*e^4*0.001^4*299792458^6*alpha^8)": func(x named) []float64 {
		return []float64{32 * math.Pow(math.Pi, 5) * x["h"] * math.Pow(x["R"], 4) * math.Pow(x["Rinf"], 4) /
			(15 * math.Pow(x["e"], 4) * 1e-12 * math.Pow(299792458, 6) * math.Pow(x["alpha"], 8))}
	},
	"y = x1 + x2 + x3 + x4": func(x named) []float64 { return []float64{x["x1"] + x["x2"] + x["x3"] + x["x4"]} },
	"y = x1^2 + x2^2":       func(x named) []float64 { return []float64{x["x1"]*x["x1"] + x["x2"]*x["x2"]} },
	"y = ln(x)":             func(x named) []float64 { return []float64{math.Log(x["x"])} },

	"f(x) = sin(x) - x/2":    func(x named) []float64 { return []float64{math.Sin(x["x"]) - x["x"]/2} },
	"f(x) = x^12 - 0.2":      func(x named) []float64 { return []float64{math.Pow(x["x"], 12) - 0.2} },
	"f(x) = x^2 - (1 - x)^5": func(x named) []float64 { return []float64{x["x"]*x["x"] - math.Pow(1-x["x"], 5)} },
	"f(x) = (x - 3)^3":       func(x named) []float64 { return []float64{math.Pow(x["x"]-3, 3)} },
	"f(x) = x^3 - 2*x - 5":   func(x named) []float64 { return []float64{math.Pow(x["x"], 3) - 2*x["x"] - 5} },
	"f(x) = x*exp(-x^-2), 0 at x = 0": func(x named) []float64 {
		if x["x"] == 0 {
			return []float64{0}
		}
		return []float64{x["x"] * math.Exp(-1/(x["x"]*x["x"]))}
	},
	"f(x) = (1 + (1 - 20)^2)*x - (1 - 20*x)^2": func(x named) []float64 {
		return []float64{362*x["x"] - (1-20*x["x"])*(1-20*x["x"])}
	},
	"f(x) = exp(x) - 2 - 0.01/x^2 + 0.000002/x^3": func(x named) []float64 {
		v := x["x"]
		return []float64{math.Exp(v) - 2 - 0.01/(v*v) + 0.000002/(v*v*v)}
	},
}

// model returns the model of a case over its inputs, in the order of the names.
func (c *aCase) model(t *testing.T, names []string) analysis.Model {
	t.Helper()
	f := models[c.Model]
	if f == nil {
		t.Fatalf("no model %q", c.Model)
	}
	return analysis.Func(func(point []float64) analysis.Answer {
		x := named{}
		for name, value := range c.Plan.Inputs {
			x[name] = value
		}
		for i, name := range names {
			x[name] = point[i]
		}
		return analysis.Answer{Values: f(x)}
	})
}

func (c *aCase) uncertain() []string {
	var names []string
	for name := range c.Plan.Uncertain {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (c *aCase) correlation(names []string) [][]float64 {
	if c.Plan.Correlation == nil {
		return nil
	}
	r := make([][]float64, len(names))
	for i := range r {
		r[i] = make([]float64, len(names))
		r[i][i] = 1
	}
	for _, one := range c.Plan.Correlation {
		i, j := slices.Index(names, one.Of[0]), slices.Index(names, one.Of[1])
		r[i][j], r[j][i] = one.R, one.R
	}
	return r
}

func (c *aCase) distribution(name string) analysis.Distribution {
	u := c.Plan.Uncertain[name]
	return analysis.Distribution{Kind: analysis.Kind(u.Distribution), Estimate: c.Plan.Inputs[name], Standard: u.Standard, Width: u.Width}
}

func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func probability(p float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(p, 'g', -1, 64))
	return r
}

func TestCases(t *testing.T) {
	for _, c := range cases(t) {
		if c.Model == "" { // a case of an engine: package study tests it
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			switch c.Kind {
			case "gum":
				c.checkBudget(t)
			case "goal_seek":
				c.checkGoal(t)
			case "monte_carlo":
				c.checkDraws(t)
			case "rule":
				c.checkRule(t)
			default:
				t.Fatal(c.Kind)
			}
		})
	}
}

func (c *aCase) checkBudget(t *testing.T) {
	var want struct {
		Estimate, U                           json.RawMessage
		Sensitivity, Contribution, Elasticity named
		SecondOrder                           float64  `json:"u_second_order"`
		Freedom                               *float64 `json:"effective_degrees_of_freedom"`
		Correlation                           named
		Coverage                              *struct {
			K, KTruncated, KReal float64
		}
	}
	if err := json.Unmarshal(c.Expected, &want); err != nil {
		// the case lists the sensitivities of several outputs by output
		t.Log(err)
	}
	names := c.uncertain()
	var inputs []analysis.Input
	for _, name := range names {
		d := c.distribution(name)
		free := math.Inf(1)
		if f := c.Plan.Uncertain[name].Freedom; f != nil {
			free = *f
		}
		inputs = append(inputs, analysis.Input{Estimate: d.Estimate, Standard: d.StandardDeviation(), Freedom: free})
	}
	b, err := analysis.Propagate(context.Background(), c.model(t, names), inputs, c.correlation(names), c.Plan.SecondOrder)
	if err != nil {
		t.Fatal(err)
	}
	c.checkPrinted(t, b)
	outputs := []string{""}
	if len(b.Values) == 3 {
		outputs = []string{"R", "X", "Z"}
	}
	of := func(raw json.RawMessage, output string) float64 {
		var one float64
		if json.Unmarshal(raw, &one) == nil {
			return one
		}
		var several named
		_ = json.Unmarshal(raw, &several)
		return several[output]
	}
	greatest := math.Abs(b.Values[0])
	for o, output := range outputs {
		near(t, "the estimate "+output, b.Values[o], of(want.Estimate, output), 1e-13)
		if u := of(want.U, output); u == 0 {
			if b.Of[o].Standard > 1e-6 {
				t.Errorf("u is %v, want 0", b.Of[o].Standard)
			}
		} else {
			near(t, "u "+output, b.Of[o].Standard, u, 1e-8)
		}
		for p, other := range outputs {
			if r, ok := want.Correlation[output+","+other]; ok {
				near(t, "the correlation of "+output+" and "+other, b.Correlation[o][p], r, 1e-8)
			}
		}
	}
	for i, name := range names {
		if want.Contribution == nil {
			break
		}
		if s := want.Sensitivity[name]; math.Abs(s)*inputs[i].Standard <= 1e-9*greatest {
			if got := b.Of[0].Contributions[i]; got > 1e-9*greatest {
				t.Errorf("%s contributes %v, want 0", name, got)
			}
		} else {
			near(t, "the sensitivity of "+name, b.Slopes[0][i].Derivative, s, 1e-8)
			near(t, "the contribution of "+name, b.Of[0].Contributions[i], want.Contribution[name], 1e-8)
		}
		if e, ok := want.Elasticity[name]; ok {
			near(t, "the elasticity of "+name, b.Slopes[0][i].Elasticity, e, 1e-8)
		}
	}
	if want.SecondOrder != 0 {
		near(t, "u of second order", b.Of[0].SecondOrder, want.SecondOrder, 1e-5)
	}
	if want.Freedom != nil {
		near(t, "the degrees of freedom", b.Of[0].Freedom, *want.Freedom, 1e-8)
	}
	var coverage struct {
		Coverage struct {
			K  float64 `json:"k"`
			KT float64 `json:"k_truncated"`
			KR float64 `json:"k_real"`
		}
	}
	_ = json.Unmarshal(c.Expected, &coverage)
	if k := coverage.Coverage; k.KR != 0 {
		near(t, "k", analysis.CoverageFactor(c.Plan.Probability, b.Of[0].Freedom), k.KR, 1e-8)
		near(t, "k of whole degrees of freedom", analysis.CoverageFactor(c.Plan.Probability, math.Floor(b.Of[0].Freedom)), k.KT, 1e-8)
	}
}

func (c *aCase) checkGoal(t *testing.T) {
	var want struct{ Root float64 }
	if err := json.Unmarshal(c.Expected, &want); err != nil {
		t.Fatal(err)
	}
	g := &analysis.Goal{From: c.Plan.Bracket[0], To: c.Plan.Bracket[1], Wanted: c.Plan.Goal}
	s, err := g.Seek(context.Background(), c.model(t, []string{"x"}))
	if err != nil || s.Found != analysis.AtGoal {
		t.Fatal(s, err)
	}
	t.Logf("%v after %d questions", s.Best.Input, s.Asked)
	if s.Best.Answer.Values[0] == 0 {
		return // a flat function can be 0 over a range
	}
	if math.Abs(s.Best.Input-want.Root) > 1e-14*math.Abs(want.Root)+1e-15 {
		t.Errorf("the root is %v, want %v", s.Best.Input, want.Root)
	}
}

// draws returns the number of draws of a case here. scripts/soak makes all of them. The tolerance follows from the number.
func draws(full int) int {
	if os.Getenv("SLIPSTICK_SOAK") != "" {
		return full
	}
	return min(full, 60_000)
}

func (c *aCase) checkDraws(t *testing.T) {
	var want struct {
		Mean, U   float64
		Symmetric *[2]float64 `json:"interval_symmetric"`
		Shortest  *[2]float64 `json:"interval_shortest"`
	}
	var errors struct {
		Mean, U float64
		Low     float64 `json:"interval_low"`
		High    float64 `json:"interval_high"`
	}
	if err := json.Unmarshal(c.Expected, &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(c.Tolerance["standard_error_times_sqrt_draws"], &errors); err != nil {
		t.Fatal(err)
	}
	names := c.uncertain()
	s := &analysis.MonteCarlo{Draws: draws(c.Plan.Draws), Probability: probability(c.Plan.Probability), Seed: 7, Correlation: c.correlation(names)}
	for _, name := range names {
		s.Inputs = append(s.Inputs, c.distribution(name))
	}
	d, err := s.Run(context.Background(), c.model(t, names))
	if err != nil {
		t.Fatal(err)
	}
	within := func(what string, got, want, size float64) {
		t.Helper()
		if size != 0 && !(math.Abs(got-want) <= 5*size/math.Sqrt(float64(s.Draws))) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	o := d.Outputs[0]
	within("the mean", o.Mean, want.Mean, errors.Mean)
	within("u", o.Standard, want.U, errors.U)
	if want.Symmetric != nil {
		within("the low end", o.Symmetric.Low, want.Symmetric[0], errors.Low)
		within("the high end", o.Symmetric.High, want.Symmetric[1], errors.High)
	}
}
