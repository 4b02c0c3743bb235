package formula

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/value"
)

// worked are the calculations with steps in the golden file.
var worked = []struct {
	title, text string
	given       string // name=value [unit], separated by ;
	results     string // name=unit
	units       string // name=unit
}{
	{
		title: "cantilever with a triangle, bending only", text: "cantilever_wall_triangle_outer_moment_at_deflection",
		given:   "L=4 m; E=2.1e11 Pa; I=8.356e-5 m4; w_0=12000 N/m; b=3 m; w=5000 N/m; a=2.5 m; M_0=-8000 N m; x=2.5 m; model=euler_bernoulli",
		results: "delta=m", units: "EI=N m2;T=m4;U=m4;q_T=N m3;q_U=N m3;delta_b=m",
	},
	{
		title: "column, Johnson", text: "euler_johnson", given: "L=1 m; E=2e11 Pa; A=0.004 m2; I=9e-6 m4; S_y=2.5e8 Pa; end_condition=fixed_pinned",
		results: "lambda=; C_c=; P_E=; P_cr=N", units: "r=m;P_E=N;sigma_cr=Pa",
	},
	{
		title: "column, Euler", text: "euler_johnson", given: "L=13 ft; E=2e11 Pa; A=0.004 m2; I=9e-6 m4; end_condition=hinged",
		results: "P_cr=N", units: "r=m;P_E=N;sigma_cr=Pa;L=m",
	},
	{
		title: "voltage drop, three phases", text: "voltage_drop", given: "I=32.5 A; L=45 m; V=400 V; rho=2.2e-8 ohm m; A=1e-5 m2; x=1e-4 ohm/m; pf=0.9; circuit=ac_three_phase",
		results: "DeltaV=V; u=%; V_L=V; P_c=W", units: "r=ohm/m;z=ohm/m",
	},
	{title: "friction factor, turbulent", text: "friction_factor", given: "Re=100000; varepsilon=1e-4; method=auto", results: "f=; f_F="},
	{title: "friction factor, laminar", text: "friction_factor", given: "Re=2299.99999999; method=auto", results: "f=; f_F="},
	{title: "LMTD, equal differences", text: "lmtd", given: "T_hi=370 K; T_ho=330 K; T_ci=290 K; T_co=330 K; UA=100 W/K; F=1; flow=counterflow", results: "DeltaT_m=K; Qdot=W", units: "DeltaT_1=K;DeltaT_2=K"},
	{title: "LMTD, nearly equal differences", text: "lmtd", given: "T_hi=370 K; T_ho=330.0001 K; T_ci=290 K; T_co=330 K; UA=100 W/K; F=1; flow=counterflow", results: "DeltaT_m=K; Qdot=W", units: "DeltaT_1=K;DeltaT_2=K"},
	{title: "atmosphere at 25 km", text: "standard_1976", given: "Z=25000 m", results: "H=m; T=K; p=Pa; rho=kg/m3; a=m/s; mu=Pa s", units: "K_h=K/m;p_1=Pa;p_2=Pa"},
	{title: "regression", text: "linear", given: "x=1,2,3,4,5,6; y=2.1,3.9,6.2,7.8,10.1,12.2; intercept=true", results: "a=; b=; R2=; s=; s_b=; s_a="},
	{title: "wall of a pipe", text: "cylinder", given: "d=0.1 m; L=2 m; h_2=25 W/(m2 K); T_1=373.15 K; T_2=293.15 K; layers={thickness:0.005,conductivity:50}{thickness:0.05,conductivity:0.04}", results: "UA=W/K; Qdot=W"},
	{title: "length", text: "length", given: "a=12; from=ft; to=m", results: "v=m"},
	{title: "temperature", text: "temperature", given: "a=98.6; from=degF; to=degC", results: "v="},
	{title: "polygon", text: "polygon", given: "v=[0,0][4,0][4,3][0,3]", results: "A=m2; U=m; x_c=m"},
	{title: "thin rectangle", text: "rectangle", given: "b=0.2 m; h=0.1 m", results: "J=m4"},
}

// pairs reads name=value unit.
func pairs(list string) [][3]string {
	var out [][3]string
	if list == "" {
		return nil
	}
	for _, one := range strings.Split(list, ";") {
		name, rest, _ := strings.Cut(strings.TrimSpace(one), "=")
		v, unit, _ := strings.Cut(rest, " ")
		out = append(out, [3]string{name, v, unit})
	}
	return out
}

