package formula

import (
	"regexp"
	"slices"
	"strings"
)

// shown marks a node as a number that replaces a symbol, and says how it may stand beside
// other nodes.
type shown uint8

const (
	number   shown = 1 << iota // every such node
	long                       // has a power of ten or a unit, so it is not a single factor
	negative                   // begins with a sign
	enclosed                   // has parentheses already
)

var decimal = regexp.MustCompile(`^([-+−]?)([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([-+]?)0*([0-9]+))?$`)

// node returns the value as a node.
func (v *Value) node() *node {
	m := decimal.FindStringSubmatch(v.Number)
	if m == nil {
		return &node{name: "mtext", text: printable(v.Number)}
	}
	n := &node{name: "mn", text: m[2], shown: number}
	if m[4] != "" {
		exponent := &node{name: "mn", text: m[4]}
		if m[3] == "-" {
			exponent = row([]*node{minus(), exponent})
		}
		times := &node{name: "mo", text: "×", attrs: []attr{{"lspace", "0.1em"}, {"rspace", "0.1em"}}}
		power := &node{name: "msup", kids: []*node{{name: "mn", text: "10"}, exponent}}
		n = &node{name: "mrow", kids: []*node{n, times, power}, shown: number | long}
	}
	if m[1] == "-" || m[1] == "−" {
		n = &node{name: "mrow", kids: []*node{minus(), n}, shown: n.shown | negative}
	}
	if v.Unit != "" {
		unit := &node{name: "mtext", text: "\u202f" + printable(v.Unit)} // narrow no-break space
		n = &node{name: "mrow", kids: []*node{n, unit}, shown: n.shown | long}
	}
	return n
}

func minus() *node { return &node{name: "mo", text: "−"} }

// enclose returns the number in parentheses.
func (n *node) enclose() *node {
	fence := func(text string) *node {
		return &node{name: "mo", text: text, attrs: []attr{{"stretchy", "false"}}}
	}
	return &node{name: "mrow", kids: []*node{fence("("), n, fence(")")}, shown: n.shown | enclosed}
}

// kind is the role of a node for its neighbours in a row.
type kind int

const (
	edge     kind = iota // of a row, and whatever else ends a term
	space                // invisible
	factor               // a symbol, a number, a fraction
	opening              // parenthesis
	closing              // parenthesis
	relation             // = or <
	sum                  // + or -
	product              // a written sign of multiplication or division
	apply                // the invisible sign between a function and its argument
)

var kinds = map[kind]string{
	opening: "([{⟨⌊⌈", closing: ")]}⟩⌋⌉!", relation: "=≈≡≔≤≥<>≠∝∼≃≅≪≫⩽⩾", sum: "+−±∓-", product: "⋅·×/÷∗∙", apply: string(application),
}

func (n *node) kind() kind {
	core := n.core()
	switch core.name {
	case "mspace":
		return spaceKind(core)
	case "mtext":
		if strings.TrimSpace(core.text) == "" {
			return space
		}
	case "mrow":
		if len(core.kids) == 0 {
			return space
		}
		return factor
	case "mo":
		for k, signs := range kinds {
			if core.text != "" && strings.Contains(signs, core.text) {
				return k
			}
		}
	case "mi":
		if !strings.Contains("∣∥|‖", core.text) { // which open as well as close
			return factor
		}
	default:
		return factor
	}
	return edge
}

// spaceKind distinguishes a thin space within a term from a wide one that ends a formula.
func spaceKind(n *node) kind {
	if slices.ContainsFunc(n.attrs, func(a attr) bool {
		return a.name == "width" && (strings.HasPrefix(a.value, "0") || strings.HasPrefix(a.value, "-"))
	}) {
		return space
	}
	return edge
}

func (n *node) opens() bool { return n.kind() == opening }

// first returns the part of a node that is read first.
func (n *node) first() *node {
	for n.shown == 0 && n.name != "mfrac" && n.name != "msqrt" && n.name != "mroot" && len(n.kids) > 0 {
		n = n.kids[0]
	}
	return n
}

// join returns a row in which some symbols were replaced by numbers. It adds parentheses and
// multiplication signs where the row could be misread.
func join(kids []*node) []*node {
	for i, n := range kids {
		if before, after := around(kids, i); n.shown&enclosed == 0 && n.needsParentheses(before, after) {
			kids[i] = n.enclose()
		}
	}
	var out []*node
	last := -1 // index in out of the last visible node
	for _, n := range kids {
		if n.kind() == space {
			out = append(out, n)
			continue
		}
		if last >= 0 && needsDot(out[last], n) {
			out = append(out[:last+1], &node{name: "mo", text: "⋅"})
		}
		last = len(out)
		out = append(out, n)
	}
	return out
}

// around returns the neighbours on both sides of a node.
func around(kids []*node, i int) (before, after kind) {
	for _, n := range slices.Backward(kids[:i]) {
		if before = n.kind(); before != space {
			break
		}
	}
	for _, n := range kids[i+1:] {
		if after = n.kind(); after != space {
			break
		}
	}
	return before, after
}

func (n *node) needsParentheses(before, after kind) bool {
	bound := before == factor || before == closing || before == product || before == apply
	if n.shown&negative != 0 && (bound || before == sum) {
		return true
	}
	return n.shown&long != 0 && (bound || after == factor || after == opening || after == product)
}

// needsDot reports whether two adjacent factors would be read as one number: two numbers, or a
// number before a fraction.
func needsDot(a, b *node) bool {
	if k := a.kind(); k != factor && k != closing || b.kind() != factor {
		return false
	}
	fromA, fromB := a.first(), b.first()
	if fromB.shown != 0 {
		return true
	}
	return fromA.shown != 0 && (fromB.name == "mn" || b.core().first().name == "mfrac")
}
