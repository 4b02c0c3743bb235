package text

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/value"
)

// Limits on the plots of a document.
const (
	MaxPlots  = 8   // of a document
	MaxCurves = 8   // of a plot
	samples   = 201 // of a curve over an input
	mostItems = 500 // of a curve over a list; of a longer list, this many are drawn
)

// Plot is a plot as data: curves over an input, or over a list.
type Plot struct {
	ID, Title, Summary Phrase
	X                  Curve
	Input, From, To    Phrase // of a plot over an input; X.Of is the whole range
	Y                  []Curve
}

// itemsOf ends the name of a definition that has the unit of the items of a list.
const itemsOf = "_items"

// Curve is an expression that is drawn, and its label.
type Curve struct{ Label, Of Phrase }

var (
	plotForm  = regexp.MustCompile(`^([a-z][a-z0-9_]*)[ ]+"([^"]+)"$`)
	curveForm = regexp.MustCompile(`^[xy][ ]+"([^"]+)"[ ]*=[ ]*(.+)$`)
	curveLike = regexp.MustCompile(`^[xy][ ]*["=]`)
	rangeText = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_]*)[ ]+from[ ]+(.+)[ ]+to[ ]+(.+)$`)
)

// readPlots reads the block of plots.
func (r *reader) readPlots(b Block) (plots []Plot) {
	seen := map[string]bool{}
	for i, raw := range b.Lines {
		line := Phrase{Place{b.Line + i, 1}, raw}
		line = line.within(0, len(raw))
		switch {
		case line.Text == "" || strings.HasPrefix(line.Text, "#"):
		case raw[0] != ' ':
			m := plotForm.FindStringSubmatchIndex(line.Text)
			if m == nil {
				r.wrong(line, `a plot starts with its id and its title: response "Voltage over time"`)
				return nil
			}
			p := Plot{ID: line.within(m[2], m[3]), Title: line.within(m[4], m[5])}
			seen = r.once(seen, p.ID, "plot")
			plots = append(plots, p)
		case len(plots) == 0:
			r.wrong(line, `a plot starts at the beginning of a line with its id and its title: response "Voltage over time"`)
			return nil
		default:
			r.readCurve(&plots[len(plots)-1], line)
		}
	}
	if len(plots) > MaxPlots {
		r.wrong(plots[MaxPlots].ID, "the document has %d plots, and at most %d are allowed: delete some", len(plots), MaxPlots)
	}
	for i := range plots {
		p := &plots[i]
		switch {
		case p.X.Of.Text == "":
			r.wrong(p.ID, `the plot %s has no x: write x "Time" = t from 0 to 5*tau, or x "Period" = k with a list k`, p.ID.Text)
		case len(p.Y) == 0:
			r.wrong(p.ID, `the plot %s has no curve: write y "Voltage" = v`, p.ID.Text)
		case len(p.Y) > MaxCurves:
			r.wrong(p.Y[MaxCurves].Of, "the plot %s has %d curves, and at most %d are allowed: make two plots", p.ID.Text, len(p.Y), MaxCurves)
		}
	}
	return plots
}

// readCurve reads an indented line of a plot: x, a curve, or a line of the summary.
func (r *reader) readCurve(p *Plot, line Phrase) {
	m := curveForm.FindStringSubmatchIndex(line.Text)
	if m == nil {
		switch {
		case curveLike.MatchString(line.Text):
			r.wrong(line, `write x "Label" = INPUT from LOW to HIGH, x "Label" = LIST, or y "Label" = EXPRESSION`)
		case p.Summary.Text == "":
			p.Summary = line
		default:
			p.Summary.Text += " " + line.Text
		}
		return
	}
	expression, _, _ := cut(line.within(m[4], m[5]), '#')
	c := Curve{line.within(m[2], m[3]), expression}
	if line.Text[0] == 'y' {
		p.Y = append(p.Y, c)
		return
	}
	if p.X.Of.Text != "" {
		r.wrong(line, "the plot %s has two x: delete one, or make two plots", p.ID.Text)
		return
	}
	p.X = c
	if at := rangeText.FindStringSubmatchIndex(expression.Text); at != nil {
		p.Input, p.From, p.To = expression.within(at[2], at[3]), expression.within(at[4], at[5]), expression.within(at[6], at[7])
	}
}

// drawing is a plot with the programs that compute it.
type drawing struct {
	*Plot
	names   []string // of the definitions of x or its ends, and then of the curves
	units   []string // names of definitions that have the units of these
	input   int      // index of the input of x; -1 for a list
	ends    *formula.Program
	program *formula.Program // of the curves, and of x if it is a list
}

// addPlots adds the expressions of the plots to the program of the document.
func (r *reader) addPlots(e *Engine, add func(name, expression string, at Phrase)) {
	for i := range e.document.Plots {
		d := &drawing{Plot: &e.document.Plots[i], input: -1}
		put := func(at Phrase) string {
			name := fmt.Sprintf("plot__%d_%d", i+1, len(d.names))
			add(name, at.Text, at)
			d.names = append(d.names, name)
			return name
		}
		if d.Input.Text != "" {
			d.input = slices.IndexFunc(e.document.Inputs, func(f Field) bool { return f.Member == "" && f.Symbol.Text == d.Input.Text })
			if d.input < 0 || e.document.Inputs[d.input].Type.Kind != Number && e.document.Inputs[d.input].Type.Kind != Integer {
				r.wrong(d.Input, "%s is not the symbol of an input that is a number", d.Input.Text)
				continue
			}
			d.input = e.spec.Input(e.document.Inputs[d.input].Name.Text)
			put(d.From)
			put(d.To)
		}
		of := []Curve{d.X}
		if d.input >= 0 {
			of = nil
		}
		for _, c := range append(of, d.Y...) {
			name := put(c.Of)
			if d.input < 0 { // of a list, an item has the unit
				add(name+itemsOf, "sum(v__ in "+name+": v__)", c.Of)
				name += itemsOf
			}
			d.units = append(d.units, name)
		}
		e.drawings = append(e.drawings, d)
	}
}

// symbolsOf returns the symbols for the expressions of the plots.
func (e *Engine) symbolsOf(symbols []formula.Symbol) (list []formula.Symbol) {
	for _, d := range e.drawings {
		for i, name := range slices.Concat(d.names, d.units) {
			s := formula.Symbol{Kind: formula.AnyField, AnyUnit: true}
			if d.input >= 0 && i < 2 {
				s = symbols[slices.IndexFunc(symbols, func(s formula.Symbol) bool { return s.Name == d.Input.Text })]
				s.Input, s.Required = "", false
			}
			s.Name, s.Output = name, name
			if !slices.ContainsFunc(list, func(one formula.Symbol) bool { return one.Name == name }) {
				list = append(list, s)
			}
		}
	}
	return list
}

// preparePlots declares the plots, and makes their programs.
func (r *reader) preparePlots(e *Engine, units map[string]string) {
	for _, d := range e.drawings {
		of := d.Y
		if d.input < 0 {
			of = append([]Curve{d.X}, d.Y...)
		}
		first := units[d.units[len(d.units)-len(d.Y)]]
		for i, c := range of {
			unit, known := units[d.units[i]]
			isX := d.input < 0 && i == 0
			switch {
			case !known:
				r.wrong(c.Of, "a curve is a number with a known unit: write {0 V} for a bare 0")
			case !isX && unit != first:
				r.wrong(c.Of, "this curve is in %s, and the first one in %s: curves of a plot have one unit", unitName(unit), unitName(first))
			}
		}
		x := sdk.Axis{Label: d.X.Label.Text, Unit: units[d.units[0]]}
		symbols := e.spec.Symbols()
		if d.input >= 0 {
			f := &e.spec.Inputs[d.input]
			x.Unit, x.Symbol = f.Unit, f.Symbol
			d.ends, _ = e.text.Compile(symbols, d.names[:2])
			d.program, _ = e.text.Compile(symbols, d.names[2:])
		} else {
			d.program, _ = e.text.Compile(symbols, d.names)
		}
		y := sdk.Axis{Label: d.Y[0].Label.Text, Unit: first}
		for i := range e.spec.Outputs {
			if e.document.Outputs[i].Symbol.Text == d.Y[0].Of.Text {
				y.Symbol = e.spec.Outputs[i].Symbol
			}
		}
		e.spec.Plots = append(e.spec.Plots, sdk.Plot{ID: d.ID.Text, Title: d.Title.Text, Summary: d.Summary.Text, X: x, Y: y})
	}
}

// unitName returns a unit for messages.
func unitName(unit string) string {
	if unit == "" {
		return "plain numbers"
	}
	return unit
}

// Draw implements [sdk.Plotter]. A place where a curve has no value is left out.
func (e *Engine) Draw(ctx context.Context, plot string, in value.Values) (f *sdk.Figure, err error) {
	defer func() {
		if p := recover(); p != nil {
			f, err = nil, fmt.Errorf("the drawing failed: %v", p)
		}
	}()
	at := slices.IndexFunc(e.spec.Plots, func(p sdk.Plot) bool { return p.ID == plot })
	if at < 0 {
		return nil, fmt.Errorf("there is no plot %q", plot)
	}
	o, err := e.Calculate(ctx, in)
	if err != nil {
		return nil, err
	}
	switch {
	case at >= len(e.drawings):
		f, err = e.draw(ctx, plot, &o)
	case e.drawings[at].input >= 0:
		f, err = e.overInput(ctx, e.drawings[at], in)
	default:
		f, err = e.overList(e.drawings[at], in)
	}
	if err != nil {
		return nil, err
	}
	return f, e.spec.Plots[at].Check(f)
}

// overInput draws curves over an input. If the caller sent the input, the first curve has a point there.
func (e *Engine) overInput(ctx context.Context, d *drawing, in value.Values) (*sdk.Figure, error) {
	ends := make([]formula.Outcome, 2)
	d.ends.Evaluate(ends, in)
	low, high := ends[0].Value, ends[1].Value
	if !isNumber(low) || !isNumber(high) || low.Number() >= high.Number() || math.IsInf(high.Number()-low.Number(), 0) {
		return nil, e.notDrawn(d)
	}
	here := in[d.input]
	xs, _ := sdk.Sample(low.Number(), high.Number(), samples, math.Abs, here.Number())
	if e.spec.Inputs[d.input].Type == sdk.TypeInteger {
		for i := range xs {
			xs[i] = math.Round(xs[i])
		}
		xs = slices.Compact(xs)
	}
	f := d.start()
	moved := slices.Clone(in)
	outcomes := make([]formula.Outcome, len(d.Y))
	for _, x := range xs {
		err := ctx.Err()
		if err != nil {
			return nil, err
		}
		moved[d.input] = value.NumberOf(x)
		d.program.Evaluate(outcomes, moved)
		for i := range outcomes {
			if y := outcomes[i].Value; outcomes[i].State == formula.Known && isNumber(y) {
				f.Curves[i].X, f.Curves[i].Y = append(f.Curves[i].X, x), append(f.Curves[i].Y, y.Number())
			}
		}
		if y := outcomes[0].Value; isNumber(here) && here.Number() == x && outcomes[0].State == formula.Known && isNumber(y) {
			f.Points = []sdk.Point{{Label: "this calculation", X: x, Y: y.Number()}}
		}
	}
	return e.drawn(d, f)
}

// overList draws curves over a list, item by item.
func (e *Engine) overList(d *drawing, in value.Values) (*sdk.Figure, error) {
	outcomes := make([]formula.Outcome, len(d.names))
	d.program.Evaluate(outcomes, in)
	f := d.start()
	xs := outcomes[0].Value.Items()
	step := 1 + (len(xs)-1)/mostItems
	for i := range f.Curves {
		ys := outcomes[i+1].Value.Items()
		if len(ys) != len(xs) {
			return nil, fmt.Errorf("%s has %d items, and %s %d: curves have one item for each x", d.Y[i].Of.Text, len(ys), d.X.Of.Text, len(xs))
		}
		for k := range xs {
			if (k%step == 0 || k == len(xs)-1) && isNumber(xs[k]) && isNumber(ys[k]) {
				f.Curves[i].X, f.Curves[i].Y = append(f.Curves[i].X, xs[k].Number()), append(f.Curves[i].Y, ys[k].Number())
			}
		}
	}
	return e.drawn(d, f)
}

// start returns a drawing with curves that have no points.
func (d *drawing) start() *sdk.Figure {
	f := new(sdk.Figure)
	for i, c := range d.Y {
		one := sdk.Curve{Label: c.Label.Text}
		if i > 0 {
			one.Style = sdk.Guide
		}
		f.Curves = append(f.Curves, one)
	}
	return f
}

// drawn returns the drawing without curves that have no point.
func (e *Engine) drawn(d *drawing, f *sdk.Figure) (*sdk.Figure, error) {
	f.Curves = slices.DeleteFunc(f.Curves, func(c sdk.Curve) bool { return len(c.X) == 0 })
	if len(f.Curves) == 0 {
		return nil, e.notDrawn(d)
	}
	return f, nil
}

func (e *Engine) notDrawn(d *drawing) error {
	return sdk.Reject(sdk.CodeUndefined, e.inputOf(d.names[0]), "the plot %s has no curve for these inputs", d.ID.Text).Suggest("Send other inputs.")
}

// isNumber reports whether a value is a finite number.
func isNumber(v value.Value) bool {
	return v.Kind() == value.Number && !math.IsInf(v.Number(), 0) && !math.IsNaN(v.Number())
}

// WithDraw returns the engine with more plots, which a function draws. So a Go program can embed a document and add a
// sketch. The function gets the id of a plot, and the outcome with inputs and results in the order of the Spec. It is
// safe for concurrent use. WithDraw panics if a plot is wrong, or the document has a plot of this id.
func (e *Engine) WithDraw(plots []sdk.Plot, draw func(ctx context.Context, plot string, o *sdk.Outcome) (*sdk.Figure, error)) *Engine {
	drawn := *e
	drawn.spec.Plots = append(slices.Clone(e.spec.Plots), plots...)
	drawn.draw = draw
	err := drawn.spec.Validate()
	if err != nil {
		panic(fmt.Sprintf("text: the plots of %s: %v", e.spec.Capability, err))
	}
	return &drawn
}
