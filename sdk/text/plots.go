package text

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/internal/pattern"
)

// Limits on the plots of a document.
const (
	MaxPlots     = 8    // of a document
	MaxPlotLines = 60   // definitions and elements of a plot
	MaxSteps     = 1000 // of a curve
	steps        = 100  // of a curve whose author gives no number
)

// Plot is a plot as data: axes, definitions and elements.
type Plot struct {
	ID, Title, Summary Phrase
	X, Y               PlotAxis
	ToScale            bool
	Family             Phrase // meaning of the labels of curves of the kind context
	Lines              []PlotLine
}

// PlotAxis is an axis of a plot.
type PlotAxis struct {
	Label, Symbol Phrase
	Log, Down     bool
}

// PlotLine is a definition of the formula language, or an element.
type PlotLine struct {
	Phrase
	*Element // nil for a definition
}

// Element is a part of a plot.
type Element struct {
	Kind   string
	Way    string // of a support or a couple, and the side of a dimension
	Label  Phrase
	Name   Phrase // of the quantity of a dimension
	Points [][2]Phrase
	Along  *Steps // one line goes through the points of all values
	For    *Steps // each value has an element
	If     Phrase
}

// Steps are the values of a name.
type Steps struct {
	Name      Phrase
	From, To  Phrase // of a range, or of integers
	Integers  bool
	Count     int      // steps of a range
	Including []Phrase // more values of a range
	Values    []Phrase
}

// elementKind describes the elements of a kind.
type elementKind struct {
	line    bool // through its points
	style   sdk.CurveStyle
	closed  bool // the line goes back to its first point
	points  int  // of an element that is not a line
	ways    []string
	example string
}

var elementKinds = map[string]elementKind{
	"curve":     {line: true, example: `curve "displacement" (t, y) along t from {0 s} to 4*T`},
	"area":      {line: true, style: sdk.Area, example: `area "shear force" (0, R_1) (L, R_1 - w*L)`},
	"guide":     {line: true, style: sdk.Guide, example: `guide "final value" ({0 s}, V_s) (5*tau, V_s)`},
	"context":   {line: true, style: sdk.Context, example: `context "{k}" (x, f) along x from 1 to 100 for k in 0.1, 0.2`},
	"centre":    {line: true, style: sdk.Centre, example: `centre "x" (-b, 0) (b, 0)`},
	"zone":      {line: true, style: sdk.Zone, closed: true, example: `zone "uncertain" (2300, low) (4000, low) (4000, high) (2300, high)`},
	"load":      {line: true, style: sdk.Load, example: `load "uniform load" (0, w) (L, w)`},
	"member":    {line: true, style: sdk.Member, example: `member "beam" (0, 0) (L, 0)`},
	"outline":   {line: true, style: sdk.Member, closed: true, example: `outline "section" (-b, -h) (b, -h) (b, h) (-b, h)`},
	"shape":     {line: true, example: `shape "deflected shape" (x, -delta) along x from {0 m} to L`},
	"point":     {points: 1, example: `point "largest moment" (x_M, M_max)`},
	"arrow":     {points: 2, example: `arrow "point load" (a, P) (a, 0)`},
	"couple":    {points: 1, ways: []string{"clockwise", "counterclockwise"}, example: `couple clockwise "tip moment" (L, 0) if M_0 > 0`},
	"support":   {points: 1, ways: []string{"pin", "roller", "wall left", "wall right"}, example: `support pin (0, 0)`},
	"dimension": {points: 2, ways: []string{"below", "above", "left", "right"}, example: `dimension "width" b (-b/2, -h/2) (b/2, -h/2) below`},
}

var kindNames = slices.Sorted(maps.Keys(elementKinds))

