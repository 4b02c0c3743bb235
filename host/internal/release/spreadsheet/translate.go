package spreadsheet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Precedence levels in formulas of documents, lowest first.
const (
	levelOr = iota + 1
	levelAnd
	levelNot
	levelCompare
	levelSum
	levelProduct
	levelSign
	levelPower
	levelName
)

// value is a translated expression.
type value struct {
	text    string
	level   int
	kind    kind
	scale   *scale // of a number; plain in bare numbers
	literal string // of a number that the formula has, without a unit
	words   []string
	input   *symbol // of a text that is an input
}

// at returns the text of an expression as an operand of an operator with this precedence.
func (v value) at(level int) string {
	if v.level < level {
		return "(" + v.text + ")"
	}
	return v.text
}

// oneCase is a case of a definition. The first case with conditions that hold gives the value.
type oneCase struct {
	conditions []value
	value      value
}

// translator translates the formula of a cell.
type translator struct {
	*importer
	of      *symbol
	units   bool    // numbers have their units; otherwise they are bare, as in the workbook
	differ  bool    // units do not fit
	guards  []value // conditions under which the expression is needed
	helpers []definition
	checks  []rowCheck
	notes   []string
	failed  bool
}

func literal(text string) value {
	text = strings.TrimSuffix(strings.ReplaceAll(strings.ToLower(text), "e+", "e"), ".")
	if strings.HasPrefix(text, ".") {
		text = "0" + text
	}
	level := levelName
	if strings.HasPrefix(text, "-") {
		level = levelSign
	}
	return value{text: text, level: level, kind: number, scale: plain(), literal: text}
}

// refuse reports a part of the formula that has no translation.
func (t *translator) refuse(part, remedy string) value {
	t.failed = true
	if !t.units {
		t.refused(t.of.cell, part, remedy)
	}
	return literal("0")
}

// product joins two factors, or a dividend and a divisor.
func product(operator string, a, b value) value {
	sign := 1
	if operator == "/" {
		sign = -1
	}
	return value{text: a.at(levelProduct) + operator + b.at(levelSign), level: levelProduct, kind: number, scale: a.scale.times(b.scale, sign)}
}

// alike gives all numbers one unit. A number that the formula has gets the unit of the other ones.
func (t *translator) alike(all []value) *scale {
	common := plain()
	if i := slices.IndexFunc(all, func(v value) bool { return v.literal == "" }); i >= 0 {
		common = all[i].scale
	}
	for i := range all {
		all[i] = t.in(all[i], common)
	}
	return common
}

// in returns a number in a scale. Units differ if it has another one.
func (t *translator) in(v value, s *scale) value {
	if v.literal != "" && s.unit != "" && !s.isPlain() {
		return value{text: "{" + v.literal + " " + s.unit + "}", level: levelName, kind: number, scale: s}
	}
	if !v.scale.same(s) {
		t.differ = true
	}
	return v
}

// plainly returns a number without a unit. Units differ if it has one.
func (t *translator) plainly(v value) value { return t.in(v, plain()) }

// number translates an expression that gives a number.
func (t *translator) number(n *node) value {
	v := t.expression(n)
	if v.kind != number {
		return t.refuse(map[kind]string{words: "a text in arithmetic", truth: "a condition in arithmetic"}[v.kind], "write IF with numbers")
	}
	return v
}

// condition translates an expression that holds or not.
func (t *translator) condition(n *node) value {
	v := t.expression(n)
	switch v.kind {
	case truth:
		return v
	case number:
		return value{text: t.plainly(v).at(levelSum) + " != 0", level: levelCompare, kind: truth}
	}
	return t.refuse("a text as a condition", "compare the text with another one")
}

