package formula

import (
	"fmt"
	"slices"
)

// Check returns an error for each mistake in the use of the symbols, up to some number of
// them. It returns none if the text can be computed. Ids are the ids of the engine's formulas.
// Mistakes with a place are of type *Error. Elsewhere are names that other texts use.
func (t *Text) Check(symbols []Symbol, ids []string, elsewhere ...string) []error {
	return t.checkAll(symbols, ids, func(c *checker) {
		for _, name := range elsewhere {
			c.used[name] = true
		}
		c.unused()
	})
}

// CheckPart is Check for a part of a document. Other parts can use what no output needs.
func (t *Text) CheckPart(symbols []Symbol, ids []string) []error {
	return t.checkAll(symbols, ids, func(*checker) {})
}

func (t *Text) checkAll(symbols []Symbol, ids []string, unused func(*checker)) []error {
	c := check(t, symbols)
	unused(c)
	c.outputs(symbols)
	c.formulas(ids)
	return c.errs
}

// check infers the shape of each definition, from the first to the last.
func check(t *Text, symbols []Symbol) *checker {
	c := &checker{text: t, symbols: map[string]*Symbol{}, defined: map[string]shape{}, calls: map[string]shape{}, results: map[string]shape{}, used: map[string]bool{}, reported: map[string]bool{}, units: map[string]*unit{}}
	c.fields = append(slices.Clone(symbols), t.tableSymbols...)
	c.names()
	for _, d := range t.Definitions {
		c.definition(d)
	}
	return c
}

// maxMistakes is the largest number of mistakes in one result.
const maxMistakes = 20

// checker checks a text.
type checker struct {
	text     *Text
	fields   []Symbol
	symbols  map[string]*Symbol
	defined  map[string]shape // names that are defined so far
	calls    map[string]shape // results of functions, by their arguments
	results  map[string]shape // their results at the last call; open if calls differ in the dimension
	current  *Definition
	rows     *rows // of the lists that are being checked
	used     map[string]bool
	errs     []error
	reported map[string]bool  // reported messages, with their places
	guesses  int              // pairs of bytes that were compared for suggestions
	units    map[string]*unit // by text; nil for a text that does not have the form of a unit
}

// unit reads the text of a unit, once.
func (c *checker) unit(text string) (unit, bool) {
	u, known := c.units[text]
	if !known {
		if read, ok := parseUnit(text); ok {
			u = &read
		}
		c.units[text] = u
	}
	if u == nil {
		return unit{}, false
	}
	return *u, true
}

// fail records a mistake at a place.
func (c *checker) fail(pos int32, format string, args ...any) shape {
	return c.failAt("", pos, format, args...)
}

// failAt is fail, for a name that is unknown unless it is "".
func (c *checker) failAt(unknown string, pos int32, format string, args ...any) shape {
	if len(c.errs) < maxMistakes {
		l := lexer{source: c.text.source}
		m := l.mistake(int(pos), format, args...)
		m.Unknown = unknown
		c.add(m)
	}
	return shape{}
}

// wrong records a mistake without a place in the text.
func (c *checker) wrong(format string, args ...any) { c.add(fmt.Errorf(format, args...)) }

// add records a mistake once, although functions are checked at each call.
func (c *checker) add(err error) {
	if text := err.Error(); !c.reported[text] && len(c.errs) < maxMistakes {
		c.reported[text] = true
		c.errs = append(c.errs, err)
	}
}

// names checks the names of fields.
func (c *checker) names() {
	for i := range c.fields {
		s := &c.fields[i]
		if other := c.symbols[s.Name]; other != nil {
			c.wrong("%s is the name of %s and of %s, which are not one quantity: give one of them another symbol", s.Name, other.field(), s.field())
		}
		if Reserved(s.Name) {
			c.wrong("%s, the name of %s, has a meaning of its own in formulas: give the field a symbol, or another one", s.Name, s.field())
		}
		c.symbols[s.Name] = s
		c.unitOf(s)
	}
}

// unitOf checks the units of a field and of its inner fields.
func (c *checker) unitOf(s *Symbol) {
	if _, ok := c.unit(s.Unit); !ok {
		c.wrong("unit %q of %s is not factors with blanks between them, such as W/(m2 K)", s.Unit, s.field())
	}
	if s.Item != nil {
		c.unitOf(s.Item)
	}
	for i := range s.Members {
		c.unitOf(&s.Members[i])
	}
}

