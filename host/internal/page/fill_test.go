package page_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
)

// rod has the moment, or the area instead.
type rod struct {
	Length  float64  `name:"length" symbol:"L" unit:"m"`
	Moment  *float64 `name:"moment" symbol:"I" label:"Second moment" unit:"m4" presets:"data.test.sections#moment"`
	Area    *float64 `name:"area" symbol:"A" unit:"m2" presets:"data.test.sections#area"`
	Density float64  `name:"density" symbol:"\\rho" unit:"kg/m3" default:"1" presets:"data.test.sections#density,data.test.fluid#density"`
}

func (in *rod) Complete(context.Context) error {
	switch {
	case in.Moment != nil && in.Area != nil:
		return sdk.Conflict("moment", "moment replaces area")
	case in.Moment == nil && in.Area == nil:
		return sdk.Missing("moment", "moment is needed, or area")
	}
	return nil
}

type rodOut struct {
	Ratio float64 `name:"ratio" symbol:"R" unit:"m3"`
	Line  float64 `name:"line" symbol:"m" unit:"kg/m2"`
}

func newRodSite(t testing.TB, definition string) *site {
	return newTableSite(t, sdk.New(sdk.Spec{Capability: "test.beams.rod", Version: "1.0.0", Tool: "rod", Group: "beams", Title: "Rod", Summary: "A ratio.", Definition: definition},
		func(_ context.Context, in rod) (rodOut, error) {
			moment := in.Moment
			if moment == nil {
				moment = new(*in.Area * *in.Area)
			}
			return rodOut{*moment / in.Length, in.Density * in.Length}, nil
		}))
}

const (
	rodPath       = "/calc/beams/rod?"
	rodDefinition = "I = A^2\nR = I/L\nm = rho*L"
)

// A row only fills blank fields that a request can have together with each other and with the entered fields.
func TestFillTakesNoAlternatives(t *testing.T) {
	s := newRodSite(t, rodDefinition)
	const row = "data.test.sections/IPE300@1.0.0"
	for _, tt := range []struct {
		query string
		want  map[string]string
	}{
		{"length=1&fill=IPE300", map[string]string{"length": "1", "moment.preset": row, "density.preset": row}},
		{"fill=ipe+300&length=1", map[string]string{"length": "1", "moment.preset": row, "density.preset": row}},
		{"length=1&area=2&fill=IPE+300", map[string]string{"length": "1", "area": "2", "density.preset": row}},
		{"length=1&area.preset=IPE200&fill=IPE300", map[string]string{"length": "1", "area.preset": "data.test.sections/IPE200@1.0.0", "density.preset": row}},
		{"length=1&moment=2&fill=Fluid+at+50+%C2%B0C", map[string]string{"length": "1", "moment": "2", "density.preset": "data.test.fluid/50 degC@1.0.0"}},
		{"length=1&fill=IPE200", map[string]string{"length": "1", "moment.preset": "data.test.sections/IPE200@1.0.0"}}, // which has no density
	} {
		a := s.get(t, rodPath+tt.query)
		if !strings.Contains(a.text, "calculatorx-result") {
			t.Errorf("%s: no result", tt.query)
			continue
		}
		got := map[string]string{}
		for name, values := range shared(t, a, rodPath) {
			got[name] = values[0]
		}
		if !maps.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.query, got, tt.want)
		}
		if text := "Fills Second moment, Density if the form has no value."; !strings.Contains(a.text, text) {
			t.Errorf("%s: the form does not say %q", tt.query, text)
		}
	}
}

// Without a formula the page does not know which inputs replace each other, and the engine refuses conflicting inputs.
func TestFillWithoutFormula(t *testing.T) {
	if a := newRodSite(t, "").get(t, rodPath+"length=1&fill=IPE300"); !strings.Contains(a.text, "Moment replaces area.") {
		t.Errorf("%d: %s", a.status, a.text)
	}
}

// A row that fills nothing is a fault of its own field alone, because it should have filled the blank fields.
func TestFillFaults(t *testing.T) {
	s := newRodSite(t, rodDefinition)
	for _, tt := range []struct{ query, says string }{
		{"fill=IPE250", "“IPE250” is not in a table for this form; the nearest are IPE200, IPE300."},
		{"length=1&fill=%3Cscript%3E", "“&lt;script&gt;” is not in a table for this form; the nearest are"},
		{"length=1&fill=Fluid+at+125+%C2%B0C", "The table Fluid has no values at 125 °C, and pages do not extrapolate."},
		{"length=1&area=2&density=1&fill=IPE300", "“IPE300” has a value for “Second moment”, but other inputs replace it; clear them first."},
		{"length=1&moment=2&density=1&fill=IPE300", "“IPE300” has a value for “Area”, but other inputs replace it; clear them first."},
		{"length=1&moment=2&density=1&fill=Fluid+at+50+%C2%B0C", "“Fluid at 50 °C” has a value for “Density”, but that field is not empty; clear it first."},
		{"length=1&fill=%00", "The name of the row is not text."},
	} {
		a := s.get(t, rodPath+tt.query)
		_, after, found := strings.Cut(a.text, `<p class="error" id="e-fill">`)
		words, _, _ := strings.Cut(after, "</p>")
		if !found || !strings.HasPrefix(words, tt.says) || strings.Contains(a.text, "calculatorx-result") || strings.Contains(a.text, "without it there is nothing") {
			t.Errorf("%s: %q at the field, want %q alone and no result", tt.query, words, tt.says)
		}
		if n := a.named("fill"); attr(n, "aria-invalid") != "true" {
			t.Errorf("%s: the field is not marked", tt.query)
		}
	}
}

// The server reports the filled fields to the script of a page. The script has no rule for them.
func TestFillOfScripts(t *testing.T) {
	s := newRodSite(t, rodDefinition)
	send := func(query string) (status int, read struct {
		Filled map[string]string
		Items  []struct{ Field, Text string }
	}) {
		a := s.ask(t, http.MethodPost, "/api/v1/calc/rod", query, "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
		text := a.text
		if a.status == http.StatusOK {
			_, text, _ = strings.Cut(text, `id="slipstick-read">`)
			text, _, _ = strings.Cut(text, "</script>")
		}
		if err := json.Unmarshal([]byte(text), &read); err != nil {
			t.Fatalf("%s: %v in %s", query, err, text)
		}
		return a.status, read
	}
	want := map[string]string{"moment": "IPE 300", "density": "IPE 300"}
	for _, query := range []string{"length=1&fill=ipe300", "fill=IPE 300"} { // the second one is unfinished
		if _, got := send(query); !maps.Equal(got.Filled, want) {
			t.Errorf("%s: filled %v, want %v", query, got.Filled, want)
		}
	}
	if status, got := send(url.Values{"fill": {"IPE 301"}}.Encode()); status != http.StatusBadRequest || len(got.Filled) > 0 || len(got.Items) != 1 || got.Items[0].Field != "fill" {
		t.Errorf("a row that is not there: %d, %+v", status, got)
	}
}