// expression translates a part of a formula.
func (t *translator) expression(n *node) value {
	switch n.op {
	case opNumber:
		return literal(n.text)
	case opText:
		return t.word(n.text)
	case opTruth:
		return truthOf(n.text == "TRUE")
	case opCell:
		p, ok := t.place(n)
		if !ok {
			return literal("0")
		}
		return t.cell(p)
	case opName:
		return t.name(n)
	case opArea:
		return t.refuse("the range "+n.String()+" as one number", "refer to one cell")
	case opMinus:
		v := t.number(n.args[0])
		if v.literal != "" && !strings.HasPrefix(v.literal, "-") {
			return literal("-" + v.literal)
		}
		return value{text: "-" + v.at(levelName), level: levelSign, kind: number, scale: v.scale}
	case opPercent:
		return product("/", t.number(n.args[0]), literal("100"))
	case opBinary:
		return t.binary(n)
	case opCall:
		return t.call(n)
	}
	return t.refuse("an argument that is left out", "write the argument")
}

func truthOf(holds bool) value {
	if holds {
		return value{text: "true", level: levelName, kind: truth}
	}
	return value{text: "not true", level: levelNot, kind: truth}
}

// word translates a text.
func (t *translator) word(text string) value {
	return value{text: strconv.Quote(t.wordOf(text)), level: levelName, kind: words, words: []string{text}}
}

func (t *translator) binary(n *node) value {
	switch n.text {
	case "&":
		return t.refuse("the operator &", "put the parts into cells of their own")
	case "=", "<>", "<", "<=", ">", ">=":
		return t.compare(n)
	}
	a, b := t.number(n.args[0]), t.number(n.args[1])
	switch n.text {
	case "*", "/":
		return product(n.text, a, b)
	case "^":
		return t.power(a, b)
	}
	both := []value{a, b}
	s := t.alike(both)
	return value{text: both[0].at(levelSum) + " " + n.text + " " + both[1].at(levelProduct), level: levelSum, kind: number, scale: s}
}

func (t *translator) power(a, b value) value {
	v := value{text: a.at(levelName) + "^" + b.at(levelSign), level: levelPower, kind: number, scale: plain()}
	if a.scale.isPlain() && b.scale.isPlain() {
		return v
	}
	twice, err := strconv.ParseFloat(b.literal, 64)
	twice *= 2
	if err != nil || twice != float64(int(twice)) || max(twice, -twice) > 40 {
		t.differ = true
		return v
	}
	v.scale = a.scale.power(int(twice)).root()
	if v.scale == nil {
		t.differ, v.scale = true, plain()
	}
	return v
}

// operators are the comparisons of documents.
var operators = map[string]string{"=": "==", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}

// compare translates a comparison, with units if they fit.
func (t *translator) compare(n *node) value {
	units, differ, helpers, checks := t.units, t.differ, len(t.helpers), len(t.checks)
	failed := t.failed
	var both []value
	for _, withUnits := range []bool{true, false} {
		t.units, t.differ, t.failed = withUnits, false, failed
		t.helpers, t.checks = t.helpers[:helpers], t.checks[:checks]
		both = []value{t.expression(n.args[0]), t.expression(n.args[1])}
		if both[0].kind == number && both[1].kind == number {
			t.alike(both)
		}
		if !t.differ && t.failed == failed {
			break
		}
	}
	t.units, t.differ = units, differ
	if units {
		t.failed = failed
	}
	switch a, b := &both[0], &both[1]; {
	case a.kind != b.kind:
		return t.refuse("a comparison of different kinds of values", "compare numbers with numbers, and texts with texts")
	case a.kind == truth:
		return t.refuse("a comparison of conditions", "write AND, OR and NOT")
	case a.kind == words && n.text != "=" && n.text != "<>":
		return t.refuse("an order of texts", "compare texts with = or <>")
	case a.kind == words:
		for _, v := range both {
			if slices.Contains(v.words, "") {
				return t.refuse(`a comparison with ""`, "give the cell a value in all cases")
			}
		}
		t.candidates(a.input, b.words)
		t.candidates(b.input, a.words)
	}
	return value{text: both[0].at(levelSum) + " " + operators[n.text] + " " + both[1].at(levelSum), level: levelCompare, kind: truth}
}

// candidates adds texts that an input can have.
func (t *translator) candidates(input *symbol, texts []string) {
	if input != nil {
		input.words = append(input.words, texts...)
	}
}

