package text

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/value"
)

// Mutant is a document with one mistake in its formula, in the condition of a check or in a cell of a table. The vectors of
// a document should find that it differs from all of its mutants.
type Mutant struct {
	Place Place
	What  string // such as: a - b instead of a + b
	Cell  *Cell  // the wrong cell; nil if the mistake is in the formula or a check

	engine *Engine
	text   *formula.Text
}

// Cell is a cell of a table.
type Cell struct {
	Table, Column string
	Row           int // from 0
}

// Engine makes the engine of the mutant. Texts of its checks have no values.
func (m *Mutant) Engine() *Engine {
	e := *m.engine
	e.text, e.isMutant = m.text, true
	e.program, e.fast = m.text.Compile(e.spec.Symbols(), e.outcomes)
	return &e
}

// Mutants returns the mutants of a document. The formula and the conditions of checks have other signs, numbers,
// operations, comparisons and names, and tables have other cells.
func (e *Engine) Mutants() (list []Mutant) {
	source := strings.TrimRight(e.spec.Definition, "\n") + "\n"
	lines := strings.Count(source, "\n")
	for _, c := range e.checks {
		source += c.holds + " = " + c.Condition.Text + "\n"
	}
	parsed, err := formula.Parse(source)
	if err != nil {
		return nil // Bind has read these lines
	}
	parsed, err = e.complete(parsed)
	if err != nil {
		return nil
	}
	for _, m := range formula.Mutants(parsed) {
		at := Place{e.document.Formula.Line + m.Line - 1, 1}
		if m.Line > lines {
			at = e.checks[m.Line-lines-1].Condition.Place
		}
		list = append(list, Mutant{Place: at, What: m.What, engine: e, text: m.Text})
	}
	return append(list, e.cellMutants()...)
}

// cellMutants returns a mutant for each cell of the tables in the document. Published tables have rules of their own.
func (e *Engine) cellMutants() (list []Mutant) {
	for t := range e.document.Tables {
		table := &e.spec.Tables[t]
		for row := range table.Rows {
			for column := range table.Columns {
				tables := slices.Clone(e.spec.Tables)
				of := &tables[t]
				of.Rows = slices.Clone(of.Rows)
				of.Rows[row] = slices.Clone(of.Rows[row])
				by, isOther := otherCell(table, row, column)
				of.Rows[row][column] = by
				text, err := e.text.WithTables(tables)
				if !isOther || err != nil {
					continue
				}
				name := table.Columns[column].Name
				list = append(list, Mutant{
					Place: e.document.Tables[t].Rows[row][column].Place,
					What:  fmt.Sprintf("%s instead of %s in the column %s of %s", by, table.Rows[row][column], name, table.Name),
					Cell:  &Cell{Table: table.Name, Column: name, Row: row}, engine: e, text: text,
				})
			}
		}
	}
	return list
}

// otherCell returns another value of a cell: the next word of the column, or a number that is 0.1 % larger.
func otherCell(t *formula.Table, row, column int) (string, bool) {
	cell := t.Rows[row][column]
	if t.Columns[column].Word {
		for i := range t.Rows {
			other := t.Rows[(row+i)%len(t.Rows)][column]
			if other != cell {
				return other, true
			}
		}
		return cell, false
	}
	number, isNumber := new(big.Rat).SetString(cell)
	if !isNumber {
		return cell, false
	}
	if number.Sign() == 0 {
		return "1", true
	}
	return number.Mul(number, big.NewRat(1001, 1000)).RatString(), true
}

// Comparisons are the comparisons of numbers in the formula and in the conditions of checks. A comparison that depends on
// an index or a parameter has no single result, and is left out.
type Comparisons struct{ programs []*formula.Program }

// Comparisons returns the comparisons of a document.
func (e *Engine) Comparisons() *Comparisons {
	c := &comparisons{engine: e, seen: map[string]bool{}}
	for _, d := range e.text.Definitions {
		if strings.HasPrefix(d.Name, "shown__") || strings.HasPrefix(d.Name, "plot__") || d.Kind == formula.Function || d.List != nil {
			continue
		}
		for i := range d.Cases {
			c.visit(d.Cases[i].When)
			c.visit(d.Cases[i].Value)
		}
	}
	all := new(Comparisons)
	for _, d := range c.orders {
		text := e.text.With(append(slices.Clone(e.text.Definitions), d))
		program, _ := text.Compile(e.spec.Symbols(), []string{d.Name})
		all.programs = append(all.programs, program)
	}
	return all
}

