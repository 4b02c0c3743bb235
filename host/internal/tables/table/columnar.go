package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/tables/columns"
	"github.com/slipstick/slipstick/host/internal/tables/outputs"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/value"
)

// columnRows reads the rows of a file with typed columns.
type columnRows struct {
	format  Format
	source  io.Reader
	dir     string // directory for a copy, if the rows must be in a file
	acquire columns.Acquire
	spool   *os.File // the copy
	reader  columns.Reader

	block columns.Block
	at    int    // index of the current row in the block
	read  uint64 // rows of the file that were read, including the block
	first uint64 // first row of the current chunk in the file
	kinds []cellKind
	texts bool   // a column has texts, and so perhaps lists
	row   []byte // memory for the row that is added
}

// cellKinds are the kinds of the cells of columns.
var cellKinds = [...]cellKind{columns.Number: number, columns.Integer: integer, columns.Truth: truth, columns.Text: text, columns.Bytes: raw, columns.Unread: unread}

func (t *columnRows) separator() rune { return ',' }

func (t *columnRows) header() (list []column, err error) {
	if err := t.open(); err != nil {
		return nil, FileProblem(err)
	}
	for _, c := range t.reader.Columns() {
		t.kinds, t.texts = append(t.kinds, cellKinds[c.Kind]), t.texts || c.Kind == columns.Text || c.Kind == columns.Bytes
		list = append(list, column{header: c.Name, unit: c.Unit, kind: cellKinds[c.Kind], from: c})
	}
	return list, nil
}

// blockBytes is the number of bytes of cells that are written at a time.
const blockBytes = 1 << 20

func (t *columnRows) next(c *batch.Chunk) error {
	some, apart := t.reader.(*someRows)
	for from := c.Len(); !c.Full(); {
		if t.at == t.block.Rows {
			if apart && c.Len() > from {
				return nil // the rows of a chunk are consecutive
			}
			t.at, t.block.Rows = 0, 0
			if err := t.reader.Read(&t.block, columns.BlockRows(len(t.kinds))); err != nil {
				return FileProblem(err)
			}
			t.read += uint64(t.block.Rows)
		}
		t.row = t.row[:0]
		for k := range t.kinds {
			t.row = appendCell(t.row, t.kinds[k], &t.block.Columns[k], t.at)
		}
		if c.Len() == from {
			t.first = t.read - uint64(t.block.Rows-t.at)
			if apart {
				t.first = some.at - uint64(t.block.Rows-t.at)
			}
		}
		t.at++
		c.Add(t.row)
		values := 0
		if t.texts {
			values = valuesIn(t.row)
		}
		c.Account(len(t.row), values)
	}
	return nil
}

// appendCell appends the cell of a column.
func appendCell(row []byte, k cellKind, d *columns.Data, at int) []byte {
	switch {
	case d.Null[at]:
		return appendBlank(row)
	case k == number:
		return appendNumber(row, d.Numbers[at])
	case k == integer:
		return appendInteger(row, d.Integers[at])
	case k == truth:
		return appendTruth(row, d.Truths[at])
	}
	return appendBytes(row, k, d.Texts[at])
}

// FileProblem returns the problem of a file with typed columns that cannot be read. It returns other
// errors unchanged.
func FileProblem(err error) error {
	if p, ok := errors.AsType[*problem.Problem](err); ok {
		return p // from the reader below
	}
	e, ok := errors.AsType[*columns.FileError](err)
	switch {
	case !ok:
		return err
	case e.TooLarge:
		return unfit("Write the file with smaller pages or record batches.", "%v", e)
	}
	return unfit("Write the file again, and send all of it.", "%v", e)
}

func unfit(suggestion, format string, args ...any) *problem.Problem {
	return problem.New(problem.CodeInvalidColumns, suggestion, format, args...)
}

// fits returns all mismatches between inputs and the types of their columns in one error.
func (t *Sheet) fits() error {
	return t.wrong(func(c *column) string {
		switch {
		case c.kind == unread:
			return c.from.Type + " is not a type that can be read"
		case c.field == nil || c.takes():
			return ""
		}
		return fmt.Sprintf("%s is a %s, and the cells are of type %s", c.field.Name, c.field.Type, c.from.Type)
	}, "Leave these columns out, or write them as their inputs are, or as texts.")
}

// wrong returns one error for all columns for which in returns a description.
func (t *Sheet) wrong(in func(*column) string, suggestion string) error {
	var wrong []sdk.InvalidParameter
	var words []string
	for i := range t.columns {
		c := &t.columns[i]
		what := in(c)
		if what == "" {
			continue
		}
		wrong = append(wrong, sdk.InvalidParameter{Name: c.header, Constraint: what})
		words = append(words, fmt.Sprintf("%q: %s", request.Clip(c.header), what))
	}
	if wrong == nil {
		return nil
	}
	p := unfit(suggestion, "columns do not fit: %s", strings.Join(words, "; "))
	p.Field, p.Invalid = wrong[0].Name, wrong
	return p
}

// takes reports whether the input accepts the kind of the cells.
func (c *column) takes() bool {
	switch c.kind {
	case number, integer:
		return c.from.IsPlain() && (c.field.Type == sdk.TypeNumber || c.field.Type == sdk.TypeInteger)
	case truth:
		return c.field.Type == sdk.TypeBoolean
	}
	return c.from.IsPlain()
}