// place returns the place that a reference means.
func (t *translator) place(n *node) (place, bool) {
	p := place{t.of.cell.sheet, n.ref.from.row, n.ref.from.column}
	if n.ref.sheet != "" {
		p.sheet = t.sheet(n.ref.sheet)
	}
	if p.sheet < 0 {
		t.refuse("the sheet "+n.ref.sheet+", which the workbook lacks", "repair the reference")
		return p, false
	}
	if p.row < 1 || p.column < 1 || p.row > maxRow || p.column > maxColumn {
		t.refuse("a reference outside of the sheet", "repair the reference")
		return p, false
	}
	return p, true
}

// name translates a defined name.
func (t *translator) name(n *node) value {
	refer, wrong := t.target(n, t.of.cell.sheet)
	switch {
	case wrong != nil:
		return t.refuse("the name "+n.text+" with "+wrong.problem, wrong.remedy)
	case refer == nil:
		return t.refuse("the name "+n.text, "define the name for one cell or range")
	case refer.op == opCell:
		p, ok := t.place(refer)
		if !ok {
			return literal("0")
		}
		return t.cell(p)
	case refer.op == opArea:
		return t.refuse("the range "+n.text+" as one number", "refer to one cell")
	case refer.op == opNumber || refer.op == opMinus && refer.args[0].op == opNumber:
		return t.expression(refer)
	}
	return t.refuse("the name "+n.text+" of a formula", "put the formula into a cell")
}

// cell translates a reference to a cell.
func (t *translator) cell(p place) value {
	c := t.cells[p]
	if c == nil || c.kind == blank && c.written == "" && !t.isNamed(p) {
		t.note(t.workbook.in(p) + " is empty: 0")
		return literal("0")
	}
	if c.kind == words && c.written == "" && !t.isNamed(p) {
		return t.word(c.text)
	}
	s := t.symbol(c)
	if s == nil {
		t.failed = true
		return literal("0")
	}
	if s.kind == number && !t.units {
		return s.bare()
	}
	v := value{text: s.name, level: levelName, kind: s.kind, scale: plain(), words: s.words}
	if s.kind == words && s.isInput {
		v.input = s
	}
	if s.kind == number {
		if s.scale == nil {
			t.differ = true
		} else {
			v.scale = s.scale
		}
	}
	return v
}

func (t *translator) note(text string) {
	if !slices.Contains(t.notes, text) {
		t.notes = append(t.notes, text)
	}
}

// cases translates an expression into cases. IF in other places becomes a definition of its own.
func (t *translator) cases(n *node) []oneCase {
	if n.op != opCall || n.text != "IF" {
		return []oneCase{{value: t.expression(n)}}
	}
	if len(n.args) != 3 {
		t.refuse("IF with "+strconv.Itoa(len(n.args))+" arguments", "write the value for both cases")
		return []oneCase{{value: literal("0")}}
	}
	condition := t.condition(n.args[0])
	guards := len(t.guards)
	t.guards = append(t.guards, condition)
	list := t.cases(n.args[1])
	for i := range list {
		list[i].conditions = append([]value{condition}, list[i].conditions...)
	}
	t.guards = append(t.guards[:guards], value{text: "not " + condition.at(levelNot), level: levelNot, kind: truth})
	list = append(list, t.cases(n.args[2])...)
	t.guards = t.guards[:guards]
	if first := list[0].value.kind; slices.ContainsFunc(list, func(c oneCase) bool { return c.value.kind != first }) {
		t.refuse("IF with values of different kinds", "give numbers in all cases, or texts in all cases")
	}
	return list
}

// helper makes a definition of an IF within an expression.
func (t *translator) helper(n *node) value {
	list := t.cases(n)
	v := value{level: levelName, kind: list[0].value.kind, scale: plain()}
	if v.kind == number {
		all := make([]value, len(list))
		for i, c := range list {
			all[i] = c.value
		}
		v.scale = t.alike(all)
		for i := range list {
			list[i].value = all[i]
		}
	}
	for i, c := range list {
		v.words = append(v.words, c.value.words...)
		list[i].conditions = append(slices.Clone(t.guards), c.conditions...)
	}
	v.text = t.unique(t.of.name+"_if", false)
	t.helpers = append(t.helpers, definition{name: v.text, cases: list})
	return v
}

