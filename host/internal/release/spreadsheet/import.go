// Package spreadsheet makes a draft of a document from a workbook. [Import] reads a workbook in the format .xlsx,
// and never executes it.
//
// Cells with defined names become the inputs and outputs. Import translates their formulas, and the saved values
// become vectors. A [Draft] also lists everything that has no translation, and everything that an author must
// complete. Import fails with an [Error] if the file is not such a workbook.
package spreadsheet

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk/text"
	"github.com/slipstick/slipstick/sdk/units"
)

// Draft is the document of an import, with notes for its author.
type Draft struct {
	Source    []byte    // of the document
	Inputs    []Line    // named cells with a value
	Constants []Line    // cells with a number and without a name
	Results   []Line    // cells with a formula, in the order of their computation
	Vectors   []string  // the named cells, and the columns that became vectors
	Refused   []Refusal // what has no translation
	Notes     []string  // what the author should look at
	Open      []string  // what a document needs, and the draft lacks
}

// Line is a cell of the workbook in the draft.
type Line struct {
	Name string // its symbol
	Cell string // such as Beam!B7
	Unit string // "" for plain numbers
}

// Refusal is a part of a workbook that has no translation.
type Refusal struct {
	Cell   string // such as Beam!B7, or the name without a cell
	Part   string // such as the function OFFSET
	Remedy string // one thing to do
}

// String returns the refusal in one line.
func (r Refusal) String() string { return r.Cell + ": " + r.Part + ": " + r.Remedy }

// Error lists the reasons why a workbook cannot be imported.
type Error struct{ Refused []Refusal }

// Error returns one line for each refusal.
func (e *Error) Error() string {
	lines := make([]string, len(e.Refused))
	for i, r := range e.Refused {
		lines[i] = r.String()
	}
	return strings.Join(lines, "\n")
}

// Options are options of [Import].
type Options struct {
	Capability string // id of the document
	Title      string
	File       string // name of the workbook, for texts
}

// symbol is a cell with its name in the draft.
type symbol struct {
	*cell
	name, field, doc string
	kind             kind
	unit             string
	percent          bool   // the number format shows the number times 100
	scale            *scale // nil if the formula takes only bare numbers
	isInput          bool
	isOutput         bool
	words            []string
	state            int // 1 while its formula is translated, 2 after that, 3 without a translation
}

// definition is a name that the formula defines.
type definition struct {
	name    string
	cases   []oneCase
	comment string
}

// importer imports one workbook.
type importer struct {
	*workbook
	file        string
	symbols     map[place]*symbol
	named       map[place]string // to the name
	used        map[string]bool  // symbols
	fields      map[string]bool
	words       map[string]string
	taken       map[string]bool
	tables      []*table
	definitions []definition
	checks      []rowCheck
	digits      int       // of expected results
	depth       int       // of formulas that need one another
	order       []*symbol // inputs, constants and results as they are found
	draft       *Draft
	faults      map[string]bool
}

// Import translates a workbook into a draft. The error is an [*Error] if all results are refused.
func Import(file []byte, o Options) (*Draft, error) {
	book, err := readWorkbook(file)
	if err != nil {
		return nil, err
	}
	m := &importer{
		workbook: book, file: o.File, symbols: map[place]*symbol{}, named: map[place]string{}, used: map[string]bool{}, fields: map[string]bool{},
		words: map[string]string{}, taken: map[string]bool{}, draft: &Draft{}, faults: map[string]bool{},
	}
	results := m.readNames()
	for _, c := range results {
		if s := m.symbol(c); s != nil {
			s.isOutput = true
		}
	}
	if !slices.ContainsFunc(m.order, func(s *symbol) bool { return s.isOutput }) {
		if len(m.draft.Refused) > 0 {
			return nil, &Error{m.draft.Refused}
		}
		return nil, errors.New("no cell with a formula has a name: define names for the inputs and the results of the calculation")
	}
	if !slices.ContainsFunc(m.order, func(s *symbol) bool { return s.isOutput && isNumeric(s) }) {
		return nil, errors.New("no result is a number: define a name for a cell with a formula that gives a number")
	}
	return m.finish(o)
}

