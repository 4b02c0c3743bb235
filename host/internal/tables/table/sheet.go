package table

import (
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/host/internal/tables/columns"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/outputs"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
)

// Options control how a table is read and answered. With the zero value, columns without an input pass
// through. Each text can have a point or a comma before the decimals of a number, independent of the
// others.
type Options struct {
	Decimals typed.Decimals // of texts that are read, and of CSV that is written
	Marks    *Marks         // of the whole table if only some of its rows are read, from First on; nil: find them
	First    uint64
	Version  string   // for rows without a pin in a table with pins; "": as the pins and the first row require
	Units    []string // of outputs, such as delta=mm

	System customary.System // for outputs without a unit in Units
	Tags   []string         // columns that always pass through
	Dir    string           // directory for a copy of a file; "" is the directory for temporary files

	// Acquire acquires the memory for reading a file with typed columns before it is read.
	Acquire columns.Acquire
}

// Sheet is a table of calculations: columns with the names of inputs, and one calculation per row. It is
// the [batch.Input] that reads the rows. One release computes all of them, with values of the same tables.
type Sheet struct {
	id       string
	catalog  *catalog.Catalog
	given    []versions.Pin // for all rows
	release  *catalog.Release
	tables   catalog.Tables
	options  Options
	header   []column // as it was read
	columns  []column
	outputs  *outputs.Choice
	names    []string // of columns of answers after the columns of the table
	passing  []string // undeclared columns that pass through
	asTable  bool     // the answers are a table
	rows     rows
	read1    *batch.Chunk // rows that were read before the first call of Next
	ended    error        // error after these rows
	file     *columnRows  // the rows if they have typed columns
	code     string       // of problems with the columns
	lines    sync.Pool    // of *csvLine
	pinned   bool         // there are columns with pins
	replaces bool         // there are columns with former answers
	marks    *marks
	views    sync.Map // *catalog.Release to *view
}

// rows is a source of rows.
type rows interface {
	// header returns the names and types of the columns. It is called first.
	header() ([]column, error)
	// next adds rows to the chunk, as [batch.Input] does.
	next(c *batch.Chunk) error
	// separator is the cell separator of answers in CSV.
	separator() rune
}

// column is one column of the table.
type column struct {
	header string         // as it is written
	name   string         // of the input
	field  *sdk.Field     // nil: not an input
	pin    string         // name of the pin, if the column pins the version of its row
	old    bool           // former answers, which the new ones replace
	lacks  bool           // an input of the table that the release of this row does not have
	input  int            // index of the field
	unit   string         // of its numbers, "" for the unit of the field
	kind   cellKind       // of its cells that are not blank
	from   columns.Column // its description in a file with typed columns

	written   bool // its cells are texts of people, and an empty text is blank
	takesBare bool // its field accepts a bare number unchanged
}

// passes reports whether a column passes through.
func (c *column) passes() bool { return c.field == nil && c.pin == "" && !c.old }

// NewSheet reads the header of a CSV table with calculations of one capability. The pins select its
// release. The error is a [*problem.Problem], or the error of the reader.
func NewSheet(catalog *catalog.Catalog, id string, pins []versions.Pin, r io.Reader, o *Options) (*Sheet, error) {
	return newSheet(catalog, id, pins, newCSV(r), problem.CodeInvalidCSV, o)
}

func newSheet(catalog *catalog.Catalog, id string, pins []versions.Pin, r rows, code string, o *Options) (*Sheet, error) {
	t := &Sheet{id: id, catalog: catalog, given: pins, rows: r, code: code}
	if o != nil {
		t.options = *o
	}
	if t.options.Version != "" {
		pins = append(slices.Clone(pins), versions.Pin{Place: versions.InTable, Value: t.options.Version})
	}
	_, release, err := catalog.Release(id, pins)
	if err != nil {
		return nil, problem.Of(err)
	}
	if err := t.use(release); err != nil {
		return nil, err
	}
	t.header, err = r.header()
	if err != nil {
		return nil, err
	}
	t.lines.New = t.newLine
	t.marks = newMarks(&t.options, r)
	err = t.readHeader()
	if len(pins) > 0 || !t.pinned {
		return t, err
	}
	if r := t.first(); r != nil && r != t.release {
		t.columns, t.passing, t.pinned, t.replaces = nil, nil, false, false
		if err := t.use(r); err != nil {
			return nil, err
		}
		err = t.readHeader()
	}
	return t, err
}