// together joins conditions that hold together.
func together(conditions []value) string {
	if len(conditions) == 1 {
		return conditions[0].text
	}
	parts := make([]string, len(conditions))
	for i, c := range conditions {
		parts[i] = c.at(levelNot)
	}
	return strings.Join(parts, " and ")
}

// functions are the functions with one argument, and their names in documents. Their numbers have no unit.
var functions = map[string]string{
	"SIN": "sin", "COS": "cos", "TAN": "tan", "ASIN": "asin", "ACOS": "acos", "ATAN": "atan",
	"SINH": "sinh", "COSH": "cosh", "TANH": "tanh", "EXP": "exp", "LN": "ln", "LOG10": "log10",
}

// arities are the least and the most arguments of functions.
var arities = map[string][2]int{
	"PI": {0, 0}, "TRUE": {0, 0}, "FALSE": {0, 0}, "SQRT": {1, 1}, "ABS": {1, 1}, "SIGN": {1, 1}, "INT": {1, 1}, "RADIANS": {1, 1}, "DEGREES": {1, 1}, "NOT": {1, 1},
	"ROUND": {2, 2}, "ROUNDUP": {2, 2}, "ROUNDDOWN": {2, 2}, "TRUNC": {1, 2}, "LOG": {1, 2}, "POWER": {2, 2}, "MOD": {2, 2}, "IF": {3, 3},
	"AND": {1, 255}, "OR": {1, 255}, "MIN": {1, 255}, "MAX": {1, 255}, "SUM": {1, 255}, "PRODUCT": {1, 255}, "AVERAGE": {1, 255}, "SUMPRODUCT": {1, 255},
	"VLOOKUP": {3, 4}, "INDEX": {2, 3},
}

// volatile are functions with values that depend on more than the cells of their arguments.
var volatile = []string{"NOW", "TODAY", "RAND", "RANDBETWEEN", "RANDARRAY", "OFFSET", "INDIRECT", "CELL", "INFO"}

// call translates a function.
func (t *translator) call(n *node) value {
	if slices.Contains(volatile, n.text) {
		return t.refuse("the volatile function "+n.text, "refer to the cells, or write the value into a cell")
	}
	arity, ok := arities[n.text]
	if functions[n.text] != "" {
		arity, ok = [2]int{1, 1}, true
	}
	if !ok {
		return t.refuse("the function "+n.text, "write it with functions that have a translation, or delete the name of the cell")
	}
	if len(n.args) < arity[0] || len(n.args) > arity[1] {
		return t.refuse(fmt.Sprintf("%s with %d arguments", n.text, len(n.args)), "correct the formula")
	}
	if name := functions[n.text]; name != "" {
		return value{text: name + "(" + t.plainly(t.number(n.args[0])).text + ")", level: levelName, kind: number, scale: plain()}
	}
	switch n.text {
	case "PI":
		return value{text: "pi", level: levelName, kind: number, scale: plain()}
	case "TRUE", "FALSE":
		return truthOf(n.text == "TRUE")
	case "IF":
		return t.helper(n)
	case "NOT":
		return value{text: "not " + t.condition(n.args[0]).at(levelNot), level: levelNot, kind: truth}
	case "AND", "OR":
		return t.join(n)
	case "VLOOKUP":
		return t.vlookup(n)
	case "INDEX":
		return t.index(n)
	case "MIN", "MAX", "SUM", "PRODUCT", "AVERAGE":
		return t.aggregate(n)
	case "SUMPRODUCT":
		return t.sumProduct(n)
	case "ROUND", "ROUNDUP", "ROUNDDOWN", "TRUNC", "INT":
		return t.round(n)
	}
	a := t.number(n.args[0])
	switch n.text {
	case "SQRT":
		s := a.scale.root()
		if s == nil {
			t.differ, s = true, plain()
		}
		return value{text: "sqrt(" + a.text + ")", level: levelName, kind: number, scale: s}
	case "ABS":
		return value{text: "abs(" + a.text + ")", level: levelName, kind: number, scale: a.scale}
	case "SIGN":
		return value{text: "sign(" + a.text + ")", level: levelName, kind: number, scale: plain()}
	case "RADIANS":
		return product("/", product("*", t.plainly(a), value{text: "pi", level: levelName, scale: plain()}), literal("180"))
	case "DEGREES":
		return product("/", product("*", t.plainly(a), literal("180")), value{text: "pi", level: levelName, scale: plain()})
	case "LOG":
		base := literal("10")
		if len(n.args) == 2 {
			base = t.plainly(t.number(n.args[1]))
		}
		a = t.plainly(a)
		if base.literal == "10" {
			return value{text: "log10(" + a.text + ")", level: levelName, kind: number, scale: plain()}
		}
		return value{text: "ln(" + a.text + ")/ln(" + base.text + ")", level: levelProduct, kind: number, scale: plain()}
	}
	b := t.number(n.args[1])
	if n.text == "POWER" {
		return t.power(a, b)
	}
	// MOD has the sign of the divisor.
	both := []value{a, b}
	s := t.alike(both)
	both[0] = t.decimal(both[0], both[1], 0)
	floor := value{text: "floor(" + both[0].at(levelProduct) + "/" + both[1].at(levelSign) + ")", level: levelName, scale: plain()}
	return value{text: both[0].at(levelSum) + " - " + product("*", both[1], floor).text, level: levelSum, kind: number, scale: s}
}

