package shards_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/tables/columns"
	"github.com/slipstick/slipstick/host/internal/tables/table"
)

// quiet is an observer that does nothing.
type quiet struct{}

func (quiet) SetSize(int64)                {}
func (quiet) SetRows(int64)                {}
func (quiet) Reader(r io.Reader) io.Reader { return r }
func (quiet) Add(batch.Tally)              {}

func open(t *testing.T, text string, f table.Format) columns.Reader {
	t.Helper()
	var r columns.Reader
	var err error
	if f == table.Parquet {
		r, err = columns.OpenParquet(strings.NewReader(text), int64(len(text)), nil)
	} else {
		r, err = columns.OpenArrow(strings.NewReader(text), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// blocks calls each with the blocks of a file.
func blocks(t *testing.T, r columns.Reader, each func(*columns.Block)) {
	t.Helper()
	b := new(columns.Block)
	for {
		if err := r.Read(b, 600); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		each(b)
	}
}

// inputsOnly removes all columns of a file except the first two.
func inputsOnly(t *testing.T, name string, f table.Format) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	r := open(t, string(text), f)
	newWriter := columns.NewArrow
	if f == table.Parquet {
		newWriter = columns.NewParquet
	}
	var out bytes.Buffer
	w, err := newWriter(&out, r.Columns()[:2], nil)
	if err != nil {
		t.Fatal(err)
	}
	blocks(t, r, func(b *columns.Block) {
		some := columns.Block{Rows: b.Rows, Columns: b.Columns[:2]}
		if err := w.Write(&some); err != nil {
			t.Fatal(err)
		}
	})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// asText returns answers as a header and a line for each row.
func asText(t *testing.T, text string, f table.Format) string {
	if !f.IsColumns() {
		return text
	}
	var lines strings.Builder
	r := open(t, text, f)
	fmt.Fprintln(&lines, r.Columns())
	blocks(t, r, func(b *columns.Block) {
		for i := range b.Rows {
			for k, c := range r.Columns() {
				switch d := &b.Columns[k]; {
				case d.Null[i]:
					lines.WriteString("|")
				case c.Kind == columns.Text:
					fmt.Fprintf(&lines, "|%q", d.Texts[i])
				default:
					fmt.Fprintf(&lines, "|%x", d.Numbers[i])
				}
			}
			lines.WriteString("\n")
		}
	})
	return lines.String()
}