// sentValue reads 3, true, word, 1,2,3, [1,2][3,4] and {a:1,b:2}.
func sentValue(t *testing.T, text, unit string) (value.Value, []string) {
	t.Helper()
	var x float64
	list := func(text string) value.Value {
		var items []value.Value
		for _, one := range strings.Split(text, ",") {
			v, _ := sentValue(t, one, "")
			items = append(items, v)
		}
		return value.ListOf(items...)
	}
	switch {
	case text[0] == '[':
		var items []value.Value
		for _, one := range strings.Split(strings.Trim(text, "[]"), "][") {
			items = append(items, list(one))
		}
		return value.ListOf(items...), nil
	case text[0] == '{':
		var rows []value.Value
		var members []string
		for _, one := range strings.Split(strings.Trim(text, "{}"), "}{") {
			var fields []value.Value
			members = nil
			for _, field := range strings.Split(one, ",") {
				name, number, _ := strings.Cut(field, ":")
				v, _ := sentValue(t, number, "")
				members, fields = append(members, name), append(fields, v)
			}
			rows = append(rows, value.RecordOf(fields...))
		}
		return value.ListOf(rows...), members
	case strings.Contains(text, ","):
		return list(text), nil
	case text == "true":
		return value.BoolOf(true), nil
	}
	if n, _ := fmt.Sscan(text, &x); n == 0 || strings.Trim(text, "0123456789.e+-") != "" {
		return value.TextOf(text), nil
	}
	if unit == "ft" {
		x *= 0.3048
	}
	return value.NumberOf(x), nil
}

func stepsOf(t *testing.T, text *Text, given, results, names string) []Step {
	t.Helper()
	o := StepOptions{Units: map[string]string{}}
	for _, p := range pairs(names) {
		o.Units[p[0]] = strings.TrimSpace(p[1] + " " + p[2])
	}
	var inputs []Input
	for _, p := range pairs(given) {
		v, members := sentValue(t, p[1], p[2])
		inputs = append(inputs, Input{Name: p[0], Value: v, Members: members})
		if v.Kind() == value.List {
			p[1] = "" // the form of the text
		}
		o.Given = append(o.Given, Given{Name: p[0], Value: p[1], Unit: p[2]})
		if p[2] != "ft" && v.Kind() == value.Number {
			o.Units[p[0]] = p[2]
		}
	}
	r := text.EvaluateBriefly(inputs, nil, StepWork)
	for _, p := range pairs(results) {
		x, ok := r.Value(p[0]).Number()
		if !ok {
			t.Errorf("%s has no value", p[0])
		}
		o.Results = append(o.Results, Figure{Name: p[0], Value: strconv.FormatFloat(x, 'g', -1, 64), Unit: strings.TrimSpace(p[1] + " " + p[2])})
		o.Units[p[0]] = strings.TrimSpace(p[1] + " " + p[2])
	}
	steps, done := Steps(text, r, &o)
	if !done {
		t.Error("the steps took more work than they may")
	}
	return steps
}

func TestSteps(t *testing.T) {
	all := texts(t)
	var b, page strings.Builder
	for _, tt := range worked {
		fmt.Fprintf(&b, "%s\n", tt.title)
		fmt.Fprintf(&page, "<h2>%s</h2>\n", tt.title)
		steps := stepsOf(t, all[tt.text], tt.given, tt.results, tt.units)
		for _, s := range steps {
			b.WriteString("    " + s.Text + "\n")
			wellFormed(t, s.MathML(typesetting))
			wellFormed(t, "<math>"+strings.NewReplacer("<math", "<mrow", "</math", "</mrow").Replace(s.BecauseHTML(typesetting))+"</math>")
			page.WriteString("<li>" + s.MathML(typesetting) + "<p>" + s.BecauseHTML(typesetting) + "</p></li>\n")
		}
		b.WriteString("\n")
	}
	golden(t, "steps.golden", b.String())
	golden(t, "steps.html.golden", page.String())
}

// Steps with little work are the same as with all work, if it is enough. Hostile texts end
// within it.
func TestLittleWork(t *testing.T) {
	for name, source := range hostile {
		text, err := Parse(source)
		if err != nil {
			continue
		}
		o := &StepOptions{Results: []Figure{{Name: "x", Value: "1"}, {Name: "y", Value: "1", Headline: true}}}
		least := 0
		for _, most := range []int{LittleStepWork, StepWork} {
			r := text.EvaluateBriefly(hostileInputs, nil, most)
			if steps, done := Steps(text, r, o); done && len(steps) < least {
				t.Errorf("%s: %d steps with much work, and %d with little", name, len(steps), least)
			} else if done {
				least = len(steps)
			}
			if beyond := -r.env.work.left; beyond > most {
				t.Errorf("%s: %d work beyond %d", name, beyond, most)
			}
		}
	}
}