var (
	plotForm       = pattern.New(`^([a-z][a-z0-9_]*)[ ]+"([^"]+)"$`)
	axisForm       = pattern.New(`^[xy][ ]+"([^"]+)"(?:[ ]+([A-Za-z][A-Za-z0-9_]*))??((?:[ ]+(?:log|down))*)$`)
	axisLike       = pattern.New(`^[xy][ ]*["=]`)
	familyForm     = pattern.New(`^family[ ]+"([^"]+)"$`)
	definitionForm = pattern.New(`^(?:[A-Za-z][A-Za-z0-9_]*[ ]*(?:\([^()]*\)|\[[^\]]*\])?[ ]*:?=[^=]|solve )`)
	nameStart      = pattern.New(`^[A-Za-z][A-Za-z0-9_]*`)
	lowerForm      = pattern.New(`^[a-z]+`)
)

const axisExample = `x "Radius" r, or x "Frequency" f log`

// readPlots reads the block of plots.
func (r *reader) readPlots(b Block) (plots []Plot) {
	seen := map[string]bool{}
	for i, raw := range b.Lines {
		line := Phrase{Place{b.Line + i, 1}, raw}
		line = withoutComment(line)
		switch {
		case line.Text == "":
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
			r.readPlotLine(&plots[len(plots)-1], line)
		}
	}
	if len(plots) > MaxPlots {
		r.wrong(plots[MaxPlots].ID, "the document has %d plots, and at most %d are allowed: delete some", len(plots), MaxPlots)
	}
	for i := range plots {
		r.checkPlot(&plots[i])
	}
	return plots
}

// checkPlot reports parts that a plot lacks, and elements with a wrong number of points.
func (r *reader) checkPlot(p *Plot) {
	elements := 0
	for _, line := range p.Lines {
		el := line.Element
		if el == nil {
			continue
		}
		elements++
		kind, n := elementKinds[el.Kind], len(el.Points)
		switch {
		case kind.line && n == 0, kind.line && n == 1 && el.Along == nil:
			r.wrong(line.Phrase, "a line has two points or more, or values to go along: write %s", kind.example)
		case !kind.line && n != kind.points:
			r.wrong(line.Phrase, "this element has %s: write %s", countOf(kind.points), kind.example)
		case !kind.line && el.Along != nil:
			r.wrong(el.Along.Name, "along makes one line through many points: write for, which makes a %s for each value", el.Kind)
		case el.Label.Text == "" && (el.Kind == "dimension" || kind.line && kind.style != sdk.Centre && kind.style != sdk.Guide):
			r.wrong(line.Phrase, "this element has no label: write %s", kind.example)
		case len(kind.ways) > 0 && el.Way == "" && el.Kind != "dimension":
			r.wrong(line.Phrase, "write %s %s: %s", el.Kind, strings.Join(kind.ways, ", or "), kind.example)
		}
	}
	switch {
	case p.X.Label.Text == "":
		r.wrong(p.ID, `the plot %s has no x: write %s`, p.ID.Text, axisExample)
	case p.Y.Label.Text == "":
		r.wrong(p.ID, `the plot %s has no y: write y "Stress" sigma below x`, p.ID.Text)
	case elements == 0:
		r.wrong(p.ID, `the plot %s has no elements: write %s`, p.ID.Text, elementKinds["curve"].example)
	case len(p.Lines) > MaxPlotLines:
		r.wrong(p.Lines[MaxPlotLines].Phrase, "the plot %s has %d lines, and at most %d are allowed: make two plots", p.ID.Text, len(p.Lines), MaxPlotLines)
	}
}

func countOf(points int) string {
	if points == 1 {
		return "one point"
	}
	return fmt.Sprintf("%s points", numeral(points))
}

// withoutComment returns a line without its comment and the blanks around it.
func withoutComment(line Phrase) Phrase {
	quoted := false
	for i := range len(line.Text) {
		switch c := line.Text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '#' && !quoted:
			return line.within(0, i)
		}
	}
	return line.within(0, len(line.Text))
}

