package page

import (
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
)

// Rows of values are a table with one control for each value. The controls of a column have
// one key, such as layers.thickness, and a form sends them from the first row to the last. In
// an address all rows are one text under the key of the input.

// column is one value of a row.
type column struct {
	Name, Label string
	Symbol      template.HTML
	Key         string // of its controls
	Unit        string // of all values, if there is no choice of units
	UnitKey     string // of the menu of units
	OwnUnit     string
	Units       []unitOption
	Text        bool // its values are no numbers
	field       *sdk.Field
}

// Bounds of the table for rows.
const (
	fewestRows = 4   // that a form without JavaScript has
	mostRows   = 500 // that are shown as a table; more are shown as text
)

// hasTable reports whether the rows of a field are shown as a table: rows of numbers or texts.
func hasTable(f *sdk.Field) bool {
	if f.Type != sdk.TypeArray || !typed.IsRow(f.Items) {
		return false
	}
	if f.Items.Type == sdk.TypeArray {
		return !typed.IsRow(f.Items.Items)
	}
	return !slices.ContainsFunc(f.Items.Fields, func(one sdk.Field) bool { return typed.IsRow(&one) })
}

// columnsOf returns the columns of a field with rows, none for another field. Rows that are
// lists have as many columns as the longest one has values, and at least two.
func columnsOf(f *sdk.Field, e *formValue) []column {
	if !hasTable(f) {
		return nil
	}
	var columns []column
	if f.Items.Type == sdk.TypeArray {
		width := max(2, len(e.cells))
		for _, line := range typed.Lines(e.text()) {
			width = max(width, len(typed.Words(line)))
		}
		for i := range min(width, mostRows) {
			name := strconv.Itoa(i + 1)
			columns = append(columns, newColumn(f, f.Items.Items, name, axisName(i, width)))
			columns[i].UnitKey = f.Name + unitSuffix // one unit for all
		}
		return columns
	}
	for i := range f.Items.Fields {
		one := &f.Items.Fields[i]
		columns = append(columns, newColumn(f, one, one.Name, label(one)))
	}
	return columns
}

func newColumn(f, one *sdk.Field, name, label string) column {
	key := f.Name + "." + name
	return column{Name: name, Label: label, Key: key, UnitKey: key + unitSuffix, OwnUnit: one.Unit, Text: one.Type == sdk.TypeString, field: one}
}

// axisName names the values of a point.
func axisName(i, width int) string {
	if width <= 3 {
		return string("xyz"[i])
	}
	return strconv.Itoa(i + 1)
}

// addCell reads a key of a table of rows, and reports whether it is one. Blank controls count:
// they keep the rows apart.
func (s *formValues) addCell(key, text string) bool {
	name, isUnit := strings.CutSuffix(key, unitSuffix)
	base, member, ok := strings.Cut(name, ".")
	i := s.spec.Input(base)
	if !ok || i < 0 || !hasTable(&s.spec.Inputs[i]) {
		return false
	}
	f, e := &s.spec.Inputs[i], &s.values[i]
	if f.Items.Type == sdk.TypeArray {
		n, err := strconv.Atoi(member)
		if err != nil || n < 1 || n > mostRows || isUnit {
			return false
		}
	} else if !slices.ContainsFunc(f.Items.Fields, func(one sdk.Field) bool { return one.Name == member }) {
		return false
	}
	if isUnit {
		e.setUnit(f, member, text)
		return true
	}
	if e.cells == nil {
		e.cells = map[string][]string{}
	}
	e.cells[member] = append(e.cells[member], text)
	return true
}

// joinCells writes the table as the text that an address has.
func (v *formValue) joinCells(f *sdk.Field) {
	if v.cells == nil {
		return
	}
	columns, rows := columnsOf(f, v), 0
	fields := make([]*sdk.Field, len(columns))
	for i, c := range columns {
		fields[i], rows = c.field, max(rows, len(v.cells[c.Name]))
	}
	var lines []string
	plain := true
	for at := range rows {
		cells := make([]string, len(columns))
		for i, c := range columns {
			if at < len(v.cells[c.Name]) {
				cells[i] = v.cells[c.Name][at]
			}
		}
		line, err := typed.Row(fields, cells)
		plain = plain && line == strings.Join(strings.Fields(strings.Join(cells, " ")), " ")
		if line != "" {
			lines = append(lines, line)
		}
		if err != nil {
			v.fail(f, request.CodeInvalidNumber, "Row "+strconv.Itoa(len(lines))+": "+notANumber(err))
		}
	}
	v.cells = nil
	if text := strings.Join(lines, "; "); text != "" && v.text() == "" {
		v.names, v.texts = []string{f.Name}, []string{text}
		if !plain {
			v.hint = "Understood as " + text + "."
		}
	} else if text != "" && text != v.text() {
		v.fail(f, sdk.CodeConflictingInputs, "The rows are given as a table and as text")
	}
}

// tableRow is a row of the table on a form.
type tableRow struct {
	Number int
	Cells  []tableCell
}

// tableCell is one control of the table on a form.
type tableCell struct {
	Key, Label, Value string
	Text              bool
}

// tableOf returns the rows of the table on a form, with a few blank ones. If the text has rows
// that do not fit the columns, the table is blank and ok is false: they are shown as text.
func tableOf(columns []column, text string) (rows []tableRow, ok bool) {
	lines := typed.Lines(text)
	ok = len(lines) <= mostRows && !slices.ContainsFunc(lines, func(line string) bool { return len(typed.Words(line)) > len(columns) })
	if !ok {
		lines = nil
	}
	for i := range max(fewestRows, len(lines)+1) {
		row := tableRow{Number: i + 1, Cells: make([]tableCell, len(columns))}
		var words []string
		if i < len(lines) {
			words = typed.Words(lines[i])
		}
		for k, c := range columns {
			row.Cells[k] = tableCell{Key: c.Key, Label: c.Label + ", row " + strconv.Itoa(i+1), Text: c.Text}
			if k < len(words) && words[k] != typed.Blank {
				row.Cells[k].Value = words[k]
			}
		}
		rows = append(rows, row)
	}
	return rows, ok
}
