package text

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/internal/pattern"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// drawing is a plot with the programs that compute it. Its text is the formula of the document, the definitions of the
// plot and a definition for each expression of an element.
type drawing struct {
	*Plot
	source   string
	lines    int // of the formula
	parts    []part
	text     *formula.Text
	symbols  []formula.Symbol
	elements []*drawn
	units    map[string]string
	local    map[string]string // names of the element that is added
}

// drawn is an element with its programs.
type drawn struct {
	*Element
	at         Phrase
	each, path *sweep // of for and along
	label      message
	names      []string // of the definitions: two for each point, and then the condition, the quantity and the label
	condition  int      // indexes in names, -1 for none
	quantity   int
	program    *formula.Program
	fixed      *fixed
}

// fixed are the quantities that are the same at all places of a line. If the fast path leaves a place open, they are
// computed once, and the rest of the line is computed from them as binary64 numbers.
type fixed struct {
	program *formula.Program
	places  []int // of the quantities in the values of the rest
	inputs  []int // that the rest needs, too
	rest    *formula.Program
	size    int // of its values
}

// sweep is a name that takes values.
type sweep struct {
	*Steps
	of      string   // the name in the text
	names   []string // of the definitions: both ends and more values, or all values
	place   int      // of the name in the values of the programs
	whole   bool     // the name is an input that is an integer
	program *formula.Program
}

// drawings are the drawings of a document, and the names that they use.
type drawings struct {
	list  []*drawing
	names []string
}

// drawings makes the texts of the plots.
func (r *reader) drawings(e *Engine) (all drawings) {
	formulaText := strings.TrimRight(e.spec.Definition, "\n") + "\n"
	text, err := formula.Parse(formulaText)
	if err != nil {
		return all // reported with the formula
	}
	for i := range e.document.Plots {
		f := &drawing{Plot: &e.document.Plots[i], source: formulaText, lines: strings.Count(formulaText, "\n"), symbols: e.spec.Symbols()}
		known := map[string]bool{}
		for _, s := range f.symbols {
			known[s.Name] = true
		}
		for _, d := range text.Definitions {
			known[d.Name] = true
		}
		for _, line := range f.Lines {
			f.addLine(r, e, line, known)
		}
		var mistake *formula.Error
		f.text, err = formula.Parse(f.source)
		if errors.As(err, &mistake) {
			r.inParts(&e.document.Formula, f.lines, f.parts, mistake)
			continue
		}
		for _, d := range f.text.Definitions {
			if d.Line > f.lines {
				d.Uses(func(name string) { all.names = append(all.names, name) })
			}
		}
		all.list = append(all.list, f)
	}
	return all
}

// addLine adds a definition or an element to the text of a drawing.
func (f *drawing) addLine(r *reader, e *Engine, line PlotLine, known map[string]bool) {
	if line.Element == nil {
		f.source += line.Text + "\n"
		f.parts = append(f.parts, part{at: line.Phrase})
		known[nameStart.FindString(strings.TrimPrefix(line.Text, "solve "))] = true
		return
	}
	d := &drawn{Element: line.Element, at: line.Phrase, condition: -1, quantity: -1}
	n := len(f.elements)
	f.local = map[string]string{}
	d.each = f.addSteps(e, d.For, fmt.Sprintf("for__%d", n), known)
	d.path = f.addSteps(e, d.Along, fmt.Sprintf("along__%d", n), known)
	put := func(of Phrase, kind formula.FieldKind, what string) int {
		name := fmt.Sprintf("element__%d_%d", n, len(d.names))
		f.put(name, of, kind, what)
		d.names = append(d.names, name)
		return len(d.names) - 1
	}
	for _, p := range d.Points {
		put(p[0], formula.AnyField, "the x of this point")
		put(p[1], formula.AnyField, "the y of this point")
	}
	if d.If.Text != "" {
		d.condition = put(d.If, formula.BoolField, "the condition")
	}
	if d.Name.Text != "" {
		d.quantity = put(d.Name, formula.AnyField, "the quantity")
	}
	d.label = r.message(d.Label)
	for i := range d.label.holes {
		h := &d.label.holes[i]
		if h.of != nil {
			continue
		}
		r.define(e, h)
		h.later = put(h.at, formula.AnyField, "the label")
		h.name = d.names[h.later]
	}
	f.elements = append(f.elements, d)
}

