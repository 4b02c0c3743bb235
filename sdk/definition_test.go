package sdk_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/value"
)

// column is the Spec of an engine with a Definition, as its author writes it.
func column() *sdk.Spec {
	return &sdk.Spec{
		Capability: "mechanical.columns.euler", Version: "1.0.0", Tool: "euler", Group: "columns", Title: "Column", Summary: "Column.",
		Inputs: []sdk.Field{
			{Name: "length", Symbol: "L", Type: sdk.TypeNumber, Unit: "m", Required: true},
			{Name: "rigidity", Symbol: "EI", Type: sdk.TypeNumber, Unit: "N m2", Required: true},
			{Name: "yield_strength", Symbol: "S_y", Type: sdk.TypeNumber, Unit: "Pa"},
			{Name: "area", Symbol: "A", Type: sdk.TypeNumber, Unit: "m2", Default: "1"},
			{Name: "end_condition", Type: sdk.TypeString, Enum: []string{"pinned", "free"}, Default: "pinned"},
			{Name: "layers", Symbol: "t_i", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeObject, Fields: []sdk.Field{
				{Name: "thickness", Symbol: "t", Type: sdk.TypeNumber, Unit: "m"}}}},
			{Name: "loads", Type: sdk.TypeArray, Unit: "N", Items: &sdk.Field{Type: sdk.TypeNumber}},
			{Name: "safe", Type: sdk.TypeBoolean},
		},
		Outputs: []sdk.Field{
			{Name: "critical_load", Symbol: "P_{cr}", Type: sdk.TypeNumber, Unit: "N", Required: true},
			{Name: "length", Symbol: "L", Type: sdk.TypeNumber, Unit: "m", Required: true},
			{Name: "ratio", Symbol: "R^2", Type: sdk.TypeNumber},
		},
		Definition: `K = 2 if end_condition == "free"
K = 1 otherwise
P_cr = A*S_y if given(S_y) and A*S_y < EI/(K*L)^2  @yield_v1
P_cr = pi^2*EI/(K*L)^2 otherwise  @euler_v1
ratio = P_cr/(EI/L^2)`,
		Formulas: []sdk.Formula{{ID: "euler_v1", Label: "Euler"}, {ID: "yield_v1", Label: "Yielding"}},
	}
}

