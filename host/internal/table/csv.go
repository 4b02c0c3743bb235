package table

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// records is the [calc.Input] that reads a CSV file: a header that names inputs, then one
// calculation per record.
type records struct {
	id     string
	spec   *sdk.Spec
	header []string
	names  []string // in the header, without white space
	reader *csv.Reader
	source *bufio.Reader
}

// codeInvalidCSV is the code of a record that is not valid CSV.
const codeInvalidCSV = "INVALID_CSV"

// newRecords reads the header of a file with calculations of one capability.
func newRecords(id string, spec *sdk.Spec, r io.Reader) (*records, error) {
	t := &records{id: id, spec: spec, source: bufio.NewReaderSize(r, 64<<10)}
	if mark, _ := t.source.Peek(3); string(mark) == "\ufeff" { // spreadsheets write one
		_, _ = t.source.Discard(len(mark))
	}
	t.reader = csv.NewReader(t.source)
	t.reader.FieldsPerRecord, t.reader.TrimLeadingSpace, t.reader.ReuseRecord = -1, true, true
	header, err := t.reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty; its first record names the inputs")
	}
	if err != nil {
		return nil, err
	}
	t.header = slices.Clone(header)
	for _, cell := range header {
		name := strings.TrimSpace(cell)
		if slices.Contains(t.names, name) {
			return nil, fmt.Errorf("two columns are named %q; give each input one", name)
		}
		t.names = append(t.names, name)
	}
	return t, nil
}

// unknown returns a request with the columns that are not inputs. The problem of that request
// explains what is wrong with the header.
func (t *records) unknown() calc.Request {
	req := calc.Request{ID: t.id, Inputs: strictjson.Value{Kind: strictjson.Object}}
	for _, name := range t.names {
		if t.spec.Input(name) < 0 {
			req.Inputs.Members = append(req.Inputs.Members, strictjson.Member{Name: name})
		}
	}
	return req
}

// Next implements [calc.Input].
func (t *records) Next(b *calc.Chunk) error {
	var row []byte
	for !b.Full() {
		record, err := t.reader.Read()
		var malformed *csv.ParseError
		switch {
		case errors.As(err, &malformed):
			b.Refuse(calc.NewProblem(codeInvalidCSV, "Write records as in RFC 4180.", "%v", err))
		case err != nil:
			return err
		default:
			row = appendCells(row[:0], record)
			b.Add(row)
		}
		if t.source.Buffered() == 0 {
			return nil // reading the next record could block
		}
	}
	return nil
}

// Request implements [calc.Input].
func (t *records) Request(row string, _ *strictjson.Scanner) (calc.Request, error) {
	req := calc.Request{ID: t.id, Inputs: strictjson.Value{Kind: strictjson.Object}}
	cells := cellsOf(row)
	if len(cells) != len(t.names) {
		return req, calc.NewProblem(codeInvalidCSV, "Write a cell for every name of the header; an empty one is an input that is not sent.",
			"the record has %d cells, the header %d", len(cells), len(t.names))
	}
	for i, cell := range cells {
		if text := strings.TrimSpace(cell); text != "" {
			req.Inputs.Members = append(req.Inputs.Members, typed.Input(t.spec, t.names[i], text))
		}
	}
	return req, nil
}

// appendCells appends the cells of a record, each after its length.
func appendCells(dst []byte, record []string) []byte {
	for _, cell := range record {
		dst = append(binary.AppendUvarint(dst, uint64(len(cell))), cell...)
	}
	return dst
}

// cellsOf returns the record that appendCells appended.
func cellsOf(row string) []string {
	var cells []string
	for row != "" {
		size, n := binary.Uvarint([]byte(row[:min(len(row), binary.MaxVarintLen64)]))
		end := n + int(size)
		cells = append(cells, row[n:end])
		row = row[end:]
	}
	return cells
}

// head returns the header of the answers: the columns of the file, a column for each output
// with its unit, and a column for errors.
func (t *records) head() []byte {
	record := slices.Clone(t.header)
	for i := range t.spec.Outputs {
		f := &t.spec.Outputs[i]
		if f.Unit != "" {
			record = append(record, f.Name+" ["+f.Unit+"]")
		} else {
			record = append(record, f.Name)
		}
	}
	return appendCSV(nil, append(record, "error"))
}

// appendRecord is the [calc.Output] that writes CSV.
func (t *records) appendRecord(dst []byte, row string, a *calc.Answer, p *calc.Problem) []byte {
	record := make([]string, len(t.header), len(t.header)+len(t.spec.Outputs)+1)
	copy(record, cellsOf(row))
	for i := range t.spec.Outputs {
		cell := ""
		if p == nil {
			cell = cellOf(&t.spec.Outputs[i], a.Success.Outcome.Result[i])
		}
		record = append(record, cell)
	}
	failure := ""
	if p != nil {
		failure = p.Code + ": " + p.Detail
	}
	return appendCSV(dst, append(record, failure))
}

// cellOf returns an output as a cell: text without quotes, anything else as JSON.
func cellOf(f *sdk.Field, v value.Value) string {
	switch v.Kind() {
	case value.Absent:
		return ""
	case value.Text, value.Exact:
		return v.Text()
	}
	return string(response.AppendValue(nil, f, v))
}

// csvLine writes one record.
type csvLine struct {
	text   bytes.Buffer
	writer *csv.Writer
}

var csvLines = sync.Pool{New: func() any {
	l := new(csvLine)
	l.writer = csv.NewWriter(&l.text)
	return l
}}

func appendCSV(dst []byte, record []string) []byte {
	l := csvLines.Get().(*csvLine)
	defer csvLines.Put(l)
	l.text.Reset()
	_ = l.writer.Write(record) // memory accepts everything
	l.writer.Flush()
	return append(dst, l.text.Bytes()...)
}
