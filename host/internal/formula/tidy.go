package formula

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// tidy returns the element in the form that browsers and the rest of this package expect. Its
// kids must be tidy already.
func (n *node) tidy() (*node, error) {
	n.splice()
	switch n.name {
	case "semantics":
		n = row(n.kids)
	case "mi", "mn", "mtext":
		n.variant()
		if n.isText("mi", "/") {
			n.name, n.attrs = "mo", []attr{{"lspace", "0em"}, {"rspace", "0em"}}
		}
	case "mpadded":
		if n.count() > 2 { // more than one sign struck through another
			n.attrs = nil
		}
	case "mtable":
		n.align()
	case "mtr":
		for _, kid := range n.kids {
			if kid.name != "mtd" {
				return nil, errShape
			}
		}
	case "mstyle":
		if len(n.attrs) == 0 {
			n.name = "mrow"
		}
	}
	if want, ok := arity[n.name]; ok {
		return n.script(want)
	}
	if n.name == "mrow" {
		return row(letters(n.kids)), nil
	}
	return n, nil
}

// row returns the nodes as one node.
func row(kids []*node) *node {
	if len(kids) == 1 {
		return kids[0]
	}
	return &node{name: "mrow", kids: kids}
}

// rows are the elements with any number of kids, one beside the other.
var rows = []string{"math", "mrow", "mstyle", "mpadded", "mphantom", "msqrt", "menclose", "mtd", "semantics"}

// splice replaces nested rows by their kids, so that adjacent symbols become siblings. Rows
// that begin or end with an operator stay, because the operator could mean something else
// between other neighbours.
func (n *node) splice() {
	if !slices.Contains(rows, n.name) {
		return
	}
	var out []*node
	for _, kid := range n.kids {
		if kid.name == "mrow" && len(kid.kids) > 0 && !operatorAtEnd(kid.kids) {
			out = append(out, kid.kids...)
		} else {
			out = append(out, kid)
		}
	}
	n.kids = out
	for i := 0; i+1 < len(n.kids); i++ { // browsers set no space between a function and its argument
		if next := n.kids[i+1]; n.kids[i].isApplication() && next.name != "mspace" && !next.opens() {
			n.kids = slices.Insert(n.kids, i+1, &node{name: "mspace", attrs: []attr{{"width", "0.1667em"}}})
		}
	}
}

func operatorAtEnd(kids []*node) bool {
	last := kids[len(kids)-1]
	return kids[0].core().name == "mo" || last.core().name == "mo" && !last.isApplication()
}

func (n *node) isApplication() bool { return n.isText("mo", string(application)) }

// opens reports whether the element is an opening parenthesis.
func (n *node) opens() bool {
	core := n.core()
	return core.name == "mo" && core.text != "" && strings.Contains("([{⟨⌊⌈", core.text)
}

// core returns the element that scripts or a style apply to.
func (n *node) core() *node {
	for {
		_, script := arity[n.name]
		if (!script || n.name == "mfrac" || n.name == "mroot") && n.name != "mstyle" || len(n.kids) == 0 {
			return n
		}
		n = n.kids[0]
	}
}

// script corrects the number of kids of an element. KaTeX 0.19.1 puts an application sign
// after every function name. If the name is the base, the sign belongs after the whole element;
// if the name is a script, as in x_\max, the sign is removed.
func (n *node) script(want int) (*node, error) {
	applied := false
	var kids []*node
	for i, kid := range n.kids {
		if kid.isApplication() {
			applied = applied || i == 1
			continue
		}
		if last := len(kid.kids) - 1; kid.name == "mrow" && last >= 0 && kid.kids[last].isApplication() {
			applied = applied || i == 0
			kid = row(kid.kids[:last])
		}
		kids = append(kids, kid)
	}
	if n.kids = kids; len(kids) != want {
		return nil, errShape
	}
	if applied && n.name != "mfrac" && n.name != "mroot" {
		return &node{name: "mrow", kids: []*node{n, {name: "mo", text: string(application)}}}, nil
	}
	return n, nil
}

