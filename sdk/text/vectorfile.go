package text

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/slipstick/slipstick/sdk/internal/pattern"
)

// Limits on a file of vectors.
const (
	MaxVectorBytes = 1 << 20
	MaxVectorRows  = 5000
)

// Columns of a file of vectors that do not belong to a field.
const (
	columnID     = "id"
	columnSource = "source"
)

var vectorColumns = []string{columnID, columnSource}

var (
	headingForm  = pattern.New(`^([A-Za-z][A-Za-z0-9_]*)[ ]*(?:\[(.*)\])?$`)
	vectorIDForm = pattern.New(`^[A-Za-z][A-Za-z0-9_.-]*$`)
)

// column is a column of a file of vectors: an id, a source, or a field with the unit of its numbers.
type column struct {
	heading Phrase
	special string // columnID or columnSource
	field   *Field
	isInput bool
	unit    Unit
}

// FormatVectors returns the canonical form of a file of vectors. It has LF line ends, cells without blanks at their ends,
// and no empty rows. The error is of type [Mistakes].
func FormatVectors(file string, source []byte) ([]byte, error) {
	r := &reader{file: file}
	rows := r.readRows(source)
	if len(r.mistakes) > 0 {
		return nil, r.mistakes
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	for _, row := range rows {
		err := w.Write(texts(row))
		if err != nil {
			return nil, err
		}
	}
	w.Flush()
	return out.Bytes(), w.Error()
}

// readRows reads the cells of a file of vectors.
func (r *reader) readRows(source []byte) (rows [][]Phrase) {
	if len(source) > MaxVectorBytes {
		r.report(Place{1, 1}, 1, "the file of vectors has %d bytes, and at most %d are allowed: leave out rows", len(source), MaxVectorBytes)
		return nil
	}
	if !utf8.Valid(source) {
		r.report(r.invalid(source), 1, "this is not UTF-8: save the file as CSV in UTF-8")
		return nil
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(source), "\ufeff"), "\r\n", "\n")
	r.lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	r.checkHidden()
	cells := csv.NewReader(strings.NewReader(text))
	cells.FieldsPerRecord = -1
	for !r.full() {
		record, err := cells.Read()
		if err == io.EOF {
			return rows
		}
		wrong, isWrong := errors.AsType[*csv.ParseError](err)
		if isWrong {
			r.report(r.placeOf(wrong.Line, wrong.Column), 1, `write a cell with commas or quotation marks as "...", with two quotation marks for each inside`)
			return rows
		}
		if strings.TrimSpace(strings.Join(record, "")) == "" {
			continue
		}
		row := make([]Phrase, len(record))
		for i, cell := range record {
			line, at := cells.FieldPos(i)
			place := r.placeOf(line, at)
			if strings.HasPrefix(r.lines[place.Line-1][min(at-1, len(r.lines[place.Line-1])):], `"`) {
				place.Column++
			}
			whole := Phrase{place, cell}
			row[i] = whole.within(0, len(cell))
			if strings.ContainsRune(cell, '\n') {
				r.report(place, 1, "a cell is one line: delete the line break")
			}
		}
		rows = append(rows, row)
		if len(rows) > MaxVectorRows+1 {
			r.wrong(row[0], "the file has more than %d vectors: leave out rows", MaxVectorRows)
			return rows
		}
	}
	return rows
}

// placeOf returns the place of a byte of a line, which counts from 1.
func (r *reader) placeOf(line, at int) Place {
	line = min(max(line, 1), len(r.lines))
	text := r.lines[line-1]
	return Place{line, utf8.RuneCountInString(text[:min(max(at-1, 0), len(text))]) + 1}
}

// readVectorFile reads the vectors of a file. Each row is a vector, and each column is an input or an output.
func (r *reader) readVectorFile(d *Document, source []byte) (vectors []Vector) {
	rows := r.readRows(source)
	if len(r.mistakes) > 0 {
		return nil
	}
	if len(rows) < 2 {
		r.report(Place{1, 1}, 1, "the file has no vectors: write a heading with the names of fields, and a row for each vector")
		return nil
	}
	columns := r.vectorHeading(d, rows[0])
	if len(r.mistakes) > 0 {
		return nil
	}
	ids := map[string]bool{}
	for i := range d.Vectors {
		ids[d.Vectors[i].ID.Text] = true
	}
	for _, row := range rows[1:] {
		if len(row) != len(columns) {
			r.wrong(row[0], "this row has %d cells, and the heading %d", len(row), len(columns))
			continue
		}
		v := r.vectorRow(columns, row)
		if ids[v.ID.Text] {
			r.wrong(v.ID, "the vector %s is there twice", v.ID.Text)
		}
		ids[v.ID.Text] = true
		vectors = append(vectors, v)
	}
	return vectors
}

// vectorHeading reads the heading of a file of vectors.
func (r *reader) vectorHeading(d *Document, heading []Phrase) (columns []column) {
	seen := map[string]bool{}
	for _, cell := range heading {
		if strings.Contains(cell.Text, ";") && len(heading) == 1 {
			r.wrong(cell, "write commas between cells, not semicolons: export the table as CSV with commas")
			return nil
		}
		c := r.vectorColumn(d, cell)
		key := c.special
		if c.field != nil {
			key = fmt.Sprint(c.isInput, c.field.Name.Text)
		}
		if key != "" && seen[key] {
			r.wrong(cell, "the column %s is there twice", cell.Text)
		}
		seen[key] = true
		columns = append(columns, c)
	}
	if !seen[columnSource] && len(r.mistakes) == 0 {
		r.wrong(heading[0], "the column source is missing: write where the results of each row are from")
	}
	return columns
}

