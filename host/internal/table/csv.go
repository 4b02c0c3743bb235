package table

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/outputs"
	"github.com/slipstick/slipstick/host/internal/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/versions"
)

// CSVOptions say how a table is written. The zero value is a table whose columns without an input
// pass through, and whose numbers have a point or a comma before their decimals.
type CSVOptions struct {
	Decimals typed.Decimals // of what is read and what is written
	Units    []string       // of outputs, such as delta=mm
	Tags     []string       // columns that pass through, whatever they are called
}

// Sheet is the [calc.Input] that reads CSV, and the [calc.Output] that writes it: a header that names
// inputs, then one calculation per record. All records are computed by one release.
type Sheet struct {
	id      string
	release *calc.Release
	options CSVOptions
	columns []column
	outputs *outputs.Choice
	passing []string // columns that pass through undeclared

	marked    bool // the table begins with a byte order mark
	separator rune
	reader    *csv.Reader
	source    *bufio.Reader
	bounded   *boundedReader
	lines     sync.Pool // of *csvLine
}

// column is one column of the table.
type column struct {
	header string     // as it is written
	name   string     // of the input
	field  *sdk.Field // nil: it is no input, and passes through
	input  int        // index of the field
	unit   string     // of its numbers, "" for that of the field

	takesBare bool // its field takes a bare number as it is written
}

func invalid(suggestion, format string, args ...any) *calc.Problem {
	return calc.NewProblem(calc.CodeInvalidCSV, suggestion, format, args...)
}

// NewSheet reads the header of a table with calculations of one capability, whose release the pins
// select. The error is a [*calc.Problem], or that of the reader.
func NewSheet(catalog *calc.Catalog, id string, pins []versions.Pin, r io.Reader, o *CSVOptions) (*Sheet, error) {
	_, release, err := catalog.Release(id, pins)
	if err != nil {
		return nil, calc.ProblemOf(err)
	}
	t := &Sheet{id: id, release: release, bounded: &boundedReader{reader: r}}
	if o != nil {
		t.options = *o
	}
	if t.outputs, err = outputs.Choose(&release.Spec, nil, t.options.Units); err != nil {
		return nil, calc.ProblemOf(err)
	}
	t.source = bufio.NewReaderSize(t.bounded, sourceBuffer)
	t.lines.New = t.newLine
	header, err := t.readHeader()
	if err != nil {
		return nil, err
	}
	if err := t.addColumns(header); err != nil {
		return nil, calc.ProblemOf(err)
	}
	return t, nil
}

// sourceBuffer is how much is read at once.
const sourceBuffer = 64 << 10

// readHeader finds out how the table is written, and reads its first record.
func (t *Sheet) readHeader() ([]string, error) {
	line, err := t.peekLine()
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(line, []byte{0xff, 0xfe}) || bytes.HasPrefix(line, []byte{0xfe, 0xff}) || bytes.IndexByte(line, 0) >= 0 {
		return nil, invalid("Save it as CSV in UTF-8; Excel calls that \"CSV UTF-8\".", "the table is UTF-16, as Excel writes \"Unicode Text\"")
	}
	if mark, _ := t.source.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		t.marked = true
		_, _ = t.source.Discard(len(mark))
	}
	t.separator = Separator(line)
	t.reader = csv.NewReader(t.source)
	t.reader.Comma, t.reader.FieldsPerRecord, t.reader.ReuseRecord = t.separator, -1, true
	t.reader.TrimLeadingSpace = t.separator != '\t' // which is a space
	header, err := t.reader.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, invalid("Name the inputs in its first record.", "the table is empty")
	case isParseError(err):
		return nil, invalid("Write records as in RFC 4180.", "%v", err)
	case err != nil:
		return nil, err
	case !validUTF8(header):
		return nil, notUTF8()
	}
	t.bounded.begin()
	return slices.Clone(header), nil
}

// byteOrderMark is how spreadsheets say that a text is UTF-8.
const byteOrderMark = "\ufeff"

// peekLine returns the beginning of the table up to the end of the first line that is not empty, as
// far as that fits into the buffer.
func (t *Sheet) peekLine() ([]byte, error) {
	for n := 1; ; n++ {
		text, err := t.source.Peek(n)
		text, _ = t.source.Peek(max(len(text), t.source.Buffered()))
		if i := bytes.IndexByte(bytes.TrimLeft(text, "\r\n"), '\n'); i >= 0 {
			return bytes.TrimLeft(text, "\r\n")[:i], nil
		}
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, bufio.ErrBufferFull):
			return text, nil
		case err != nil:
			return nil, err
		}
		n = len(text)
	}
}

