package formula

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"
)

// Value is the replacement of a symbol.
type Value struct {
	Symbol string // as LaTeX, such as w_0
	Number string // as it is shown: 12000, -1.5, 8.356e-5; anything else is shown as text
	Unit   string // shown upright after the number, such as kN; "" for none
}

// maxValues is the maximum number of values for one formula.
const maxValues = 200

// Substitute returns the math element of the LaTeX, as a display, with numbers in place
// of symbols:
//
//   - Longer symbols go first, so EI is replaced before E. A symbol is replaced as a
//     whole and nowhere within another: not M in M_0, x in \bar{x} or T in \Delta T.
//   - A symbol that is alone on the left side of an equation stays: that is what the
//     equation defines.
//   - A symbol before a list of names in parentheses stays, because it is a function
//     there, and its value one of them: \delta(x) becomes \delta(3).
//   - What an integral or a sum runs over stays there, as do differentials.
//   - Numbers get parentheses where they have a power of ten, a unit or a sign and
//     stand beside a factor or as base of a power; a dot is set between numbers that
//     come to stand beside each other.
func (r *Renderer) Substitute(latex string, values []Value) (template.HTML, error) {
	tree, err := r.tree(latex, true)
	if err != nil {
		return "", err
	}
	if len(values) > maxValues {
		return "", fmt.Errorf("%d values, of which a formula takes %d", len(values), maxValues)
	}
	var s symbols
	for _, v := range values {
		name, err := r.tree(v.Symbol, false)
		if err != nil {
			return "", fmt.Errorf("symbol %q: %w", v.Symbol, err)
		}
		if run := unwrap(name).kids; len(run) > 0 {
			s = append(s, symbol{run: run, number: v.node()})
		}
	}
	slices.SortStableFunc(s, func(a, b symbol) int {
		return cmp.Or(cmp.Compare(len(b.run), len(a.run)), cmp.Compare(size(b.run), size(a.run)))
	})
	return s.inside(tree, nil).html(), nil
}

func size(run []*node) int {
	sum := 0
	for _, n := range run {
		sum += n.count()
	}
	return sum
}

// unwrap returns the innermost row of nested single rows.
func unwrap(n *node) *node {
	for len(n.kids) == 1 && slices.Contains(rows, n.kids[0].name) {
		n = n.kids[0]
	}
	return n
}

type symbol struct {
	run    []*node // siblings
	number *node
}

// symbols are the symbols to be replaced, longest first.
type symbols []symbol

// names are indexes of symbols that keep their names in some part of a formula.
type names []*node

// match returns the symbol at the beginning of the row and the number of kids that it takes,
// 0 if there is none.
func (s symbols) match(kids []*node, bound names) (symbol, int) {
	for _, one := range s {
		if n := begins(kids, one.run); n > 0 && !slices.Contains(bound, one.number) {
			return one, n
		}
	}
	return symbol{}, 0
}

// begins returns how many kids the run takes, including spaces in between, or 0 if the row
// does not begin with it.
func begins(kids, run []*node) int {
	at := 0
	for i, n := range run {
		for i > 0 && at < len(kids) && kids[at].kind() == space {
			at++
		}
		if at == len(kids) || !equal(kids[at], n) {
			return 0
		}
		at++
	}
	return at
}

// inside returns the element with numbers for the symbols in it.
func (s symbols) inside(n *node, bound names) *node {
	out := *n
	switch n.name {
	case "mi", "mn", "mo", "mtext", "mspace", "msub":
		return n
	case "msup":
		out.kids = []*node{s.base(n.kids[0], bound), s.slot(n.kids[1], bound)}
	case "msubsup":
		return s.indexed(n, bound)
	case "munder", "mover", "munderover":
		return s.stacked(n, bound)
	case "mtr":
		out.kids = nil
		for i, cell := range n.kids {
			defines := i+1 < len(n.kids) && leads(n.kids[i+1])
			out.kids = append(out.kids, s.cell(cell, defines, bound))
		}
	case "mfrac", "mroot", "mtable":
		out.kids = nil
		for _, kid := range n.kids {
			out.kids = append(out.kids, s.slot(kid, bound))
		}
	default:
		out.kids = s.row(n.kids, false, bound)
	}
	return &out
}

// slot returns an element that is alone at its place, such as a numerator.
func (s symbols) slot(n *node, bound names) *node {
	if n.name == "mrow" || n.name == "mtr" {
		return s.inside(n, bound)
	}
	return row(s.row([]*node{n}, false, bound))
}

// base returns the base of a power, with numbers for symbols.
func (s symbols) base(n *node, bound names) *node {
	n = s.slot(n, bound)
	if n.shown&(long|negative) != 0 {
		return n.enclose()
	}
	return n
}