// join translates AND and OR.
func (t *translator) join(n *node) value {
	word, level := " and ", levelAnd
	if n.text == "OR" {
		word, level = " or ", levelOr
	}
	parts := make([]string, len(n.args))
	for i, a := range n.args {
		if t.area(a) != nil {
			return t.refuse(n.text+" of a range", "write its cells one by one")
		}
		if t.isEmpty(a) {
			return t.refuse("an empty cell in "+n.text, "write TRUE or FALSE into the cell")
		}
		parts[i] = t.condition(a).at(level + 1)
	}
	if len(parts) == 1 {
		level = levelCompare
	}
	return value{text: strings.Join(parts, word), level: min(level, levelCompare), kind: truth}
}

// round translates the functions that round.
func (t *translator) round(n *node) value {
	a := t.number(n.args[0])
	step, digits := literal("1"), 0
	if len(n.args) == 2 {
		var ok bool
		digits, ok = constant(n.args[1])
		if !ok || digits < -15 || digits > 15 {
			return t.refuse(n.text+" to a number of digits that is not a constant", "write the digits as a number from -15 to 15")
		}
		if digits > 0 {
			step = literal("0." + strings.Repeat("0", digits-1) + "1")
		} else {
			step = literal("1" + strings.Repeat("0", -digits))
		}
	}
	both := []value{a, step}
	s := t.alike(both)
	if a.literal != "" {
		s = plain()
	}
	both[0] = t.decimal(both[0], both[1], digits)
	argument := ""
	if both[1].text != "1" {
		argument = ", " + both[1].text
	}
	v := value{level: levelName, kind: number, scale: s}
	switch n.text {
	case "ROUND":
		v.text = "round(" + both[0].text + argument + ")" // halves go away from zero, as in the workbook
	case "INT":
		v.text = "floor(" + both[0].text + argument + ")"
	case "ROUNDUP": // away from zero
		v.text, v.level = "sign("+both[0].text+")*ceil(abs("+both[0].text+")"+argument+")", levelProduct
	default: // towards zero
		v.text, v.level = "sign("+both[0].text+")*floor(abs("+both[0].text+")"+argument+")", levelProduct
	}
	return v
}

// decimal returns a number that is rounded next, without the traces of its unit. An input in rpm is a decimal in the
// workbook, and not in the units of SI.
func (t *translator) decimal(v, step value, digits int) value {
	isTraced := t.inputOf(v.text, func(s *symbol) bool { return !isDecimal(s.unit) }) != nil
	if !isTraced {
		return v
	}
	fine := t.in(literal(fmt.Sprintf("1e%d", -9-digits)), step.scale)
	return value{text: "round(" + v.text + ", " + fine.text + ")", level: levelName, kind: number, scale: v.scale}
}

