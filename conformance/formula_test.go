package conformance_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/requirements"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

type tollInput struct {
	Distance float64  `name:"distance" symbol:"x" range:"[0,)" default:"1"`
	Shares   *float64 `name:"shares" symbol:"n" range:"(0,)"`
}

type tollOutput struct {
	Toll  float64  `name:"toll" symbol:"s"`
	Share *float64 `name:"share" symbol:"q"`
	Coins float64  `name:"coins" symbol:"c"`
}

// tollText has a jump at 3, a result that may be absent, and a result that it does not
// compute.
const tollText = `
near(d) = d < 3
s = x^2      if near(x)  @near
s = 2*x + 4  otherwise   @far
q = s/n
taken c  # the coins that there are in the drawer`

// toll is an engine that computes its Definition.
func toll() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "test.formula.toll", Version: "1.0.0", Tool: "toll", Group: "formula", Title: "Toll", Summary: "What a road costs.",
		Keywords: []string{"fare"}, References: []sdk.Reference{{Title: "This file"}},
		Definition: tollText, Formulas: []sdk.Formula{{ID: "near"}, {ID: "far"}},
	}, func(ctx context.Context, in tollInput) (tollOutput, error) {
		out := tollOutput{Toll: in.Distance * in.Distance}
		if in.Distance >= 3 {
			out.Toll = 2*in.Distance + 4
			sdk.UseFormula(ctx, "far")
		}
		if in.Shares != nil {
			out.Share = new(out.Toll / *in.Shares)
		}
		return out, nil
	})
}

const (
	tollNear = `{"id": "N", "inputs": {"distance": 2, "shares": 8}, "expected": {"toll": 4, "share": 0.5}}`
	tollFar  = `{"id": "F", "inputs": {"distance": 5}, "expected": {"toll": 14}, "rtol": 1e-6}`
	tolls    = "[" + tollNear + "," + tollFar + "]"
)

// tollOf opens toll with another Definition, in which text replaces old.
func tollOf(old, text string) func() conformance.Open {
	return always(opens(bent{Engine: toll(), spec: func(s *sdk.Spec) { s.Definition = replaceOnce(s.Definition, old, text) }}))
}

func replaceOnce(s, old, with string) string {
	if strings.Count(s, old) != 1 {
		panic("no such text: " + old)
	}
	return strings.Replace(s, old, with, 1)
}

// tollWhen opens toll with another outcome for some inputs.
func tollWhen(so func(distance float64) bool, change func(*sdk.Outcome)) func() conformance.Open {
	return always(opens(bent{Engine: toll(), answer: func(_ context.Context, in value.Values, next next) (sdk.Outcome, error) {
		o, err := next()
		if err == nil && so(in[0].Number()) {
			change(&o)
		}
		return o, err
	}}))
}

func scaled(i int, by float64) func(*sdk.Outcome) {
	return func(o *sdk.Outcome) { o.Result[i] = value.NumberOf(o.Result[i].Number() * by) }
}

var always3 = func(distance float64) bool { return distance == 3 }