// columnsOf returns the columns of the answers: the columns of the table, one for each output, and the
// columns about the row.
func (t *Sheet) columnsOf() []columns.Column {
	var list []columns.Column
	for i := range t.columns {
		c := &t.columns[i]
		if c.old {
			continue
		}
		own := c.from
		own.Name, own.Unit = c.header, c.unit
		own.Repeats = own.Repeats || c.field != nil && len(c.field.Enum) > 0 && own.Form == columns.Form{}
		list = append(list, own)
	}
	for k, f := range t.outputs.Fields() {
		c := columns.Column{Name: t.names[k], Unit: f.Unit, Kind: columns.Text, Repeats: len(f.Enum) > 0}
		switch {
		case (f.Type == sdk.TypeNumber || f.Type == sdk.TypeInteger) && !f.Decimal:
			c.Kind = columns.Number
		case f.Type == sdk.TypeBoolean:
			c.Kind = columns.Truth
		}
		list = append(list, c)
	}
	for i, name := range t.names[len(t.names)-AboutRow:] {
		list = append(list, columns.Column{Name: name, Kind: columns.Text, Repeats: i < AboutRow-1}) // the last one may contain texts of the request
	}
	return list
}

// appendCells is the [batch.Output] of a columnWriter.
func (t *Sheet) appendCells(dst []byte, row string, a *calc.Answer, p *problem.Problem) []byte {
	if t.file != nil && row != "" && !t.replaces { // every cell stays unchanged
		dst = append(dst, row...)
	} else {
		dst = t.appendOwn(dst, row)
	}
	own := len(dst)
	if p == nil {
		var err error
		dst, err = t.appendOutputs(dst, &a.Success.Outcome)
		if err != nil {
			p = problem.Of(err)
		}
	}
	if p != nil {
		dst = dst[:own]
		for range t.outputs.Fields() {
			dst = appendBlank(dst)
		}
		return appendTexts(dst, "", p.Code, p.Field, p.Message())
	}
	return appendTexts(dst, warningsOf(a), "", "", "")
}

// appendOwn appends the cells of a row from the request, of an unreadable row, or of a row with former
// answers.
func (t *Sheet) appendOwn(dst []byte, row string) []byte {
	for i := range t.columns {
		rest, none := "", true
		if row != "" {
			var c cell
			c, rest = cutCell(row)
			none = c.kind == blank || t.columns[i].written && strings.TrimSpace(c.text) == ""
		}
		switch {
		case t.columns[i].old:
		case none:
			dst = appendBlank(dst)
		default:
			dst = append(dst, row[:len(row)-len(rest)]...)
		}
		row = rest
	}
	return dst
}

func (t *Sheet) appendOutputs(dst []byte, o *sdk.Outcome) ([]byte, error) {
	err := t.outputs.Each(o, func(f *sdk.Field, v value.Value) {
		switch v.Kind() {
		case value.Absent:
			dst = appendBlank(dst)
		case value.Number:
			dst = appendNumber(dst, v.Number())
		case value.Bool:
			dst = appendTruth(dst, v.Bool())
		default:
			dst = appendText(dst, outputs.Text(f, v))
		}
	})
	return dst, err
}

// appendTexts appends texts; an empty text becomes a blank cell.
func appendTexts(dst []byte, texts ...string) []byte {
	for _, s := range texts {
		if s == "" {
			dst = appendBlank(dst)
		} else {
			dst = appendText(dst, s)
		}
	}
	return dst
}

// columnWriter writes rows of [Sheet.appendCells] to a file with typed columns.
type columnWriter struct {
	to      columns.Writer
	columns []columns.Column
	block   columns.Block
	rows    int // of the block
	bytes   int // of these rows
}

func (t *Sheet) newColumnWriter(w io.Writer, create columns.NewWriterFunc) (*columnWriter, error) {
	list := t.columnsOf()
	origin, err := json.Marshal(t.origin())
	if err != nil {
		return nil, err
	}
	to, err := create(w, list, map[string]string{originKey: string(origin)})
	if e, ok := errors.AsType[*columns.FileError](err); ok {
		return nil, unfit("Leave the column out, or ask for the answers in the form of the file.", "%v", e)
	}
	return &columnWriter{to: to, columns: list}, err
}

// Write implements [io.Writer] for whole rows.
func (w *columnWriter) Write(rows []byte) (int, error) {
	for rest := string(rows); rest != ""; {
		before := len(rest)
		if w.rows == 0 {
			w.block.Reset(w.columns, columns.BlockRows(len(w.columns)))
		}
		for k := range w.columns {
			d := &w.block.Columns[k]
			if x, more, is := cutNumber(rest); is {
				d.Numbers[w.rows], rest = x, more
				continue
			}
			var c cell
			c, rest = cutCell(rest)
			switch c.kind {
			case blank:
				d.Null[w.rows] = true
			case integer:
				d.Integers[w.rows] = c.whole
			case truth:
				d.Truths[w.rows] = c.whole != 0
			default:
				d.Texts[w.rows] = c.text
			}
		}
		w.rows, w.bytes = w.rows+1, w.bytes+before-len(rest)
		if w.rows == columns.BlockRows(len(w.columns)) || w.bytes >= blockBytes {
			if err := w.flush(); err != nil {
				return 0, err
			}
		}
	}
	return len(rows), nil
}

func (w *columnWriter) flush() error {
	w.block.Shorten(w.rows)
	w.rows, w.bytes = 0, 0
	return w.to.Write(&w.block)
}

// Close ends the file.
func (w *columnWriter) Close() error {
	if w.rows > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	return w.to.Close()
}
