package spreadsheet

import (
	"regexp"
	"strconv"
	"strings"
)

// op is the kind of a node.
type op uint8

const (
	opNumber op = iota
	opText
	opTruth
	opCell  // a reference to a cell
	opArea  // a reference to a rectangle of cells
	opName  // a defined name
	opMinus // a sign
	opPercent
	opBinary
	opCall
	opEmpty // an argument that is left out
)

// node is a part of a formula.
type node struct {
	op   op
	text string // a number, a text, a name, an operator, or a function in capital letters
	args []*node
	ref  reference
}

// reference is a cell, or a rectangle from one cell to another.
type reference struct {
	sheet    string // "" for the sheet of the formula
	from, to corner
}

// corner is a place with the marks of absolute references.
type corner struct {
	row, column           int
	fixedRow, fixedColumn bool
}

// syntaxError is why a formula cannot be read.
type syntaxError struct{ problem, remedy string }

// token is a word of a formula.
type token struct {
	kind   byte   // n number, t text, r reference, w name or function, o operator, e error value
	text   string // without quotation marks
	sheet  string
	spaced bool // a blank is before it
	isCall bool // an opening bracket is next
}

var (
	numberForm = regexp.MustCompile(`^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[Ee][+-]?[0-9]+)?`)
	wordForm   = regexp.MustCompile(`^[\p{L}_\\][\p{L}\p{N}_.\\?]*`)
	cellForm   = regexp.MustCompile(`^\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}`)
	columnForm = regexp.MustCompile(`^\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}`)
	rowForm    = regexp.MustCompile(`^\$?[0-9]+:\$?[0-9]+`)
	sheetForm  = regexp.MustCompile(`^[\p{L}\p{N}_.]+!`)
	faultForm  = regexp.MustCompile(`^#(?:REF!|DIV/0!|VALUE!|NAME\?|NUM!|N/A|NULL!|SPILL!|CALC!)`)
)

// ends reports whether a cell before the rest of a formula is not the start of a name or of a function.
func ends(rest string) bool {
	return rest == "" || strings.ContainsAny(rest[:1], " \t\r\n,:+-*/^&=<>)%")
}

// tokens splits a formula into words.
func tokens(s string) (list []token, wrong *syntaxError) {
	spaced := false
	for s != "" {
		t := token{spaced: spaced}
		spaced = false
		n := 0
		switch {
		case strings.ContainsAny(s[:1], " \t\r\n"):
			s, spaced = s[1:], true
			continue
		case s[0] == '"':
			text, length := quoted(s, '"')
			if length == 0 {
				return nil, &syntaxError{"a text without its closing quotation mark", "correct the formula"}
			}
			t.kind, t.text, n = 't', text, length
		case s[0] == '[' || strings.HasPrefix(s, "'["):
			return nil, &syntaxError{"a reference to another workbook", "copy the values into this workbook"}
		case s[0] == '{':
			return nil, &syntaxError{"a constant array", "write its values into cells"}
		case s[0] == '@':
			return nil, &syntaxError{"an implicit intersection with @", "refer to one cell"}
		case s[0] == '#' && faultForm.MatchString(s):
			return nil, &syntaxError{"the error value " + faultForm.FindString(s), "repair the reference"}
		case columnForm.MatchString(s) || rowForm.MatchString(s):
			return nil, &syntaxError{"a whole column or row " + columnForm.FindString(s) + rowForm.FindString(s), "refer to the cells that are needed"}
		default:
			if s[0] == '\'' {
				text, length := quoted(s, '\'')
				if length == 0 || !strings.HasPrefix(s[length:], "!") {
					return nil, &syntaxError{"a quotation mark without the name of a sheet", "correct the formula"}
				}
				t.sheet, s = text, s[length+1:]
			} else if m := sheetForm.FindString(s); m != "" {
				t.sheet, s = strings.TrimSuffix(m, "!"), s[len(m):]
			}
			if strings.Contains(t.sheet, "[") {
				return nil, &syntaxError{"a reference to another workbook", "copy the values into this workbook"}
			}
			if strings.Contains(t.sheet, ":") {
				return nil, &syntaxError{"a reference to several sheets", "add the cells one by one"}
			}
			var w *syntaxError
			n, w = t.word(s)
			if w != nil {
				return nil, w
			}
		}
		s = s[n:]
		t.isCall = t.kind == 'w' && strings.HasPrefix(s, "(")
		if strings.HasPrefix(s, "[") {
			return nil, &syntaxError{"a reference to a table, " + t.text + "[", "refer to its cells"}
		}
		list = append(list, t)
	}
	return list, nil
}