// put adds a definition of an expression.
func (f *drawing) put(name string, at Phrase, kind formula.FieldKind, what string) {
	p := part{at: at, prefix: name + " = ", what: what, local: f.local}
	f.source += p.prefix + rename(at.Text, f.local) + "\n"
	f.parts = append(f.parts, p)
	f.symbols = append(f.symbols, formula.Symbol{Name: name, Output: name, Kind: kind, AnyUnit: kind == formula.AnyField})
}

// localMark ends the name that an element gives to a new name, which can have another meaning in the formula.
const localMark = "__of"

var localMarks = pattern.New(localMark + "[0-9]+")

// rename replaces names in an expression, except in words and units.
func rename(expression string, names map[string]string) string {
	var b strings.Builder
	depth, quoted := 0, false
	for i := 0; i < len(expression); {
		c := expression[i]
		switch {
		case c == '"':
			quoted = !quoted
		case c == '{' && !quoted:
			depth++
		case c == '}' && !quoted:
			depth--
		}
		word := nameStart.FindString(expression[i:])
		if word == "" || i > 0 && isNamed(expression[i-1]) {
			b.WriteByte(c)
			i++
			continue
		}
		i += len(word)
		to, ok := names[word]
		if ok && !quoted && depth == 0 && !strings.HasSuffix(b.String(), ".") {
			word = to
		}
		b.WriteString(word)
	}
	return b.String()
}

// addSteps adds the ends of a range or the values of a name, and the name itself unless it is known.
func (f *drawing) addSteps(e *Engine, s *Steps, prefix string, known map[string]bool) *sweep {
	if s == nil {
		return nil
	}
	w := &sweep{Steps: s}
	for _, of := range slices.Concat(s.ends(), s.Including, s.Values) {
		name := fmt.Sprintf("%s_%d", prefix, len(w.names))
		f.put(name, of, formula.AnyField, "this value")
		w.names = append(w.names, name)
	}
	w.of = s.Name.Text
	for i := range e.document.Inputs {
		w.whole = w.whole || e.document.Inputs[i].Symbol.Text == w.of && e.document.Inputs[i].Type.Kind == Integer
	}
	if !known[w.of] {
		first := w.names[0]
		if len(s.Values) == 0 { // a bare 0 has no unit, so both ends count
			first = "max(" + w.names[0] + ", " + w.names[1] + ")"
		}
		w.of += fmt.Sprintf("%s%d", localMark, len(f.elements))
		f.local[s.Name.Text] = w.of
		f.source += w.of + " = " + first + "\n"
		f.parts = append(f.parts, part{at: s.Name, prefix: w.of + " = ", what: s.Name.Text})
	}
	return w
}

func (s *Steps) ends() []Phrase {
	if len(s.Values) > 0 {
		return nil
	}
	return []Phrase{s.From, s.To}
}

// bindDrawing checks a drawing, declares its plot and makes its programs.
func (r *reader) bindDrawing(e *Engine, f *drawing, ids []string) {
	d := e.document
	for _, el := range f.elements {
		for _, w := range []*sweep{el.each, el.path} {
			if w != nil && !r.vary(f, w) {
				return
			}
		}
	}
	text, err := e.complete(f.text)
	if err != nil {
		r.wrong(f.ID, "%v", err)
		return
	}
	f.text = text
	before := len(r.mistakes)
	for _, err := range f.text.CheckPart(f.symbols, ids) {
		mistake, ok := errors.AsType[*formula.Error](err)
		switch {
		case !ok:
			r.wrong(f.ID, "%v", err)
		case !r.variesOutside(f, mistake):
			r.inParts(&d.Formula, f.lines, f.parts, mistake)
		}
	}
	r.unusedIn(f)
	if len(r.mistakes) > before {
		return
	}
	f.units = f.text.Units(f.symbols)
	x, y := r.axisOf(f, 0), r.axisOf(f, 1)
	for _, el := range f.elements {
		r.prepareElement(e, f, el)
	}
	e.drawings = append(e.drawings, f)
	e.spec.Plots = append(e.spec.Plots, sdk.Plot{
		ID: f.ID.Text, X: x, Y: y, Down: f.Y.Down, ToScale: f.ToScale,
	})
}

