package page_test

import (
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// An example has a URL only if the URL can have all of its inputs.
func TestQueryOf(t *testing.T) {
	spec := engine("1.0.0", 1).Spec()
	for body, want := range map[string]string{
		`{"L": 2.0, "mode": "hard"}`:                              "mode=hard&length=2",
		`{"L": {"value": 2e0, "unit": "ft"}, "wet": true}`:        "length=2&length.unit=ft&wet=true",
		`{"L": {"unit": "m", "value": 2}, "wet": false}`:          "length=2",
		`{"data": [1, 2.50], "corners": [[0, 0], [1, 2]]}`:        "data=1+2.5&corners=0+0%3B+1+2",
		`{"layers": [{"kind": "a", "thickness": 0.1}]}`:           "layers=0.1+a",
		`{"factor": "0.10"}`:                                      "factor=0.10",
		`{"layers": [{"kind": "a"}]}`:                             "layers=-+a",
		`{"layers": [{"thickness": {"value": 1, "unit": "cm"}}]}`: "layers=1cm",
		`{"unknown": 1}`:                                          "",
		`{"L": "2"}`:                                              "",
		`{"L": null}`:                                             "",
		`{"L": 1e-400}`:                                           "",
		`{"data": 3}`:                                             "data=3",
		`{}`:                                                      "",
	} {
		inputs, err := strictjson.ParseObject([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := address.QueryOf(&spec, inputs, new(address.View)); got != want && (ok || want != "") {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// A fault of inputs is described with the labels of the form. Texts of an engine are repeated unchanged, and texts of the
// service become sentences.
func TestFieldProblem(t *testing.T) {
	spec := engine("1.0.0", 1).Spec()
	faults := func(body string) error {
		inputs, err := strictjson.ParseObject([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = request.Read(&spec, inputs)
		return err
	}
	for _, tt := range []struct {
		err                error
		detail, suggestion string
	}{
		{faults(`{}`), "“Mode”: Enter a value. The calculation needs it.", ""},
		{faults(`{"mode":"hard","length":2,"x":"1"}`), "“Where to look”: This is not valid. Enter numbers such as 0.35, 1200 or 2.1e11.", ""},
		{faults(`{"mode":"metal","length":2}`), "“Mode”: Choose one of the values.", ""},
		{faults(`{"mode":"hard","length":2,"layers":[{"thickness":1},{"thickness":{}}]}`),
			"“Layers”: Row 2, “Thickness”: This is not valid. Enter numbers such as 0.35, 1200 or 2.1e11.", ""},
		{faults(`{"mode":"hard","length":2,"corners":[[1,2],[3,1e-400]]}`),
			"“Corners”: Row 2, column 2: This is too small to calculate with, but not zero. Enter 0 if you mean zero.", ""},
		{faults(`{"mode":"hard","length":{"value":2,"unit":"kg"}}`), "“Length”: kg is a unit of another quantity. Use one of m, nm, µm, mm, cm, km, µin, mil, in, ft, yd, mi, nmi, or a bare number in m.", ""},
		{sdk.Reject("TOO_WET", "wet", "the point_load must wait").Suggest("Dry it."), "The “Point load” must wait.", "Dry it."},
		{problem.TooLarge(), "The calculation is larger than 65536 bytes.", "Send one calculation per request, or per line of a batch."},
	} {
		detail, suggestion := address.ReadQuery(&spec, "").WordsOf(problem.Of(tt.err))
		if detail != tt.detail || suggestion != tt.suggestion {
			t.Errorf("%v:\n got %s | %s\nwant %s | %s", tt.err, detail, suggestion, tt.detail, tt.suggestion)
		}
	}
}
