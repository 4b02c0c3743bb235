package table

import (
	"io"
	"math"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/columns"
	"github.com/slipstick/slipstick/host/internal/outputs"
	"github.com/slipstick/slipstick/host/internal/record"
	"github.com/slipstick/slipstick/host/internal/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
)

// Options say how a table is read and answered. The zero value is a table whose columns without an
// input pass through, and whose texts have a point or a comma before the decimals of numbers.
type Options struct {
	Decimals typed.Decimals // of texts that are read, and of CSV that is written
	Units    []string       // of outputs, such as delta=mm
	Tags     []string       // columns that pass through, whatever they are called
	Dir      string         // where a file that has to be copied is; that for temporary files if empty

	// Acquire takes the memory that reading a file with typed columns takes, before it is read.
	Acquire columns.Acquire
}

// Sheet is a table of calculations: columns that are named as inputs, and one calculation per row.
// It is the [calc.Input] that reads the rows. All of them are computed by one release, with figures of
// the same tables.
type Sheet struct {
	id      string
	release *calc.Release
	tables  calc.Tables
	options Options
	columns []column
	outputs *outputs.Choice
	passing []string // columns that pass through undeclared
	rows    rows
	file    *columnRows // the same if it has typed columns
	code    string      // of problems with the columns
	lines   sync.Pool   // of *csvLine
}

// rows is what a table is read from.
type rows interface {
	// header returns the names of the columns, and what is in them. It is called first.
	header() ([]column, error)
	// next adds rows to the chunk, as [calc.Input] does.
	next(c *calc.Chunk) error
	// separator is what separates cells where the answers are CSV.
	separator() rune
}

// column is one column of the table.
type column struct {
	header string         // as it is written
	name   string         // of the input
	field  *sdk.Field     // nil: it is no input, and passes through
	input  int            // index of the field
	unit   string         // of its numbers, "" for that of the field
	kind   cellKind       // of its cells that are not blank
	from   columns.Column // what it is in a file with typed columns

	written   bool // its cells are texts as people write them, of which an empty one is none
	takesBare bool // its field takes a bare number as it is written
}

// NewSheet reads the header of CSV with calculations of one capability, whose release the pins
// select. The error is a [*calc.Problem], or that of the reader.
func NewSheet(catalog *calc.Catalog, id string, pins []versions.Pin, r io.Reader, o *Options) (*Sheet, error) {
	return newSheet(catalog, id, pins, newCSV(r), calc.CodeInvalidCSV, o)
}

func newSheet(catalog *calc.Catalog, id string, pins []versions.Pin, r rows, code string, o *Options) (*Sheet, error) {
	_, release, err := catalog.Release(id, pins)
	if err != nil {
		return nil, calc.ProblemOf(err)
	}
	t := &Sheet{id: id, release: release, tables: catalog.TablesFor(&release.Spec, pins), rows: r, code: code}
	if o != nil {
		t.options = *o
	}
	if t.outputs, err = outputs.Choose(&release.Spec, nil, t.options.Units); err != nil {
		return nil, calc.ProblemOf(err)
	}
	columns, err := r.header()
	if err != nil {
		return nil, err
	}
	t.lines.New = t.newLine
	doubtful, err := t.addColumns(columns)
	for _, c := range doubtful {
		t.passing = append(t.passing, strings.TrimSpace(c.header))
	}
	return t, together(t.fits(), err, t.unknown(t.refused(doubtful)))
}

// Next implements [calc.Input].
func (t *Sheet) Next(c *calc.Chunk) error { return t.rows.next(c) }

// Request implements [calc.Input].
func (t *Sheet) Request(row string, _ *strictjson.Scanner) (calc.Request, error) {
	req := calc.Request{ID: t.id, Inputs: strictjson.Value{Kind: strictjson.Object}, Pins: t.pins(), Tables: t.tables}
	for i := range t.columns {
		if row == "" {
			return req, t.anotherWidth(i)
		}
		var c cell
		c, row = cutCell(row)
		v, err := t.columns[i].read(c, t.options.Decimals)
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
		return req, calc.NewProblem(sdk.CodeMissingRequiredInput, "Fill in a cell of an input, or leave the row out.", "no input has a value in this row")
	}
	return req, nil
}