// variesOutside reports a definition that uses a name without a value there, because only an element gives it values.
func (r *reader) variesOutside(f *drawing, m *formula.Error) bool {
	name := m.Unknown
	isIt := func(w *sweep) bool { return w != nil && w.Name.Text == name }
	if name == "" || m.Line <= f.lines || !slices.ContainsFunc(f.elements, func(el *drawn) bool { return isIt(el.each) || isIt(el.path) }) {
		return false
	}
	p := f.parts[m.Line-f.lines-1]
	if p.prefix != "" {
		return false
	}
	defined := nameStart.FindString(p.at.Text)
	r.report(Place{p.at.Line, p.at.Column + m.Column - 1}, len(name),
		"%s has values only in the elements with along or for: write a function, %s(%s) = ..., and %s(%s) in the points", name, defined, name, defined, name)
	return true
}

// vary makes a symbol of a name that takes values. It is false if the name cannot.
func (r *reader) vary(f *drawing, w *sweep) bool {
	name := w.of
	w.place = slices.IndexFunc(f.symbols, func(s formula.Symbol) bool { return s.Name == name })
	if d := f.text.Definition(name); d != nil && (d.Kind != formula.Quantity) || w.place >= 0 && f.symbols[w.place].Kind != formula.NumberField {
		r.wrong(w.Name, "%s is not a number that can take other values: choose a new name", w.Name.Text)
		return false
	}
	if w.place < 0 {
		w.place = len(f.symbols)
		f.symbols = append(f.symbols, formula.Symbol{Name: name, AnyUnit: true})
	}
	s := &f.symbols[w.place]
	if s.Input == "" {
		s.Input = name
	}
	s.Required = s.Required && f.text.Definition(name) == nil
	return true
}

// unusedIn reports definitions of a plot that nothing uses.
func (r *reader) unusedIn(f *drawing) {
	used := map[string]bool{}
	for _, d := range f.text.Definitions {
		d.Uses(func(name string) { used[name] = true })
	}
	for _, d := range f.text.Definitions {
		if d.Line <= f.lines || strings.Contains(d.Name, "__") || used[d.Name] {
			continue
		}
		p := f.parts[d.Line-f.lines-1]
		if p.prefix == "" {
			r.wrong(p.at, "%s is used by nothing: delete the line", d.Name)
		}
	}
}

// coordinate is a coordinate of an element, with the name of its definition.
type coordinate struct {
	Phrase
	name string
}

// bare reports whether the coordinate is 0 without a unit, which fits all axes.
func (c *coordinate) bare() bool { return strings.Trim(c.Text, "-0. ") == "" }

// coordinates returns the coordinates on the axis x, which is 0, or y, which is 1. A shape is in the unit of x.
func (f *drawing) coordinates(k int) (list []coordinate) {
	for _, el := range f.elements {
		for i := range el.Points {
			for of := range 2 {
				axis := of
				if el.Kind == "shape" {
					axis = 0
				}
				if axis == k {
					list = append(list, coordinate{el.Points[i][of], el.names[2*i+of]})
				}
			}
		}
	}
	return list
}

// zeroForm is 0 in a unit, which names the unit of an axis.
var zeroForm = pattern.New(`^\{0 ([^}]+)\}$`)

