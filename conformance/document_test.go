package conformance_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/requirements"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/text"
)

const documentRule = "document-"

// checkDocument judges a document of testdata, with changes.
func checkDocument(t *testing.T, name string, o *conformance.Options, changes ...string) *report.Report {
	t.Helper()
	file := filepath.Join("testdata/documents", name+".calc.md")
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer(changes...).Replace(string(source))
	if len(changes) > 0 && changed == string(source) {
		t.Fatalf("%s has nothing of %q", name, changes)
	}
	engine, err := text.Bind(file, []byte(changed))
	if err != nil {
		t.Fatal(err)
	}
	open := func(context.Context) (sdk.Engine, func(), error) { return engine, nil, nil }
	return conformance.Check(t.Context(), open, engine.Vectors(), o)
}

func TestGoodDocumentPassesEveryRule(t *testing.T) {
	r := checkDocument(t, "good", nil)
	for _, one := range r.Rules {
		if !one.Passed || strings.HasPrefix(one.ID, documentRule) && one.Outcome != report.Pass {
			t.Errorf("%s: %s, %+v", one.ID, one.Outcome, one.Findings)
		}
	}
}

// Each rule about documents has a document that breaks this rule and no other.
func TestBadDocumentFailsItsRuleOnly(t *testing.T) {
	for _, rule := range requirements.Newest().Rules {
		if !strings.HasPrefix(rule.ID, documentRule) {
			continue
		}
		t.Run(rule.ID, func(t *testing.T) {
			r := checkDocument(t, rule.ID, nil)
			got := failedRules(r)
			if !slices.Equal(got, []string{rule.ID}) {
				t.Errorf("failed %q", got)
				for _, one := range r.Rules {
					t.Log(one.ID, one.Findings)
				}
			}
		})
	}
}

// Older sets do not have the rules about documents.
func TestDocumentBreaksNoRuleOfAnOlderSet(t *testing.T) {
	set, err := requirements.Find("2027-01")
	if err != nil {
		t.Fatal(err)
	}
	r := checkDocument(t, "document-mutants", &conformance.Options{Requirements: set})
	if !r.Passed {
		t.Errorf("failed %q", failedRules(r))
	}
}

func TestSourcesOfVectors(t *testing.T) {
	const source = "hand: 7850*2^2*0.01"
	exists := func(path string) bool { return path == "tools/sheet.py" }
	for _, c := range []struct {
		source string
		right  bool
	}{
		{"hand: 7850*4*0.01", true},
		{"hand:", false},
		{"hand: by head", false},
		{"by hand: 7850*4*0.01", false},
		{"book: EN 1991-1-1, table A.4", true},
		{"book: EN 1991-1-1: example 3", true},
		{"book: EN 1991-1-1", false},
		{"book:, table A.4", false},
		{"program: tools/sheet.py", true},
		{"program: tools/sheet.py, 50 digits", true},
		{"program: tools/sheets.py", false},
		{"program: mpmath 1.3.0, 50 digits", false},
		{"program: ../sheet.py", false},
		{"program: Slipstick, tools/sheet.py", false},
		{"hand: 314 as computed", false},
		{"hand: 314 from this engine", false},
		{"book: Slipstick, page 3", false},
	} {
		r := checkDocument(t, "good", &conformance.Options{HasScript: exists}, source, c.source)
		findings := result(t, r, "document-sources").Findings
		if c.right != (len(findings) == 0) {
			t.Errorf("%s: %v", c.source, findings)
		}
	}
}

// A survivor comes with the inputs of a vector that would find it.
func TestMutantNamesItsVector(t *testing.T) {
	findings := result(t, checkDocument(t, "document-mutants", nil), "document-mutants").Findings
	if len(findings) != 2 {
		t.Fatalf("%+v", findings)
	}
	for _, f := range findings {
		if f.Subject.String() != "document, line 53" || !strings.HasSuffix(f.Want, "V like V1: t = 0.5 mm") {
			t.Errorf("%+v", f)
		}
	}
}

// A finding about a formula counts lines from the start of the document.
func TestFormulaHasLineOfDocument(t *testing.T) {
	source, err := os.ReadFile("testdata/documents/good.calc.md")
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(source), `"crane"  if m`)
	r := checkDocument(t, "good", nil, `"crane"  if m > {500 kg}`, `"crane"  if m > {500000000 kg}`, "handling = crane", "handling = manual")
	findings := result(t, r, "formula-coverage").Findings
	if line := fmt.Sprintf("from line %d,", strings.Count(before, "\n")+1); len(findings) != 1 || !strings.Contains(findings[0].Found, line) {
		t.Errorf("%+v, want %q", findings, line)
	}
}

// A mutant that differs in the last digits only is listed, and is not a fault.
func TestMutantOfTheLastDigitsIsListed(t *testing.T) {
	one := result(t, checkDocument(t, "document-decided", nil), "document-mutants")
	if one.Outcome != report.Pass || len(one.Notes) == 0 || !strings.Contains(one.Notes[0], "instead of") {
		t.Errorf("%+v", one)
	}
}

// The suite judges the published document, not the answers of the engine about it.
func TestDocumentIsTheEngine(t *testing.T) {
	for name, change := range map[string]func(*sdk.Spec){
		"another formula":        func(s *sdk.Spec) { s.Definition = strings.Replace(s.Definition, "rho*A*t", "A*t*rho", 1) },
		"another title":          func(s *sdk.Spec) { s.Title += " of metal" },
		"a document of mistakes": func(s *sdk.Spec) { s.Document = strings.Replace(s.Document, "rho*A*t", "rho*B*t", 1) },
	} {
		source, err := os.ReadFile("testdata/documents/good.calc.md")
		if err != nil {
			t.Fatal(err)
		}
		engine, err := text.Bind("good.calc.md", source)
		if err != nil {
			t.Fatal(err)
		}
		r := conformance.Check(t.Context(), opens(bent{Engine: engine, spec: change}), engine.Vectors(), nil)
		if findings := result(t, r, "document-same").Findings; len(findings) == 0 {
			t.Errorf("%s: no finding", name)
		}
	}
}

// A vector of a document expects severities, the formula, and no other warnings and assumptions.
func TestVectorsOfDocumentsAreComplete(t *testing.T) {
	for name, c := range map[string]struct{ rule, old, new, found string }{
		"severity":   {"declared-warnings", "warns caution THIN", "warns critical THIN", `the warning THIN of severity "warning"`},
		"warning":    {"declared-warnings", "manual, warns caution THIN", "manual", `the warning "THIN"`},
		"assumption": {"vectors-results", "crane, assumes 1", "crane", "1"},
		"formula":    {"vectors-results", "mass == 314 kg", "mass == 314 kg, by crane_v1", `"manual_v1"`},
	} {
		cases := []string{`"crane"  if m > {500 kg}`, `"crane"  if m > {500 kg}  @crane_v1`, `"manual"  otherwise`, `"manual"  otherwise  @manual_v1`}
		r := checkDocument(t, "good", nil, append(cases, c.old, c.new)...)
		found := result(t, r, c.rule).Findings
		if len(found) == 0 || found[0].Found != c.found {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