// vectorColumn reads a cell of the heading: NAME or NAME [UNIT].
func (r *reader) vectorColumn(d *Document, cell Phrase) column {
	c := column{heading: cell}
	m := headingForm.FindStringSubmatchIndex(cell.Text)
	if m == nil {
		r.wrong(cell, "a heading is the name of a field, such as width [mm]")
		return c
	}
	name := cell.within(m[2], m[3])
	c.field = fieldNamed(d.Inputs, name.Text)
	c.isInput = c.field != nil
	if c.field == nil {
		c.field = fieldNamed(d.Outputs, name.Text)
	}
	if c.field == nil {
		if slices.Contains(vectorColumns, cell.Text) {
			c.special = cell.Text
			return c
		}
		r.wrong(name, "%s is not an input or output%s", name.Text, suggest(name.Text, slices.Concat(allNames(d.Inputs), allNames(d.Outputs), vectorColumns)))
		return c
	}
	if c.field.Type.Kind == Records {
		r.wrong(name, "%s has records: write these vectors into the block ```vectors", name.Text)
		return c
	}
	of := c.field.Type.inner()
	written := Phrase{Place: cell.Place}
	if m[4] >= 0 {
		written = cell.within(m[4], m[5])
	}
	r.vectorUnit(&c, name, written, of)
	return c
}

// vectorUnit sets the unit of a column.
func (r *reader) vectorUnit(c *column, name, written Phrase, of Type) {
	needs := of.Kind == Number && of.Unit.ID != "" && !of.Unit.Money
	switch {
	case needs && written.Text == "":
		r.wrong(name, "%s has a unit: write %s [%s], or another unit of it", name.Text, name.Text, of.Unit.ID)
	case written.Text == "":
	case of.Kind != Number:
		r.wrong(written, "this field has no unit: write %s", name.Text)
	default:
		c.unit, _ = r.readUnit(written)
	}
}

// vectorRow reads a row. An empty cell is an input that is not sent, or an output without an expectation.
func (r *reader) vectorRow(columns []column, row []Phrase) Vector {
	v := Vector{ID: Phrase{row[0].Place, fmt.Sprintf("line_%d", row[0].Line)}}
	for i := range columns {
		c, cell := &columns[i], row[i]
		switch {
		case cell.Text == "":
		case c.special == columnSource:
			v.Source = cell
		case c.special == columnID:
			v.ID = cell
			if !vectorIDForm.MatchString(cell.Text) {
				r.wrong(cell, "an id starts with a letter, and has letters, digits, and _ . -")
			}
		case c.isInput:
			value := r.cellValue(c, cell)
			if value != nil {
				v.Sent = append(v.Sent, Sent{Name: Phrase{cell.Place, c.field.Name.Text}, Value: value})
			}
		default:
			r.expectedCell(&v, c, cell)
		}
	}
	if v.Source.Text == "" {
		r.wrong(row[0], "the source of the vector is missing: write book: and the work with its place, or hand: and the arithmetic")
	}
	if len(v.Expected) == 0 {
		r.wrong(row[0], "the vector has no expectation: write a result into the column of an output")
	}
	return v
}

// expectedCell reads the expectation of an output.
func (r *reader) expectedCell(v *Vector, c *column, cell Phrase) {
	e := Expected{Phrase: cell, Kind: Equals, Name: Phrase{cell.Place, c.field.Name.Text}}
	if cell.Text == string(Absent) {
		e.Kind = Absent
		v.Expected = append(v.Expected, e)
		return
	}
	rest, exact := strings.CutPrefix(cell.Text, "==")
	e.Exact = exact
	e.Value = r.cellValue(c, cell.within(len(cell.Text)-len(rest), len(cell.Text)))
	if e.Value != nil {
		v.Expected = append(v.Expected, e)
	}
}

// cellValue reads a value. Its numbers get the unit of the column.
func (r *reader) cellValue(c *column, cell Phrase) *Value {
	if c.field.Type.Kind == Text {
		return r.wordOf(cell, c.field.Type)
	}
	r.checkCharacters(cell)
	before := len(r.mistakes)
	v := r.readValue(cell)
	if v == nil || len(r.mistakes) > before || !r.inColumn(v, c.unit) {
		return nil
	}
	return v
}

// inColumn gives the numbers of a value the unit of their column.
func (r *reader) inColumn(v *Value, u Unit) bool {
	for _, item := range v.Items {
		if !r.inColumn(item, u) {
			return false
		}
	}
	if v.Kind != NumberValue {
		return true
	}
	if v.Unit.ID != "" {
		r.wrong(v.Phrase, "the unit is in the heading: write %s", v.Digits)
		return false
	}
	number, isNumber := new(big.Rat).SetString(strings.TrimPrefix(v.Digits, "+"))
	if !isNumber {
		return false // readValue reported it
	}
	v.Unit, v.SI = u, inSI(number, u)
	return true
}
