package vary

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/page/plot"
	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	found "github.com/slipstick/slipstick/host/internal/study"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
)

// studied is the result of a study on a page.
type studied struct {
	Kind     string
	digits   wording.Precision
	Lead     []studiedLead
	Pictures []studiedPicture
	Head     []string
	Rows     [][]studiedCell
	Notes    []string
	Version  string
	Release  string
	Count    int
	CSV      string // URL
	More     int    // number of hidden rows
	Folded   bool   // the table is closed, because the picture shows more
}

// studiedLead is a main result.
type studiedLead struct {
	What, Unit string
	Number     wording.Number
	Note       string
}

// studiedPicture is a picture of a study.
type studiedPicture struct {
	Title string
	SVG   template.HTML
	Key   []studiedKey
}

// studiedKey is the meaning of a colour of bars.
type studiedKey struct{ Class, Text string }

// studiedCell is a cell of a table.
type studiedCell struct {
	Number *wording.Number
	Text   string
}

// kindNames are the names of kinds on pages.
var kindNames = map[found.Kind]string{
	found.Sweep: "Sweep", found.Compare: "Comparison of two versions", found.GoalSeek: "Goal", found.Sensitivity: "Sensitivity",
	found.GUM: "Uncertainty by propagation", found.MonteCarlo: "Uncertainty by Monte Carlo",
}

// maxStudied is the maximum number of rows on a page.
const maxStudied = 200

// newStudied returns a result for a page. The Spec has the labels of names in texts.
func newStudied(r *found.Result, spec *sdk.Spec, digits wording.Precision) *studied {
	s := &studied{digits: digits, Kind: kindNames[r.Kind], Version: r.Version, Release: r.Release, Count: r.Calculations, Folded: r.Drawn != nil}
	for i := range r.Outputs {
		s.lead(r, i)
		s.draw(r, i)
	}
	t := r.Table(formula.FormatUnit)
	s.Head = t.Head
	for _, row := range t.Rows {
		if len(s.Rows) == maxStudied {
			s.More = len(t.Rows) - maxStudied
			break
		}
		var cells []studiedCell
		for _, c := range row {
			if c.Number == nil {
				cells = append(cells, studiedCell{Text: c.Text})
				continue
			}
			n := digits.Format(*c.Number)
			if r.Goal != nil { // neighbouring rows differ in the last digit
				n = wording.Number{Mantissa: strings.Replace(c.String(), "-", "−", 1)}
			}
			cells = append(cells, studiedCell{Number: &n})
		}
		s.Rows = append(s.Rows, cells)
	}
	for _, one := range r.Rejected {
		s.Notes = append(s.Notes, fmt.Sprintf("%d of %d calculations were rejected with %s. %s", one.Count, r.Calculations, one.Code, wording.AsSentence(wording.InWords(spec, one.Detail))))
	}
	for _, one := range r.Warnings {
		s.Notes = append(s.Notes, fmt.Sprintf("%d of %d calculations have the warning %s. %s", one.Count, r.Calculations, one.Code, wording.AsSentence(wording.InWords(spec, one.Detail))))
	}
	if r.Sensitivity != nil && slices.ContainsFunc(slices.Concat(r.Inputs, r.Outputs), hasZero) {
		s.Notes = append(s.Notes, "Elasticities and relative changes use temperatures from absolute zero.")
	}
	return s
}

// hasZero reports whether the zero of the unit is a matter of choice, as for degrees Celsius.
func hasZero(q found.Quantity) bool {
	u, ok := units.Lookup(q.Unit)
	return ok && u.Offset != nil
}

func (s *studied) add(what string, x float64, unit, note string) {
	s.Lead = append(s.Lead, studiedLead{what, formula.FormatUnit(unit), s.digits.Format(x), note})
}