// definition checks one definition.
func (c *checker) definition(d *Definition) {
	c.current = d
	s := c.symbols[d.Name]
	switch {
	case s == nil:
	case s.Constant:
		c.fail(d.pos, "%s is a table: give this quantity another name", d.Name)
	case d.Kind == Function:
		c.fail(d.pos, "%s is the symbol of %s: give the function another name", d.Name, s.field())
	case s.Input != "" && s.Required:
		c.fail(d.pos, "%s is always sent or has a default, so that this never counts", d.Name)
	}
	switch {
	case d.Kind == Taken && (s == nil || s.Output == "" || s.Kind != NumberField):
		c.fail(d.pos, "%s is taken, and no output that is a number", d.Name)
	case d.Kind == Taken && d.Note == "":
		c.fail(d.pos, "the reason is missing why %s is taken: write it after a #", d.Name)
	case d.Kind == Constant && d.Note == "":
		c.fail(d.pos, "the source of %s is missing: write it after a #", d.Name)
	}
	var result shape
	var within *scope
	for _, parameter := range d.Params {
		within = &scope{name: parameter, outer: within}
	}
	if s != nil {
		result = c.shape(s)
	}
	if d.List != nil {
		c.defined[d.Name] = c.list(d)
		return
	}
	c.defined[d.Name] = c.cases(d.Name, d.pos, d.Cases, result, within)
}

// cases checks that all cases of a definition are of one shape, and returns it.
func (c *checker) cases(name string, pos int32, cases []Case, result shape, within *scope) shape {
	for i := range cases {
		one := &cases[i]
		if one.When != nil {
			c.want(one.When, truth, within)
		}
		var got shape
		at := pos
		if one.Solve != nil {
			got = c.solve(name, one.Solve, result, within)
		} else {
			at, got = one.Value.pos, c.infer(one.Value, within)
		}
		if i > 0 || result.kind != absentKind {
			if !result.fits(got) {
				c.fail(at, "%s is %s%s, and this is %s%s", name, inUnit(result), result, inUnit(got), got)
			}
			got = result.or(got)
		}
		if one.Value != nil && result.kind == textKind && got.kind == textKind {
			c.words(one.Value, got, result)
		}
		if result.kind == absentKind || result.open {
			result = got
		}
	}
	return result
}

// inUnit is the text before a shape in messages.
func inUnit(s shape) string {
	if s.kind == numberKind && len(s.dim) > 0 && !s.point {
		return "in "
	}
	return ""
}

// solve checks an equation, and returns the shape of its unknown.
func (c *checker) solve(name string, s *Solve, result shape, within *scope) shape {
	low, high := c.infer(s.Low, within), c.infer(s.High, within)
	ends, _ := c.alike(s.High.pos, low, high, "the interval goes from %s to %s")
	if result.kind == absentKind {
		result = ends
	} else {
		if !result.fits(ends) {
			c.fail(s.Low.pos, "%s is %s%s, and its interval %s%s", name, inUnit(result), result, inUnit(ends), ends)
		}
	}
	at := &scope{name: name, shape: result, outer: within}
	c.alike(s.Left.pos, c.infer(s.Left, at), c.infer(s.Right, at), "%s is on the left of the equation, and %s on the right")
	return result
}

// unused fails for each definition that no output needs.
func (c *checker) unused() {
	for _, d := range c.text.Definitions {
		if c.symbols[d.Name] == nil && !c.used[d.Name] {
			c.fail(d.pos, "%s is used by nothing, and is the symbol of no field", d.Name)
		}
	}
	for i := range c.text.callees {
		if name := c.text.callees[i].Name; !c.used[name] {
			c.wrong("calculation %s is used by nothing", name)
		}
	}
	for i := range c.text.tableSymbols {
		if name := c.text.tableSymbols[i].Name; !c.used[name] {
			c.wrong("table %s is used by nothing", name)
		}
	}
}

// outputs fails for each number that the text does not define.
func (c *checker) outputs(symbols []Symbol) {
	for i := range symbols {
		s := &symbols[i]
		if s.Output == "" || s.Kind != NumberField || s.Input != "" && s.Required || c.text.Definition(s.Name) != nil {
			continue
		}
		c.wrong("%s is not defined: it is the symbol of %s; define it, or write taken %[1]s with the reason behind a #", s.Name, s.field())
	}
}

// formulas compares the ids of cases with the ids of the engine's formulas.
func (c *checker) formulas(ids []string) {
	var found []string
	for _, d := range c.text.Definitions {
		for i := range d.Cases {
			id := d.Cases[i].ID
			found = append(found, id)
			if id != "" && !slices.Contains(ids, id) {
				c.fail(d.pos, "%s has a case of @%s, and the engine has no formula of that id", d.Name, id)
			}
		}
	}
	for _, id := range ids {
		if len(ids) > 1 && !slices.Contains(found, id) {
			c.wrong("no case is of the formula %s: write @%[1]s after the case for which the engine reports it", id)
		}
	}
}
