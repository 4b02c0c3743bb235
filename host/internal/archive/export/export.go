// Package export writes records of a ledger to columnar files, and reads them back. The columns
// have the names of the JSON members of a record. A file about one release can have a column for
// each input and result. [NewWriter] starts a file, and [Open] opens one.
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

// About is the metadata of a file.
type About struct {
	// The release, if all records are of one release and its inputs and results have columns of
	// their own.
	Capability string `json:"capability,omitempty"`
	Version    string `json:"version,omitempty"`
}

// key is the metadata key of [About]. Its value is JSON.
const key = "slipstick.records"

// blockRows is the number of records that are written or read at a time.
const blockRows = 4096

// member is a column that all files have. It has one JSON member of the records.
type member struct {
	columns.Column
	text  func(*record.View) *string
	count func(*record.View) *uint64
	truth func(*record.View) *bool
	time  func(*record.View) *time.Time
	whole bool // only in files with records of all kinds
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

// put writes the member of a record to a cell. If the record does not have the member, the cell is
// null.
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

// Names of the columns of inputs and results. In files about one release they are prefixes of
// column names. In other files each column contains a JSON array in the order of the Spec.
const (
	inputs = "inputs"
	result = "result"
)

// ownColumn returns the description of the column for one input or result.
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

// described returns the descriptions of all columns of a file. The columns of inputs and results
// follow the columns of members.
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

// NewWriter starts a file of records. If spec is nil, the file can have records of all kinds.
// Otherwise it has answers of the release with the Spec, and the inputs and results have columns of
// their own.
func NewWriter(w io.Writer, begin columns.NewWriterFunc, spec *sdk.Spec) (*Writer, error) {
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

// Add adds a record. The place is the position of the record in the ledger.
func (w *Writer) Add(place string, r *record.Record) error {
	if w.spec != nil && (r.Kind != record.Answer || r.Release.Capability != w.spec.Capability || r.Release.Version != w.spec.Version ||
		len(r.Inputs) != len(w.spec.Inputs) && r.Hash == nil || len(r.Outcome.Result) != len(w.spec.Outputs) && r.Outcome.Code == "") {
		return fmt.Errorf("%s: the record is not of %s %s", place, w.spec.Capability, w.spec.Version)
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

// array joins the items to a JSON array. It returns "" for nil.
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

// putValues writes each value to its column. Values other than numbers, booleans and text are
// written as JSON. Fields that can be exact decimals are also written as JSON, with quotes around
// exact decimals.
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

// Close writes the remaining records, and finishes the file.
func (w *Writer) Close() error {
	if w.rows > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	return w.to.Close()
}

// Row is one record of a file.
type Row struct {
	record.View
	// Set if the file has columns for each input and result, and the Spec is known.
	Typed   bool
	Inputs  value.Values
	Outcome compare.Outcome
}

// Reader reads a file of records.
type Reader struct {
	About About
	// Spec is the Spec of the release that the file is about. Without it, the columns of inputs and
	// results are not read.
	Spec *sdk.Spec

	file    *os.File
	columns columns.Reader
}

// Open opens a file of records. It returns nil if the file has other contents.
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

// Each calls f for each record. It returns the first error of reading or of f.
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

// find returns the index in the file of each expected column, -1 if the file may omit the column
// and does.
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
			k = -1 // absent in a file about one release, or an input or result
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

// values reads the values that putValues has written.
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
