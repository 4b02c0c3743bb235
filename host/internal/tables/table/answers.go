package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/tables/outputs"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/visible"
)

// Origin identifies the calculation of a table of answers, so that it can be repeated. Files with typed
// columns contain it in their metadata. It does not name the platform, so that files are the same everywhere.
type Origin struct {
	Capability string         `json:"capability_id"`
	Version    string         `json:"calculation_version"`
	Release    string         `json:"release_digest,omitempty"`
	Decimals   typed.Decimals `json:"decimal,omitempty"`
	Marks      *Marks         `json:"marks,omitempty"` // of the whole table, if the file has only some of its rows
	First      uint64         `json:"first_row,omitempty"`
	Tags       []string       `json:"tags,omitempty"`   // columns that are never inputs
	Tables     catalog.Tables `json:"tables,omitempty"` // tables of the values in cells that name no version
}

// originKey is the metadata key of the origin, which is JSON.
const originKey = "slipstick.answers"

func (t *Sheet) origin() Origin {
	r := t.release
	return Origin{Capability: r.Capability, Version: r.Version, Release: r.Digest, Decimals: t.options.Decimals, Marks: t.options.Marks, First: t.options.First, Tags: t.options.Tags, Tables: t.tables}
}

// Form is the format of results in a table. The zero value is for results outside a table.
type Form struct {
	In    Format
	Units string // of results, if they differ from the Spec: "current=mA;delta=mm"
}

// Results converts results to their format in a table.
type Results struct {
	form   Form
	choice *outputs.Choice
}

// Of returns a converter for results of the Spec. The error is an [*sdk.Error] if the Spec does not have
// one of the results, or if a result cannot have its unit.
func (f Form) Of(spec *sdk.Spec) (*Results, error) {
	choice, err := outputs.Choose(spec, nil, split(f.Units))
	return &Results{f, choice}, err
}

func split(units string) []string {
	if units == "" {
		return nil
	}
	return strings.Split(units, ";")
}

// Outputs returns the outputs of the Spec, with the units of the table.
func (r *Results) Outputs() []sdk.Field { return r.choice.Fields() }

// Outcome returns an outcome in the format of the table.
func (r *Results) Outcome(inputs value.Values, o compare.Outcome) compare.Outcome {
	if r.form.In == "" || o.Code != "" {
		return o
	}
	fields, values, err := r.choice.Of(&sdk.Outcome{Inputs: inputs, Result: o.Result})
	if err != nil {
		p := problem.Of(err)
		return compare.Outcome{Code: p.Code, Field: p.Field}
	}
	for i := range values {
		values[i] = r.form.value(&fields[i], values[i])
	}
	return compare.Outcome{Result: values}
}

// value returns the value that a reader gets from the cell of a value. Tables cannot distinguish all values.
func (f Form) value(field *sdk.Field, v value.Value) value.Value {
	switch kind := v.Kind(); {
	case kind == value.Number && field.Decimal:
		return value.ExactOf(outputs.Text(field, v))
	case kind != value.Text || f.In != CSV:
	case v.Text() == "":
		return value.Value{}
	default:
		return value.TextOf(outputs.HarmlessCell(v.Text()))
	}
	return v
}

// Answers reads a table of answers that [Batch] has written. Its rows can be computed again.
type Answers struct {
	Origin Origin

	catalog *catalog.Catalog
	form    Form
	sheet   *Sheet // of the answered columns; nil if the release is missing
	fields  []sdk.Field
	rows    rows
	width   int
	source  io.Closer
}

// Errors of answers that cannot be computed again.
var (
	ErrNoOrigin    = errors.New("the table does not say which release computed it; name it with --of CAPABILITY@VERSION")
	ErrNotComputed = errors.New("the row was not computed")
)

