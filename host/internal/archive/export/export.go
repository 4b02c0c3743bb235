// Package export answers one question: how do records of a ledger stand in the columns of a file? The
// names are those of the records as JSON. Records of one release may have a column for each input and
// result.
package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/host/internal/tables/columns"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// About is what a file says of itself in its metadata.
type About struct {
	// Of records of one release, whose inputs and results have columns of their own.
	Capability string `json:"capability,omitempty"`
	Version    string `json:"version,omitempty"`
}

// key is the key of the metadata that has it, as JSON.
const key = "slipstick.records"

// blockRows is how many records are written or read at once.
const blockRows = 4096

// member is a column that all files have: one member of the records as JSON.
type member struct {
	columns.Column
	text  func(*record.View) *string
	count func(*record.View) *uint64
	truth func(*record.View) *bool
	time  func(*record.View) *time.Time
	whole bool // of files with the records of all kinds
}

func text(name string, repeats bool, at func(*record.View) *string) member {
	return member{Column: columns.Column{Name: name, Kind: columns.Text, Repeats: repeats}, text: at}
}

var members = []member{
	text("place", false, func(v *record.View) *string { return &v.Place }),
	text("kind", true, func(v *record.View) *string { return &v.Kind }),
	{Column: columns.Column{Name: "time", Kind: columns.Text}, time: func(v *record.View) *time.Time { return &v.Time }},
	text("request", false, func(v *record.View) *string { return &v.Request }),
	{Column: columns.Column{Name: "row", Kind: columns.Integer}, count: func(v *record.View) *uint64 { return &v.Row }},
	{Column: columns.Column{Name: "cached", Kind: columns.Truth}, truth: func(v *record.View) *bool { return &v.Cached }},
	text("capability", true, func(v *record.View) *string { return &v.Capability }),
	text("version", true, func(v *record.View) *string { return &v.Version }),
	text("release_digest", true, func(v *record.View) *string { return &v.Release }),
	text("engine_digest", true, func(v *record.View) *string { return &v.Engine }),
	text("platform", true, func(v *record.View) *string { return &v.Platform }),
	text("inputs_hash", false, func(v *record.View) *string { return &v.InputsHash }),
	text("code", true, func(v *record.View) *string { return &v.Code }),
	text("field", true, func(v *record.View) *string { return &v.Field }),
	{Column: columns.Column{Name: "rows", Kind: columns.Integer}, count: func(v *record.View) *uint64 { return &v.Rows }, whole: true},
	{Column: columns.Column{Name: "rows_digest", Kind: columns.Text}, text: func(v *record.View) *string { return &v.Text }, whole: true},
	{Column: columns.Column{Name: "outcomes_digest", Kind: columns.Text}, text: func(v *record.View) *string { return &v.Outcomes }, whole: true},
	{Column: columns.Column{Name: "lost", Kind: columns.Integer}, count: func(v *record.View) *uint64 { return &v.Count }, whole: true},
	{Column: columns.Column{Name: "since", Kind: columns.Text}, time: func(v *record.View) *time.Time { return &v.Since }, whole: true},
}

// put puts the member of a record into a cell, null if it has none.
func (m *member) put(d *columns.Data, at int, v *record.View) {
	switch {
	case m.text != nil:
		putText(d, at, *m.text(v))
	case m.count != nil:
		d.Integers[at] = int64(*m.count(v))
		d.Null[at] = d.Integers[at] == 0
	case m.truth != nil:
		d.Truths[at] = *m.truth(v)
	case m.time(v).IsZero():
		d.Null[at] = true
	default:
		d.Texts[at] = m.time(v).Format(time.RFC3339Nano)
	}
}

func putText(d *columns.Data, at int, s string) { d.Texts[at], d.Null[at] = s, s == "" }

// get reads the member of a record from a cell that is not null.
func (m *member) get(d *columns.Data, at int, v *record.View) (err error) {
	switch {
	case m.text != nil:
		*m.text(v) = d.Texts[at]
	case m.count != nil && d.Integers[at] < 0:
		err = errors.New("a negative number")
	case m.count != nil:
		*m.count(v) = uint64(d.Integers[at])
	case m.truth != nil:
		*m.truth(v) = d.Truths[at]
	default:
		*m.time(v), err = time.Parse(time.RFC3339Nano, d.Texts[at])
	}
	return err
}

// Names of the columns of inputs and results: JSON arrays in the order of the Spec, or the beginning of
// a name of each.
const (
	inputs = "inputs"
	result = "result"
)