// Len returns the number of comparisons.
func (c *Comparisons) Len() int { return len(c.programs) }

// Order returns the sign of the left side minus the right side of a comparison for some inputs, or [Unordered].
func (c *Comparisons) Order(n int, in value.Values) int {
	var order [1]formula.Outcome
	c.programs[n].Evaluate(order[:], in)
	if order[0].State != formula.Known || order[0].Value.Kind() != value.Number {
		return Unordered
	}
	return int(order[0].Value.Number())
}

// Unordered is the order of numbers that are not known.
const Unordered = 2

type comparisons struct {
	engine *Engine
	seen   map[string]bool
	orders []*formula.Definition
}

// visit looks for comparisons in an expression.
func (c *comparisons) visit(x *formula.Expr) {
	if x == nil || x.Op == formula.Fold {
		return
	}
	if formula.Less <= x.Op && x.Op <= formula.NotEqual && c.isNumber(x.Args[0]) && c.isNumber(x.Args[1]) {
		c.add(x.Args[0], x.Args[1])
	}
	for _, arg := range x.Args {
		c.visit(arg)
	}
}

// isNumber reports whether an expression is a number, by its form.
func (c *comparisons) isNumber(x *formula.Expr) bool {
	switch x.Op {
	case formula.Number, formula.Neg, formula.Add, formula.Sub, formula.Mul, formula.Div, formula.Pow, formula.Index:
		return true
	case formula.Call:
		return x.Name != "given"
	case formula.Fold:
		f := x.Fold.Func
		return f != "any" && f != "all" && f != "first" && f != "last"
	case formula.Name:
		f := fieldNamed(c.engine.document.Inputs, x.Name)
		if f != nil {
			return f.Type.Kind == Number || f.Type.Kind == Integer
		}
		d := c.engine.text.Definition(x.Name)
		if d == nil || d.List != nil {
			return x.Name == "pi"
		}
		return d.Cases[0].Value == nil || c.isNumber(d.Cases[0].Value)
	}
	return false
}

// add adds the order of two numbers: -1, 0 or 1.
func (c *comparisons) add(left, right *formula.Expr) {
	key := fmt.Sprint(left, " ", right)
	if c.seen[key] {
		return
	}
	c.seen[key] = true
	number := func(n int64) *formula.Expr { return &formula.Expr{Op: formula.Number, Value: big.NewRat(n, 1)} }
	compare := func(op formula.Op) *formula.Expr {
		return &formula.Expr{Op: op, Args: []*formula.Expr{left, right}}
	}
	c.orders = append(c.orders, &formula.Definition{Name: "order__", Cases: []formula.Case{
		{When: compare(formula.Less), Value: number(-1)},
		{When: compare(formula.Equal), Value: number(0)},
		{Otherwise: true, Value: number(1)},
	}})
}

// Truth is the truth of a condition.
type Truth uint8

// The truths. A condition is not asked if inputs are rejected before it.
const (
	NotAsked Truth = iota
	False
	True
)

// Trace is how a document answers some inputs.
type Trace struct {
	Rule   int     // the rule that they break; -1 if they keep all
	Checks []Truth // the conditions of the checks
}

// Trace returns which rule and which checks decide the answer to the inputs.
func (e *Engine) Trace(in value.Values) Trace {
	t := Trace{Rule: -1, Checks: make([]Truth, len(e.checks))}
	for i := range e.rules {
		if e.rules[i].broken(&e.spec, in) != nil {
			t.Rule = i
			return t
		}
	}
	if e.spec.CheckRanges(in, in) != nil {
		return t
	}
	all := make([]formula.Outcome, e.count)
	e.program.Evaluate(all, in)
	truth := func(c *check) Truth {
		v := &all[c.outcome]
		switch {
		case v.State == formula.Fault || v.State == formula.Undecided:
			return NotAsked
		case v.Value.Bool():
			return True
		}
		return False
	}
	for i, c := range e.checks {
		if c.Kind != Reject {
			continue
		}
		t.Checks[i] = truth(c)
		if t.Checks[i] != False {
			return t
		}
	}
	for i, c := range e.checks {
		if c.Kind != Reject {
			t.Checks[i] = truth(c)
		}
	}
	return t
}

// Document returns the document of the engine.
func (e *Engine) Document() *Document { return e.document }