// readNames reads the defined names, and returns the named cells with formulas.
func (m *importer) readNames() (results []*cell) {
	for _, n := range m.names {
		if strings.HasPrefix(n.name, "_xlnm.") || strings.HasPrefix(n.name, "_xl") {
			continue
		}
		refer, wrong := parse(n.refer)
		if wrong != nil {
			m.note("the name " + n.name + " has " + wrong.problem)
			continue
		}
		if refer.op != opCell {
			continue
		}
		p := place{m.sheet(refer.ref.sheet), refer.ref.from.row, refer.ref.from.column}
		if p.sheet < 0 || m.named[p] != "" {
			continue
		}
		m.named[p] = n.name
		if c := m.cells[p]; c != nil && c.written != "" {
			results = append(results, c)
		} else if c == nil {
			m.cells[p] = &cell{place: p}
		}
	}
	slices.SortFunc(results, func(a, b *cell) int { return a.place.compare(b.place) })
	return results
}

func (m *importer) isNamed(p place) bool { return m.named[p] != "" }

// target returns the reference or the constant that a name means, nil if there is none.
func (m *importer) target(n *node, sheet int) (found *node, wrong *syntaxError) {
	if n.ref.sheet != "" {
		sheet = m.sheet(n.ref.sheet)
	}
	for _, d := range m.names {
		if strings.EqualFold(d.name, n.text) && (d.sheet == sheet || d.sheet < 0 && found == nil) {
			found, wrong = parse(d.refer)
		}
	}
	return found, wrong
}

// refused reports a part of a cell.
func (m *importer) refused(c *cell, part, remedy string) { m.refusal(m.in(c.place), part, remedy) }

func (m *importer) refusal(cell, part, remedy string) {
	r := Refusal{cell, strings.Join(strings.Fields(part), " "), remedy}
	if !m.faults[r.String()] {
		m.faults[r.String()] = true
		m.draft.Refused = append(m.draft.Refused, r)
	}
}

// symbol returns the symbol of a cell, after the symbols that its formula needs. It is nil if the cell is refused.
func (m *importer) symbol(c *cell) *symbol {
	if s := m.symbols[c.place]; s != nil {
		switch s.state {
		case 1:
			m.refused(c, "a circular reference", "state the result without itself")
			s.state = 3
			return nil
		case 3:
			return nil
		}
		return s
	}
	s := &symbol{cell: c, kind: c.kind}
	m.symbols[c.place] = s
	if len(m.definitions) > maxDefinitions || m.depth > maxDefinitions {
		m.refused(c, fmt.Sprintf("a calculation of more than %d definitions", maxDefinitions), "name the results of a part of the calculation")
		s.state = 3
		return nil
	}
	m.depth++
	defer func() { m.depth-- }()
	s.state = 1
	m.describe(s)
	switch {
	case c.problem != "":
		m.refused(c, c.problem, c.remedy)
	case c.kind == fault:
		m.refused(c, "the error value "+c.text, "correct the formula, or the inputs of the workbook")
	case c.written != "" && c.kind == blank:
		m.refused(c, "a formula without a saved value", "compute the workbook in a spreadsheet program, and save it")
	case c.kind == number && isDate(c.format):
		m.refused(c, "a date", "write the number of days")
	case c.written != "":
		m.translate(s)
		if s.state == 1 {
			s.state = 2
			m.order = append(m.order, s)
			return s
		}
		s.state = 3
		return nil
	default:
		s.state = 2
		s.isInput = m.isNamed(c.place)
		if c.kind == blank { // an input that the workbook takes as 0
			s.kind = number
		}
		m.order = append(m.order, s)
		if s.kind == words {
			m.wordOf(s.text)
		}
		if !s.isInput {
			m.constant(s)
		}
		return s
	}
	s.state = 3
	return nil
}

// maxDefinitions is how many names the formula of a document can define.
const maxDefinitions = 256

