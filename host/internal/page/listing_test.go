package page_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/slipstick/slipstick/host/internal/archive/share"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// wall has lists of records, of points and of numbers as inputs, and records as a result.
type wall struct {
	Layers   []wallLayer  `name:"layers" symbol:"s"`
	Corners  *[][]float64 `name:"corners" symbol:"v" unit:"m"`
	Readings *[]float64   `name:"readings" unit:"Pa"`
}

type wallLayer struct {
	Thickness float64  `name:"thickness" alias:"t" symbol:"t_i" unit:"m"`
	Density   *float64 `name:"density" unit:"kg/m3"`
	Kind      string   `name:"kind" default:"board"`
}

type wallOut struct {
	Total float64      `name:"total" symbol:"T" unit:"m"`
	Seams []wallResult `name:"seams" symbol:"q"`
}

type wallResult struct {
	Depth float64 `name:"depth" unit:"m"`
}

func newWallSite(t testing.TB) *site {
	spec := sdk.Spec{Capability: "test.walls.wall", Version: "1.0.0", Tool: "wall", Group: "walls", Title: "Wall", Summary: "How thick.",
		Definition: "T = sum(k in s: k.thickness)", Formulas: []sdk.Formula{{ID: "wall_v1"}}}
	return newTableSite(t, sdk.New(spec, func(_ context.Context, in wall) (wallOut, error) {
		var out wallOut
		for _, l := range in.Layers {
			out.Total += l.Thickness
			out.Seams = append(out.Seams, wallResult{out.Total})
		}
		return out, nil
	}))
}

// listings returns the tables of lists in a part of the page: each row as a text, the head first.
func (a answer) listings(class string) (list [][]string) {
	for _, part := range a.withClass(class) {
		for table := range part.Descendants() {
			if table.Type != html.ElementNode || table.Data != "table" || attr(table, "class") != "listing" {
				continue
			}
			var rows []string
			for row := range table.Descendants() {
				if row.Type == html.ElementNode && row.Data == "tr" {
					rows = append(rows, text(row))
				}
			}
			list = append(list, rows)
		}
	}
	return list
}

func (a answer) withClass(class string) (list []*html.Node) {
	for n := range a.root.Descendants() {
		if n.Type == html.ElementNode && slices.Contains(strings.Fields(attr(n, "class")), class) {
			list = append(list, n)
		}
	}
	return list
}

func want(t *testing.T, where string, got [][]string, want ...[]string) {
	t.Helper()
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%s: %q, want %q", where, got, want)
	}
}

// Rows of an input are a table with names and units: in the sent units, in the units of the engine, and in the steps.
func TestRowsHaveNamesAndUnits(t *testing.T) {
	s := newWallSite(t)
	query := url.Values{
		"layers": {"0.50 600 brick; 3.5 - wool"}, "layers.thickness.unit": {"in"}, "corners": {"1 2; 30 -4"}, "corners.unit": {"mm"}, "readings": {"1 2.50"}, "readings.unit": {"kPa"},
	}
	a := s.get(t, "/calc/walls/wall?"+query.Encode())
	layers := []string{"Thickness t i in Density kg/m³ Kind", "0.50 600 brick", "3.5 – wool"}
	exactly := []string{"Thickness t i m Density kg/m³ Kind", "0.0127 600 brick", "0.0889 – wool"}
	corners := []string{"x mm y mm", "1 2", "30 −4"}
	want(t, "inputs", a.listings("given"), layers, corners, exactly, []string{"x m y m", "0.001 0.002", "0.03 −0.004"})
	want(t, "steps", a.listings("steps"), layers)
	want(t, "results", a.listings("result"), []string{"Depth mm", "12.7", "101.6"}, []string{"Depth m", "0.0127", "0.10160000000000001"})
	for _, says := range []string{"1, 2.50 kPa", "1000, 2500", "s = [{thickness 12.7 mm, density 600 kg/m3, kind brick}, {thickness 88.9 mm, kind wool}]"} {
		if !strings.Contains(text(a.root), says) && !strings.Contains(a.text, says) {
			t.Errorf("the page does not say %q", says)
		}
	}
}

// All JSON forms give the same table: numbers with units as objects and as texts, with aliases, and with different units.
func TestRowsThatAreSentAsJSON(t *testing.T) {
	s := newWallSite(t)
	body := `{"layers":[{"t":"3.5 in","density":{"value":600,"unit":"kg/m3"}},{"thickness":0.1},{"thickness":{"value":2,"unit":"mm"}}]}`
	a := s.ask(t, http.MethodPost, "/api/v1/calc/wall", body, "Content-Type", "application/json", "Accept", "text/html")
	want(t, "inputs", a.listings("given"),
		[]string{"Thickness t i Density kg/m³ Kind", "3.5 in 600 board", "0.1 m – board", "2 mm – board"},
		[]string{"Thickness t i m Density kg/m³ Kind", "0.0889 600 board", "0.1 – board", "0.002 – board"})
}

// A record has its inputs in SI. Its page shows the rows as the client sent them, without a sentence about the conversion.
func TestRowsOfSnapshots(t *testing.T) {
	s := newWallSite(t)
	inputs, err := strictjson.ParseObject([]byte(`{"layers":[{"thickness":{"value":0.50,"unit":"in"},"kind":"brick"},{"thickness":0.1}],"corners":[[1,2],[3,4]]}`))
	if err != nil {
		t.Fatal(err)
	}
	answered, err := s.service.Calculate(t.Context(), calc.Request{ID: "wall", Inputs: inputs})
	if err != nil {
		t.Fatal(err)
	}
	snap, err := share.Create(t.Context(), s.store, answered)
	if err != nil {
		t.Fatal(err)
	}
	for units, head := range map[string]string{"": "x m y m", "units=us": "x ft y ft"} {
		whole, err := s.pages.Snapshot(t.Context(), snap, units)
		a := shown(t, s, whole, err)
		got := a.listings("given")
		if len(got) < 2 {
			t.Fatalf("%s: %d listings", units, len(got))
		}
		want(t, "layers, "+units, got[:1], []string{"Thickness t i Density kg/m³ Kind", "0.50 in – brick", "0.1 m – board"})
		if got[1][0] != head {
			t.Errorf("%s: the corners are in %q, want %q", units, got[1][0], head)
		}
		for _, assumed := range a.withClass("assumed") {
			if strings.Contains(text(assumed), "layers.0.thickness") {
				t.Errorf("%s: the assumptions repeat how the rows were sent: %s", units, text(assumed))
			}
		}
	}
}

// A long list is cut, and shows its length.
func TestLongLists(t *testing.T) {
	s := newWallSite(t)
	query := url.Values{"layers": {strings.Repeat("0.1;", 40)}, "readings": {strings.Repeat("7 ", 500)}}
	a := s.get(t, "/calc/walls/wall?"+query.Encode())
	got := a.listings("given")
	if len(got) == 0 || len(got[0]) != 14 || got[0][13] != "… 40 rows in all" {
		t.Errorf("of 40 rows: %q", got)
	}
	if !strings.Contains(text(a.root), "… (500 in all) Pa") {
		t.Error("the page does not say how long the other list is")
	}
}