func (t *Sheet) anotherWidth(cells int) error {
	return invalid("Write a cell for every name of the header; an empty one is an input that is not sent.",
		"the record has %d cells, the header %d", cells, len(t.columns))
}

// read returns the JSON value that a cell sends, Null if it sends none.
func (c *column) read(in cell, d typed.Decimals) (strictjson.Value, error) {
	switch {
	case c.field == nil || in.kind == blank:
	case in.kind == raw && !utf8.ValidString(in.text):
		p := calc.NewProblem(calc.CodeInvalidColumns, "Write the column as texts or numbers.", "%s is bytes that are not a text in UTF-8", c.field.Name)
		p.Field = c.field.Name
		return strictjson.Value{}, p
	case in.kind == text || in.kind == raw:
		if trimmed := strings.TrimSpace(in.text); trimmed != "" || !c.written {
			return typed.Cell(c.field, trimmed, c.unit, d)
		}
	case in.kind == truth:
		return strictjson.Value{Kind: strictjson.Bool, Bool: in.whole != 0}, nil
	case in.kind == number && math.IsNaN(in.float) || math.IsInf(in.float, 0):
		return strictjson.Value{}, sdk.Reject(request.CodeInvalidNumber, c.field.Name, "%s is %v, which is no number to calculate with", c.field.Name, in.float).
			Suggest("Send a finite number, or leave the cell out.")
	default: // has the digits of its binary64, or of its integer
		return typed.Cell(c.field, in.String(), c.unit, typed.Point)
	}
	return strictjson.Value{}, nil
}

// Terms implements [calc.Asking].
func (t *Sheet) Terms() record.Terms {
	terms := record.Terms{Capability: t.id, Decimals: string(t.options.Decimals), Tags: t.options.Tags}
	for i := range t.columns {
		name := ""
		if c := &t.columns[i]; c.field != nil {
			if name = c.name; c.unit != "" {
				name += " [" + c.unit + "]"
			}
		}
		terms.Columns = append(terms.Columns, name)
	}
	return terms
}

// Numbers implements [calc.Table]: a cell that is a bare number is one, and the rest says of each column
// of an input what else is in its cell.
func (t *Sheet) Numbers(numbers []calc.Number, rest []byte, row string) ([]calc.Number, []byte, bool) {
	for i := range t.columns {
		if row == "" {
			return numbers, rest, false // too few cells
		}
		c := &t.columns[i]
		if x, more, is := cutNumber(row); is && c.takesBare && c.field.Type == sdk.TypeNumber && x-x == 0 { // which takes any finite one
			numbers, rest, row = append(numbers, calc.Number{Input: c.input, Value: value.NumberOf(x)}), append(rest, byte(number)), more
			continue
		}
		var in cell
		in, row = cutCell(row)
		if c.field == nil {
			continue
		}
		if v, ok := c.bare(in, t.options.Decimals); ok {
			numbers, rest = append(numbers, calc.Number{Input: c.input, Value: v}), append(rest, byte(number))
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

// maxWhole is the largest integer below which all are binary64 numbers.
const maxWhole = 1 << 53

// bare returns the number that a cell sends without a unit, if it is one that the input takes.
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

// pins make all rows be computed by the release that the header was read for.
func (t *Sheet) pins() []versions.Pin {
	return []versions.Pin{{Place: versions.InBody, Name: "calculation_version", Value: t.release.Version}}
}

// Release returns the release that computes the table.
func (t *Sheet) Release() *calc.Release { return t.release }

// Passing returns the columns that are no inputs and pass through without having been declared.
func (t *Sheet) Passing() []string { return t.passing }
