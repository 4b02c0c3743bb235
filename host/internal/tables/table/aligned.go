package table

import (
	"bytes"
	"encoding/csv"
	"io"
	"strings"
	"text/tabwriter"
)

// alignedRows is the number of rows that are aligned together. Later rows can have other widths.
const alignedRows = 500

// aligned writes CSV in columns for people. Each Write receives whole records.
type aligned struct {
	w         io.Writer
	separator rune
	rows      [][]string
}

func (a *aligned) Write(records []byte) (int, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(records, []byte(byteOrderMark))))
	r.Comma = a.separator
	rows, err := r.ReadAll()
	if err != nil {
		return 0, err
	}
	a.rows = append(a.rows, rows...)
	if len(a.rows) >= alignedRows {
		err = a.flush()
	}
	return len(records), err
}

// flush writes the buffered rows.
func (a *aligned) flush() error {
	var text bytes.Buffer
	t := tabwriter.NewWriter(&text, 0, 0, 3, ' ', 0)
	for _, row := range a.rows {
		for i := range row {
			row[i] = strings.Join(strings.Fields(row[i]), " ")
		}
		_, _ = io.WriteString(t, strings.Join(row, "\t")+"\n") // writing to memory cannot fail
	}
	_ = t.Flush()
	a.rows = a.rows[:0]
	for line := range bytes.Lines(text.Bytes()) {
		if _, err := a.w.Write(append(bytes.TrimRight(line, " \n"), '\n')); err != nil {
			return err
		}
	}
	return nil
}