// axisOf returns an axis with the unit of the coordinates, which all have one unit. It is the unit of a field if the
// symbol of the axis or a coordinate is one, or the unit of a 0.
func (r *reader) axisOf(f *drawing, k int) sdk.Axis {
	of, letter := f.X, "x"
	if k == 1 {
		of, letter = f.Y, "y"
	}
	axis := sdk.Axis{Label: of.Label.Text, Log: of.Log}
	if of.Symbol.Text != "" {
		axis.Symbol = formula.Typeset(of.Symbol.Text)
	}
	var found, names []string
	names = append(names, of.Symbol.Text)
	for _, c := range f.coordinates(k) {
		unit, ok := f.units[c.name]
		names = append(names, strings.TrimPrefix(c.Text, "-"))
		switch {
		case c.bare():
		case !ok:
			r.wrong(c.Phrase, "a coordinate is a number with a known unit: write {0 V} for a bare 0")
		case len(found) > 0 && !formula.SameDimension(unit, found[0]):
			r.wrong(c.Phrase, "this %s is in %s, and %s of a point above is in %s: an axis has one unit", letter, unitName(unit), letter, unitName(found[0]))
		default:
			found = append(found, unit)
		}
	}
	if len(found) == 0 {
		return axis
	}
	axis.Unit = found[0]
	for _, name := range names {
		literal := zeroForm.FindStringSubmatch(name)
		if literal != nil {
			coherent, err := units.Coherent(literal[1])
			if err == nil {
				axis.Unit = coherent
				break
			}
		}
		at := slices.IndexFunc(f.symbols, func(s formula.Symbol) bool { return s.Name == name && s.Kind == formula.NumberField && !s.AnyUnit })
		if at >= 0 && formula.SameDimension(f.symbols[at].Unit, axis.Unit) {
			axis.Unit = f.symbols[at].Unit
			break
		}
	}
	if axis.Unit == "money" {
		axis.Unit = ""
	}
	return axis
}

// unitName returns a unit for messages.
func unitName(unit string) string {
	if unit == "" {
		return "plain numbers"
	}
	return unit
}

// prepareElement makes the programs of an element.
func (r *reader) prepareElement(e *Engine, f *drawing, el *drawn) {
	for i := range el.label.holes {
		h := &el.label.holes[i]
		if h.of != nil {
			continue
		}
		r.unitOfHole(e, f.units[h.name], h)
		h.prepare()
	}
	for _, w := range []*sweep{el.each, el.path} {
		if w == nil {
			continue
		}
		unit, ok := f.units[w.of]
		if !ok {
			unit = f.symbols[w.place].Unit
		}
		if w.Integers && unit != "" {
			r.wrong(w.Name, "%s is in %s, and i in 1..n gives integers: write %s from 1 to n with units", w.Name.Text, unit, w.Name.Text)
			continue
		}
		for i, of := range slices.Concat(w.ends(), w.Including, w.Values) {
			end, known := f.units[w.names[i]]
			if known && !formula.SameDimension(end, unit) {
				r.wrong(of, "this is in %s, and %s is in %s: choose a new name for it, or another value", unitName(end), w.Name.Text, unitName(unit))
			}
		}
		w.program, _ = f.text.Compile(f.symbols, w.names)
	}
	el.program, _ = f.text.Compile(f.symbols, el.names)
	el.fixed = f.fix(el)
}

// fix finds the quantities that are the same at all places of a line.
func (f *drawing) fix(el *drawn) *fixed {
	if el.path == nil {
		return nil
	}
	varies := map[string]bool{el.path.of: true}
	same := map[string]bool{}
	var visit func(name string) bool
	visit = func(name string) bool {
		is, known := varies[name]
		d := f.text.Definition(name)
		if known || d == nil {
			return is
		}
		varies[name] = slices.Contains(el.names, name)
		d.Uses(func(of string) { varies[name] = visit(of) || varies[name] })
		_, isNumber := f.units[name]
		same[name] = !varies[name] && isNumber && d.Kind == formula.Quantity
		return varies[name]
	}
	for _, name := range el.names {
		visit(name)
	}
	fixed, symbols := &fixed{}, slices.Clone(f.symbols)
	for i := range symbols {
		symbols[i].Required = false
	}
	var names []string
	seen := map[string]bool{}
	var need func(name string)
	need = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		at := slices.IndexFunc(symbols, func(s formula.Symbol) bool { return s.Name == name })
		d := f.text.Definition(name)
		switch {
		case at >= 0 && symbols[at].Input != "":
			fixed.inputs = append(fixed.inputs, at)
		case same[name]:
			if at < 0 {
				at = len(symbols)
				symbols = append(symbols, formula.Symbol{Name: name, AnyUnit: true})
			}
			symbols[at].Input = name
			names, fixed.places = append(names, name), append(fixed.places, at)
			return
		}
		if d != nil && name != el.path.of {
			d.Uses(need)
		}
	}
	for _, name := range el.names {
		need(name)
	}
	fixed.program, _ = f.text.Compile(f.symbols, names)
	fixed.rest, _ = f.text.OfDocument(false).Compile(symbols, el.names)
	fixed.size = len(symbols)
	return fixed
}

