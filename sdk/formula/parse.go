package formula

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/slipstick/slipstick/sdk/visible"
)

// Error is a mistake in a text.
type Error struct {
	Line, Column int    // from 1, the column in characters
	Message      string // the mistake, and the text to write instead
	Source       string // the line
	Unknown      string // the name, if it is used and neither given nor defined above
}

// Error returns the message with its line and column.
func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Excerpt returns the line with a mark under the place.
func (e *Error) Excerpt() string {
	line := strings.ReplaceAll(e.Source, "\t", " ") // as wide as the blanks of the mark
	return line + "\n" + strings.Repeat(" ", max(0, e.Column-1)) + "^"
}

// Parse reads a text. The error is an *Error. For every text, Parse takes at most 4
// milliseconds and 4 MiB. It does not know the fields: see [Text.Check].
func Parse(source string) (*Text, error) {
	p := newParser(source)
	if len(source) > MaxBytes {
		return nil, p.mistake(0, "the text has %d bytes, and %d are allowed", len(source), MaxBytes)
	}
	return p.parse(MaxDepth)
}

func newParser(source string) *parser {
	return &parser{lexer: lexer{source: source}, text: &Text{source: source}, bodies: map[string]body{}, firsts: map[string][]First{}}
}

type parser struct {
	lexer
	text     *Text
	maxDepth int
	depth    int
	nodes    int
	folds    int      // within one another
	unfolded body     // of the whole text
	current  string   // the function that is being defined
	locals   []string // parameters, indexes and the unknown of an equation that are visible
	bodies   map[string]body
	asks     int                // calls of calculations
	firsts   map[string][]First // items before the range of a list that has not been read yet
}

// body is the size of a function, with the bodies of others in place of their calls.
type body struct{ nodes, calls int }

// parse reads all statements. The parser fails by a panic with its *Error, which parse
// recovers.
func (p *parser) parse(maxDepth int) (text *Text, err error) {
	defer func() {
		if r := recover(); r != nil {
			mistake, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			text, err = nil, mistake
		}
	}()
	p.maxDepth = maxDepth
	p.characters()
	for p.next(); p.token.kind != endToken; {
		p.comment = ""
		if p.token.kind != newlineToken {
			p.statement()
		}
		switch p.token.kind {
		case newlineToken:
			p.next()
		case endToken:
		default:
			p.leftOver()
		}
	}
	p.groups()
	if len(p.text.Definitions) == 0 {
		p.fail(0, "the text defines nothing")
	}
	return p.text, nil
}

// characters fails for invisible characters: they could make a text look like another.
func (p *parser) characters() {
	for i, c := range p.source {
		switch {
		case c == utf8.RuneError && !utf8.ValidString(p.source[i:min(i+3, len(p.source))]):
			p.fail(i, "the text is not UTF-8")
		case c != '\n' && c != '\r' && c != '\t' && (visible.Hidden(c) || visible.Joins(c)):
			p.fail(i, "%U cannot be seen, and has no place in a formula", c)
		}
	}
}

// leftOver fails for a token after a statement.
func (p *parser) leftOver() {
	t := p.token
	line := p.source[:t.pos]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	switch {
	case t.kind == nameToken && line != "" && strings.Trim(line, " \t") == "":
		p.fail(t.pos, "%s starts a line after a blank, so the line continues the one above: start a statement at the margin", t)
	case p.isFactor():
		p.fail(t.pos, "%s is left over: a product is written with *", t)
	case t.is(",") && p.follows("0123456789"):
		p.fail(t.pos, "%s is left over: a decimal point is a point, such as 0.5", t)
	case t.is(":"):
		p.fail(t.pos, "%s is left over: a quotient is written with /", t)
	}
	p.fail(t.pos, "%s is left over", t)
}

// isFactor reports whether the token starts a factor, so that a * could be missing before it.
func (p *parser) isFactor() bool {
	t := p.token
	return t.kind == nameToken && !words[t.text] || t.kind == numberToken || t.is("(") || t.is("{")
}

// follows reports whether one of some characters is the next one after the token, which has one character.
func (p *parser) follows(characters string) bool {
	next := p.token.pos + 1
	return next < len(p.source) && strings.IndexByte(characters, p.source[next]) >= 0
}

// closeBracket reads the ) after an expression.
func (p *parser) closeBracket() {
	if p.isFactor() {
		p.leftOver()
	}
	p.expect(")")
}

func (p *parser) statement() {
	start := p.token.pos
	switch {
	case p.accept("taken"):
		p.add(start, Definition{Name: p.newName(), Kind: Taken})
	case p.accept("solve"):
		p.equation(start)
	case p.token.kind == nameToken:
		p.definition(start)
	default:
		p.fail(start, "a line starts with the name that it defines, and not with %s", p.token)
	}
}