// constant returns an integer that a formula has.
func constant(n *node) (int, bool) {
	if n.op == opMinus {
		i, ok := constant(n.args[0])
		return -i, ok
	}
	i, err := strconv.Atoi(n.text)
	return i, n.op == opNumber && err == nil
}

// maxArea is how many cells a range in a function may have.
const maxArea = 1000

// area returns a range with its sheet, or nil if the node is not a range.
func (t *translator) area(n *node) *node { return t.reference(n, opArea) }

// reference returns a range or a cell with its sheet, or nil if the node is another one.
func (t *translator) reference(n *node, kinds ...op) *node {
	if n.op == opName {
		n, _ = t.target(n, t.of.cell.sheet)
	}
	if n == nil || !slices.Contains(kinds, n.op) {
		return nil
	}
	p, ok := t.place(n)
	if !ok {
		return nil
	}
	a := *n
	a.ref.sheet = t.sheets[p.sheet]
	return &a
}

func (n *node) size() (rows, columns int) {
	return n.ref.to.row - n.ref.from.row + 1, n.ref.to.column - n.ref.from.column + 1
}

// items returns the numbers of a range. Empty cells and texts are left out, or are nil.
func (t *translator) items(a *node) (list []*value) {
	if rows, columns := a.size(); rows*columns > maxArea {
		t.refuse(fmt.Sprintf("the range %s with more than %d cells", a.String(), maxArea), "refer to the cells that have values")
		return nil
	}
	sheet := t.sheet(a.ref.sheet)
	for row := a.ref.from.row; row <= a.ref.to.row; row++ {
		for column := a.ref.from.column; column <= a.ref.to.column; column++ {
			p := place{sheet, row, column}
			c := t.cells[p]
			isConstant := c != nil && c.written == "" && !t.isNamed(p)
			switch {
			case c == nil || c.kind == blank && isConstant || c.kind != number && c.kind != fault && isConstant:
				t.note(t.workbook.in(p) + " has no number: left out")
				list = append(list, nil)
			case c.kind == number && isConstant && !isDate(c.format):
				v := literal(shortest(c.value))
				list = append(list, &v)
			default:
				v := t.cell(p)
				if v.kind != number {
					t.refuse("a range with a text or a condition in "+t.workbook.in(p), "refer to cells with numbers")
				}
				list = append(list, &v)
			}
		}
	}
	return list
}

// emptyInput returns the first named cell of a range without a value, "" if there is none.
func (t *translator) emptyInput(a *node) string {
	for p := range t.named {
		c := t.cells[p]
		if c.kind == blank && c.written == "" && p.sheet == t.sheet(a.ref.sheet) && p.row >= a.ref.from.row && p.row <= a.ref.to.row &&
			p.column >= a.ref.from.column && p.column <= a.ref.to.column {
			return t.workbook.in(p)
		}
	}
	return ""
}

// isEmpty reports whether a part of a formula is a reference to an empty cell.
func (t *translator) isEmpty(n *node) bool {
	a := t.reference(n, opCell)
	if a == nil {
		return false
	}
	c := t.cells[place{t.sheet(a.ref.sheet), a.ref.from.row, a.ref.from.column}]
	return c == nil || c.kind == blank && c.written == ""
}

// isEmptyBranch reports whether an IF can give a reference to an empty cell, which some functions leave out.
func (t *translator) isEmptyBranch(n *node) bool {
	if n.op != opCall || n.text != "IF" {
		return t.isEmpty(n)
	}
	return len(n.args) > 1 && slices.ContainsFunc(n.args[1:], t.isEmptyBranch)
}