// use sets the release that computes rows without a pin.
func (t *Sheet) use(r *catalog.Release) (err error) {
	t.release, t.tables = r, t.catalog.TablesFor(&r.Spec, t.given)
	t.options.Units = outputs.InSystem(&r.Spec, t.options.Units, t.options.System)
	t.outputs, err = outputs.Choose(&r.Spec, nil, t.options.Units)
	if err != nil {
		return problem.Of(err)
	}
	return nil
}

// Next implements [batch.Input].
func (t *Sheet) Next(c *batch.Chunk) (err error) {
	from := c.Len()
	if t.read1 != nil {
		*c, err, t.read1 = *t.read1, t.ended, nil
	} else {
		err = t.rows.next(c)
	}
	t.marks.see(t, c, from)
	return err
}

// Request implements [batch.Input].
func (t *Sheet) Request(row string, _ *strictjson.Scanner) (calc.Request, error) {
	if t.pinned {
		if pins := t.pinsIn(row); len(pins) > 0 {
			of, err := t.at(pins)
			if err != nil {
				return calc.Request{}, err
			}
			return of.request(row, pins, t.catalog.TablesFor(&of.release.Spec, slices.Concat(pins, t.given)))
		}
	}
	return t.request(row, t.pins(), t.tables)
}

func (t *Sheet) request(row string, pins []versions.Pin, tables catalog.Tables) (calc.Request, error) {
	req := calc.Request{ID: t.id, Inputs: strictjson.Value{Kind: strictjson.Object}, Pins: pins, Tables: tables}
	for i := range t.columns {
		if row == "" {
			return req, t.anotherWidth(i)
		}
		var c cell
		c, row = cutCell(row)
		v, err := t.columns[i].read(c, t.marks)
		if err != nil {
			return req, err
		}
		if v.Kind != strictjson.Null {
			req.Inputs.Members = append(req.Inputs.Members, strictjson.Member{Name: t.columns[i].name, Value: v})
		}
	}
	if row != "" {
		return req, t.anotherWidth(len(t.columns) + countCells(row))
	}
	if len(req.Inputs.Members) == 0 {
		return req, problem.New(sdk.CodeMissingRequiredInput, "Fill in a cell of an input, or leave the row out.", "no input has a value in this row")
	}
	return req, nil
}

func (t *Sheet) anotherWidth(cells int) error {
	return invalid("Write a cell for every name of the header; an empty one is an input that is not sent.",
		"the record has %d cells, the header %d", cells, len(t.columns))
}

// isEmpty reports whether a cell is a text that counts as no cell.
func (c *column) isEmpty(in cell) bool { return c.written && strings.TrimSpace(in.text) == "" }

// read returns the JSON value that a cell sends, or Null if it sends none.
func (c *column) read(in cell, m *marks) (strictjson.Value, error) {
	switch {
	case c.lacks && in.kind != blank && !c.isEmpty(in):
		return strictjson.Value{Kind: strictjson.String, Text: in.text}, nil // package request refuses it as an unknown input
	case c.field == nil || in.kind == blank:
	case in.kind == doubtful:
		return strictjson.Value{}, twoReadings(c.field, strings.TrimSpace(in.text))
	case in.kind == raw && !utf8.ValidString(in.text):
		p := problem.New(problem.CodeInvalidColumns, "Write the column as texts or numbers.", "%s is bytes that are not a text in UTF-8", c.field.Name)
		p.Field = c.field.Name
		return strictjson.Value{}, p
	case in.kind == text || in.kind == raw:
		if trimmed := strings.TrimSpace(in.text); trimmed != "" || !c.written {
			d := m.now()
			v, err := typed.Cell(c.field, trimmed, c.unit, d)
			if err != nil && m.declared == typed.ByFile && d != typed.Either {
				if _, other := typed.Cell(c.field, trimmed, c.unit, typed.Either); other == nil {
					err = m.contradicts(c.field, trimmed)
				}
			}
			return v, err
		}
	case in.kind == truth:
		return strictjson.Value{Kind: strictjson.Bool, Bool: in.whole != 0}, nil
	case in.kind == number && math.IsNaN(in.float) || math.IsInf(in.float, 0):
		return strictjson.Value{}, sdk.Reject(request.CodeInvalidNumber, c.field.Name, "%s is %v, which is not a number to calculate with", c.field.Name, in.float).
			Suggest("Give a finite number, or leave the cell out.")
	default: // with the digits of the binary64 or of the integer
		return typed.Cell(c.field, in.String(), c.unit, typed.Point)
	}
	return strictjson.Value{}, nil
}