// word reads a number, a reference, a name or an operator, and returns its length.
func (t *token) word(s string) (int, *syntaxError) {
	if m := cellForm.FindString(s); m != "" && ends(s[len(m):]) {
		t.kind, t.text = 'r', m
		return len(m), nil
	}
	if m := wordForm.FindString(s); m != "" {
		t.kind, t.text = 'w', m
		return len(m), nil
	}
	if t.sheet != "" {
		if m := faultForm.FindString(s); m != "" {
			return 0, &syntaxError{"the error value " + m, "repair the reference"}
		}
		return 0, &syntaxError{"a sheet without a cell", "correct the formula"}
	}
	if m := numberForm.FindString(s); m != "" {
		t.kind, t.text = 'n', m
		return len(m), nil
	}
	t.kind = 'o'
	for _, o := range []string{"<=", ">=", "<>"} {
		if strings.HasPrefix(s, o) {
			t.text = o
			return len(o), nil
		}
	}
	t.text = s[:1]
	if !strings.Contains("+-*/^%&=<>(),:", t.text) {
		return 0, &syntaxError{"the character " + strconv.Quote(string([]rune(s)[:1])), "correct the formula"}
	}
	return 1, nil
}

// quoted returns the text in quotation marks at the start of s, and the length with them; 0 if there is no end.
func quoted(s string, mark byte) (text string, length int) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] != mark:
			b.WriteByte(s[i])
		case i+1 < len(s) && s[i+1] == mark:
			b.WriteByte(mark)
			i++
		default:
			return b.String(), i + 1
		}
	}
	return "", 0
}

// maxDepth is how many expressions may be within one another.
const maxDepth = 60

// parser reads the words of a formula.
type parser struct {
	list  []token
	at    int
	depth int
	wrong *syntaxError
}

// parse reads a formula.
func parse(text string) (*node, *syntaxError) {
	list, wrong := tokens(text)
	if wrong != nil {
		return nil, wrong
	}
	p := &parser{list: list}
	n := p.binary(0)
	switch {
	case p.wrong != nil || p.at == len(list):
	case list[p.at].text == ",":
		p.fail("several areas in one reference")
	default:
		p.fail("the word " + list[p.at].text + " where an operator is expected")
	}
	return n, p.wrong
}

func (p *parser) fail(problem string) *node {
	if p.wrong == nil {
		p.wrong = &syntaxError{problem, "correct the formula"}
	}
	p.at = len(p.list)
	return &node{op: opEmpty}
}

// accept reads an operator if it is next.
func (p *parser) accept(operators ...string) string {
	if p.at < len(p.list) && p.list[p.at].kind == 'o' {
		for _, o := range operators {
			if p.list[p.at].text == o {
				p.at++
				return o
			}
		}
	}
	return ""
}

// levels are the binary operators, from the lowest precedence. All of them are left-associative.
var levels = [][]string{{"=", "<>", "<=", ">=", "<", ">"}, {"&"}, {"+", "-"}, {"*", "/"}, {"^"}}

// binary reads operators of a level and of all levels with a higher precedence.
func (p *parser) binary(level int) *node {
	if level == len(levels) {
		return p.signed()
	}
	left := p.binary(level + 1)
	for {
		o := p.accept(levels[level]...)
		if o == "" {
			return left
		}
		left = &node{op: opBinary, text: o, args: []*node{left, p.binary(level + 1)}}
	}
}

// signed reads an operand with its signs, which have a higher precedence than a power, and its
// percent signs.
func (p *parser) signed() *node {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return p.fail("too many expressions within one another")
	}
	switch p.accept("+", "-") {
	case "+":
		return p.signed()
	case "-":
		return &node{op: opMinus, args: []*node{p.signed()}}
	}
	n := p.primary()
	for p.accept("%") != "" {
		n = &node{op: opPercent, args: []*node{n}}
	}
	return n
}