// aggregate translates a function of many numbers.
func (t *translator) aggregate(n *node) value {
	var all []value
	for _, arg := range n.args {
		a := t.reference(arg, opArea, opCell) // empty cells count only in expressions
		if a == nil && n.text != "SUM" && t.isEmptyBranch(arg) {
			return t.refuse("IF with an empty cell in "+n.text, "write a number into the cell")
		}
		if a == nil {
			all = append(all, t.number(arg))
			continue
		}
		if empty := t.emptyInput(a); empty != "" && n.text != "SUM" {
			return t.refuse("the empty input "+empty+" in "+n.text, "write a number into the cell")
		}
		for _, v := range t.items(a) {
			if v != nil {
				all = append(all, *v)
			}
		}
	}
	if len(all) == 0 {
		return t.refuse(n.text+" of empty cells", "refer to cells with numbers")
	}
	if n.text == "PRODUCT" {
		v := all[0]
		for _, next := range all[1:] {
			v = product("*", v, next)
		}
		return v
	}
	s := t.alike(all)
	v := value{level: levelSum, kind: number, scale: s}
	parts := make([]string, len(all))
	for i, one := range all {
		parts[i] = one.text
		if n.text == "SUM" || n.text == "AVERAGE" {
			parts[i] = one.at(levelProduct)
		}
	}
	switch n.text {
	case "MIN", "MAX":
		v.level = levelName
		v.text = strings.ToLower(n.text) + "(" + strings.Join(parts, ", ") + ")"
		if len(parts) == 1 {
			return all[0]
		}
	default:
		if len(all) == 1 {
			return all[0]
		}
		v.text = strings.Join(parts, " + ")
	}
	if n.text == "AVERAGE" {
		return product("/", v, literal(strconv.Itoa(len(all))))
	}
	return v
}

// sumProduct translates SUMPRODUCT of ranges of one size.
func (t *translator) sumProduct(n *node) value {
	var columns [][]*value
	for _, arg := range n.args {
		a := t.area(arg)
		if a == nil {
			return t.refuse("SUMPRODUCT of an expression", "refer to ranges of one size")
		}
		columns = append(columns, t.items(a))
		first := t.area(n.args[0])
		r, c := a.size()
		if rows, cols := first.size(); r != rows || c != cols || len(columns[0]) != len(columns[len(columns)-1]) {
			return t.refuse("SUMPRODUCT of ranges of different sizes", "refer to ranges of one size")
		}
	}
	var all []value
	for i := range columns[0] {
		var term *value
		for _, c := range columns {
			if c[i] == nil {
				term = nil
				break
			}
			v := *c[i]
			if term != nil {
				v = product("*", *term, v)
			}
			term = &v
		}
		if term != nil {
			all = append(all, *term)
		}
	}
	if len(all) == 0 {
		return t.refuse("SUMPRODUCT of empty cells", "refer to cells with numbers")
	}
	s := t.alike(all)
	parts := make([]string, len(all))
	for i, v := range all {
		parts[i] = v.at(levelProduct)
	}
	return value{text: strings.Join(parts, " + "), level: levelSum, kind: number, scale: s}
}

// vlookup translates VLOOKUP.
func (t *translator) vlookup(n *node) value {
	a := t.area(n.args[1])
	column, ok := constant(n.args[2])
	if a == nil {
		return t.refuse("VLOOKUP in "+n.args[1].String()+", which is not a range", "define the name for the range of the table")
	}
	_, columns := a.size()
	if !ok || column < 1 || column > columns {
		return t.refuse("VLOOKUP with a column that is not a constant of the table", "write the number of the column")
	}
	order := 1
	if len(n.args) == 4 {
		switch last := n.args[3]; {
		case last.op == opTruth && last.text == "FALSE" || last.op == opCall && last.text == "FALSE" || last.op == opNumber && last.text == "0":
			order = 0
		case last.op == opTruth || last.op == opCall && last.text == "TRUE" || last.op == opNumber:
		default:
			return t.refuse("VLOOKUP with a last argument that is not a constant", "write TRUE or FALSE")
		}
	}
	return t.lookup(n.args[0], a, a.ref.from.column, a.ref.from.column+column-1, order)
}

