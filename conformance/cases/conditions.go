package cases

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/slipstick/slipstick/sdk/formula"
)

// condition is one comparison of numbers in the Definition of an engine. Its text is a part of
// the Definition: the names that the comparison needs, followed by values with the names
// below. No Definition can use these names, because they have blanks.
type condition struct {
	id          string // such as "condition 1 of K"
	left, right *formula.Expr
	text        *formula.Text
	needs       map[string]bool // names
	cost        int             // of evaluating the text
}

const (
	leftSide   = "left side"
	rightSide  = "right side"
	difference = "left side - right side"
	choice     = "choice of a case" // its case is the one that the comparison helps to choose
)

// Bounds on the conditions of one Definition.
const (
	maxConditions = 48
	maxVisits     = 4000 // nodes, including the nodes of functions at each call
	solveCost     = 50   // an equation takes about as long as this many definitions
)

// conditions are the conditions in a Definition: comparisons of numbers, words and truths that
// are compared with names, and names that may be absent.
type conditions struct {
	text     *formula.Text
	numbers  []condition
	words    []string // names of words and truths, in order
	given    []string
	seen     map[string]bool // comparisons, spelled
	of       map[string]int  // number of the numbered comparisons, by definition
	visits   int
	enclosed []string // indexes of sums and unknowns of equations, which have no single value
}

func conditionsOf(text *formula.Text) *conditions {
	c := &conditions{text: text, seen: map[string]bool{}, of: map[string]int{}}
	for _, d := range text.Definitions {
		if d.Kind == formula.Quantity {
			c.definition(d.Name, d.Cases, nil)
		}
	}
	return c
}

// definition looks for conditions in a definition, or in a function that is called. The choice
// has the cases of the condition that contains the call, nil if no condition contains it.
func (c *conditions) definition(name string, cases, choice []formula.Case) {
	choose := choice
	if choose == nil {
		choose = cases
	}
	for i := range cases {
		one := &cases[i]
		if one.When != nil {
			c.visit(name, choose, one.When)
			c.truth(one.When)
		}
		if s := one.Solve; s != nil {
			c.enclosed = append(c.enclosed, name)
			for _, x := range []*formula.Expr{s.Low, s.High, s.Left, s.Right} {
				c.visit(name, choice, x)
			}
			c.enclosed = c.enclosed[:len(c.enclosed)-1]
		} else {
			c.visit(name, choice, one.Value)
		}
	}
}

// truthOf returns two cases for a comparison outside of cases: whether it is true.
func truthOf(x *formula.Expr) []formula.Case {
	return []formula.Case{{When: x, Value: number(1)}, {Otherwise: true, Value: number(0)}}
}

func number(n int64) *formula.Expr { return &formula.Expr{Op: formula.Number, Value: big.NewRat(n, 1)} }

// visit looks for conditions in an expression. The choice has the cases that it helps to
// choose, nil if it is not part of a condition.
func (c *conditions) visit(name string, choice []formula.Case, x *formula.Expr) {
	c.visits++
	if x == nil || c.visits > maxVisits {
		return
	}
	switch x.Op {
	case formula.Less, formula.LessEqual, formula.Greater, formula.GreaterEqual, formula.Equal, formula.NotEqual:
		c.comparison(name, choice, x)
	case formula.And, formula.Or, formula.Not:
		for _, arg := range x.Args {
			c.truth(arg)
		}
	case formula.Call:
		c.call(x, choice)
	case formula.Fold:
		c.enclosed = append(c.enclosed, x.Name)
		defer func() { c.enclosed = c.enclosed[:len(c.enclosed)-1] }()
	}
	for _, arg := range x.Args {
		c.visit(name, choice, arg)
	}
}

// truth records a name that is a condition by itself.
func (c *conditions) truth(x *formula.Expr) {
	if x.Op == formula.Name && !slices.Contains(c.words, x.Name) {
		c.words = append(c.words, x.Name)
	}
}

