package system

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
)

// Pages show the numbers of the API in every unit that a reader can select.
func TestUnits(t *testing.T) {
	t.Parallel()
	startServer(t).checkUnits(t)
}

// checkUnits requests every vector of every served capability, and reads every number back from the units of each
// system. It reads two pages of each capability.
func (h *server) checkUnits(t *testing.T) {
	converted, rows := 0, 0
	specs := map[string]*sdk.Spec{}
	for _, list := range libraryCases(t) {
		var lines strings.Builder
		for i := range list {
			fmt.Fprintf(&lines, "{\"id\":%q,\"inputs\":%s}\n", list[i].Capability, strings.Join(strings.Fields(list[i].text()), " "))
		}
		for i, line := range h.postLines(t, "?output=result", strings.NewReader(lines.String())) {
			result := outcome(line)
			if !strings.HasPrefix(result, "{") {
				continue
			}
			id := list[i].Capability
			first := specs[id] == nil
			if first {
				var answer struct{ Spec sdk.Spec }
				h.getJSON(t, "/api/v1/calc/"+id, &answer)
				specs[id] = &answer.Spec
			}
			for _, system := range customary.Systems() {
				converted += readBack(t, specs[id], system, result)
				if first && (system == customary.AsEntered || system == customary.US) {
					rows += h.readPage(t, specs[id], system, list[i].text())
				}
			}
		}
	}
	t.Logf("%d numbers read back, %d of them on pages, of %d capabilities", converted, rows, len(specs))
	if len(specs) == 0 || converted < 4*len(specs) || rows < len(specs) {
		t.Error("hardly anything was read")
	}
}

// readBack converts each number of a result as pages do, and back.
func readBack(t *testing.T, spec *sdk.Spec, system customary.System, result string) (converted int) {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(result), &members); err != nil {
		t.Fatal(result, err)
	}
	for i := range spec.Outputs {
		f := &spec.Outputs[i]
		x, isNumber := members[f.Name].(float64)
		q, ok := customary.Of(spec, f.Unit, f.Difference)
		if !isNumber || !ok {
			continue
		}
		u := customary.NewReader(system).Unit(q, x)
		if shown := fmt.Sprintf("%.6g", q.Convert(x, u)); !sameWithin(x, shown, u, q) {
			t.Errorf("%s: %v %s are shown as %s %s in %q", spec.Capability, x, f.Unit, shown, u.ID, system)
		}
		converted++
	}
	return converted
}

// sameWithin reports whether a number with six digits in the unit equals x, apart from its rounding.
func sameWithin(x float64, shown string, u units.Unit, q customary.Quantity) bool {
	exact, ok := new(big.Rat).SetString(shown)
	if !ok {
		return false
	}
	from, to := u, q.Unit
	if q.Difference {
		from, to = from.Difference(), to.Difference()
	}
	back, _ := units.Convert(exact, from, to).Float64()
	size, _ := exact.Float64()
	half := 0.5 * math.Pow10(int(math.Floor(math.Log10(math.Max(math.Abs(size), 1e-300))))-5)
	unit := math.Abs(convertedStep(from, to))
	return math.Abs(back-x) <= half*unit*1.000001+math.Abs(x)*1e-15
}

// convertedStep returns the size of one unit in another.
func convertedStep(from, to units.Unit) float64 {
	one, _ := units.Convert(big.NewRat(1, 1), from.Difference(), to.Difference()).Float64()
	return one
}

// readPage reads the table of results of a page. Each number in its unit must equal the API number next to it.
func (h *server) readPage(t *testing.T, spec *sdk.Spec, system customary.System, inputs string) (rows int) {
	t.Helper()
	query := ""
	if system != customary.AsEntered {
		query = "?units=" + string(system)
	}
	status, page := h.post(t, "/api/v1/calc/"+spec.Tool+query, inputs, "Accept", "text/html")
	root, err := html.Parse(strings.NewReader(page))
	if err != nil || status != 200 {
		t.Fatal(status, err, page)
	}
	var result struct{ Result map[string]any }
	if err := json.Unmarshal([]byte(found(resultBlock, page)), &result); err != nil {
		t.Fatal(err)
	}
	present := slices.DeleteFunc(slices.Clone(spec.Outputs), func(f sdk.Field) bool { _, there := result.Result[f.Name]; return !there })
	for i, cells := range resultRows(root) {
		f := &present[i]
		q, ok := customary.Of(spec, f.Unit, f.Difference)
		x, isNumber := result.Result[f.Name].(float64)
		if !ok || !isNumber || f.UnitBy != nil {
			continue
		}
		at := slices.IndexFunc(units.Of(q.Unit.Quantity), func(u units.Unit) bool { return formula.FormatUnit(u.ID) == cells[1] })
		if at < 0 {
			t.Errorf("%s in %q: the unit of %s is %q", spec.Tool, system, f.Name, cells[1])
			continue
		}
		if u := units.Of(q.Unit.Quantity)[at]; !sameWithin(x, plainNumber(cells[0]), u, q) {
			t.Errorf("%s in %q: %s is %v %s, and the page shows %s %s", spec.Tool, system, f.Name, x, f.Unit, cells[0], u.ID)
		}
		rows++
	}
	return rows
}

// plainNumber returns a number of a page as programs write it.
func plainNumber(text string) string {
	return strings.NewReplacer("−", "-", "\u202f", "", "×10", "e", " ", "").Replace(text)
}

// resultRows returns the number and the unit of each row of the first table.
func resultRows(root *html.Node) (rows [][2]string) {
	var read func(n *html.Node)
	done := false
	read = func(n *html.Node) {
		if n.Data == "tr" && n.Parent.Data == "tbody" && !done {
			var cells []string
			for c := range n.ChildNodes() {
				if c.Data == "td" {
					cells = append(cells, strings.Join(strings.Fields(cellText(c)), " "))
				}
			}
			rows = append(rows, [2]string{strings.ReplaceAll(cells[0], " ", ""), cells[1]})
		}
		for c := range n.ChildNodes() {
			read(c)
		}
		done = done || n.Data == "table"
	}
	read(root)
	return rows
}

// cellText returns the text of a cell in print. The selected value of a menu comes first.
func cellText(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	if n.Data == "select" {
		return ""
	}
	var b strings.Builder
	for c := range n.ChildNodes() {
		b.WriteString(cellText(c))
	}
	return b.String()
}