// constant defines a number without a name.
func (m *importer) constant(s *symbol) {
	v := literal(shortest(s.value))
	if s.kind == truth {
		v = truthOf(s.value != 0)
	}
	s.unit, s.scale = "", plain()
	m.definitions = append(m.definitions, definition{name: s.name, cases: []oneCase{{value: v}}, comment: m.in(s.place) + ", a number of the workbook"})
}

// describe gives a symbol its name, unit and explanation.
func (m *importer) describe(s *symbol) {
	name := m.named[s.place]
	label, unit, isUnit := m.around(s.cell, name)
	if !isUnit {
		unit, s.percent = unitOfFormat(s.format)
	} else if _, percent := unitOfFormat(s.format); percent {
		unit, s.percent = "%", true
	}
	s.unit = unit
	base := symbolOf(name)
	if name == "" {
		base = snake(label)
		if base == "" {
			base = strings.ToLower(letters(s.column)) + strconv.Itoa(s.row)
		}
	}
	s.name = m.unique(base, true)
	s.doc = sentence(label)
	if s.doc == "" {
		s.doc = "TODO: describe " + s.name + "."
	}
	if s.kind != number && s.kind != blank {
		s.unit = ""
	}
	s.scale = scaleOf(s.unit)
	if s.percent {
		s.scale = plain()
	}
	if name != "" {
		field := snake(label)
		if field == "" {
			field = snake(name)
		}
		if field == "" {
			field = "x"
		}
		s.field = field
		for i := 2; m.fields[s.field]; i++ {
			s.field = field + "_" + strconv.Itoa(i)
		}
		m.fields[s.field] = true
	}
}

// maxLeft is how many cells to the left of a cell can have its label.
const maxLeft = 4

// around returns the label and the unit of a cell from its neighbours.
func (m *importer) around(c *cell, name string) (label, unit string, isUnit bool) {
	if right := m.constantText(place{c.sheet, c.row, c.column + 1}); right != "" {
		unit, isUnit = unitOf(right)
		_, notProduct := units.Coherent(right)
		isLikeUnit := len([]rune(right)) <= 12 && !strings.Contains(right, " ") && strings.ContainsAny(right, "/23²³·*")
		if !isUnit && (notProduct == nil || isLikeUnit) {
			m.note(m.in(c.place) + ": the unit " + strconv.Quote(right) + " is not known: the number has no unit in the draft")
		}
	}
	fallback := ""
	for column := c.column - 1; column >= max(1, c.column-maxLeft); column-- {
		p := place{c.sheet, c.row, column}
		left := m.cells[p]
		if left == nil || left.kind == blank {
			continue
		}
		if left.kind != words || left.written != "" {
			break
		}
		text := strings.TrimSpace(strings.TrimRight(strings.TrimSpace(left.text), ":= "))
		if strings.EqualFold(text, name) || symbolOf(text) == name {
			fallback = text
			continue
		}
		if u, ok := unitOf(text); ok && (m.constantText(place{c.sheet, c.row, column - 1}) != "" || strings.HasPrefix(text, "[")) {
			if !isUnit {
				unit, isUnit = u, true
			}
			continue
		}
		label = text
		break
	}
	if label == "" {
		label = fallback
	}
	if i := strings.LastIndexAny(label, "[("); i > 0 && strings.HasSuffix(label, map[byte]string{'[': "]", '(': ")"}[label[i]]) {
		if u, ok := unitOf(label[i:]); ok {
			if !isUnit {
				unit, isUnit = u, true
			}
			label = strings.TrimSpace(label[:i])
		}
	}
	return label, unit, isUnit
}

// constantText returns the text of a cell without a formula, "" if it has none.
func (m *importer) constantText(p place) string {
	c := m.cells[p]
	if c == nil || c.kind != words || c.written != "" {
		return ""
	}
	return strings.TrimSpace(c.text)
}

func (m *importer) note(text string) {
	if !slices.Contains(m.draft.Notes, text) {
		m.draft.Notes = append(m.draft.Notes, text)
	}
}

