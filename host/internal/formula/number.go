package formula

import (
	"regexp"
	"slices"
	"strings"
)

// shown says of a node that it is a number that stands for a symbol, and what it needs
// beside others.
type shown uint8

const (
	number   shown = 1 << iota // every such node
	long                       // has a power of ten or a unit, so it is no single factor
	negative                   // begins with a sign
	enclosed                   // has its parentheses
)

var decimal = regexp.MustCompile(`^([-+−]?)([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([-+]?)0*([0-9]+))?$`)

// node returns the value as it is shown.
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
		unit := &node{name: "mtext", text: "\u202f" + printable(v.Unit)} // narrow, and no place to break the line
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

// kind is what a node is to those beside it in a row.
type kind int

const (
	edge     kind = iota // of a row, and whatever else ends a term
	space                // not seen
	factor               // a symbol, a number, a fraction
	opening              // parenthesis
	closing              // parenthesis
	relation             // = or <
	sum                  // + or -
	product              // a written sign of multiplication or division
	apply                // the unseen sign between a function and its argument
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

// spaceKind tells a thin space, within a term, from one that ends a formula.
func spaceKind(n *node) kind {
	if slices.ContainsFunc(n.attrs, func(a attr) bool {
		return a.name == "width" && (strings.HasPrefix(a.value, "0") || strings.HasPrefix(a.value, "-"))
	}) {
		return space
	}
	return edge
}

func (n *node) opens() bool { return n.kind() == opening }

// first returns what is read first of a node.
func (n *node) first() *node {
	for n.shown == 0 && n.name != "mfrac" && n.name != "msqrt" && n.name != "mroot" && len(n.kids) > 0 {
		n = n.kids[0]
	}
	return n
}

// join returns a row in which some symbols have become numbers, with parentheses and
// signs of multiplication where it would be misread without.
func join(kids []*node) []*node {
	for i, n := range kids {
		if before, after := around(kids, i); n.shown&enclosed == 0 && n.needsParentheses(before, after) {
			kids[i] = n.enclose()
		}
	}
	var out []*node
	last := -1 // in out, of what is seen
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

// around returns what stands on both sides of a node.
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

// needsDot reports whether one factor after the other would be read as one number: two
// digits, or a number before a fraction.
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
