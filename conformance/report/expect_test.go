package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slipstick/slipstick/conformance/report"
)

func TestParseExpectedRefuses(t *testing.T) {
	one := `{"capability": "a.b", "rule": "finite", "reason": "x"}`
	for data, text := range map[string]string{
		``:    "",
		`{}`:  "not an array",
		`[1]`: "entry 1 is a number",
		`[{"capability": "a.b", "rule": "finite"}]`: "needs a capability, a rule and a reason",
		`[{"rules": "finite"}]`:                     `unknown member "rules"`,
		`[{"rule": 1}]`:                             "not a string",
		`[` + strings.Replace(one, `"x"`, `"x", "until": "soon"`, 1) + `]`: "not a date",
		`[` + one + `,` + one + `]`:                                        "entry 2 repeats finite of a.b",
	} {
		if list, err := report.ParseExpected([]byte(data)); err == nil || !strings.Contains(err.Error(), text) || list != nil {
			t.Errorf("%s: %v, %v", data, list, err)
		}
	}
	list, err := report.ParseExpected([]byte(`[` + one + `]`))
	if want := []report.Expectation{{Capability: "a.b", Rule: "finite", Reason: "x"}}; err != nil || !cmp.Equal(list, want) {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestUnused(t *testing.T) {
	of, other := report.Expectation{Capability: "a.b", Rule: "finite"}, report.Expectation{Capability: "a.c", Rule: "finite"}
	got := report.Unused([]report.Expectation{of, other}, []*report.Report{{Capability: "a.b"}})
	if diff := cmp.Diff([]report.Expectation{other}, got); diff != "" {
		t.Error(diff)
	}
}