// Terms implements [batch.Asking].
func (t *Sheet) Terms() record.Terms {
	terms := record.Terms{Capability: t.id, Decimals: string(t.options.Decimals), Tags: t.options.Tags}
	if t.pinned { // so rows without a pin may be computed by different versions
		terms.Pins = []versions.Pin{{Place: versions.InTable, Value: t.release.Version}}
	}
	for i := range t.columns {
		name := t.columns[i].pin
		if c := &t.columns[i]; c.field != nil {
			name = c.name
			if c.unit != "" {
				name += " [" + c.unit + "]"
			}
		}
		terms.Columns = append(terms.Columns, name)
	}
	return terms
}

// Numbers implements [batch.Table]. A bare number in a cell is one of the numbers. The rest contains all
// other content of the cells of input columns.
func (t *Sheet) Numbers(numbers []batch.Number, rest []byte, row string) ([]batch.Number, []byte, bool) {
	d := t.marks.now()
	for i := range t.columns {
		if row == "" {
			return numbers, rest, false // too few cells
		}
		c := &t.columns[i]
		if x, more, is := cutNumber(row); is && c.takesBare && c.field.Type == sdk.TypeNumber && x-x == 0 { // the field accepts any finite number
			numbers, rest, row = append(numbers, batch.Number{Input: c.input, Value: value.NumberOf(x)}), append(rest, byte(number)), more
			continue
		}
		var in cell
		in, row = cutCell(row)
		switch {
		case c.pin != "" && in.kind == text && in.text == t.release.Version:
			rest = appendText(rest, in.text)
			continue
		case c.pin != "" && in.kind != blank && !c.isEmpty(in):
			return numbers, rest, false // another version may compute it
		case c.field == nil:
			continue
		}
		if v, ok := c.bare(in, d); ok {
			numbers, rest = append(numbers, batch.Number{Input: c.input, Value: v}), append(rest, byte(number))
			continue
		}
		switch in.kind {
		case text:
			rest = appendText(rest, strings.TrimSpace(in.text))
		case truth:
			rest = appendTruth(rest, in.whole != 0)
		case blank:
			rest = appendBlank(rest)
		default:
			return numbers, rest, false
		}
	}
	return numbers, rest, row == "" && len(numbers) > 0
}

// maxWhole is a bound below which binary64 represents all integers.
const maxWhole = 1 << 53

// bare returns the number in a cell without a unit, if the input accepts it.
func (c *column) bare(in cell, d typed.Decimals) (value.Value, bool) {
	if !c.takesBare {
		return value.Value{}, false
	}
	switch in.kind {
	case text:
		if literal, ok := d.Bare(strings.TrimSpace(in.text)); ok {
			return request.ReadNumber(c.field, &literal)
		}
	case number:
		if math.IsNaN(in.float) || math.IsInf(in.float, 0) {
			break
		}
		return request.ReadNumber(c.field, &strictjson.Value{Kind: strictjson.Number, Float: in.float})
	case integer:
		if -maxWhole <= in.whole && in.whole <= maxWhole {
			return request.ReadNumber(c.field, &strictjson.Value{Kind: strictjson.Number, Float: float64(in.whole)})
		}
	}
	return value.Value{}, false
}

// pins returns pins that select the release of the header for all rows.
func (t *Sheet) pins() []versions.Pin {
	return []versions.Pin{{Place: versions.InBody, Name: "calculation_version", Value: t.release.Version}}
}

// Release returns the release that computes the table.
func (t *Sheet) Release() *catalog.Release { return t.release }

// Passing returns the columns that are not inputs and pass through without a declaration.
func (t *Sheet) Passing() []string { return t.passing }
