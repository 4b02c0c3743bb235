package document_test

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/document"
)

// Documents with many small parts are refused before they become large values. Brackets in
// texts do not count.
func TestDocumentsThatUnfold(t *testing.T) {
	const n = 100_000
	many := func(part string) string { return strings.Repeat(part+",", n) + part }
	for name, text2 := range map[string]string{
		"objects": `{"inputs":[` + many("{}") + `]}`, "nulls": `{"inputs":[` + many("null") + `]}`,
		"texts": `{"errors":[` + many(`""`) + `]}`, "lists": `{"inputs":[` + many("[]") + `]}`,
		"members": `{"formulas":[{"symbols":{` + many(`"a":""`) + `}}]}`, "levels": strings.Repeat(`{"items":`, n) + "1" + strings.Repeat("}", n),
		"curves": `{"curves":[` + many("{}") + `]}`, "points": `{"curves":[{"x":[` + many("1") + `]}]}`,
		"escaped": `{"title":"\\\"","inputs":[` + many("{}") + `]}`,
	} {
		for way, parse := range map[string]func([]byte) error{
			"spec":   func(b []byte) error { _, err := document.ParseSpec(b); return err },
			"figure": func(b []byte) error { _, err := document.ParseFigure(b); return err },
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := parse([]byte(text2))
			runtime.ReadMemStats(&after)
			// The allowance covers the copy of the document itself.
			if size := after.TotalAlloc - before.TotalAlloc; err == nil || size > uint64(len(text2))+64<<10 {
				t.Errorf("%s as %s: %d bytes were allocated, error %v", name, way, size, err)
			}
		}
	}
}

// An engine in another language sends only the text. A formula that it sends in addition is
// ignored.
func TestFormulasFollowTheDefinition(t *testing.T) {
	for _, written := range []string{"", `,"expression":"A = L","latex":"A = L"`} {
		got, err := document.ParseSpec([]byte(`{"spec_version":"1.1.0","definition":"A = L^2","formulas":[{"id":"square_v1"` + written + `}]}`))
		if err != nil || got.Formulas[0].Expression != "A = L^2" || got.Formulas[0].LaTeX != "A = L^2" {
			t.Errorf("%s: %+v, %v", written, got, err)
		}
	}
	old, err := document.ParseSpec([]byte(`{"spec_version":"1.0.0","formulas":[{"id":"square_v1","expression":"A = L*L","latex":"A"}]}`))
	if err != nil || old.Formulas[0].Expression != "A = L*L" || old.Formulas[0].LaTeX != "A" {
		t.Errorf("of contract 1.0.0: %+v, %v", old, err)
	}
}

func TestDocumentsAreRead(t *testing.T) {
	text := strings.Repeat(`{[,:"\`, 50_000)
	want := &sdk.Spec{Title: text, Inputs: []sdk.Field{{Name: "x", Type: sdk.TypeNumber}}, Errors: []string{"A"}}
	text2, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := document.ParseSpec(text2)
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("a Spec with a long text: %v", err)
	}
	xs := make([]float64, sdk.MaxFigurePoints)
	figure := &sdk.Figure{Family: "a", Curves: []sdk.Curve{{Label: text[:100], X: xs[:sdk.MaxFigurePoints-200], Y: xs[:sdk.MaxFigurePoints-200]}}}
	for range 200 {
		figure.Arrows = append(figure.Arrows, sdk.Arrow{Label: "a"})
		figure.Couples = append(figure.Couples, sdk.Couple{Label: "a"})
		figure.Supports = append(figure.Supports, sdk.Support{Kind: sdk.Pin})
		figure.Points = append(figure.Points, sdk.Point{Label: "a"})
		figure.Dimensions = append(figure.Dimensions, sdk.Dimension{Label: "a", Symbol: "b", Side: sdk.Below})
		figure.Shapes = append(figure.Shapes, sdk.Shape{Label: "a", X: xs[:1], Y: xs[:1]})
	}
	text2, err = json.Marshal(figure)
	if err != nil {
		t.Fatal(err)
	}
	if drawn, err := document.ParseFigure(text2); err != nil || !cmp.Equal(drawn, figure) {
		t.Errorf("the largest figure: %v", err)
	}
	if _, err := document.ParseFigure([]byte(`{"curves":[]}`)); err == nil {
		t.Error("a figure without curves was taken")
	}
}