// lead adds the main results for one output.
func (s *studied) lead(r *found.Result, i int) {
	name, unit := capital(r.Outputs[i].Label), r.Outputs[i].Unit
	probability, _ := r.Plan.Probability.Float64()
	part := plain(100*probability) + " %"
	switch {
	case r.Goal != nil:
		s.add(capital(r.Inputs[0].Label), r.Goal.Input, r.Inputs[0].Unit, "")
		note := "exactly the goal"
		if !r.Goal.Exact {
			note = "no input gives exactly the goal; the difference is " + plain(r.Goal.Difference)
		}
		s.add(name+" at this value", *r.Goal.Output, unit, note)
	case r.Budget != nil:
		b := &r.Budget[i]
		s.add(name, b.Estimate, unit, "")
		s.add("standard uncertainty", b.Standard, unit, "")
		s.add("expanded uncertainty", b.Expanded, unit, "k = "+plain(b.Factor)+" for "+part)
	case r.Drawn != nil:
		d := &r.Drawn[i]
		s.add(name, d.Mean, unit, strconv.Itoa(d.Draws)+" draws, seed "+strconv.FormatUint(*r.Plan.Seed, 10))
		s.add("standard uncertainty", d.Standard, unit, "")
		s.add(part+" of the values from", d.Shortest.Low, unit, "to "+plain(d.Shortest.High)+" (shortest interval)")
		s.add(part+" of the values from", d.Symmetric.Low, unit, "to "+plain(d.Symmetric.High)+" (symmetric interval)")
		if f := d.First; f != nil {
			verdict := "confirmed by the draws"
			if !f.Valid {
				verdict = "not confirmed by the draws"
			}
			s.add("standard uncertainty by propagation", f.Standard, unit, verdict)
		}
	case r.Sensitivity != nil:
		s.add(name, r.Sensitivity[i].Value, unit, "")
	}
}

// draw adds the plot for one output.
func (s *studied) draw(r *found.Result, i int) {
	output := &r.Outputs[i]
	id := "study-" + strconv.Itoa(i+1)
	switch {
	case r.Sensitivity != nil:
		s.tornado(r, i, id)
	case r.Budget != nil:
		b := &r.Budget[i]
		chart := plot.Bars{ID: id, Title: "Contributions to the uncertainty of " + lowered(output.Label), BaseText: "0"}
		list := slices.Clone(b.Inputs)
		slices.SortStableFunc(list, func(x, y found.Contribution) int { return cmp.Compare(y.Contribution, x.Contribution) })
		for _, c := range list {
			bar := plot.Bar{Label: labelIn(r.Inputs, c.Input), High: c.Contribution, To: show.WithUnit(plain(c.Contribution), output.Unit)}
			chart.Summary += bar.Label + ": " + bar.To + ". "
			chart.List = append(chart.List, bar)
		}
		s.Pictures = append(s.Pictures, studiedPicture{Title: chart.Title, SVG: chart.SVG(nil)})
	case r.Drawn != nil:
		s.histogram(r, i, id)
	case r.Rows != nil:
		s.curves(r, i, id)
	}
}

// capital returns a label with a capital at its start.
func capital(label string) string {
	if label == "" {
		return label
	}
	return strings.ToUpper(label[:1]) + label[1:]
}

func labelIn(list []found.Quantity, name string) string {
	for _, q := range list {
		if q.Name == name {
			return capital(q.Label)
		}
	}
	return name
}

// tornado adds a chart of the output's changes if each input changes by a part.
func (s *studied) tornado(r *found.Result, i int, id string) {
	of, output := &r.Sensitivity[i], &r.Outputs[i]
	by := plain(100*r.Plan.Change) + " %"
	chart := plot.Bars{ID: id, Title: capital(output.Label) + " if one input changes by " + by, Base: of.Value, BaseText: show.WithUnit(plain(of.Value), output.Unit)}
	for _, e := range of.Inputs {
		if e.Low == nil || e.Low.Output == nil || e.High.Output == nil {
			continue // the table has the reason
		}
		bar := plot.Bar{Label: labelIn(r.Inputs, e.Input), Low: *e.Low.Output, High: *e.High.Output, At: plain(*e.Low.Output), To: plain(*e.High.Output)}
		chart.Summary += bar.Label + ": " + bar.At + " for a smaller input, " + bar.To + " for a larger input. "
		chart.List = append(chart.List, bar)
	}
	if chart.List != nil {
		s.Pictures = append(s.Pictures, studiedPicture{chart.Title, chart.SVG(nil), []studiedKey{{"low", "input reduced by " + by}, {"high", "input increased by " + by}}})
	}
}