func (p *parser) primary() *node {
	if p.accept("(") != "" {
		n := p.binary(0)
		if p.accept(",") != "" {
			return p.fail("several areas in one reference")
		}
		if p.accept(")") == "" {
			return p.fail("a bracket that is not closed")
		}
		return n
	}
	if p.at == len(p.list) {
		return p.fail("an end where an operand is expected")
	}
	t := p.list[p.at]
	p.at++
	switch {
	case t.kind == 'n':
		return &node{op: opNumber, text: t.text}
	case t.kind == 't':
		return &node{op: opText, text: t.text}
	case t.kind == 'r':
		return p.reference(t)
	case t.isCall:
		return p.call(t)
	case t.kind == 'w' && (strings.EqualFold(t.text, "TRUE") || strings.EqualFold(t.text, "FALSE")):
		return &node{op: opTruth, text: strings.ToUpper(t.text)}
	case t.kind == 'w':
		if p.accept(":") != "" {
			return p.fail("a range between names")
		}
		return &node{op: opName, text: t.text, ref: reference{sheet: t.sheet}}
	}
	return p.fail("the operator " + t.text + " where an operand is expected")
}

// reference reads a cell, or a rectangle of cells.
func (p *parser) reference(t token) *node {
	n := &node{op: opCell, ref: reference{sheet: t.sheet}}
	var ok bool
	n.ref.from, ok = readCorner(t.text)
	n.ref.to = n.ref.from
	if !ok {
		return p.fail("the cell " + t.text + " outside of the sheet")
	}
	if p.accept(":") != "" {
		if p.at == len(p.list) || p.list[p.at].kind != 'r' || p.list[p.at].sheet != "" {
			return p.fail("a range without its last cell")
		}
		n.op = opArea
		n.ref.to, ok = readCorner(p.list[p.at].text)
		p.at++
		if !ok || n.ref.to.row < n.ref.from.row || n.ref.to.column < n.ref.from.column {
			return p.fail("a range without its last cell")
		}
	}
	if p.at < len(p.list) && p.list[p.at].spaced && p.list[p.at].kind == 'r' {
		return p.fail("an intersection of ranges")
	}
	return n
}

func readCorner(text string) (c corner, ok bool) {
	c.row, c.column, ok = readPlace(text)
	c.fixedColumn = strings.HasPrefix(text, "$")
	c.fixedRow = strings.LastIndex(text, "$") > 0
	return c, ok
}

// call reads the arguments of a function.
func (p *parser) call(t token) *node {
	name := strings.ToUpper(t.text)
	for _, prefix := range []string{"_XLFN.", "_XLWS."} {
		name = strings.TrimPrefix(name, prefix)
	}
	n := &node{op: opCall, text: name}
	p.accept("(")
	if p.accept(")") != "" {
		return n
	}
	for {
		if p.at < len(p.list) && p.list[p.at].kind == 'o' && (p.list[p.at].text == "," || p.list[p.at].text == ")") {
			n.args = append(n.args, &node{op: opEmpty})
		} else {
			n.args = append(n.args, p.binary(0))
		}
		switch p.accept(",", ")") {
		case ")":
			return n
		case "":
			return p.fail("a bracket of " + name + " that is not closed")
		}
	}
}

// moved returns a formula as a copy of it has it some rows below and some columns to the right.
func (n *node) moved(rows, columns int) *node {
	c := *n
	c.args = make([]*node, len(n.args))
	for i, a := range n.args {
		c.args[i] = a.moved(rows, columns)
	}
	for _, at := range []*corner{&c.ref.from, &c.ref.to} {
		if !at.fixedRow && at.row > 0 {
			at.row += rows
		}
		if !at.fixedColumn && at.column > 0 {
			at.column += columns
		}
	}
	return &c
}

// String returns a formula as a spreadsheet shows it, with a bracket around each operation within another one.
func (n *node) String() string {
	switch n.op {
	case opText:
		return `"` + strings.ReplaceAll(n.text, `"`, `""`) + `"`
	case opCell, opArea:
		s := n.ref.from.String()
		if n.op == opArea {
			s += ":" + n.ref.to.String()
		}
		if n.ref.sheet != "" {
			s = "'" + n.ref.sheet + "'!" + s
		}
		return s
	case opMinus:
		return "-" + n.args[0].inner()
	case opPercent:
		return n.args[0].inner() + "%"
	case opBinary:
		return n.args[0].inner() + n.text + n.args[1].inner()
	case opCall:
		args := make([]string, len(n.args))
		for i, a := range n.args {
			args[i] = a.String()
		}
		return n.text + "(" + strings.Join(args, ",") + ")"
	}
	return n.text
}

func (n *node) inner() string {
	if n.op == opBinary || n.op == opMinus || n.op == opPercent {
		return "(" + n.String() + ")"
	}
	return n.String()
}

func (c corner) String() string {
	mark := map[bool]string{true: "$"}
	return mark[c.fixedColumn] + letters(c.column) + mark[c.fixedRow] + strconv.Itoa(c.row)
}
