package formula

import (
	"slices"
	"strings"
)

// integrals maps signs to the number of integrals that they stand for.
var integrals = map[string]int{"∫": 1, "∮": 1, "∬": 2, "∭": 3}

// variables returns, for every kid of a row, the symbols that keep their names in it. These
// are outer everywhere, the variable of an integral from its sign to its differential, and the
// variable of a sum up to the end of its term.
func (s symbols) variables(kids []*node, outer names) []names {
	bound := make([]names, len(kids))
	for i := range bound {
		bound[i] = outer
	}
	var open []int // the places of integrals without a differential so far
	for i, n := range kids {
		sign := n.core()
		if sign.name == "mo" {
			open = append(open, slices.Repeat([]int{i}, integrals[sign.text])...)
		}
		if sign.name == "mo" && sign.text != "" && strings.Contains("∑∏", sign.text) && len(n.kids) > 1 && n.kids[1].name == "mrow" {
			if over, k := s.match(n.kids[1].kids, nil); k > 0 {
				bind(bound[i+1:i+1+term(kids[i+1:])], over.number)
			}
		}
		if len(open) == 0 {
			continue
		}
		for _, over := range s.differentials(kids, i) {
			if last := len(open) - 1; last >= 0 {
				bind(bound[open[last]+1:i+1], over)
				open = open[:last]
			}
		}
	}
	return bound
}

func bind(bound []names, name *node) {
	for i := range bound {
		bound[i] = append(slices.Clip(bound[i]), name)
	}
}

// term returns how many nodes belong to the first term of a row.
func term(kids []*node) int {
	depth := 0
	for i, n := range kids {
		switch k := n.kind(); {
		case k == opening:
			depth++
		case k == closing:
			depth--
		case depth == 0 && (k == sum || k == relation || k == edge):
			return i
		}
	}
	return len(kids)
}

// differentials returns the symbols that follow a d, at the place in the row or anywhere in
// the kid at that place.
func (s symbols) differentials(kids []*node, at int) []*node {
	if over, n := s.match(kids[at:], nil); n > 0 {
		if s.differential(kids[:at]) {
			return []*node{over.number}
		}
		return nil
	}
	var out []*node
	for i := range kids[at].kids {
		out = append(out, s.differentials(kids[at].kids, i)...)
	}
	return out
}

// differential reports whether the preceding node, such as the d of dx, makes the following
// one the variable of a differential.
func (s symbols) differential(before []*node) bool {
	for _, n := range slices.Backward(before) {
		if n.kind() == space {
			continue
		}
		core := n.core()
		if _, own := s.match([]*node{core}, nil); own > 0 || core.name != "mi" {
			return false
		}
		return core.text == "d" || core.text == "∂" || core.text == "Δ"
	}
	return false
}
