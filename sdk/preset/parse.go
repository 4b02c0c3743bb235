package preset

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk/visible"
)

// ParseSpec reads the JSON of a Spec, and refuses unknown members.
func ParseSpec(data []byte) (*Spec, error) {
	s := new(Spec)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(s); err != nil {
		return nil, fmt.Errorf("the table's description: %w", err)
	}
	if d.More() {
		return nil, errors.New("the table's description: something follows it")
	}
	return s, nil
}

// Parse reads a table that is to be published: its Spec as JSON, and its rows as CSV. The
// error lists its mistakes, so a returned Table is usable.
func Parse(spec, rows []byte) (*Table, error) {
	t, err := parse(spec, rows)
	if err != nil {
		return nil, err
	}
	errs := visible.CheckEach(&t.Spec, "definition")
	for i := range t.Rows {
		if err := visible.Check(t.Rows[i].Name); err != nil {
			errs = append(errs, fmt.Errorf("row %d: %w", i+1, err))
		}
	}
	return t, errors.Join(errs[:min(len(errs), maxFindings)]...)
}

// ParsePublished reads a published table. It may be older than the rule of Parse about
// invisible characters. ParsePublished replaces such characters by U+FFFD.
func ParsePublished(spec, rows []byte) (*Table, error) {
	t, err := parse(spec, rows)
	if err != nil {
		return nil, err
	}
	visible.Each(&t.Spec, func(_, text string) string { return visible.Text(text) })
	for i := range t.Rows {
		t.Rows[i].Name = visible.Text(t.Rows[i].Name)
	}
	return t, nil
}

func parse(spec, rows []byte) (*Table, error) {
	s, err := ParseSpec(spec)
	if err != nil {
		return nil, err
	}
	t := &Table{Spec: *s}
	if err := t.validateSpec(); err != nil {
		return nil, err
	}
	if err := t.readRows(rows); err != nil {
		return nil, err
	}
	return t, t.validateRows()
}

// header returns the first line of the rows.
func (t *Table) header() []string {
	var names []string
	if t.Interpolation == nil {
		names = []string{"key", "name"}
	}
	for i := range t.Columns {
		names = append(names, t.Columns[i].Name)
	}
	return names
}

// readRows reads CSV: a header, and a row in each line. A table value is 210. It is 210[ec3]
// if its source is not the source of the column. Values of other sources follow it, as in
// 210[ec3]|205[aisc].
func (t *Table) readRows(data []byte) error {
	if len(data) > MaxRowText {
		return fmt.Errorf("the rows have %d bytes: at most %d", len(data), MaxRowText)
	}
	r := csv.NewReader(bytes.NewReader(data))
	header, err := r.Read()
	if want := t.header(); err != nil || !slices.Equal(header, want) {
		return fmt.Errorf("the first line of the rows is not %s: name the columns in the order of the description", strings.Join(want, ","))
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the rows: %w", err)
		}
		if len(t.Rows) == MaxRows {
			return fmt.Errorf("there are more than %d rows", MaxRows)
		}
		row, err := t.readRow(record)
		if err != nil {
			return err
		}
		t.Rows = append(t.Rows, row)
	}
}

func (t *Table) readRow(record []string) (Row, error) {
	var row Row
	if t.Interpolation == nil {
		row.Key, row.Name, record = record[0], record[1], record[2:]
	}
	row.Cells = make([]Cell, len(record))
	for i, text := range record {
		cell, err := readCell(text, t.Columns[i].Source)
		if err != nil {
			return row, fmt.Errorf("row %d, %s: %w", len(t.Rows)+1, t.Columns[i].Name, err)
		}
		row.Cells[i] = cell
	}
	return row, nil
}

func readCell(text, source string) (Cell, error) {
	if text == "" {
		return Cell{}, nil
	}
	var c Cell
	for i, part := range strings.Split(text, "|") {
		literal, from, bracketed := strings.Cut(part, "[")
		if bracketed {
			if !strings.HasSuffix(from, "]") {
				return c, fmt.Errorf("%.80q has no closing bracket", part)
			}
			from = strings.TrimSuffix(from, "]")
		} else {
			from = source
		}
		if i == 0 {
			c.Literal, c.Source = literal, from
		} else {
			c.Others = append(c.Others, Other{literal, from})
		}
	}
	return c, nil
}

// CSV returns the rows in the form that Parse reads. Equal tables have equal bytes.
func (t *Table) CSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(t.header()) // writing to memory cannot fail
	for i := range t.Rows {
		row := &t.Rows[i]
		var record []string
		if t.Interpolation == nil {
			record = append(record, row.Key, row.Name)
		}
		for k := range row.Cells {
			record = append(record, row.Cells[k].text(t.Columns[k].Source))
		}
		_ = w.Write(record)
	}
	w.Flush()
	return b.Bytes()
}

func (c *Cell) text(source string) string {
	if c.Literal == "" {
		return ""
	}
	text := c.Literal
	if c.Source != source {
		text += "[" + c.Source + "]"
	}
	for _, o := range c.Others {
		text += "|" + o.Literal + "[" + o.Source + "]"
	}
	return text
}

// JSON returns the Spec in the form that Parse reads.
func (s *Spec) JSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(s)
	return b.Bytes(), err
}