// call looks for conditions in a function, with the arguments in place of its parameters.
func (c *conditions) call(x *formula.Expr, choice []formula.Case) {
	if x.Name == "given" {
		for _, arg := range x.Args {
			if !slices.Contains(c.given, arg.Name) {
				c.given = append(c.given, arg.Name)
			}
		}
		return
	}
	d := c.text.Definition(x.Name)
	if d == nil {
		return
	}
	replaced := map[string]*formula.Expr{}
	for i, parameter := range d.Params {
		replaced[parameter] = x.Args[i]
	}
	cases := slices.Clone(d.Cases)
	for i := range cases {
		one := &cases[i]
		one.When, one.Value = c.replace(one.When, replaced), c.replace(one.Value, replaced)
		if s := one.Solve; s != nil {
			one.Solve = &formula.Solve{Low: c.replace(s.Low, replaced), High: c.replace(s.High, replaced),
				Left: c.replace(s.Left, replaced), Right: c.replace(s.Right, replaced)}
		}
	}
	c.definition(d.Name, cases, choice)
}

// replace returns x with expressions in place of names.
func (c *conditions) replace(x *formula.Expr, by map[string]*formula.Expr) *formula.Expr {
	c.visits++
	if x == nil || c.visits > maxVisits {
		return x
	}
	if x.Op == formula.Name && by[x.Name] != nil {
		return by[x.Name]
	}
	y := *x
	y.Args = make([]*formula.Expr, len(x.Args))
	for i, arg := range x.Args {
		y.Args[i] = c.replace(arg, by)
	}
	return &y
}

// comparison adds a comparison, once for each list of arguments.
func (c *conditions) comparison(name string, cases []formula.Case, x *formula.Expr) {
	if cases == nil {
		cases = truthOf(x)
	}
	left, right := x.Args[0], x.Args[1]
	if left.Op == formula.Literal || right.Op == formula.Literal {
		c.truth(left)
		c.truth(right)
		return
	}
	spelled := spelling(x)
	if c.seen[spelled] || len(c.numbers) == maxConditions || c.visits > maxVisits {
		return
	}
	c.seen[spelled] = true
	needed := map[string]bool{}
	mentions(x, needed)
	if slices.ContainsFunc(c.enclosed, func(name string) bool { return needed[name] }) {
		return
	}
	c.of[name]++
	one := condition{id: fmt.Sprintf("condition %d of %s", c.of[name], name), left: left, right: right}
	chosen := formula.Definition{Name: choice}
	for i := range cases {
		when := cases[i].When
		mentions(when, needed)
		chosen.Cases = append(chosen.Cases, formula.Case{When: when, Value: number(1)})
	}
	one.text, one.cost = c.part(needed)
	one.needs = needed
	one.text.Definitions = append(one.text.Definitions,
		&formula.Definition{Name: leftSide, Cases: []formula.Case{{Value: left}}},
		&formula.Definition{Name: rightSide, Cases: []formula.Case{{Value: right}}},
		&formula.Definition{Name: difference, Cases: []formula.Case{{Value: &formula.Expr{Op: formula.Sub, Args: []*formula.Expr{left, right}}}}},
		&chosen)
	c.numbers = append(c.numbers, one)
}

// part returns the definitions of the names, and of all names that these need. It adds these
// further names to needed.
func (c *conditions) part(needed map[string]bool) (part *formula.Text, cost int) {
	for before := -1; before < len(needed); { // a list can use a list below it
		before = len(needed)
		for _, d := range slices.Backward(c.text.Definitions) {
			if needed[d.Name] {
				d.Uses(func(name string) { needed[name] = true })
			}
		}
	}
	part, cost = c.text.With(nil), 1
	for _, d := range c.text.Definitions {
		if !needed[d.Name] {
			continue
		}
		part.Definitions = append(part.Definitions, d)
		for i := range d.Cases {
			if d.Cases[i].Solve != nil {
				cost += solveCost
			}
		}
	}
	return part, cost
}

// mentions adds the names in an expression.
func mentions(x *formula.Expr, names map[string]bool) {
	if x == nil {
		return
	}
	if x.Op == formula.Name || x.Op == formula.Call {
		names[x.Name] = true
	}
	for _, arg := range x.Args {
		mentions(arg, names)
	}
}

// spelling returns the same text for equal expressions.
func spelling(x *formula.Expr) string {
	text := fmt.Sprint("(", x.Op, x.Name, x.Literal, x.Unit)
	for _, arg := range x.Args {
		text += spelling(arg)
	}
	return text + ")"
}