// Separator returns what separates the cells of a table: what stands most often in its first line,
// outside quotes.
func Separator(text []byte) rune {
	header, _, _ := bytes.Cut(text, []byte{'\n'})
	counts, quoted := map[rune]int{}, false
	for _, r := range string(header) {
		if r == '"' {
			quoted = !quoted
		} else if !quoted {
			counts[r]++
		}
	}
	best := ','
	for _, r := range ";\t" {
		if counts[r] > counts[best] {
			best = r
		}
	}
	return best
}

func isParseError(err error) bool {
	_, ok := errors.AsType[*csv.ParseError](err)
	return ok
}

func validUTF8(record []string) bool {
	return !slices.ContainsFunc(record, func(cell string) bool { return !utf8.ValidString(cell) })
}

func notUTF8() *calc.Problem {
	return invalid("Save it as CSV in UTF-8; Excel calls that \"CSV UTF-8\".", "the table is not UTF-8")
}

// Next implements [calc.Input].
func (t *Sheet) Next(b *calc.Chunk) error {
	var row []byte
	defer func() { b.Account(t.bounded.taken(), 0) }()
	for !b.Full() {
		record, err := t.reader.Read()
		switch {
		case isParseError(err):
			b.Refuse(invalid("Write records as in RFC 4180.", "%v", err))
		case err != nil:
			return err
		case !validUTF8(record):
			b.Refuse(notUTF8())
		case !blank(record):
			row = appendCells(row[:0], record)
			b.Add(row)
			b.Account(0, valuesIn(row))
		}
		t.bounded.begin()
		if t.source.Buffered() == 0 {
			return nil // reading the next record could block
		}
	}
	return nil
}

// blank reports whether a record has nothing in its cells, as spreadsheets write empty rows.
func blank(record []string) bool {
	return !slices.ContainsFunc(record, func(cell string) bool { return strings.TrimSpace(cell) != "" })
}

// valuesIn bounds how many values a row has, whose lists are separated by white space or marks.
func valuesIn(row []byte) int {
	return bytes.Count(row, []byte{' '}) + bytes.Count(row, []byte{';'}) + bytes.Count(row, []byte{'\n'}) + bytes.Count(row, []byte{'\t'})
}

// Request implements [calc.Input].
func (t *Sheet) Request(row string, _ *strictjson.Scanner) (calc.Request, error) {
	req := calc.Request{ID: t.id, Inputs: strictjson.Value{Kind: strictjson.Object}, Pins: t.pins()}
	cells := cellsOf(row)
	if len(cells) != len(t.columns) {
		return req, invalid("Write a cell for every name of the header; an empty one is an input that is not sent.",
			"the record has %d cells, the header %d", len(cells), len(t.columns))
	}
	for i, cell := range cells {
		c, text := &t.columns[i], strings.TrimSpace(cell)
		if c.field == nil || text == "" {
			continue
		}
		v, err := typed.Cell(c.field, text, c.unit, t.options.Decimals)
		if err != nil {
			return req, err
		}
		req.Inputs.Members = append(req.Inputs.Members, strictjson.Member{Name: c.name, Value: v})
	}
	if len(req.Inputs.Members) == 0 {
		return req, calc.NewProblem(sdk.CodeMissingRequiredInput, "Fill in a cell of an input, or leave the row out.", "no input has a value in this row")
	}
	return req, nil
}

// Numbers implements [calc.Table]: a cell that is a bare number is one, and the rest says of each column
// of an input what else is in its cell.
func (t *Sheet) Numbers(numbers []calc.Number, rest []byte, row string) ([]calc.Number, []byte, bool) {
	const empty, number, other = 0, 1, 2
	for i := range t.columns {
		if row == "" {
			return numbers, rest, false // too few cells
		}
		cell, more := cutCell(row)
		row = more
		c := &t.columns[i]
		if c.field == nil {
			continue
		}
		if cell = strings.TrimSpace(cell); cell == "" {
			rest = append(rest, empty)
			continue
		}
		if c.takesBare {
			if v, ok := t.options.Decimals.Bare(cell); ok {
				numbers, rest = append(numbers, calc.Number{Input: c.input, Value: v}), append(rest, number)
				continue
			}
		}
		rest = append(binary.AppendUvarint(append(rest, other), uint64(len(cell))), cell...)
	}
	return numbers, rest, row == "" && len(numbers) > 0
}

// pins make all rows be computed by the release that the header was read for.
func (t *Sheet) pins() []versions.Pin {
	return []versions.Pin{{Place: versions.InBody, Name: "calculation_version", Value: t.release.Version}}
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
		var cell string
		cell, row = cutCell(row)
		cells = append(cells, cell)
	}
	return cells
}

// cutCell returns the first cell of a record that appendCells appended, and those behind it.
func cutCell(row string) (cell, more string) {
	size, n := uint64(row[0]), 1
	if size >= 0x80 {
		size, n = binary.Uvarint([]byte(row[:min(len(row), binary.MaxVarintLen64)]))
	}
	end := n + int(size)
	return row[n:end], row[end:]
}

