package spreadsheet

import (
	"fmt"
	"strconv"
	"strings"
)

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