func (p *parser) equation(start int) {
	d, s := Definition{Name: p.newName()}, new(Solve)
	p.expect("in")
	p.expect("[")
	s.Low = p.sum()
	p.expect(",")
	s.High = p.sum()
	p.expect("]")
	p.expect(":")
	p.locals = append(p.locals, d.Name)
	s.Left = p.sum()
	p.expect("=")
	s.Right = p.sum()
	p.locals = nil
	d.Cases = []Case{p.ending(Case{Solve: s})}
	p.add(start, d)
}

func (p *parser) definition(start int) {
	d := Definition{Name: p.newName()}
	if p.accept("(") {
		d.Kind, p.current = Function, d.Name
		for more := true; more; more = p.accept(",") {
			d.Params = append(d.Params, p.local())
		}
		p.expect(")")
	}
	if d.Kind == Quantity && p.accept("[") {
		p.list(start, &d)
		return
	}
	if d.Kind == Quantity && p.token.is(":=") {
		d.Kind = Constant
		literal := p.quantity("\n;#")
		d.Unit, d.Cases = literal.Unit, []Case{{Value: literal}}
		p.add(start, d)
		return
	}
	p.expect("=")
	before := p.unfolded
	p.unfolded.calls = 0
	d.Cases = []Case{p.ending(Case{Value: p.expr()})}
	if d.Kind == Function {
		b := p.bodies[d.Name]
		p.bodies[d.Name] = body{nodes: b.nodes + p.unfolded.nodes - before.nodes, calls: max(b.calls, p.unfolded.calls)}
	}
	p.locals, p.current = nil, ""
	p.add(start, d)
}

// ending reads the condition of a case, and the id of its formula.
func (p *parser) ending(c Case) Case {
	switch {
	case p.accept("if"):
		c.When = p.expr()
	case p.accept("otherwise"):
		c.Otherwise = true
	default:
		return c
	}
	if at := p.token; at.is("@") {
		if p.current != "" {
			p.fail(at.pos, "a function belongs to no formula: write the id on a case of a quantity")
		}
		c.ID = p.raw(" \t\r\n;#")
		if c.ID == "" {
			p.fail(at.pos, "the id of a formula is missing after @")
		}
		p.next()
	}
	return c
}

// add adds a definition, or adds its one case to the cases of the previous definition.
func (p *parser) add(start int, d Definition) {
	list := p.text.Definitions
	last := len(list) - 1
	switch {
	case p.text.Definition(d.Name) == nil:
		if len(list) == MaxDefinitions {
			p.fail(start, "the text defines more than %d names", MaxDefinitions)
		}
		d.Line, _ = p.place(start)
		d.Note, d.pos = p.comment, int32(start)
		p.text.Definitions = append(list, &d)
		return
	case list[last].Name != d.Name:
		p.fail(start, "%s is defined above: write its cases one after the other", d.Name)
	case d.Kind != list[last].Kind || d.Kind == Constant || d.Kind == Taken:
		p.fail(start, "%s is defined twice", d.Name)
	case !slices.Equal(d.Params, list[last].Params):
		p.fail(start, "%s has other parameters above: each case repeats them", d.Name)
	case d.List != nil && !d.List.sameRange(list[last].List):
		p.fail(start, "%s has another range above: each case repeats it", d.Name)
	}
	before := list[last].Cases
	if c := before[len(before)-1]; c.When == nil {
		p.fail(start, "%s is defined for every case by the line above: a case before the last one needs an if", d.Name)
	}
	list[last].Cases = append(before, d.Cases...)
}

// newName reads a name that the text defines.
func (p *parser) newName() string {
	t := p.token
	switch {
	case t.kind != nameToken:
		p.fail(t.pos, "a name is missing here, and %s is in its place", t)
	case t.text == "pi":
		p.fail(t.pos, "pi is the number 3.14159..., and cannot be defined: give the quantity another symbol, such as p_i")
	case Reserved(t.text):
		p.fail(t.pos, "%s has a meaning of its own, and cannot be defined", t)
	}
	p.next()
	return t.text
}

// local reads the name of a parameter or an index, which is visible from here on.
func (p *parser) local() string {
	at := p.token.pos
	name := p.newName()
	if slices.Contains(p.locals, name) {
		p.fail(at, "%s is a parameter or an index here already: give this one another name", name)
	}
	p.locals = append(p.locals, name)
	return name
}

func (p *parser) accept(text string) bool {
	if !p.token.is(text) {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(text string) {
	switch {
	case p.accept(text):
	case text == "=" && p.token.is("=="):
		p.fail(p.token.pos, "= defines, == compares")
	case text == `"`:
		p.fail(p.token.pos, "a quotation mark is missing before %s", p.token)
	default:
		p.fail(p.token.pos, "%q is missing before %s", text, p.token)
	}
}