// badFormulas are engines that do not compute their Definition.
var badFormulas = []badEngine{
	{rule: "formula-present", fault: "no Definition", found: "none", open: always(withSpec(func(s *sdk.Spec) { s.Definition = "" }))},

	{rule: "formula-values", fault: "another exponent in the text", found: "4\n", vectors: tolls, open: tollOf("x^2 ", "x^3 ")},
	{rule: "formula-values", fault: "another sign in the engine, where no vector looks", found: "-10\n", vectors: tolls,
		open: tollWhen(always3, scaled(0, -1))},
	{rule: "formula-values", fault: "the wrong side of a condition in the text, at its boundary alone", found: "10\n", vectors: tolls,
		open: tollOf("d < 3", "d <= 3"), also: []string{"formula-branch"}},
	{rule: "formula-values", fault: "a twelfth digit", found: "14.00000000014\n", vectors: tolls,
		open: tollWhen(func(x float64) bool { return x == 5 }, scaled(0, 1+1e-11))},
	{rule: "formula-values", fault: "a result beyond its declared tolerance", found: "9.9999", vectors: tolls, open: always(opens(bent{
		Engine: toll(),
		spec: func(s *sdk.Spec) {
			s.Tolerances = []sdk.Tolerance{{Output: "toll", Relative: 1e-6, Reason: "rounded for the till"}}
		},
		answer: func(_ context.Context, in value.Values, next next) (sdk.Outcome, error) {
			o, err := next()
			if err == nil && in[0].Number() == 3 {
				scaled(0, 1-1e-5)(&o)
			}
			return o, err
		},
	}))},

	{rule: "formula-presence", fault: "a result left out, where no vector looks", found: "absent", vectors: tolls,
		open: tollWhen(always3, func(o *sdk.Outcome) { o.Result[1] = value.Value{} })},
	{rule: "formula-presence", fault: "a result that the text leaves out", found: ".", vectors: tolls,
		open: tollOf("q = s/n", "q = s/n if x < 3")},

	{rule: "formula-faults", fault: "a division by zero where the engine answers", found: "10\n", vectors: tolls,
		open: tollOf("2*x + 4 ", "(2*x + 4)*(x - 3)/(x - 3) ")},

	{rule: "formula-branch", fault: "always the first formula", found: `"near"`, vectors: tolls,
		open: tollWhen(func(float64) bool { return true }, func(o *sdk.Outcome) { o.Formula = "" })},
	{rule: "formula-branch", fault: "ids at the wrong cases", found: `"far"`, vectors: tolls,
		open: always(opens(bent{Engine: toll(), spec: func(s *sdk.Spec) {
			s.Definition = strings.NewReplacer("@near", "@far", "@far", "@near").Replace(s.Definition)
		}}))},
	{rule: "formula-branch", fault: "the formula of another case, where that computed has none", found: `"near"`, vectors: tolls,
		open: always(opens(bent{
			Engine: toll(),
			spec: func(s *sdk.Spec) {
				s.Definition = replaceOnce(s.Definition, "@far", "")
				s.Formulas = s.Formulas[:1]
			},
			answer: changed(func(o *sdk.Outcome) { o.Formula = "near" }),
		}))},

	{rule: "formula-coverage", fault: "a case without a vector", found: "case 2 of s", vectors: "[" + tollNear + "]", open: always(opens(toll()))},
	{rule: "formula-coverage", fault: "a case of a function without a vector", found: "case 1 of near", vectors: tolls,
		open: tollOf("near(d) = d < 3", "near(d) = true if d == 0\nnear(d) = d < 3 otherwise")},
	{rule: "formula-coverage", fault: "a result that no vector has", found: "q in line 5", vectors: "[" + strings.NewReplacer(`, "shares": 8`, "", `, "share": 0.5`, "").Replace(tollNear) + "," + tollFar + "]",
		open: always(opens(toll()))},

	{rule: "formula-proved", fault: "a text that no bounds decide", found: "no number that could be compared: ", vectors: tolls,
		open: tollOf("near(d) = d < 3", "near(d) = d < 3 if sqrt(2)^2 == 2")},
	{rule: "formula-proved", fault: "outputs taken, and one that no bounds decide", found: "2 of 3 outputs taken", vectors: tolls, open: always(opens(bent{
		Engine: toll(),
		spec: func(s *sdk.Spec) {
			s.Definition, s.Formulas = "s = 2*x if sqrt(2)^2 == 2\ntaken q  # from a table\ntaken c  # from a table", s.Formulas[:1]
		},
		answer: changed(func(o *sdk.Outcome) { o.Formula = "" }),
	}))},
}

// An engine that looks up all its results has no formula to prove. It gives the reason for
// each result, and its evidence reports that nothing is proved.
func TestEngineWithATable(t *testing.T) {
	r := check(t, always(opens(bent{
		Engine: toll(),
		spec: func(s *sdk.Spec) {
			s.Definition, s.Formulas = "taken s  # by the table\ntaken q  # by the table\ntaken c  # by the table", s.Formulas[:1]
		},
		answer: changed(func(o *sdk.Outcome) { o.Formula = "" }),
	})), []byte(tolls))
	if failed := failedRules(r); len(failed) > 0 || !r.Passed {
		t.Errorf("failed %q", failed)
	}
	if c := r.CountProofs(); c.Whole() || c.String() != "0 of 3 outputs proved, 3 taken; 0 numbers compared" {
		t.Errorf("%v", c)
	}
}

func init() { badEngines = append(badEngines, badFormulas...) }

func TestEngineThatComputesItsDefinition(t *testing.T) {
	r := check(t, always(opens(toll())), []byte(tolls))
	if failed := failedRules(r); len(failed) > 0 || !r.Passed {
		t.Errorf("failed %q", failed)
	}
}