// ownColumn describes the column of one input or result.
func ownColumn(side string, f *sdk.Field) columns.Column {
	c := columns.Column{Name: side + "." + f.Name, Unit: f.Unit, Kind: columns.Text, Repeats: len(f.Enum) > 0}
	switch {
	case (f.Type == sdk.TypeNumber || f.Type == sdk.TypeInteger) && !f.Decimal:
		c.Kind = columns.Number
	case f.Type == sdk.TypeBoolean:
		c.Kind = columns.Truth
	}
	return c
}

// described returns all columns of a file. Those of inputs and results stand behind the members.
func described(spec *sdk.Spec) (list []columns.Column) {
	for i := range members {
		if spec == nil || !members[i].whole {
			list = append(list, members[i].Column)
		}
	}
	if spec == nil {
		return append(list, columns.Column{Name: inputs, Kind: columns.Text}, columns.Column{Name: result, Kind: columns.Text})
	}
	for i := range spec.Inputs {
		list = append(list, ownColumn(inputs, &spec.Inputs[i]))
	}
	for i := range spec.Outputs {
		list = append(list, ownColumn(result, &spec.Outputs[i]))
	}
	return list
}

// Writer writes a file of records.
type Writer struct {
	spec    *sdk.Spec
	columns []columns.Column
	to      columns.Writer
	block   columns.Block
	rows    int // of the block
}

// NewWriter begins a file of records: of all kinds, or with a Spec of answers by its release, whose
// inputs and results have columns of their own.
func NewWriter(w io.Writer, begin columns.Begin, spec *sdk.Spec) (*Writer, error) {
	var about About
	if spec != nil {
		about = About{spec.Capability, spec.Version}
	}
	metadata, err := json.Marshal(about)
	if err != nil {
		return nil, err
	}
	list := described(spec)
	to, err := begin(w, list, map[string]string{key: string(metadata)})
	return &Writer{spec: spec, columns: list, to: to}, err
}

// Add adds a record, with its place in the ledger.
func (w *Writer) Add(place string, r *record.Record) error {
	if w.spec != nil && (r.Kind != record.Answer || r.Release.Capability != w.spec.Capability || r.Release.Version != w.spec.Version ||
		len(r.Inputs) != len(w.spec.Inputs) && r.Hash == nil || len(r.Outcome.Result) != len(w.spec.Outputs) && r.Outcome.Code == "") {
		return fmt.Errorf("%s: the record is none of %s %s", place, w.spec.Capability, w.spec.Version)
	}
	if w.rows == 0 {
		w.block.Reset(w.columns, blockRows)
	}
	v, at := r.View(), w.rows
	v.Place = place
	k := 0
	for i := range members {
		if w.spec == nil || !members[i].whole {
			members[i].put(&w.block.Columns[k], at, &v)
			k++
		}
	}
	if w.spec == nil {
		putText(&w.block.Columns[k], at, array(v.Inputs))
		putText(&w.block.Columns[k+1], at, array(v.Result))
	} else {
		putValues(w.block.Columns[k:], at, w.spec.Inputs, r.Inputs)
		putValues(w.block.Columns[k+len(w.spec.Inputs):], at, w.spec.Outputs, r.Outcome.Result)
	}
	w.rows++
	if w.rows == blockRows {
		return w.flush()
	}
	return nil
}

// array is a JSON array, "" of nothing.
func array(items []json.RawMessage) string {
	if items == nil {
		return ""
	}
	var b strings.Builder
	for i, item := range items {
		b.WriteByte("[,"[min(i, 1)])
		b.Write(item)
	}
	return b.String() + "]"
}

// putValues puts each value into its column. What is neither a number, a truth value nor a text stands
// there as JSON, and so does what may be an exact decimal, which is in quotes then.
func putValues(to []columns.Data, at int, fields []sdk.Field, values value.Values) {
	for i := range fields {
		var v value.Value
		if i < len(values) {
			v = values[i]
		}
		switch d := &to[i]; v.Kind() {
		case value.Absent:
			d.Null[at] = true
		case value.Text:
			d.Texts[at] = v.Text()
		case value.Bool:
			d.Truths[at] = v.Bool()
		case value.Number:
			if d.Numbers != nil {
				d.Numbers[at] = v.Number()
				continue
			}
			fallthrough
		default:
			d.Texts[at] = string(response.AppendValue(nil, &fields[i], v))
		}
	}
}

func (w *Writer) flush() error {
	w.block.Shorten(w.rows)
	w.rows = 0
	return w.to.Write(&w.block)
}