// readPlotLine reads an indented line of a plot. Lines above x are the summary.
func (r *reader) readPlotLine(p *Plot, line Phrase) {
	word := nameStart.FindString(line.Text)
	_, isElement := elementKinds[word]
	switch {
	case axisLike.MatchString(line.Text):
		r.readAxis(p, line)
	case p.X.Label.Text == "" && p.Summary.Text == "":
		p.Summary = line
	case p.X.Label.Text == "":
		p.Summary.Text += " " + line.Text
	case line.Text == "to scale":
		p.ToScale = true
	case word == "family":
		m := familyForm.FindStringSubmatchIndex(line.Text)
		if m == nil {
			r.wrong(line, `write the meaning of the labels of a family of curves: family "relative roughness"`)
			return
		}
		p.Family = line.within(m[2], m[3])
	case definitionForm.MatchString(line.Text):
		p.Lines = append(p.Lines, PlotLine{Phrase: line})
	case isElement:
		el := &Element{Kind: word}
		p.Lines = append(p.Lines, PlotLine{line, el})
		r.readElement(el, line.within(len(word), len(line.Text)))
	case line.Text[0] == '(' && len(p.Lines) > 0 && p.Lines[len(p.Lines)-1].Element != nil: // more points of the element above
		r.readPoints(p.Lines[len(p.Lines)-1].Element, line)
	default:
		r.wrong(line, "this is not a line of a plot%s, or define a quantity: M = R_1*x", suggest(word, append([]string{"family", "to scale"}, kindNames...)))
	}
}

// readAxis reads an axis.
func (r *reader) readAxis(p *Plot, line Phrase) {
	axis := &p.X
	if line.Text[0] == 'y' {
		axis = &p.Y
	}
	m := axisForm.FindStringSubmatchIndex(line.Text)
	switch {
	case m == nil:
		r.wrong(line, "an axis has a label, and perhaps a symbol, log or down: write %s", axisExample)
		return
	case axis.Label.Text != "":
		r.wrong(line, "the plot %s has two %c: delete one, or make two plots", p.ID.Text, line.Text[0])
		return
	}
	axis.Label = line.within(m[2], m[3])
	if m[4] >= 0 {
		axis.Symbol = line.within(m[4], m[5])
	}
	for _, word := range strings.Fields(line.Text[m[6]:m[7]]) {
		axis.Log = axis.Log || word == "log"
		axis.Down = axis.Down || word == "down"
	}
	if axis == &p.X && axis.Down {
		r.wrong(line, "only y can grow downwards: delete down")
	}
}

// readElement reads an element after its kind.
func (r *reader) readElement(el *Element, rest Phrase) {
	kind := elementKinds[el.Kind]
	if el.Kind != "dimension" {
		el.Way, rest = way(rest, kind.ways)
	}
	if strings.HasPrefix(rest.Text, `"`) {
		end := strings.IndexByte(rest.Text[1:], '"')
		if end < 0 {
			r.report(rest.Place, 1, `the label is not closed by "`)
			return
		}
		el.Label = rest.within(1, end+1)
		rest = rest.within(end+2, len(rest.Text))
	}
	if name := nameStart.FindString(rest.Text); el.Kind == "dimension" && name != "" {
		el.Name = rest.within(0, len(name))
		rest = rest.within(len(name), len(rest.Text))
	}
	if !strings.HasPrefix(rest.Text, "(") {
		r.report(rest.Place, max(1, len(rest.Text)), "a point is missing here: write %s", kind.example)
		return
	}
	r.readPoints(el, rest)
}

// way cuts one of some words from the front of a phrase.
func way(p Phrase, ways []string) (string, Phrase) {
	longest := ""
	for _, w := range ways {
		if strings.HasPrefix(p.Text+" ", w+" ") && len(w) > len(longest) {
			longest = w
		}
	}
	return longest, p.within(len(longest), len(p.Text))
}

