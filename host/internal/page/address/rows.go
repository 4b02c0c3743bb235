package address

import (
	"cmp"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
)

// Rows of values are a table with one control for each value. The controls of a column share a key, such as
// layers.thickness, and a form sends them from the first row to the last. In a URL all rows are one text under the key of
// the input.

// Column is one value of a row.
type Column struct {
	Name, Label string
	Symbol      template.HTML
	Key         string // of its controls
	Unit        string // of all values, if the reader cannot choose a unit
	UnitKey     string // of the menu of units
	OwnUnit     string
	Units       []wording.UnitOption
	Text        bool // its values are not numbers
	Field       *sdk.Field
}

// Bounds of the table for rows.
const (
	fewestRows = 4   // rows of a form without JavaScript
	mostRows   = 500 // rows of a table; more are shown as text
)

// HasTable reports whether the rows of a field are shown as a table: rows of numbers or texts.
func HasTable(f *sdk.Field) bool {
	if f.Type != sdk.TypeArray || !typed.IsRow(f.Items) {
		return false
	}
	if f.Items.Type == sdk.TypeArray {
		return !typed.IsRow(f.Items.Items)
	}
	return !slices.ContainsFunc(f.Items.Fields, func(one sdk.Field) bool { return typed.IsRow(&one) })
}

// ColumnsOf returns the columns of a field with rows, and none for other fields. Rows that are
// lists have as many columns as the longest list has values, and at least two.
func ColumnsOf(f *sdk.Field, e *Value) []Column {
	if !HasTable(f) {
		return nil
	}
	var columns []Column
	if f.Items.Type == sdk.TypeArray {
		width := max(2, len(e.cells))
		rows, _ := typed.Rows(f, e.Text())
		for _, cells := range rows {
			width = max(width, len(cells))
		}
		for i := range min(width, mostRows) {
			name := strconv.Itoa(i + 1)
			columns = append(columns, newColumn(f, f.Items.Items, name, AxisName(i, width)))
			columns[i].UnitKey = f.Name + UnitSuffix // all columns have the same unit
		}
		return columns
	}
	for i := range f.Items.Fields {
		one := &f.Items.Fields[i]
		columns = append(columns, newColumn(f, one, one.Name, wording.Label(one)))
	}
	return columns
}

func newColumn(f, one *sdk.Field, name, label string) Column {
	key := f.Name + "." + name
	return Column{Name: name, Label: label, Key: key, UnitKey: key + UnitSuffix, OwnUnit: one.Unit, Text: one.Type == sdk.TypeString, Field: one}
}

// AxisName returns the name of a value of a point: x, y or z, or its number if there are more than three.
func AxisName(i, width int) string {
	if width <= 3 {
		return string("xyz"[i])
	}
	return strconv.Itoa(i + 1)
}

// addCell reads a key of a table of rows, and reports whether it is one. It also counts blank controls, because
// they separate the rows.
func (s *Values) addCell(key, text string) bool {
	name, isUnit := strings.CutSuffix(key, UnitSuffix)
	base, member, ok := strings.Cut(name, ".")
	i := s.Spec.Input(base)
	if !ok || i < 0 || !HasTable(&s.Spec.Inputs[i]) {
		return false
	}
	f, e := &s.Spec.Inputs[i], &s.Values[i]
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

// joinCells writes the table as the text that a URL has.
func (s *Values) joinCells(i int) {
	f, v := &s.Spec.Inputs[i], &s.Values[i]
	if v.cells == nil {
		return
	}
	columns, count := ColumnsOf(f, v), 0
	for _, c := range columns {
		count = max(count, len(v.cells[c.Name]))
	}
	rows := make([][]string, count)
	var typedIn []string
	for at := range rows {
		rows[at] = make([]string, len(columns))
		for k, c := range columns {
			if at < len(v.cells[c.Name]) {
				rows[at][k] = v.cells[c.Name][at]
			}
		}
		typedIn = append(typedIn, rows[at]...)
	}
	text, err := typed.Table(f, rows, s.level|typed.Arithmetic)
	v.cells = nil
	switch {
	case text == "":
	case v.Text() == "":
		v.names, v.texts = []string{f.Name}, []string{text}
		if !sameWords(strings.Join(typedIn, " "), text) {
			v.Hint = "Understood as " + text + "."
		}
	case text != v.Text():
		v.fail(f, sdk.CodeConflictingInputs, "The rows are in the table and also in the text")
	}
	s.cannotRead(i, err)
}

// TableRow is a row of the table on a form.
type TableRow struct {
	Number int
	Cells  []tableCell
}

// tableCell is one control of the table on a form.
type tableCell struct {
	Key, Label, Value string
	Text              bool
}

// TableOf returns the rows of the table on a form, with a few blank rows. If rows of the text do not fit the columns,
// the table is blank and ok is false. The page then shows the rows as text.
func TableOf(f *sdk.Field, columns []Column, text string) (rows []TableRow, ok bool) {
	cells, ok := [][]string(nil), true
	if text != "" {
		cells, ok = typed.Rows(f, text)
		ok = ok && len(cells) <= mostRows && !slices.ContainsFunc(cells, func(row []string) bool { return len(row) > len(columns) })
	}
	if !ok {
		cells = nil
	}
	for i := range max(fewestRows, len(cells)+1) {
		row := TableRow{Number: i + 1, Cells: make([]tableCell, len(columns))}
		for k, c := range columns {
			row.Cells[k] = tableCell{Key: c.Key, Label: c.Label + ", row " + strconv.Itoa(i+1), Text: c.Text}
			if i < len(cells) && k < len(cells[i]) {
				row.Cells[k].Value = cells[i][k]
			}
		}
		rows = append(rows, row)
	}
	return rows, ok
}

// Record returns the given inputs as the header and one record of a table, which batches read. Units are in the header.
// Units of rows are in their cells, because the header has one unit for a column.
func (s *Values) Record() (header, record []string) {
	for i := range s.Values {
		f, v := &s.Spec.Inputs[i], &s.Values[i]
		switch {
		case v.Preset != "":
			header, record = append(header, f.Name), append(record, v.Preset)
		case !v.Given():
		case HasTable(f):
			header, record = append(header, f.Name), append(record, v.rowsWithUnits(f))
		default:
			name := f.Name
			if unit := cmp.Or(v.Unit(), f.Unit); unit != "" {
				name += " [" + unit + "]"
			}
			header, record = append(header, name), append(record, v.Text())
		}
	}
	return header, record
}

// rowsWithUnits returns the text of rows with the units of their columns after each number.
func (v *Value) rowsWithUnits(f *sdk.Field) string {
	rows, ok := typed.Rows(f, v.Text())
	if len(v.Units) == 0 || !ok {
		return v.Text()
	}
	for k, c := range ColumnsOf(f, v) {
		unit := cmp.Or(v.Units[c.Name], v.Units[""])
		for _, row := range rows {
			if k < len(row) && row[k] != "" && unit != "" {
				row[k] += " " + unit
			}
		}
	}
	text, _ := typed.Table(f, rows, typed.Numbers)
	return text
}