// index translates INDEX with MATCH, or with constants.
func (t *translator) index(n *node) value {
	a := t.area(n.args[0])
	if a == nil {
		return t.refuse("INDEX in "+n.args[0].String()+", which is not a range", "define the name for the range of the table")
	}
	rows, columns := a.size()
	column := 1
	if len(n.args) == 3 {
		var ok bool
		column, ok = constant(n.args[2])
		if !ok || column < 1 || column > columns {
			return t.refuse("INDEX with a column that is not a constant of the table", "write the number of the column, and MATCH for the row")
		}
	} else if columns != 1 {
		return t.refuse("INDEX in a row or in several columns", "refer to one column")
	}
	if row, ok := constant(n.args[1]); ok && row >= 1 && row <= rows {
		return t.cell(place{t.sheet(a.ref.sheet), a.ref.from.row + row - 1, a.ref.from.column + column - 1})
	}
	m := n.args[1]
	if m.op != opCall || m.text != "MATCH" || len(m.args) < 2 || len(m.args) > 3 {
		return t.refuse("INDEX without MATCH", "write MATCH for the row")
	}
	order := 1
	if len(m.args) == 3 {
		var ok bool
		order, ok = constant(m.args[2])
		if !ok || order < -1 || order > 1 {
			return t.refuse("MATCH with a last argument that is not -1, 0 or 1", "write -1, 0 or 1")
		}
	}
	keys := t.area(m.args[1])
	if keys == nil {
		return t.refuse("MATCH in "+m.args[1].String()+", which is not a range", "define the name for the range of the keys")
	}
	if _, one := keys.size(); one != 1 || keys.ref.from.row != a.ref.from.row || keys.ref.to.row != a.ref.to.row || keys.ref.sheet != a.ref.sheet {
		return t.refuse("MATCH in other rows than INDEX", "refer to one column of the same rows")
	}
	both := *a
	both.ref.from.column = min(a.ref.from.column, keys.ref.from.column)
	both.ref.to.column = max(a.ref.to.column, keys.ref.from.column)
	return t.lookup(m.args[0], &both, keys.ref.from.column, a.ref.from.column+column-1, order)
}

// lookup translates the search of a row. Order 0 finds an equal key. Order 1 finds the last key that is not greater, and
// -1 the last key that is not less.
func (t *translator) lookup(key *node, a *node, keys, values int, order int) value {
	table, problem := t.table(a)
	var k, v *column
	if problem == "" {
		k, problem = table.use(t.importer, keys)
	}
	if problem == "" {
		v, problem = table.use(t.importer, values)
	}
	if problem == "" && order != 0 {
		problem = k.unordered(t.importer, order)
	}
	if problem != "" {
		return t.refuse("a lookup in "+a.String()+": "+problem, "correct the table")
	}
	wanted := t.keyOf(key)
	if wanted.kind != k.kind {
		return t.refuse("a lookup of another kind of value than the keys have", "look for a number in numbers, and for a text in texts")
	}
	t.candidates(wanted.input, k.words)
	search := map[int][2]string{0: {"first", "=="}, 1: {"last", "<="}, -1: {"last", ">="}}[order]
	row := "row"
	for i := 2; strings.Contains(wanted.text, row+" in "); i++ { // the key has a lookup of its own
		row = "row" + strconv.Itoa(i)
	}
	matches := fmt.Sprintf("%s in %s: %s.%s %s %s", row, table.name, row, k.name, search[1], wanted.at(levelSum))
	found := value{text: "not any(" + matches + ")", level: levelNot, kind: truth}
	t.checks = append(t.checks, rowCheck{of: t.of, table: table, key: wanted, condition: together(append(slices.Clone(t.guards), found)), words: k.words})
	text := fmt.Sprintf("%s(%s in %s if %s.%s %s %s: %s.%s)", search[0], row, table.name, row, k.name, search[1], wanted.at(levelSum), row, v.name)
	return value{text: text, level: levelName, kind: v.kind, scale: plain(), words: v.words}
}

// keyOf translates the key of a lookup.
func (t *translator) keyOf(n *node) value {
	units, failed := t.units, t.failed
	t.units = false
	v := t.expression(n)
	t.units = units
	if units {
		t.failed = failed
	}
	return v
}