func TestSymbols(t *testing.T) {
	got := column().Symbols()
	want := []formula.Symbol{
		{Name: "L", Input: "length", Output: "length", Unit: "m", Required: true},
		{Name: "EI", Input: "rigidity", Unit: "N m2", Required: true},
		{Name: "S_y", Input: "yield_strength", Unit: "Pa"},
		{Name: "A", Input: "area", Unit: "m2", Required: true},
		{Name: "end_condition", Input: "end_condition", Kind: formula.WordField, Values: []string{"pinned", "free"}, Required: true},
		{Name: "t_i", Input: "layers", Kind: formula.ListField, Item: &formula.Symbol{Kind: formula.RecordField, Members: []formula.Symbol{{Name: "thickness", Unit: "m"}}}},
		{Name: "loads", Input: "loads", Unit: "N", Kind: formula.ListField, Item: &formula.Symbol{Unit: "N"}},
		{Name: "safe", Input: "safe", Kind: formula.BoolField},
		{Name: "P_cr", Output: "critical_load", Unit: "N"},
		{Name: "ratio", Output: "ratio"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The names of the values are the names with which the text is checked.
func TestFormulaValues(t *testing.T) {
	s := column()
	number := value.NumberOf(2)
	layer := value.RecordOf(number)
	sent := value.Values{number, number, {}, number, value.TextOf("free"), value.ListOf(layer, layer), value.ListOf(number), value.BoolOf(true)}
	var names []string
	for _, in := range s.FormulaInputs(sent) {
		names = append(names, fmt.Sprint(in.Name, in.Members))
	}
	if got := strings.Join(names, " "); got != "L[] EI[] A[] end_condition[] t_i[thickness] loads[] safe[]" {
		t.Errorf("inputs: %s", got)
	}
	text, err := s.Text()
	if err != nil {
		t.Fatal(err)
	}
	r := text.Evaluate(s.FormulaInputs(sent), nil, func(*formula.Value) bool { return true })
	load, _ := r.Value("P_cr").Number()
	result := value.Values{value.NumberOf(load), number, {}}
	outputs := s.FormulaOutputs(result)
	if !cmp.Equal(outputs, map[string]float64{"P_cr": load, "L": 2}) || load < 1.23 || load > 1.24 { // pi^2*2/16
		t.Errorf("outputs: %v", outputs)
	}
}

func TestDefinitionsThatAreRefused(t *testing.T) {
	if err := column().Validate(); err != nil {
		t.Fatalf("the column: %v", err)
	}
	for want, change := range map[string]func(s *sdk.Spec){
		`definition: line 5, column 14: "R" is left over: a product is written with *`:                             func(s *sdk.Spec) { s.Definition = strings.Replace(s.Definition, "P_cr/(", "P_cr R(", 1) },
		"definition: line 5, column 13: N is added to m":                                                           func(s *sdk.Spec) { s.Definition = strings.Replace(s.Definition, "P_cr/(", "0*(L+P_cr)/(", 1) },
		"definition: no case is of the formula extra: write @extra after the case for which the engine reports it": func(s *sdk.Spec) { s.Formulas = append(s.Formulas, sdk.Formula{ID: "extra"}) },
		"spec_version 1.0.0 has no Definition, Tolerances or Typesetting: send 1.1.0":                              func(s *sdk.Spec) { s.Contract = "1.0.0" },
		"tolerances and typesetting are about a definition, and there is none":                                     func(s *sdk.Spec) { s.Definition, s.Typesetting = "", map[string]string{"K": "K"} },
		"formula euler_v1 has Symbols, and a Definition uses the symbols of the fields: leave them out":            func(s *sdk.Spec) { s.Formulas[0].Symbols = map[string]string{"length": "l"} },
		"formula 0 needs an Expression and an ID of its own":                                                       func(s *sdk.Spec) { s.Definition = "" },
		"the formulas that are made from the Definition have more than 24576 bytes with their LaTeX: give it fewer cases, or fewer formulas": func(s *sdk.Spec) {
			s.Definition += "\nK_2 = K" + strings.Repeat("+K", 300)
			s.Typesetting = map[string]string{"K": strings.Repeat("K", 100)}
		},
		"17 formulas for one Definition: at most 16":                 func(s *sdk.Spec) { s.Formulas = append(s.Formulas, make([]sdk.Formula, 15)...) },
		`tolerance of "P_cr": no output with a number has this name`: func(s *sdk.Spec) { s.Tolerances = []sdk.Tolerance{{"P_cr", 1e-6, "series"}} },
		`tolerance of "ratio": it has two`: func(s *sdk.Spec) {
			s.Tolerances = []sdk.Tolerance{{"ratio", 1e-6, "series"}, {"ratio", 1e-6, "series"}}
		},
		`tolerance of "ratio": 1e-12 is not above 1e-12, which counts without it, and at most 0.001`:        func(s *sdk.Spec) { s.Tolerances = []sdk.Tolerance{{"ratio", 1e-12, "series"}} },
		`tolerance of "ratio": 0.01 is not above 1e-12, which counts without it, and at most 0.001`:         func(s *sdk.Spec) { s.Tolerances = []sdk.Tolerance{{"ratio", 0.01, "series"}} },
		`tolerance of "ratio": the Reason is missing: what makes the engine's number differ?`:               func(s *sdk.Spec) { s.Tolerances = []sdk.Tolerance{{"ratio", 1e-6, ""}} },
		`tolerance of "length": the Definition does not say how it follows from the inputs`:                 func(s *sdk.Spec) { s.Tolerances = []sdk.Tolerance{{"length", 1e-6, "series"}} },
		`typesetting of "S_y": the Definition has no such name, or it is the name of a field with a symbol`: func(s *sdk.Spec) { s.Typesetting = map[string]string{"S_y": "f_y"} },
		`typesetting of "Q": the Definition has no such name, or it is the name of a field with a symbol`: func(s *sdk.Spec) {
			s.Typesetting = map[string]string{"Q": "Q", "K": "k", "end_condition": `\text{ends}`}
		},
		`typesetting of "K" has 101 bytes: write LaTeX of 1 to 100`:                                                                   func(s *sdk.Spec) { s.Typesetting = map[string]string{"K": strings.Repeat("K", 101)} },
		"definition: L is the name of input length and of output length, which are not one quantity: give one of them another symbol": func(s *sdk.Spec) { s.Outputs[1].Unit = "mm" },
	} {
		s := column()
		change(s)
		if err := s.Validate(); err == nil || !slices.Contains(strings.Split(err.Error(), "\n"), want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// Engines of contract 1.0.0 are unchanged: they have no Definition and write formulas
// themselves.
func TestOlderContract(t *testing.T) {
	s := column()
	s.Contract, s.Definition = "1.0.0", ""
	s.Formulas = []sdk.Formula{{ID: "euler_v1", Expression: "P = pi^2*EI/L^2", LaTeX: "P", Symbols: map[string]string{"critical_load": "P"}}}
	before := s.Formulas[0]
	s.Express()
	if !cmp.Equal(before, s.Formulas[0]) {
		t.Errorf("its formula became %+v", s.Formulas[0])
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
}

// New makes the formulas, and refuses formulas that an author writes in addition to the text.
func TestNewExpresses(t *testing.T) {
	type in struct {
		Length float64 `name:"length" symbol:"L" unit:"m"`
	}
	type out struct {
		Area float64 `name:"area" symbol:"A" unit:"m2"`
	}
	calculate := func(_ context.Context, in in) (out, error) { return out{in.Length * in.Length}, nil }
	spec := sdk.Spec{
		Capability: "geometry.plane.square", Version: "1.0.0", Tool: "square", Group: "plane", Title: "Square", Summary: "Square.",
		Definition: "A = L^2  # by definition", Formulas: []sdk.Formula{{ID: "square_v1"}},
	}
	f := sdk.New(spec, calculate).Spec().Formulas[0]
	if f.Expression != "A = L^2" || f.LaTeX != "A = L^2" || spec.Formulas[0].Expression != "" {
		t.Errorf("made %+v; the author's is %+v", f, spec.Formulas[0])
	}
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "formula square_v1 has an Expression or LaTeX") {
			t.Errorf("New said %s", got)
		}
	}()
	spec.Formulas = []sdk.Formula{{ID: "square_v1", Expression: "A = L*L"}}
	sdk.New(spec, calculate)
}

// Each formula shows its own branch. Text in its place in the Spec does not count.
func TestExpress(t *testing.T) {
	s := column()
	s.Typesetting = map[string]string{"K": `\mathcal K`, "end_condition": strings.Repeat("P", 1e6)}
	s.Inputs[0].Symbol = `\ell`
	s.Definition = strings.ReplaceAll(s.Definition, "L", "ell")
	s.Formulas[0].Expression = "P = 1"
	before := s.Formulas
	s.Express()
	if got, want := s.Formulas[1].Expression, "P_cr = A*S_y; ratio = P_cr/(EI/ell^2)"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := s.Formulas[0].Expression; !strings.Contains(got, "P_cr = pi^2*EI/(K*ell)^2;") || strings.Contains(got, "@") {
		t.Error(got)
	}
	if got := s.Formulas[0].LaTeX; !strings.Contains(got, `\mathcal K`) || !strings.Contains(got, `\ell`) || !strings.Contains(got, "P_{cr}") || !strings.Contains(got, "R^2") || len(got) > 1000 {
		t.Errorf("LaTeX %.2000s", got)
	}
	if before[0].Expression != "P = 1" {
		t.Error("the author's formulas were overwritten")
	}
	s.Definition = "this is none"
	s.Formulas[0].Expression = "V = I*R"
	s.Express()
	if s.Formulas[0].Expression != "V = I*R" {
		t.Error("a Definition that cannot be read changes formulas")
	}
}

func TestFollows(t *testing.T) {
	for contract, want := range map[string]bool{"": false, "1.0.0": false, "1.1.0": true, "1.10.0": true, "2.0.0": true, "1.0.9": false, "x": false} {
		if s := (&sdk.Spec{Contract: contract}); s.Follows("1.1.0") != want {
			t.Errorf("%s follows 1.1.0: %t", contract, !want)
		}
	}
}