// readPoints reads points, and the clauses after them.
func (r *reader) readPoints(el *Element, rest Phrase) {
	for strings.HasPrefix(rest.Text, "(") {
		end := closing(rest.Text, 0)
		if end < 0 {
			r.report(rest.Place, 1, "( is not closed by )")
			return
		}
		parts := splitAt(rest.within(1, end), ',')
		if len(parts) != 2 || parts[0].Text == "" || parts[1].Text == "" {
			r.wrong(rest.within(0, end+1), "a point has an x and a y: write (x_M, M_max)")
			return
		}
		el.Points = append(el.Points, [2]Phrase{parts[0], parts[1]})
		rest = rest.within(end+1, len(rest.Text))
	}
	if el.Kind == "dimension" {
		el.Way, rest = way(rest, elementKinds[el.Kind].ways)
	}
	clauses := clausesOf(rest, "along", "for", "if")
	if clauses[0].Text != "" {
		r.wrong(clauses[0].Phrase, "after the points, write along, for or if: %s", elementKinds[el.Kind].example)
		return
	}
	for _, c := range clauses[1:] {
		switch {
		case c.word == "if" && el.If.Text == "" && c.Text != "":
			el.If = c.Phrase
		case c.word == "along" && el.Along == nil:
			el.Along = r.readSteps(c.Phrase)
		case c.word == "for" && el.For == nil:
			el.For = r.readSteps(c.Phrase)
		default:
			r.report(c.Place, max(1, len(c.Text)), "%s has no condition, or is there twice", c.word)
		}
	}
}

// readSteps reads the values of a name, such as i in 1..n, or r from a to b in 60 steps.
func (r *reader) readSteps(p Phrase) *Steps {
	wrong := func() *Steps {
		r.report(p.Place, max(1, len(p.Text)), "write r from r_i to r_o, r from r_i to r_o in 60 steps including r_m, i in 1..n, or k in 0.1, 0.2")
		return nil
	}
	clauses := clausesOf(p, "from", "to", "in", "including")
	s := &Steps{Name: clauses[0].Phrase, Count: steps}
	if len(clauses) < 2 || nameStart.FindString(s.Name.Text) != s.Name.Text || s.Name.Text == "" {
		return wrong()
	}
	if clauses[1].word == "in" && len(clauses) == 2 {
		low, high, isRange := strings.Cut(clauses[1].Text, "..")
		switch {
		case isRange:
			of := clauses[1].Phrase
			s.Integers, s.From, s.To = true, of.within(0, len(low)), of.within(len(of.Text)-len(high), len(of.Text))
		default:
			s.Values = splitAt(clauses[1].Phrase, ',')
		}
		if s.Integers && (s.From.Text == "" || s.To.Text == "") || slices.ContainsFunc(s.Values, func(v Phrase) bool { return v.Text == "" }) {
			return wrong()
		}
		return s
	}
	for i, c := range clauses[1:] {
		switch {
		case c.Text == "":
			return wrong()
		case c.word == "from" && i == 0:
			s.From = c.Phrase
		case c.word == "to" && i == 1:
			s.To = c.Phrase
		case c.word == "in" && i == 2:
			n, err := strconv.Atoi(strings.TrimSuffix(c.Text, " steps"))
			if err != nil || n < 1 || n > MaxSteps || !strings.HasSuffix(c.Text, " steps") {
				r.wrong(c.Phrase, "write a number of steps from 1 to %d: in 60 steps", MaxSteps)
				return nil
			}
			s.Count = n
		case c.word == "including" && i >= 2:
			s.Including = splitAt(c.Phrase, ',')
		default:
			return wrong()
		}
	}
	if s.To.Text == "" || slices.ContainsFunc(s.Including, func(v Phrase) bool { return v.Text == "" }) {
		return wrong()
	}
	return s
}

// clause is a word and the text after it, up to the next word.
type clause struct {
	word string
	Phrase
}

// clausesOf splits a phrase before some words that are not in brackets or quotation marks. The first clause has no word.
func clausesOf(p Phrase, words ...string) (list []clause) {
	from, word, depth, quoted := 0, "", 0, false
	for i := 0; i < len(p.Text); i++ {
		switch c := p.Text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case depth == 0 && 'a' <= c && c <= 'z' && (i == 0 || !isNamed(p.Text[i-1])):
			next := lowerForm.FindString(p.Text[i:])
			if end := i + len(next); slices.Contains(words, next) && (end == len(p.Text) || !isNamed(p.Text[end])) {
				list = append(list, clause{word, p.within(from, i)})
				from, word = end, next
				i = end - 1
			}
		}
	}
	return append(list, clause{word, p.within(from, len(p.Text))})
}