// OpenAnswers opens a file of answers that a release in the catalog has computed. A file without an
// origin has the origin in the argument, which may be nil.
func OpenAnswers(catalog *catalog.Catalog, path string, origin *Origin) (_ *Answers, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = file.Close()
		}
	}()
	a := &Answers{catalog: catalog, form: Form{In: FormatOf(path)}, source: file}
	if origin != nil {
		a.Origin = *origin
	}
	header, err := a.open(file)
	if err != nil {
		return nil, err
	}
	if a.Origin.Capability == "" || a.Origin.Version == "" {
		return nil, ErrNoOrigin
	}
	a.width = len(header)
	if entry, err := catalog.Find(a.Origin.Capability); err == nil {
		a.Origin.Capability = entry.ID // replaces a tool id
	}
	if of := catalog.Known(a.Origin.Capability, a.Origin.Version); of != nil { // without a release, each row gets an error when it is computed
		err = a.read(of, header)
	}
	return a, err
}

// open determines the format of the file, and returns its columns.
func (a *Answers) open(file *os.File) ([]column, error) {
	if a.form.In == CSV {
		a.rows = newCSV(file)
		return a.rows.header()
	}
	typed := &columnRows{format: a.form.In, source: file}
	a.rows = typed
	header, err := typed.header()
	if err != nil {
		return nil, err
	}
	if text := typed.reader.Metadata(originKey); text != "" {
		a.Origin = Origin{}
		if err := json.Unmarshal([]byte(text), &a.Origin); err != nil {
			return nil, fmt.Errorf("the metadata %s of the file cannot be read: %w", originKey, err)
		}
	}
	return header, nil
}

// read determines the meaning of the columns: the columns of the answered table, the outputs of the
// release, and the columns about the row.
func (a *Answers) read(r *catalog.Release, header []column) error {
	own := len(header) - len(r.Spec.Outputs) - AboutRow
	if own < 1 {
		return a.unfit()
	}
	for i, name := range aboutRow {
		if is := header[len(header)-AboutRow+i].header; is != name && is != renamed(name) {
			return a.unfit()
		}
	}
	var units []string
	for i := range r.Spec.Outputs {
		f := &r.Spec.Outputs[i]
		parts := answerName.FindStringSubmatch(header[own+i].header)
		if parts[1] != f.Name {
			return a.unfit()
		}
		if unit := parts[3]; unit != f.Unit {
			units = append(units, f.Name+"="+unit)
		}
	}
	a.form.Units = strings.Join(units, ";")
	t := &Sheet{id: r.Capability, release: r, rows: a.rows, options: Options{Decimals: a.Origin.Decimals, Marks: a.Origin.Marks, Tags: a.Origin.Tags, Units: units}}
	t.marks = newMarks(&t.options, a.rows)
	t.marks.base, t.marks.row = a.Origin.First, a.Origin.First
	var err error
	t.outputs, err = outputs.Choose(&r.Spec, nil, units)
	if err != nil {
		return err
	}
	a.fields = t.outputs.Fields()
	for i := range header[:own] {
		header[i].header = unescaped(header[i].header)
	}
	if _, err := t.addColumns(header[:own]); err != nil {
		return err
	}
	a.sheet = t
	return nil
}

func (a *Answers) unfit() error {
	return fmt.Errorf("the columns do not fit answers by %s %s", a.Origin.Capability, a.Origin.Version)
}

// unescaped removes the mark that [visible.Cell] has put before a text of CSV.
func unescaped(text string) string {
	if rest, marked := strings.CutPrefix(text, "'"); marked && visible.Cell(rest) != rest {
		return rest
	}
	return text
}

// Form returns the format of the results in the table.
func (a *Answers) Form() Form { return a.form }