// Close ends the file.
func (w *Writer) Close() error {
	if w.rows > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	return w.to.Close()
}

// Row is a record as it stands in a file.
type Row struct {
	record.View
	// Of a file with columns of their own for inputs and results, whose Spec is known.
	Typed   bool
	Inputs  value.Values
	Outcome compare.Outcome
}

// Reader reads a file of records.
type Reader struct {
	About About
	// Spec is that of the release that the file is about. Without it columns of inputs and results are
	// not read.
	Spec *sdk.Spec

	file    *os.File
	columns columns.Reader
}

// Open opens a file. It returns nil if that is no file of records.
func Open(path string) (*Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r := &Reader{file: file}
	r.columns, err = columns.Open(file)
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	text := r.columns.Metadata(key)
	if text == "" {
		return nil, r.Close()
	}
	if err := json.Unmarshal([]byte(text), &r.About); err != nil {
		return nil, errors.Join(fmt.Errorf("the metadata %s of the file cannot be read: %w", key, err), r.Close())
	}
	return r, nil
}

// Close closes the file.
func (r *Reader) Close() error { return errors.Join(r.columns.Close(), r.file.Close()) }

// Each calls f with each record. The error is that of reading, or of f.
func (r *Reader) Each(f func(*Row) error) error {
	at, err := r.find()
	if err != nil {
		return err
	}
	var b columns.Block
	for {
		if err := r.columns.Read(&b, blockRows); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		for i := range b.Rows {
			row, err := r.row(&b, at, i)
			if err != nil {
				return err
			}
			if err := f(row); err != nil {
				return err
			}
		}
	}
}

// find returns which column of the file is which of those that there must be.
func (r *Reader) find() (at []int, err error) {
	spec := r.Spec
	if r.About.Capability == "" {
		spec = nil
	}
	list := r.columns.Columns()
	for _, want := range described(spec) {
		k := 0
		for k < len(list) && list[k].Name != want.Name {
			k++
		}
		switch {
		case k == len(list) && r.Spec == nil && r.About.Capability != "":
			k = -1 // of records of all kinds, or an input or result
		case k == len(list) || list[k].Kind != want.Kind:
			return nil, fmt.Errorf("the file has no column %q of the type %v", want.Name, want.Kind)
		}
		at = append(at, k)
	}
	return at, nil
}

func (r *Reader) row(b *columns.Block, at []int, i int) (*Row, error) {
	row, own := new(Row), r.About.Capability != ""
	k := 0
	for m := range members {
		if own && r.Spec != nil && members[m].whole {
			continue
		}
		if at[k] >= 0 && !b.Columns[at[k]].Null[i] {
			if err := members[m].get(&b.Columns[at[k]], i, &row.View); err != nil {
				return nil, fmt.Errorf("%s: %w", members[m].Name, err)
			}
		}
		k++
	}
	switch {
	case !own:
		var err error
		row.View.Inputs, err = items(&b.Columns[at[k]], i)
		if err == nil {
			row.View.Result, err = items(&b.Columns[at[k+1]], i)
		}
		return row, err
	case r.Spec == nil:
		return row, nil
	}
	var err error
	row.Typed, row.Outcome.Code, row.Outcome.Field = true, row.Code, row.Field
	row.Inputs, err = values(b, at[k:], i, r.Spec.Inputs)
	if err == nil && row.Code == "" {
		row.Outcome.Result, err = values(b, at[k+len(r.Spec.Inputs):], i, r.Spec.Outputs)
	}
	return row, err
}

func items(d *columns.Data, i int) (list []json.RawMessage, err error) {
	if !d.Null[i] {
		err = json.Unmarshal([]byte(d.Texts[i]), &list)
	}
	return list, err
}

// values reads what putValues put.
func values(b *columns.Block, at []int, i int, fields []sdk.Field) (value.Values, error) {
	list := make(value.Values, len(fields))
	for k := range fields {
		d, f := &b.Columns[at[k]], &fields[k]
		switch {
		case d.Null[i]:
		case d.Numbers != nil:
			list[k] = value.NumberOf(d.Numbers[i])
		case d.Truths != nil:
			list[k] = value.BoolOf(d.Truths[i])
		case f.Type == sdk.TypeString:
			list[k] = value.TextOf(d.Texts[i])
		default:
			v, err := strictjson.Parse([]byte(d.Texts[i]))
			if err == nil {
				list[k], err = compare.ReadValue(f, v)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
		}
	}
	return list, nil
}