// Draw implements [sdk.Plotter]. An element or a place of a line without a value is left out.
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
	switch {
	case err != nil:
		return nil, err
	case at >= len(e.drawings):
		f, err = e.draw(ctx, plot, &o)
	default:
		p := &pen{Context: ctx, drawing: e.drawings[at], values: make(value.Values, len(e.drawings[at].symbols)), to: new(sdk.Figure)}
		copy(p.values, in)
		f, err = p.draw(e)
	}
	if err != nil {
		return nil, err
	}
	return f, e.spec.Plots[at].Check(f)
}

// The exact evaluator can take a hundred times as long as the fast path. After so many evaluations of it, a range has
// fewer places.
const (
	mostSlow = 20
	coarser  = 10
)

// pen draws a drawing.
type pen struct {
	context.Context
	*drawing
	values value.Values // of the symbols
	to     *sdk.Figure
	points int // of all elements so far, with one for each evaluation
	slow   int // evaluations without the fast path
}

// draw draws all elements.
func (p *pen) draw(e *Engine) (*sdk.Figure, error) {
	p.to.Family = p.Family.Text
	for _, el := range p.elements {
		err := p.sweep(el.each, sdk.MaxFigureParts, func() error { return p.element(el) })
		if err != nil {
			return nil, err
		}
	}
	f := p.to
	if len(f.Curves) == 0 {
		return nil, sdk.Reject(sdk.CodeUndefined, e.spec.Inputs[0].Name, "the plot %s has no curve for these inputs", p.ID.Text).Suggest("Give other inputs.")
	}
	return f, nil
}

func (p *pen) tooLarge() error {
	return sdk.Reject(sdk.CodeUndefined, "", "the plot %s has more than %d points for these inputs", p.ID.Text, sdk.MaxFigurePoints).
		Suggest("Give shorter lists or smaller numbers.")
}

// sweep calls do for each value of a name, or once without one.
func (p *pen) sweep(w *sweep, most int, do func() error) error {
	if w == nil {
		return do()
	}
	ends := make([]formula.Outcome, len(w.names))
	w.program.Evaluate(ends, p.values)
	kept := p.values[w.place]
	defer func() { p.values[w.place] = kept }()
	xs := w.numbers(ends, most, p.X.Log)
	for i, x := range xs {
		if p.slow > mostSlow && !w.Integers && len(w.Values) == 0 && i%coarser != 0 && i < len(xs)-1 {
			continue
		}
		p.values[w.place] = value.NumberOf(x)
		err := do()
		if err != nil {
			return err
		}
	}
	return nil
}

// numbers returns the values of a name. Of more integers than can be drawn, these are as far apart as possible.
func (w *sweep) numbers(of []formula.Outcome, most int, log bool) (xs []float64) {
	for i := range of {
		if of[i].State == formula.Known && isNumber(of[i].Value) {
			xs = append(xs, of[i].Value.Number())
		} else if i < len(w.ends()) {
			return nil
		}
	}
	if len(w.Values) > 0 {
		return xs
	}
	low, high, more := xs[0], xs[1], xs[2:]
	switch {
	case w.Integers:
		low, high = math.Round(low), math.Round(high)
		n := min(high-low, float64(most-1))
		list := make([]float64, 0, max(0, int(n)+1))
		for i := 0.0; i <= n; i++ {
			list = append(list, low+math.Round((high-low)*i/max(n, 1)))
		}
		return list
	case low == high:
		return []float64{low}
	case low > high || math.IsInf(high-low, 0) || log && low <= 0:
		return nil
	case log:
		xs, _ = sdk.SampleDecades(low, high, w.Count+1, math.Abs, more...)
	default:
		xs, _ = sdk.Sample(low, high, w.Count+1, math.Abs, more...)
	}
	if w.whole {
		for i := range xs {
			xs[i] = math.Round(xs[i])
		}
		xs = slices.Compact(xs)
	}
	return xs
}