// histogram adds a plot of the density of draws, with the ends of the shortest interval.
func (s *studied) histogram(r *found.Result, i int, id string) {
	d, output := &r.Drawn[i], &r.Outputs[i]
	h := d.Histogram
	if 1/h.Width > math.MaxFloat64 {
		return // all draws are equal, or so close that binary64 cannot have their density
	}
	outline := sdk.Curve{Label: "draws", Style: sdk.Area}
	most := 0.0
	at := func(x, y float64) { outline.X, outline.Y = append(outline.X, x), append(outline.Y, y) }
	at(h.Low, 0)
	for k, n := range h.Counts {
		density := float64(n) / float64(d.Draws) / h.Width
		most = math.Max(most, density)
		at(h.Edge(k), density)
		at(h.Edge(k+1), density)
	}
	at(h.Edge(len(h.Counts)), 0)
	figure := &sdk.Figure{Curves: []sdk.Curve{outline}}
	for _, line := range []struct {
		label string
		x     float64
	}{{"mean", d.Mean}, {"shortest interval", d.Shortest.Low}, {"shortest interval", d.Shortest.High}} {
		figure.Curves = append(figure.Curves, sdk.Curve{Label: line.label, Style: sdk.Guide, X: []float64{line.x, line.x}, Y: []float64{0, most}})
	}
	declared := &sdk.Plot{
		ID: id, Title: "Distribution of " + lowered(output.Label), Summary: "Density of the draws, with their mean and the ends of the shortest interval.",
		X: sdk.Axis{Label: capital(output.Label), Unit: output.Unit}, Y: sdk.Axis{Label: "Density"},
	}
	s.Pictures = append(s.Pictures, studiedPicture{Title: declared.Title, SVG: plot.SVG(declared, figure, nil)})
}

// maxCurves is the maximum number of curves in a picture of a sweep.
const maxCurves = 8

// curves adds a plot of an output over the last swept input, with a curve for each combination of the other inputs.
func (s *studied) curves(r *found.Result, i int, id string) {
	along := len(r.Inputs) - 1
	if along < 0 {
		return
	}
	figure := new(sdk.Figure)
	curves := map[string]int{}
	for _, row := range r.Rows {
		x, err := strconv.ParseFloat(string(row.At[along]), 64)
		if err != nil {
			return // a choice has no axis
		}
		for k, numbers := range [][]float64{row.Result, row.Against} {
			if i >= len(numbers) {
				continue
			}
			var name []string
			for j := range along {
				name = append(name, r.Inputs[j].Label+" "+string(row.At[j]))
			}
			if r.Kind == found.Compare {
				name = append(name, "version "+[]string{r.Version, r.Plan.Against}[k])
			}
			label := strings.Join(name, ", ")
			at, known := curves[label]
			if !known {
				if len(figure.Curves) == maxCurves {
					continue
				}
				at = len(figure.Curves)
				curves[label] = at
				figure.Curves = append(figure.Curves, sdk.Curve{Label: label})
			}
			c := &figure.Curves[at]
			c.X, c.Y = append(c.X, x), append(c.Y, numbers[i])
		}
	}
	figure.Curves = slices.DeleteFunc(figure.Curves, func(c sdk.Curve) bool { return len(c.X) < 2 })
	if len(figure.Curves) == 0 {
		return
	}
	output, input := &r.Outputs[i], &r.Inputs[along]
	if figure.Curves[0].Label == "" {
		figure.Curves[0].Label = output.Label
	}
	declared := &sdk.Plot{
		ID: id, Title: capital(output.Label) + " over " + lowered(input.Label),
		X: sdk.Axis{Label: input.Label, Unit: input.Unit}, Y: sdk.Axis{Label: output.Label, Unit: output.Unit},
	}
	if p := r.Plan.Vary[along].Range; p != nil && p.Spacing == found.Logarithmic {
		declared.X.Log = true
	}
	s.Pictures = append(s.Pictures, studiedPicture{Title: declared.Title, SVG: plot.SVG(declared, figure, nil)})
}
