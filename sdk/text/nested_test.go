package text

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/enginefile"
)

// The inputs of a document with lists in lists are the inputs of a Go engine with the same lists.
func TestListsInLists(t *testing.T) {
	e, source := bound(t, "corners.calc.md")
	type input struct {
		Corners [][]float64  `name:"corners" symbol:"v" unit:"m" range:"[-10,10]" doc:"Corners, in order."`
		Weather *[][]float64 `name:"weather" symbol:"T" unit:"K" doc:"Temperatures of each day."`
		Marks   *[][]int     `name:"marks" symbol:"m" range:"[0,9]" doc:"Marks of each corner."`
	}
	type output struct {
		Area float64   `name:"area" symbol:"A" unit:"m2" doc:"Area."`
		Last []float64 `name:"last_corner" symbol:"c" unit:"m" doc:"The last corner."`
	}
	engine := sdk.New(sdk.Spec{
		Capability: "geometry.plane.corners", Version: "1.0.0", Tool: "corners", Group: "plane", Title: "Corners", Summary: "Corners.",
		Formulas: []sdk.Formula{{ID: "corners_v1", Expression: "A"}},
	}, func(context.Context, input) (output, error) { return output{}, nil }).Spec()
	got := e.Spec()
	for i := range got.Inputs {
		got.Inputs[i].Items.Items.Shown = "" // a Go engine has no unit for people
	}
	pairs := [][2]sdk.Field{{got.Inputs[0], engine.Inputs[0]}, {got.Inputs[1], engine.Inputs[1]}, {got.Inputs[2], engine.Inputs[2]}}
	for _, pair := range pairs {
		document, err := json.Marshal(pair[0])
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(pair[1])
		if err != nil {
			t.Fatal(err)
		}
		if string(document) != string(want) {
			t.Errorf("the document has the input\n%s, and the Go engine has\n%s", document, want)
		}
	}
	if !e.fast {
		t.Error("lists in lists have no fast path")
	}
	for i := range e.vectors {
		in, ok := e.read(&e.vectors[i])
		if ok && !strings.HasPrefix(e.vectors[i].ID.Text, "E") && !e.compareExact(t, "corners.calc.md", in) {
			t.Errorf("the fast path leaves %s open", e.vectors[i].ID.Text)
		}
	}
	withFile := strings.Replace(string(source), "\n- keywords:", "\n- vectors: corners.csv\n- keywords:", 1)
	const rows = "v [mm],area [mm2],last_corner [mm],source\n\"[[0, 0], [100, 0], [0, 50]]\",2500.,\"==[0, 50]\",hand: 100*50/2\n"
	withRows, err := BindWith("t.calc.md", &enginefile.Text{Document: []byte(withFile), Vectors: []byte(rows)})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range withRows.Disagreements("t.calc.md", []byte(withFile)) {
		t.Error(m.Report())
	}
	_, err = BindWith("t.calc.md", &enginefile.Text{Document: []byte(withFile), Vectors: []byte(strings.Replace(rows, "[100, 0]", "[[100], 0]", 1))})
	if err == nil || !strings.Contains(err.Error(), "corners.csv:2:12: write a number in mm") {
		t.Errorf("a list where a number is needed: %v", err)
	}
	for _, m := range []struct{ old, new, want string }{
		{"list of list of mm", "list of list of list of mm", "a list has numbers, exact numbers, integers or a unit, such as list of kN. Its items can be such lists"},
		{"list of list of mm", "list of list of", `unit "list of" is not known`},
		{"list of list of mm", "list of records", "a list has numbers"},
		{"list of list of degC", "list of list of deg_C", `unit "deg_C" is not known`},
		{"[0, 9] ", "[0, 9.5] ", "write an integer, without a unit"},
		{"v = [[0 mm, 0 mm], [100 mm, 0 mm], [0 mm, 50 mm]]", "v = [[0 mm, 0 mm], [100, 0 mm], [0 mm, 50 mm]]", "this field has a unit: write 100 mm"},
		{"v = [[0 mm, 0 mm], [100 mm, 0 mm], [0 mm, 50 mm]]", "v = [[0 mm, 0 mm], 100 mm, [0 mm, 50 mm]]", "this is a list: write [..., ...]"},
		{"v = [[0 mm, 0 mm], [100 mm, 0 mm], [0 mm, 50 mm]]", "v = [[0 mm, 0 mm], [[1 mm], 0 mm], [0 mm, 50 mm]]", "write a number in mm"},
		{"v[i][1]\n", "v[i]\n", "max takes a list of numbers, and this has a list in it"},
		{"max(x)", "max(v)", "max takes a list of numbers, and this has a list in it"},
		{"sum(q in p: abs(q))", "sum(q in p: abs(p))", "abs takes a number, and this is a list"},
		{"count(p) != 2", "count(p[1]) != 2", "count of one argument takes a list, and this is m"},
		{"v[n]", "v[n][1]", "c is a list"},
	} {
		changed := strings.Replace(string(source), m.old, m.new, 1)
		if changed == string(source) {
			t.Errorf("the document has no %q", m.old)
			continue
		}
		_, err := Bind("t.calc.md", []byte(changed))
		if err == nil || !strings.Contains(err.Error(), m.want) {
			t.Errorf("%s\n%v\nwant %s", m.new, err, m.want)
		}
	}
}
