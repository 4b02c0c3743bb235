package formula

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/value"
)

var curves = []Table{{
	Name: "curves", Columns: []Column{{Name: "curve", Word: true}, {Name: "alpha"}, {Name: "t", Unit: "m"}},
	Rows: [][]string{{"a", "0.21", "1/50"}, {"b", "0.34", "0.04"}, {"c", "0.49", "0.06"}},
}}

// A table is a constant list of records: rows are looked up, and columns are lists.
func TestTables(t *testing.T) {
	tests := []struct{ text, want string }{
		{`x = first(row in curves if row.curve == k: row.alpha)`, "0.34"},
		{`x = first(row in curves if row.curve == "d": row.alpha)`, "absent"},
		{`r = first(row in curves if row.t >= {0.03 m}); x = r.alpha`, "0.34"},
		{`x = interpolate({30 mm}, curves.t, curves.alpha)`, "0.275"},
		{`x = max(curves.alpha) + count(curves)`, "3.49"},
		{`x = curves[1].t/{1 m}`, "0.02"},
	}
	symbols := []Symbol{{Name: "k", Input: "k", Kind: WordField, Values: []string{"a", "b", "d"}, Required: true}, {Name: "x", Output: "x"}}
	for _, test := range tests {
		text, err := parse(t, strings.ReplaceAll(test.text, "; ", "\n")).OfDocument(true).WithTables(curves)
		if err != nil {
			t.Fatal(err)
		}
		if got := described(text.Evaluate([]Input{{Name: "k", Value: value.TextOf("b")}}, nil, near).Value("x")); got != test.want {
			t.Errorf("%s: %s, want %s", test.text, got, test.want)
		}
		for _, err := range text.Check(symbols, nil) {
			if !strings.Contains(err.Error(), `"d" is not a value of curve`) {
				t.Errorf("%s: %v", test.text, err)
			}
		}
	}
}

func TestTableMistakes(t *testing.T) {
	tests := []struct{ text, want string }{
		{"x = 1", "table curves is used by nothing"},
		{"curves = 1\nx = curves", "curves is a table: give this quantity another name"},
		{"x = first(row in curves if row.beta > 1: 1)", "the record has no field beta"},
		{"x = first(row in curves if row.alpha > {1 m}: 1)", "a number without a unit is compared with m"},
		{"x = first(row in curves if row.curve == \"e\": 1)", `"e" is not a value of curve`},
		{"x = interpolate(1, curves.t, curves.alpha)", "a number without a unit is looked up among m"},
	}
	for _, test := range tests {
		text, err := parse(t, test.text).WithTables(curves)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, err := range text.Check([]Symbol{{Name: "x", Output: "x"}}, nil) {
			all = append(all, err.Error())
		}
		if !strings.Contains(strings.Join(all, "\n"), test.want) {
			t.Errorf("%s: %q, want %s", test.text, all, test.want)
		}
	}
	for _, rows := range [][][]string{{{"a", "x", "1"}}, {{"a", "1"}}, {{"a", "1/0", "1"}}} {
		table := curves[0]
		table.Rows = rows
		if _, err := parse(t, "x = 1").WithTables([]Table{table}); err == nil {
			t.Errorf("%q is accepted", rows)
		}
	}
}