// The steps of the main result come before the steps of other results, each once.
func TestHeadlineFirst(t *testing.T) {
	text, err := Parse("a = x + 1; b = x + 2; c = 2*a; d = 2*b")
	if err != nil {
		t.Fatal(err)
	}
	r := text.EvaluateBriefly([]Input{{Name: "x", Value: value.NumberOf(3)}}, nil, StepWork)
	for headline, want := range map[string]string{"": "a b c d c d", "c": "a c b d c d", "d": "b d a c c d"} {
		o := &StepOptions{}
		for _, name := range []string{"c", "d"} {
			o.Results = append(o.Results, Figure{Name: name, Value: "1", Headline: name == headline})
		}
		var names []string
		steps, _ := Steps(text, r, o)
		for _, s := range steps {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("headline %q: %s, want %s", headline, got, want)
		}
	}
}

// If a text needs more work than steps may take, lines are missing. The other lines are
// correct, and the last one is still the engine's number.
func TestStepsAreBounded(t *testing.T) {
	for _, source := range []string{
		"f(a) = exp(sin(a)) + 3^(a/7); g(a) = sum(i in 1..900: f(a + i/3)); h(a) = sum(i in 1..900: g(i*a)); y = 2*x; z = y + sum(i in 1..900: h(i)) + h(2)",
		"f(a) = 1 + 1/a; z = sum(i in 1..1000000000: f(i))",
		"y = x^(2^20); z = (y^1000)^1000 - y^999999",
	} {
		text, err := Parse(source)
		if err != nil {
			t.Fatal(err)
		}
		r := text.EvaluateBriefly([]Input{{Name: "x", Value: value.NumberOf(3)}}, nil, StepWork)
		steps, _ := Steps(text, r, &StepOptions{Given: []Given{{Name: "x", Value: "3"}}, Results: []Figure{{Name: "y", Value: "6"}, {Name: "z", Value: "7.5"}}})
		if last := steps[len(steps)-1]; last.Kind != ResultStep || last.Value != "7.5" || len(steps) > 2*maxSteps {
			t.Errorf("%s: %d steps, the last is %q", source, len(steps), last.Text)
		}
		for _, s := range steps {
			if s.Name == "z" && s.Kind == ComputedStep {
				t.Errorf("%s: %q, which nobody computed", source, s.Text)
			}
		}
	}
}

// Each number of a step is in the unit of its reader, also arguments of helper functions, items and reasons.
func TestShownUnits(t *testing.T) {
	text, err := Parse("area(d) = pi*d^2/4; A = area(D) + {1 m2}; T = sum(l in layers: l.thickness); s = D*T; q = A/s if D < {2 m}; q = s/A otherwise; r = q*n")
	if err != nil {
		t.Fatal(err)
	}
	symbols := []Symbol{
		{Name: "D", Input: "D", Unit: "m", Required: true}, {Name: "n", Input: "n", Required: true}, {Name: "r", Output: "r"},
		{Name: "layers", Input: "layers", Kind: ListField, Required: true, Item: &Symbol{Kind: RecordField, Members: []Symbol{{Name: "thickness", Unit: "m", Required: true}}}},
	}
	inputs := []Input{
		{Name: "D", Value: value.NumberOf(0.3048)}, {Name: "n", Value: value.NumberOf(3)},
		{Name: "layers", Value: value.ListOf(value.RecordOf(value.NumberOf(0.1524)), value.RecordOf(value.NumberOf(0.3048))), Members: []string{"thickness"}},
	}
	units := text.Units(symbols)
	units["D"] = "m"
	feet := func(name, unit string, x float64) (float64, string) {
		switch unit {
		case "m":
			return x / 0.3048, "ft"
		case "m2":
			return x / (0.3048 * 0.3048), "ft2"
		}
		return x, ""
	}
	o := &StepOptions{
		Given:   []Given{{Field: "D", Name: "D", Value: "12", Unit: "in"}, {Field: "n", Name: "n", Value: "3"}},
		Results: []Figure{{Name: "r", Value: "1", Unit: ""}}, Units: units, Symbols: symbols, Shown: feet,
	}
	steps, _ := Steps(text, text.EvaluateBriefly(inputs, nil, StepWork), o)
	var got []string
	for _, s := range steps {
		got = append(got, s.Text)
		wellFormed(t, s.MathML(typesetting))
	}
	want := []string{
		"D = 12 in = 1 ft",
		"n = 3",
		"area(D) = pi*d^2/4 = pi*{1 ft}^2/4 = 0.78539816 ft2",
		"A = area(D) + {10.76391 ft2} = {0.78539816 ft2} + {10.76391 ft2} = 11.549309 ft2",
		"T = sum(l in layers: l.thickness) = {0.5 ft} + {1 ft} = 1.5 ft",
		"s = D*T = {1 ft}*{1.5 ft} = 1.5 ft2",
		"q = A/s = {11.549309 ft2}/{1.5 ft2} = 7.6995391, because D = 1 ft < 6.5616798 ft",
		"r = q*n = 7.6995391*3 = 23.098617",
		"engine: r = 1",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("steps\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