// element draws an element with the values as they are.
func (p *pen) element(el *drawn) error {
	kind := elementKinds[el.Kind]
	outcomes := make([]formula.Outcome, len(el.names))
	program, values := el.program, p.values
	p.values = slices.Clone(values)
	defer func() { p.values = values }()
	var xs, ys []float64
	label := ""
	err := p.sweep(el.path, MaxSteps+1, func() error {
		p.points += len(el.Points) + 1
		err := p.Err()
		switch {
		case err != nil:
			return err
		case p.points > sdk.MaxFigurePoints:
			return p.tooLarge()
		}
		if !program.Evaluate(outcomes, p.values) {
			p.slow++
			if program == el.program && p.fix(el.fixed) {
				program = el.fixed.rest
			}
		}
		if el.condition >= 0 && !outcomes[el.condition].Value.Bool() {
			return nil
		}
		for i := range el.Points {
			x, y := &outcomes[2*i], &outcomes[2*i+1]
			if p.isShown(x, p.X.Log) && p.isShown(y, p.Y.Log) {
				xs, ys = append(xs, x.Value.Number()), append(ys, y.Value.Number())
			}
		}
		if len(xs) > 0 && label == "" {
			label = el.label.with(outcomes)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case len(xs) == 0 || !kind.line && len(xs) < kind.points:
		return nil
	}
	if kind.closed {
		xs, ys = append(xs, xs[0]), append(ys, ys[0])
	}
	f := p.to
	switch el.Kind {
	case "shape":
		f.Shapes = added(f.Shapes, sdk.Shape{Label: label, X: xs, Y: ys})
	case "point":
		f.Points = added(f.Points, sdk.Point{Label: label, X: xs[0], Y: ys[0]})
	case "arrow":
		f.Arrows = added(f.Arrows, sdk.Arrow{Label: label, X: xs[0], Y: ys[0], ToX: xs[1], ToY: ys[1]})
	case "couple":
		f.Couples = added(f.Couples, sdk.Couple{Label: label, X: xs[0], Y: ys[0], Counterclockwise: el.Way == "counterclockwise"})
	case "support":
		f.Supports = added(f.Supports, sdk.Support{Kind: sdk.SupportKind(strings.ReplaceAll(el.Way, " ", "_")), X: xs[0], Y: ys[0]})
	case "dimension":
		d := sdk.Dimension{Label: label, X: xs[0], Y: ys[0], ToX: xs[1], ToY: ys[1], Side: sdk.Side(el.Way), Length: math.Hypot(xs[1]-xs[0], ys[1]-ys[0])}
		if el.quantity >= 0 {
			d.Symbol = formula.Typeset(el.Name.Text)
			if of := outcomes[el.quantity].Value; isNumber(of) {
				d.Length = math.Abs(of.Number())
			}
		}
		f.Dimensions = added(f.Dimensions, d)
	default:
		f.Curves = added(f.Curves, sdk.Curve{Label: label, Style: kind.style, X: xs, Y: ys})
	}
	return nil
}

// fix computes the quantities that are the same along a line, and the values for the rest. It is false if they are not all
// known.
func (p *pen) fix(f *fixed) bool {
	if f == nil {
		return false
	}
	outcomes := make([]formula.Outcome, len(f.places))
	f.program.Evaluate(outcomes, p.values)
	values := make(value.Values, f.size)
	for i, place := range f.places {
		o := &outcomes[i]
		if o.State != formula.Known || o.Vanishes || !isNumber(o.Value) {
			return false
		}
		values[place] = o.Value
	}
	for _, place := range f.inputs {
		values[place] = p.values[place]
	}
	p.values = values
	return true
}

// added returns the list with one more part, if a drawing can have it.
func added[T any](list []T, part T) []T {
	if len(list) == sdk.MaxFigureParts {
		return list
	}
	return append(list, part)
}

// isShown reports whether a coordinate has a place on an axis.
func (p *pen) isShown(o *formula.Outcome, log bool) bool {
	return o.State == formula.Known && isNumber(o.Value) && !(log && o.Value.Number() <= 0)
}

// isNumber reports whether a value is a finite number.
func isNumber(v value.Value) bool {
	return v.Kind() == value.Number && !math.IsInf(v.Number(), 0) && !math.IsNaN(v.Number())
}

// WithDraw returns the engine with more plots, which a function draws. So a Go program can embed a document and add a
// drawing that the block plots cannot express. The function gets the id of a plot, and the outcome with inputs and results
// in the order of the Spec. It is safe for concurrent use. WithDraw panics if a plot is wrong, or the document has a
// plot of this id.
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