// letters joins the upright letters of a row without other nodes into one word, so that
// screen readers read it as a word.
func letters(kids []*node) []*node {
	upright := func(n *node) bool {
		return n.name == "mi" && slices.Contains(n.attrs, attr{"mathvariant", "normal"})
	}
	if len(kids) < 2 || slices.ContainsFunc(kids, func(n *node) bool { return !upright(n) }) {
		return kids
	}
	word := &node{name: "mi"}
	for _, kid := range kids {
		word.text += kid.text
	}
	return []*node{word}
}

// align gives classes to cells, because browsers ignore columnalign of the table.
func (n *node) align() {
	var columns []string
	for _, a := range n.attrs {
		if a.name == "columnalign" {
			columns = strings.Fields(a.value)
		}
	}
	for _, r := range n.kids {
		for i, cell := range r.kids {
			if i < len(columns) && (columns[i] == "left" || columns[i] == "right") {
				cell.attrs = append(cell.attrs, attr{"class", columns[i]})
			}
		}
	}
	if slices.Contains(n.attrs, attr{"columnspacing", "0em"}) {
		n.attrs = append(n.attrs, attr{"class", "tight"})
	}
}

// variant replaces letters by the Unicode characters of another alphabet, because browsers
// support only mathvariant="normal", and only for one letter.
func (n *node) variant() {
	for i, a := range n.attrs {
		if a.name != "mathvariant" || a.value == "normal" && n.name == "mi" && utf8.RuneCountInString(n.text) == 1 {
			continue
		}
		n.attrs = slices.Delete(n.attrs, i, i+1)
		if from, ok := alphabets[a.value]; ok {
			n.text = strings.Map(from.letter, n.text)
		}
		return
	}
}

// alphabet holds where kinds of letters begin in Unicode, 0 for kinds that it lacks, and which
// letters are elsewhere.
type alphabet struct {
	upper, lower, digits, greekUpper, greekLower rune
	elsewhere                                    map[rune]rune
}

// alphabets are those of Mathematical Alphanumeric Symbols in the Unicode Standard.
var alphabets = map[string]alphabet{
	"bold":        {upper: 0x1D400, lower: 0x1D41A, digits: 0x1D7CE, greekUpper: 0x1D6A8, greekLower: 0x1D6C2},
	"italic":      {upper: 0x1D434, lower: 0x1D44E, greekUpper: 0x1D6E2, greekLower: 0x1D6FC, elsewhere: map[rune]rune{'h': 'ℎ'}},
	"bold-italic": {upper: 0x1D468, lower: 0x1D482, greekUpper: 0x1D71C, greekLower: 0x1D736},
	"sans-serif":  {upper: 0x1D5A0, lower: 0x1D5BA, digits: 0x1D7E2},
	"monospace":   {upper: 0x1D670, lower: 0x1D68A, digits: 0x1D7F6},
	"script": {upper: 0x1D49C, lower: 0x1D4B6, elsewhere: map[rune]rune{
		'B': 'ℬ', 'E': 'ℰ', 'F': 'ℱ', 'H': 'ℋ', 'I': 'ℐ', 'L': 'ℒ', 'M': 'ℳ', 'R': 'ℛ', 'e': 'ℯ', 'g': 'ℊ', 'o': 'ℴ',
	}},
	"fraktur": {upper: 0x1D504, lower: 0x1D51E, elsewhere: map[rune]rune{'C': 'ℭ', 'H': 'ℌ', 'I': 'ℑ', 'R': 'ℜ', 'Z': 'ℨ'}},
	"double-struck": {upper: 0x1D538, lower: 0x1D552, digits: 0x1D7D8, elsewhere: map[rune]rune{
		'C': 'ℂ', 'H': 'ℍ', 'N': 'ℕ', 'P': 'ℙ', 'Q': 'ℚ', 'R': 'ℝ', 'Z': 'ℤ',
	}},
}

func (a alphabet) letter(r rune) rune {
	if other, ok := a.elsewhere[r]; ok {
		return other
	}
	for _, run := range []struct{ first, last, at rune }{
		{'A', 'Z', a.upper}, {'a', 'z', a.lower}, {'0', '9', a.digits}, {'Α', 'Ω', a.greekUpper}, {'α', 'ω', a.greekLower},
	} {
		if run.at != 0 && r >= run.first && r <= run.last {
			return run.at + r - run.first
		}
	}
	return r
}