func TestProofs(t *testing.T) {
	good := check(t, always(opens(toll())), []byte(tolls))
	for i := range good.Proofs {
		if p := &good.Proofs[i]; p.Verdict != report.Taken && p.Generated == 0 {
			t.Errorf("no generated request compares %s", p.Output)
		}
		good.Proofs[i].Generated = 0
	}
	want := []report.Proof{
		{Output: "toll", Verdict: report.Proved, Vectors: 2, Tolerance: 1e-12},
		{Output: "share", Verdict: report.Proved, Vectors: 1, Tolerance: 1e-12},
		{Output: "coins", Verdict: report.Taken, Reason: "the coins that there are in the drawer"},
	}
	if diff := cmp.Diff(want, good.Proofs); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		name string
		open func() conformance.Open
		want report.Verdict // of the toll
		text string
	}{
		{"a digit that is declared", always(opens(bent{
			Engine: toll(),
			spec: func(s *sdk.Spec) {
				s.Tolerances = []sdk.Tolerance{{Output: "toll", Relative: 1e-9, Reason: "rounded for the till"}}
			},
			answer: changed(func(o *sdk.Outcome) {
				if o.Result[0].Number() == 14 {
					scaled(0, 1+1e-10)(o)
				}
			}),
		})), report.Declared, "toll: within the declared 1e-09 (rounded for the till); "},
		{"a text that decides nothing of it", tollOf("2*x + 4  otherwise", "2*x + 4  if sqrt(2)^2 == 2"), report.Proved, "toll: proved; "},
		{"another text", tollOf("2*x + 4", "2*x + 5"), report.Differs, "toll: not as in the text; "},
	} {
		r := check(t, c.open, []byte(tolls))
		var b strings.Builder
		if err := r.WriteText(&b); err != nil || r.Proofs[0].Verdict != c.want || !strings.Contains(b.String(), "      "+c.text) {
			t.Errorf("%s: %+v, %v\n%s", c.name, r.Proofs, err, b.String())
		}
	}
	count := good.CountProofs()
	if got := (report.ProofCount{Outputs: 3, Proved: 2, Taken: 1, Compared: 3}); *count != got || count.String() != "2 of 3 outputs proved, 1 taken; 3 numbers compared" {
		t.Errorf("%+v, %s", count, count)
	}
}

// A finding has everything that an author needs: both numbers, the case, and advice.
func TestFindingAboutAFormula(t *testing.T) {
	r := check(t, tollOf("2*x + 4", "2*x + 4.1"), []byte(tolls))
	got := result(t, r, "formula-values").Findings[0]
	want := report.Finding{
		Subject: report.Subject{Vector: "F", Path: "result.toll"}, Found: "14",
		Want: "14.1, by case 2 of s, from line 3; correct the text or the engine, or declare a tolerance with its reason",
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// An engine of an earlier contract needs no Definition, and a set without these rules does not use one.
func TestDefinitionDependsOnContractAndSet(t *testing.T) {
	old := always(withSpec(func(s *sdk.Spec) { s.Contract, s.Definition = "1.0.0", "" }))
	r := check(t, old, vectors(t))
	for _, one := range r.Rules {
		if strings.HasPrefix(one.ID, "formula-") && one.Outcome != report.NotApplicable {
			t.Errorf("%s: %s", one.ID, one.Outcome)
		}
	}
	if !r.Passed || r.Proofs != nil {
		t.Errorf("passed %t, %q, proofs %v", r.Passed, failedRules(r), r.Proofs)
	}
	without := *requirements.Newest()
	without.Rules = slices.DeleteFunc(slices.Clone(without.Rules), func(r requirements.Rule) bool { return strings.HasPrefix(r.ID, "formula-") })
	wrong := tollOf("x^2 ", "x^3 ")
	r = conformance.Check(t.Context(), wrong(), []byte(tolls), &conformance.Options{Requirements: &without})
	if !r.Passed || r.Proofs != nil || slices.ContainsFunc(r.Rules, func(one report.Result) bool { return strings.HasPrefix(one.ID, "formula-") }) {
		t.Errorf("by a set without these rules: %s", r.Headline())
	}
}

// A subnormal number has few bits, so numbers that an engine derives from it may be inexact.
// That is not a difference, and it is counted.
func TestSubnormalInputsAreNotJudged(t *testing.T) {
	off := tollWhen(func(x float64) bool { return x > 0 && x < 1e-310 }, func(o *sdk.Outcome) { o.Result[0], o.Formula = value.NumberOf(1), "far" })
	r := check(t, off, []byte(tolls))
	if !r.Passed || r.Proofs[0].Undecided == 0 || r.Proofs[0].Verdict != report.Proved {
		t.Errorf("failed %q, %+v", failedRules(r), r.Proofs[0])
	}
}