// Each calls f with each row. A row that cannot be read is nil. Each returns the error of reading or of f.
func (a *Answers) Each(f func(row []byte) error) error {
	for {
		var chunk batch.Chunk
		err := a.rows.next(&chunk)
		if a.sheet != nil {
			a.sheet.marks.see(a.sheet, &chunk, 0)
		}
		for row := range chunk.Rows() {
			if len(row) == 0 {
				row = nil
			}
			if err := f(row); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Close closes the file.
func (a *Answers) Close() error { return a.source.Close() }

// Read returns the inputs and the outcome of a row as typed values of the release that answered. The
// error is a [*problem.Problem] if the release does not accept the inputs. It is a [calc.TableError]
// if this server does not have a table value, and [ErrNotComputed] if the row has no answer.
func (a *Answers) Read(row string) (inputs value.Values, o compare.Outcome, err error) {
	if a.sheet == nil {
		return nil, o, fmt.Errorf("there is no Spec of %s %s", a.Origin.Capability, a.Origin.Version)
	}
	if n := countCells(row); n != a.width {
		return inputs, o, fmt.Errorf("the row has %d cells, and the header %d", n, a.width)
	}
	rest := row
	for range a.sheet.columns {
		_, rest = cutCell(rest)
	}
	own := row[:len(row)-len(rest)]
	o, err = a.outcome(rest)
	if err != nil {
		return inputs, o, err
	}
	if a.form.In == CSV {
		own = allUnescaped(own)
	}
	for _, pin := range a.sheet.pinsIn(own) {
		if pin.Value != a.Origin.Version {
			return nil, o, fmt.Errorf("%w by %s, but by the version that it names", ErrNotComputed, a.Origin.Version)
		}
	}
	req, err := a.sheet.request(own, nil, a.Origin.Tables)
	if err != nil {
		return nil, o, problem.Of(err)
	}
	inputs, err = calc.Inputs(a.catalog, a.sheet.release, req.Inputs, a.Origin.Tables)
	return inputs, o, err
}

// allUnescaped applies unescaped to all cells of a row.
func allUnescaped(row string) string {
	var list []byte
	for row != "" {
		var c cell
		c, row = cutCell(row)
		list = appendBytes(list, c.kind, unescaped(c.text))
	}
	return string(list)
}

// outcome reads the cells after the answered columns.
func (a *Answers) outcome(rest string) (o compare.Outcome, err error) {
	cells := make([]cell, 0, len(a.fields)+AboutRow)
	for rest != "" {
		var c cell
		c, rest = cutCell(rest)
		cells = append(cells, c)
	}
	about := cells[len(a.fields):]
	o.Code, o.Field = about[1].text, about[2].text
	if o.Code != "" {
		switch p := problem.New(o.Code, "", ""); {
		case p.Status() >= 500, slices.Contains([]string{problem.CodeRateLimited, problem.CodeInvalidCSV, problem.CodePayloadTooLarge}, o.Code):
			return o, fmt.Errorf("%w: %s", ErrNotComputed, o.Code)
		}
		return o, nil
	}
	o.Result = make(value.Values, len(a.fields))
	for i := range a.fields {
		o.Result[i], err = a.result(&a.fields[i], cells[i])
		if err != nil {
			return o, fmt.Errorf("%s: %w", a.fields[i].Name, err)
		}
	}
	return o, nil
}

// result reads the cell of a result.
func (a *Answers) result(f *sdk.Field, c cell) (value.Value, error) {
	switch {
	case c.kind == blank || c.text == "" && a.form.In == CSV:
		return value.Value{}, nil
	case c.kind == number:
		return value.NumberOf(c.float), nil
	case c.kind == truth:
		return value.BoolOf(c.whole != 0), nil
	case c.kind == integer:
		return value.NumberOf(float64(c.whole)), nil
	}
	switch f.Type {
	case sdk.TypeString:
		return value.TextOf(c.text), nil
	case sdk.TypeBoolean:
		b, err := strconv.ParseBool(c.text)
		return value.BoolOf(b), err
	case sdk.TypeNumber, sdk.TypeInteger:
		text := c.text
		if a.form.In == CSV && a.sheet.marks.answers == typed.Comma {
			text = strings.Replace(text, ",", ".", 1)
		}
		v, err := strictjson.ParseNumber(text)
		if f.Decimal && err == nil {
			return value.ExactOf(text), nil
		}
		return value.NumberOf(v.Float), err
	}
	v, err := strictjson.Parse([]byte(c.text))
	if err != nil {
		return value.Value{}, err
	}
	return compare.ReadValue(f, v)
}