// bare returns the number of a symbol as the workbook has it.
func (s *symbol) bare() value {
	v := value{text: s.name, level: levelName, kind: number, scale: plain()}
	switch {
	case s.unit == "" || s.percent:
		return v
	case s.unit == "degC":
		v.text, v.level = "("+s.name+" - {0 degC})/{1 K}", levelProduct
	case s.unit == "degF":
		v.text, v.level = "(("+s.name+" - {0 degF})/{1 K}*1.8)", levelName
	default:
		v.text, v.level = s.name+"/{1 "+s.unit+"}", levelProduct
	}
	return v
}

// withUnit returns a bare number with the unit of a symbol.
func (s *symbol) withUnit(v value) value {
	switch {
	case s.unit == "" || s.percent:
		return v
	case v.literal != "" && s.unit != "%":
		v.text, v.level = "{"+v.literal+" "+s.unit+"}", levelName
	case s.unit == "degC":
		v.text, v.level = "{0 degC} + "+v.at(levelProduct)+"*{1 K}", levelSum
	case s.unit == "degF":
		v.text, v.level = "{0 degF} + "+v.at(levelProduct)+"/1.8*{1 K}", levelSum
	default:
		v.text, v.level = v.at(levelProduct)+"*{1 "+s.unit+"}", levelProduct
	}
	return v
}

// maxNotes is how many notes the comment of a definition has.
const maxNotes = 3

// translate defines the symbol of a formula.
func (m *importer) translate(s *symbol) {
	used := maps.Clone(m.used)
	t := &translator{importer: m, of: s}
	cases := t.cases(s.formula)
	if t.failed {
		if s.state == 1 {
			m.dependent(s)
		}
		s.state = 3
		return
	}
	s.kind = cases[0].value.kind
	for _, c := range cases {
		s.words = append(s.words, c.value.words...)
	}
	if s.kind != s.cell.kind {
		m.refused(s.cell, "a formula with another kind of value than the saved one", "compute the workbook again, and save it")
		s.state = 3
		return
	}
	if s.kind == number {
		bare := maps.Clone(m.used)
		m.used = maps.Clone(used)
		withUnits := &translator{importer: m, of: s, units: true}
		list := withUnits.cases(s.formula)
		if s.scale != nil {
			for i := range list {
				list[i].value = withUnits.in(list[i].value, s.scale)
			}
		}
		switch {
		case s.scale != nil && !withUnits.differ && !withUnits.failed:
			t, cases = withUnits, list
		default:
			m.used = bare
			if !m.isNamed(s.place) && !s.percent {
				s.unit, s.scale = "", plain()
			}
			for i := range cases {
				cases[i].value = s.withUnit(cases[i].value)
			}
		}
	}
	comment := m.in(s.place)
	if written := strings.Join(strings.Fields(s.written), " "); len(written) <= 80 {
		comment += ": " + written
	}
	if n := len(t.notes); n > maxNotes {
		t.notes = append(t.notes[:maxNotes], fmt.Sprintf("and %d more such cells", n-maxNotes))
	}
	if len(t.notes) > 0 {
		comment += "; " + strings.Join(t.notes, "; ")
	}
	m.checks = append(m.checks, t.checks...)
	m.definitions = append(m.definitions, t.helpers...)
	m.definitions = append(m.definitions, definition{name: s.name, cases: cases, comment: comment})
}

// dependent reports a result that needs a refused cell, if the result has no refusal of its own.
func (m *importer) dependent(s *symbol) {
	cell := m.in(s.place)
	if !slices.ContainsFunc(m.draft.Refused, func(r Refusal) bool { return r.Cell == cell }) {
		m.refusal(cell, "a refused cell in its formula", "correct the cells that are refused")
	}
}