// AboutRow is how many columns stand behind the outputs.
const AboutRow = 4

// Head returns the header of the answers: the columns of the table, one for each output with its
// unit, one for the codes of warnings, and three for what is wrong.
func (t *Sheet) Head() []byte {
	var record []string
	for i := range t.columns {
		record = append(record, outputs.HarmlessCell(t.columns[i].header))
	}
	record = slices.Concat(record, t.outputs.Header(), []string{"warnings", "error_code", "error_field", "error_detail"})
	if t.marked {
		return t.appendCSV([]byte(byteOrderMark), record)
	}
	return t.appendCSV(nil, record)
}

// AppendRecord is the [calc.Output] that writes CSV. Every row has its own cells before the answer.
func (t *Sheet) AppendRecord(dst []byte, row string, a *calc.Answer, p *calc.Problem) []byte {
	l := t.lines.Get().(*csvLine)
	defer t.lines.Put(l)
	record := l.record[:0]
	for range t.columns {
		var cell string
		if row != "" {
			cell, row = cutCell(row)
		}
		record = append(record, outputs.HarmlessCell(cell))
	}
	own := len(record)
	if p == nil {
		var err error
		if record, err = t.outputs.AppendTexts(record, &a.Success.Outcome, t.options.Decimals); err != nil {
			p = calc.ProblemOf(err)
		}
	}
	if p != nil {
		record = append(record[:own], l.noOutputs...)
		record = append(record, "", p.Code, p.Field, outputs.HarmlessCell(p.Message()))
	} else {
		for i := own; i < len(record); i++ {
			record[i] = outputs.HarmlessCell(record[i])
		}
		record = append(record, warningsOf(a), "", "", "")
	}
	l.record = record
	return l.append(dst, record)
}

// warningsOf returns the codes of an answer's warnings, with spaces between them.
func warningsOf(a *calc.Answer) string {
	warnings := a.Success.AllWarnings()
	if len(warnings) == 0 {
		return ""
	}
	var codes []string
	for _, w := range warnings {
		codes = append(codes, w.Code)
	}
	return strings.Join(codes, " ")
}

// csvLine writes one record.
type csvLine struct {
	separator rune
	noOutputs []string // empty cells
	record    []string // memory of the record that is written
	text      bytes.Buffer
	writer    *csv.Writer
}

func (t *Sheet) newLine() any {
	l := &csvLine{separator: t.separator, noOutputs: make([]string, len(t.outputs.Header()))}
	l.writer = csv.NewWriter(&l.text)
	l.writer.Comma = t.separator
	return l
}

func (t *Sheet) appendCSV(dst []byte, record []string) []byte {
	l := t.lines.Get().(*csvLine)
	defer t.lines.Put(l)
	return l.append(dst, record)
}

// append appends the record as the writer writes it. Most records need no quotes, and are copied.
func (l *csvLine) append(dst []byte, record []string) []byte {
	from := len(dst)
	for i, cell := range record {
		if i > 0 {
			dst = append(dst, byte(l.separator))
		}
		for k := range len(cell) {
			if c := cell[k]; c <= ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf || c == byte(l.separator) {
				return l.appendQuoted(dst[:from], record)
			}
		}
		dst = append(dst, cell...)
	}
	return append(dst, '\n')
}

func (l *csvLine) appendQuoted(dst []byte, record []string) []byte {
	l.text.Reset()
	_ = l.writer.Write(record) // memory accepts everything
	l.writer.Flush()
	return append(dst, l.text.Bytes()...)
}

// Release returns the release that computes the table.
func (t *Sheet) Release() *calc.Release { return t.release }

// Passing returns the columns that are no inputs and pass through without having been declared.
func (t *Sheet) Passing() []string { return t.passing }

// boundedReader ends a table with a record that is too long: one whose quote is never closed would
// else be read into memory as a whole.
type boundedReader struct {
	reader io.Reader
	read   int // bytes since the record began, and up to a buffer more
	count  int // bytes since they were taken
}

// maxRecord bounds a record; what is longer than a request may be is refused alone.
const maxRecord = 4*strictjson.MaxBytes + sourceBuffer

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.read > maxRecord {
		return 0, calc.NewProblem(calc.CodePayloadTooLarge, "End every record with a line end, and close every quote.",
			"a record of more than %d bytes has no end", 4*strictjson.MaxBytes)
	}
	n, err := b.reader.Read(p)
	b.read, b.count = b.read+n, b.count+n
	return n, err
}

// begin begins a record.
func (b *boundedReader) begin() { b.read = 0 }

// taken returns the bytes that were read since it was called last.
func (b *boundedReader) taken() int {
	n := b.count
	b.count = 0
	return n
}
