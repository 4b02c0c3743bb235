package spreadsheet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// rowCheck rejects inputs for which a table has no row: the workbook has an error value then.
type rowCheck struct {
	table     *table
	key       value
	condition string
	words     []string // of a text: the keys
	of        *symbol  // with the lookup
	input     *symbol
}

// rowChecks completes the checks. A text that can only be a key needs none, and neither does a constant.
func (m *importer) rowChecks() {
	done := map[string]bool{}
	m.checks = slices.DeleteFunc(m.checks, func(c rowCheck) bool {
		isOther := func(text string) bool {
			return !slices.ContainsFunc(c.words, func(key string) bool { return strings.EqualFold(key, text) })
		}
		if in := c.key.input; in != nil && !isOther(in.text) && !slices.ContainsFunc(in.words, isOther) {
			return true
		}
		isDone := done[c.condition]
		done[c.condition] = true
		return isDone || m.inputOf(c.key.text, isAny) == nil
	})
	for i := range m.checks {
		m.checks[i].input = m.inputOf(m.checks[i].key.text, isAny)
	}
}

func isAny(*symbol) bool { return true }

// inputOf returns the first input of a kind that an expression needs, nil if it needs none.
func (m *importer) inputOf(text string, isKind func(*symbol) bool) *symbol {
	return m.inputAmong(text, isKind, map[string]bool{})
}

// inputAmong is inputOf without the definitions that are done.
func (m *importer) inputAmong(text string, isKind func(*symbol) bool, done map[string]bool) *symbol {
	names := symbolForm.FindAllString(text, -1)
	for _, s := range m.order {
		if s.isInput && isKind(s) && slices.Contains(names, s.name) {
			return s
		}
	}
	for _, d := range m.definitions {
		if done[d.name] || !slices.Contains(names, d.name) {
			continue
		}
		done[d.name] = true
		for _, c := range d.cases {
			for _, v := range append(slices.Clone(c.conditions), c.value) {
				if s := m.inputAmong(v.text, isKind, done); s != nil {
					return s
				}
			}
		}
	}
	return nil
}

// write writes the check.
func (c *rowCheck) write(b *strings.Builder) {
	fmt.Fprintf(b, "reject NO_ROW_IN_%s at %s if %s\n", strings.ToUpper(c.table.name), c.input.field, c.condition)
	fmt.Fprintf(b, "  The table %s has no row for {%s}.\n  > Use a value that the table has.\n", c.table.name, c.input.name)
}

// maxRows is how many rows a table of a document may have.
const maxRows = 100

// table is a range of constants in which formulas look rows up.
type table struct {
	name    string
	sheet   int
	from    corner
	to      corner
	columns []*column
	fields  map[string]bool
}

// column is a column of a table that formulas use.
type column struct {
	at    int
	name  string
	kind  kind
	cells []*cell
	words []string
}

// table returns the table of the rows of a range, or a problem. Ranges in adjacent columns are one table.
func (m *importer) table(a *node) (*table, string) {
	sheet := m.sheet(a.ref.sheet)
	for _, t := range m.tables {
		if t.sheet == sheet && t.from.row == a.ref.from.row && t.to.row == a.ref.to.row &&
			a.ref.from.column <= t.to.column+1 && a.ref.to.column >= t.from.column-1 {
			t.from.column = min(t.from.column, a.ref.from.column)
			t.to.column = max(t.to.column, a.ref.to.column)
			return t, ""
		}
	}
	if rows, _ := a.size(); rows > maxRows {
		return nil, fmt.Sprintf("it has %d rows, and at most %d are allowed", rows, maxRows)
	}
	name := "table"
	for _, n := range m.names {
		refer, wrong := parse(n.refer)
		if wrong == nil && refer.op == opArea && m.sheet(refer.ref.sheet) == sheet && refer.ref.from.row == a.ref.from.row && refer.ref.to.row == a.ref.to.row &&
			refer.ref.from.column == a.ref.from.column && refer.ref.to.column == a.ref.to.column {
			name = n.name
		}
	}
	t := &table{name: m.unique(symbolOf(name), true), sheet: sheet, from: a.ref.from, to: a.ref.to, fields: map[string]bool{}}
	m.tables = append(m.tables, t)
	return t, ""
}

// use returns a column of the table, or a problem.
func (t *table) use(m *importer, at int) (*column, string) {
	for _, c := range t.columns {
		if c.at == at {
			return c, ""
		}
	}
	col := &column{at: at}
	for row := t.from.row; row <= t.to.row; row++ {
		p := place{t.sheet, row, at}
		c := m.cells[p]
		switch {
		case c == nil || c.kind == blank:
			return nil, "the cell " + m.in(p) + " is empty"
		case c.written != "":
			return nil, "the cell " + m.in(p) + " has a formula"
		case c.kind != number && c.kind != words:
			return nil, "the cell " + m.in(p) + " is not a number or a text"
		case col.kind != blank && col.kind != c.kind:
			return nil, "the cell " + m.in(p) + " is another kind of value than the cells above it"
		}
		col.kind = c.kind
		col.cells = append(col.cells, c)
		if c.kind == words {
			col.words = append(col.words, c.text)
			m.wordOf(c.text) // the table has the spelling of the word
		}
	}
	head := m.cells[place{t.sheet, t.from.row - 1, at}]
	base := "column_" + strings.ToLower(letters(at))
	if head != nil && head.kind == words && snake(head.text) != "" {
		base = snake(head.text)
	}
	col.name = base
	for i := 2; t.fields[col.name] || reserved(col.name); i++ {
		col.name = base + "_" + strconv.Itoa(i)
	}
	t.fields[col.name] = true
	t.columns = append(t.columns, col)
	return col, ""
}

// unordered returns the problem of keys that do not ascend, or descend if order is -1.
func (c *column) unordered(m *importer, order int) string {
	if c.kind != number {
		return "texts have no order for an approximate match"
	}
	for i := 1; i < len(c.cells); i++ {
		a, b := c.cells[i-1], c.cells[i]
		if order > 0 && a.value >= b.value || order < 0 && a.value <= b.value {
			return "the key " + m.in(b.place) + " is out of order"
		}
	}
	return ""
}

// write writes the block of a table.
func (t *table) write(b *strings.Builder, m *importer) {
	area := letters(t.from.column) + strconv.Itoa(t.from.row) + ":" + letters(t.to.column) + strconv.Itoa(t.to.row)
	fmt.Fprintf(b, "```table %s\n# TODO: the source of the table, which is %s!%s of %s\n", t.name, m.sheetName(t.sheet), area, m.file)
	heads := make([]string, len(t.columns))
	for i, c := range t.columns {
		heads[i] = c.name
		if c.kind == words && isNumber(m.wordOf(c.cells[0].text)) {
			heads[i] += " [text]"
		}
	}
	fmt.Fprintln(b, strings.Join(heads, ", "))
	for row := range t.columns[0].cells {
		cells := make([]string, len(t.columns))
		for i, c := range t.columns {
			if c.kind == words {
				cells[i] = m.wordOf(c.cells[row].text)
			} else {
				cells[i] = shortest(c.cells[row].value)
			}
		}
		fmt.Fprintln(b, strings.Join(cells, ", "))
	}
	b.WriteString("```\n\n")
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}