// indexed returns w_0^2 with its base w_0 replaced. In MathML that base is not an element of
// its own.
func (s symbols) indexed(n *node, bound names) *node {
	if s.power(n, bound) {
		return &node{name: "msup", kids: []*node{s.base(n.of(), bound), s.slot(n.kids[2], bound)}}
	}
	out := *n
	out.kids = []*node{n.kids[0], n.kids[1], s.slot(n.kids[2], bound)}
	if n.kids[0].kind() != factor { // limits of an integral
		out.kids[1] = s.slot(n.kids[1], bound)
	}
	return &out
}

// power reports whether the element is a power of a symbol.
func (s symbols) power(n *node, bound names) bool {
	name := n.of()
	if name == nil {
		return false
	}
	_, k := s.match([]*node{name}, bound)
	return k > 0
}

// of returns the base of a power, nil if the element is not a power.
func (n *node) of() *node {
	switch n.name {
	case "msup":
		return n.kids[0]
	case "msubsup":
		return &node{name: "msub", kids: n.kids[:2]}
	}
	return nil
}

// stacked returns an element with something above or below it. A symbol with an accent
// is another symbol.
func (s symbols) stacked(n *node, bound names) *node {
	if slices.Contains(n.attrs, attr{"accent", "true"}) || n.kids[0].name == "mi" && n.kids[0].kind() == factor && len(n.kids[0].text) < 3 {
		return n
	}
	out := *n
	out.kids = nil
	for _, kid := range n.kids {
		out.kids = append(out.kids, s.slot(kid, bound))
	}
	return &out
}

// cell returns a cell of a table. It may be the left side of the equation in the next cell.
func (s symbols) cell(n *node, defines bool, bound names) *node {
	out := *n
	if len(n.kids) == 1 && slices.Contains(rows, n.kids[0].name) {
		out.kids = []*node{s.cell(n.kids[0], defines, bound)}
	} else {
		out.kids = s.row(n.kids, defines, bound)
	}
	return &out
}

// leads reports whether the cell begins with an equals sign.
func leads(cell *node) bool {
	for _, n := range unwrap(cell).kids {
		if k := n.kind(); k != space {
			return defining(n)
		}
	}
	return false
}

func defining(n *node) bool {
	return n.name == "mo" && strings.Contains("=≈≔≡", n.text) && n.text != ""
}

// row returns the kids of a row with numbers for symbols. Defines is true if an equals sign
// follows the row.
func (s symbols) row(kids []*node, defines bool, outer names) []*node {
	stays := s.leftSides(kids, defines)
	bound := s.variables(kids, outer)
	var out []*node
	for i := 0; i < len(kids); {
		one, n := s.match(kids[i:], bound[i])
		switch {
		case n > 0 && (stays[i] || s.differential(kids[:i]) || applied(kids[i+n:])):
			out = append(out, kids[i:i+n]...)
		case n > 0:
			out = append(out, one.number)
		case s.power(kids[i], bound[i]) && (s.differential(kids[:i]) || applied(kids[i+1:])):
			out = append(out, kids[i])
		default:
			out = append(out, s.inside(kids[i], bound[i]))
		}
		i += max(n, 1)
	}
	return join(out)
}

// leftSides returns the places of symbols that are the whole left side of an equation.
func (s symbols) leftSides(kids []*node, defines bool) map[int]bool {
	stays := map[int]bool{}
	depth, start, open := 0, 0, true // open: no equals sign since start
	left := func(end int) {
		for start < end && kids[start].kind() == space {
			start++
		}
		if _, n := s.match(kids[start:end], nil); n > 0 && !slices.ContainsFunc(kids[start+n:end], func(k *node) bool { return k.kind() != space }) {
			stays[start] = true
		}
	}
	for i, n := range kids {
		switch k := n.kind(); {
		case k == opening:
			depth++
		case k == closing:
			depth--
		case depth > 0:
		case k == edge:
			start, open = i+1, true
		case defining(n) && open:
			left(i)
			open = false
		}
	}
	if defines && open {
		left(len(kids))
	}
	return stays
}

// applied reports whether a list of names in parentheses follows.
func applied(after []*node) bool {
	for len(after) > 0 && after[0].kind() == space {
		after = after[1:]
	}
	if len(after) == 0 {
		return false
	}
	if after[0].name == "mrow" {
		after = after[0].kids
	}
	if len(after) == 0 || !after[0].isText("mo", "(") {
		return false
	}
	name := true // a name is expected next
	for _, n := range after[1:] {
		switch k := n.kind(); {
		case k == space:
		case k == closing:
			return !name
		case name && (n.name == "mi" || n.name == "mn" || n.name == "msub"):
			name = false
		case !name && (n.isText("mo", ",") || n.isText("mo", ";")):
			name = true
		default:
			return false
		}
	}
	return false
}