// finish writes the draft, and compares its results with the workbook.
func (m *importer) finish(o Options) (*Draft, error) {
	m.prune()
	m.rowChecks()
	m.fill()
	name := o.Capability[strings.LastIndexByte(o.Capability, '.')+1:] + ".calc.md"
	m.digits = precisions[0]
	for {
		scenarios, columns := m.scenarios()
		source := []byte(m.write(o, scenarios, columns))
		engine, err := text.Bind(name, source)
		if err != nil {
			return nil, fmt.Errorf("the draft of the workbook has mistakes, which can be limits of documents:\n%w", err)
		}
		wrong := engine.Disagreements(name, source)
		if len(wrong) == 0 {
			m.draft.Source, err = text.Format(name, source)
			if m.digits < precisions[0] {
				m.note(fmt.Sprintf("the draft and the workbook agree in %d digits: the workbook lost some in a difference", m.digits))
			}
			for _, s := range scenarios {
				m.draft.Vectors = append(m.draft.Vectors, s.title)
			}
			return m.draft, err
		}
		next := slices.Index(precisions, m.digits) + 1
		switch {
		case next < len(precisions):
			m.digits = precisions[next]
		case m.dismiss(scenarios, wrong):
			m.digits = precisions[0]
		default:
			return nil, m.differences(wrong)
		}
	}
}

// differences returns the error for results that the draft does not give.
func (m *importer) differences(wrong text.Mistakes) error {
	all := slices.Clone(m.draft.Refused)
	for _, w := range wrong {
		r := Refusal{"the draft", w.Message, "compute the workbook again, and save it"}
		for _, s := range m.outputs() {
			if rest, ok := strings.CutPrefix(w.Message, "W1: "+s.field+": the source has "); ok {
				saved, gives, _ := strings.Cut(rest, ", the document gives ")
				r.Cell, r.Part = m.in(s.place), "the draft gives "+gives+", the saved value is "+saved
			}
		}
		all = append(all, r)
	}
	return &Error{all}
}

var symbolForm = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_]*`)

// prune removes what no output needs, because its result is refused.
func (m *importer) prune() {
	needed := map[string]bool{}
	for _, s := range m.order {
		needed[s.name] = s.isOutput
	}
	for _, d := range slices.Backward(m.definitions) {
		for _, c := range d.cases {
			for _, v := range append(slices.Clone(c.conditions), c.value) {
				for _, name := range symbolForm.FindAllString(v.text, -1) {
					needed[name] = needed[name] || needed[d.name]
				}
			}
		}
	}
	m.definitions = slices.DeleteFunc(m.definitions, func(d definition) bool { return !needed[d.name] })
	m.order = slices.DeleteFunc(m.order, func(s *symbol) bool { return !needed[s.name] })
	m.tables = slices.DeleteFunc(m.tables, func(t *table) bool { return !needed[t.name] })
	m.checks = slices.DeleteFunc(m.checks, func(c rowCheck) bool { return !needed[c.of.name] })
	isResult := func(s *symbol) int { return map[bool]int{true: 1}[!s.isInput] }
	slices.SortStableFunc(m.order, func(a, b *symbol) int {
		if a.isInput && b.isInput {
			return a.place.compare(b.place)
		}
		return isResult(a) - isResult(b)
	})
}

// fill lists the cells of the draft.
func (m *importer) fill() {
	m.draft.Open = []string{"a summary, keywords and references"}
	if len(m.tables) > 0 {
		m.draft.Open = append(m.draft.Open, "the source of each table")
	}
	if slices.ContainsFunc(m.order, func(s *symbol) bool { return s.isInput && s.kind == words }) {
		m.draft.Open = append(m.draft.Open, "the words that formulas do not compare, for each input with words")
	}
	m.draft.Open = append(m.draft.Open, "the range of each input", "vectors from an independent source, in place of the results of the workbook")
	for _, s := range m.order {
		line := Line{s.name, m.in(s.place), s.unit}
		switch {
		case s.written != "":
			m.draft.Results = append(m.draft.Results, line)
		case s.isInput:
			m.draft.Inputs = append(m.draft.Inputs, line)
			if s.kind == number && s.unit == "" {
				m.note(line.Cell + ": " + s.name + " has no unit")
			}
			if s.cell.kind == blank {
				m.note(line.Cell + ": " + s.name + " is empty, which the workbook takes as 0")
			}
		default:
			m.draft.Constants = append(m.draft.Constants, line)
		}
	}
}
