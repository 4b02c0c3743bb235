package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/tables/columns"
	"github.com/slipstick/slipstick/host/internal/tables/outputs"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// csvRows reads CSV.
type csvRows struct {
	marked   bool // the table starts with a byte order mark
	reader   *csv.Reader
	from     int64 // converted bytes before the reader
	above    int   // lines of the table before the reader
	declared int   // lines before the table, which declare the separator
	ends     *lineEnds
	source   *bufio.Reader
	bounded  *boundedReader
	row      []byte // memory for the row that is added
}

func newCSV(r io.Reader) *csvRows {
	bounded := &boundedReader{reader: r}
	ends := newLineEnds(bounded)
	return &csvRows{ends: ends, source: bufio.NewReaderSize(ends, sourceBuffer), bounded: bounded}
}

// read starts the reader of records at the next byte of the source.
func (t *csvRows) read(separator rune) {
	t.reader = csv.NewReader(t.source)
	t.reader.Comma, t.reader.FieldsPerRecord, t.reader.ReuseRecord = separator, -1, true
	t.reader.TrimLeadingSpace = separator != '\t' // a tab is white space
}

// place returns the place of the next record, without the number of its row.
func (t *csvRows) place() (Place, bool) {
	at := t.from + t.reader.InputOffset()
	read, ok := t.ends.before(at)
	return Place{read: read, skip: at - read.written}, ok
}

// resume continues at a place of the same table. The reader starts with the read of the place.
func (t *csvRows) resume(r io.Reader, p *Place) error {
	t.bounded.reader = r
	*t.ends = lineEnds{reader: t.bounded, endState: p.read}
	t.source.Reset(t.ends)
	skipped := make([]byte, p.skip)
	if _, err := io.ReadFull(t.source, skipped); err != nil {
		return err
	}
	t.bounded.startRecord()
	t.from, t.above = p.read.written+p.skip, p.read.feeds+bytes.Count(skipped, lineFeed)-t.declared
	t.read(t.reader.Comma)
	return nil
}

func (t *csvRows) separator() rune { return t.reader.Comma }

func invalid(suggestion, format string, args ...any) *problem.Problem {
	return problem.New(problem.CodeInvalidCSV, suggestion, format, args...)
}

// sourceBuffer is the number of bytes that are read at a time.
const sourceBuffer = 64 << 10

// header determines the dialect of the table, and reads its first record.
func (t *csvRows) header() ([]column, error) {
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
		t.from = int64(len(mark))
	}
	comma := Separator(line)
	if declared := separatorLine.FindSubmatch(bytes.TrimPrefix(line, []byte(byteOrderMark))); declared != nil {
		comma = rune(declared[1][0])
		line, err := t.source.ReadSlice('\n')
		t.from, t.declared = t.from+int64(len(line)), 1
		if err != nil {
			return nil, invalid("Name the inputs in its first record.", "the table is empty")
		}
	}
	t.read(comma)
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
	t.bounded.startRecord()
	list := make([]column, len(header))
	for i, name := range header {
		list[i] = column{header: name, kind: text, from: columns.Column{Kind: columns.Text}, written: true}
	}
	return list, nil
}

// separatorLine matches the optional first line that names the cell separator for Excel.
var separatorLine = regexp.MustCompile(`^"?sep=([,;\t])"?$`)

// byteOrderMark marks a text as UTF-8 for spreadsheets.
const byteOrderMark = "\ufeff"

// peekLine returns the start of the table up to the end of the first non-empty line, as far as it fits
// into the buffer.
func (t *csvRows) peekLine() ([]byte, error) {
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

// Separator returns the cell separator of a table: the candidate that is most frequent in its first
// line, outside quotes.
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

// below returns an error with its line in the table.
func (t *csvRows) below(err error) error {
	if e, ok := errors.AsType[*csv.ParseError](err); ok {
		return &csv.ParseError{StartLine: e.StartLine + t.above, Line: e.Line + t.above, Column: e.Column, Err: e.Err}
	}
	return err
}

func validUTF8(record []string) bool {
	return !slices.ContainsFunc(record, func(cell string) bool { return !utf8.ValidString(cell) })
}

func notUTF8() *problem.Problem {
	return invalid("Save it as CSV in UTF-8; Excel calls that \"CSV UTF-8\".", "the table is not UTF-8")
}

func (t *csvRows) next(b *batch.Chunk) error {
	defer func() { b.Account(t.bounded.taken(), 0) }()
	for !b.Full() {
		record, err := t.reader.Read()
		switch {
		case isParseError(err):
			b.Refuse(invalid("Write records as in RFC 4180.", "%v", t.below(err)))
		case err != nil:
			return err
		case !validUTF8(record):
			b.Refuse(notUTF8())
		case !isBlank(record):
			t.row = t.row[:0]
			for _, cell := range record {
				t.row = appendText(t.row, cell)
			}
			b.Add(t.row)
			b.Account(0, valuesIn(t.row))
		}
		t.bounded.startRecord()
		if t.source.Buffered() == 0 {
			return nil // reading the next record could block
		}
	}
	return nil
}

// isBlank reports whether all cells of a record are empty, as in the empty rows of spreadsheets.
func isBlank(record []string) bool {
	return !slices.ContainsFunc(record, func(cell string) bool { return strings.TrimSpace(cell) != "" })
}

// valuesIn returns an upper bound for the values in a row, including the values in its lists.
func valuesIn(row []byte) int {
	return bytes.Count(row, []byte{' '}) + bytes.Count(row, []byte{';'}) + bytes.Count(row, []byte{'\n'}) + bytes.Count(row, []byte{'\t'})
}

// Head returns the header of the answers. The columns of the table are followed by one for each output
// with its unit, one for the codes of warnings, and three for errors.
func (t *Sheet) Head() []byte {
	var record []string
	for i := range t.columns {
		if c := &t.columns[i]; !c.old {
			record = append(record, outputs.HarmlessCell(c.header))
		}
	}
	record = append(record, t.names...)
	if from, isCSV := t.rows.(*csvRows); isCSV && from.marked {
		return t.appendCSV([]byte(byteOrderMark), record)
	}
	return t.appendCSV(nil, record)
}

// AppendRecord is the [batch.Output] for CSV. The cells of every row precede its answer.
func (t *Sheet) AppendRecord(dst []byte, row string, a *calc.Answer, p *problem.Problem) []byte {
	l := t.lines.Get().(*csvLine)
	defer t.lines.Put(l)
	record := l.record[:0]
	for i := range t.columns {
		text := ""
		if row != "" {
			var own cell
			own, row = cutCell(row)
			text = t.columns[i].textOf(own)
		}
		if t.columns[i].old {
			continue
		}
		record = append(record, outputs.HarmlessCell(text))
	}
	own := len(record)
	if p == nil {
		var err error
		record, err = t.outputs.AppendTexts(record, &a.Success.Outcome, t.marks.answers)
		if err != nil {
			p = problem.Of(err)
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

// textOf returns the cell in the notation of CSV.
func (c *column) textOf(own cell) string {
	switch {
	case own.kind == integer && c.from.Form.Means != columns.Null:
		return c.from.IntegerText(own.whole)
	case own.kind == raw && !c.passes():
		return strings.ToValidUTF8(own.text, "\ufffd")
	case own.kind == raw:
		return c.from.BytesText(own.text)
	}
	return own.String()
}

// fitsText returns an error if CSV cannot represent a column.
func (t *Sheet) fitsText() error {
	return t.wrong(func(c *column) string {
		if c.passes() && !c.from.HasText() {
			return c.from.Type + " has no text"
		}
		return ""
	}, "Leave these columns out, or ask for the answers in the form of the file.")
}

// warningsOf returns the codes of the warnings of an answer, separated by spaces.
func warningsOf(a *calc.Answer) string { return strings.Join(a.Success.WarningCodes(), " ") }

// csvLine writes one record.
type csvLine struct {
	separator rune
	marks     [256]bool // bytes that may require quotes
	noOutputs []string  // empty cells
	record    []string  // memory for the current record
	text      bytes.Buffer
	writer    *csv.Writer
}

func (t *Sheet) newLine() any {
	l := &csvLine{separator: t.rows.separator(), noOutputs: make([]string, len(t.outputs.Header()))}
	for c := range l.marks {
		l.marks[c] = c <= ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf || c == int(l.separator)
	}
	l.writer = csv.NewWriter(&l.text)
	l.writer.Comma = l.separator
	return l
}

func (t *Sheet) appendCSV(dst []byte, record []string) []byte {
	l := t.lines.Get().(*csvLine)
	defer t.lines.Put(l)
	return l.append(dst, record)
}

// append appends the record in the format of the writer. Most records need no quotes, and are copied.
func (l *csvLine) append(dst []byte, record []string) []byte {
	from := len(dst)
	for i, cell := range record {
		if i > 0 {
			dst = append(dst, byte(l.separator))
		}
		for k := range len(cell) {
			if l.marks[cell[k]] {
				return l.appendQuoted(dst[:from], record)
			}
		}
		dst = append(dst, cell...)
	}
	return append(dst, '\n')
}

func (l *csvLine) appendQuoted(dst []byte, record []string) []byte {
	l.text.Reset()
	_ = l.writer.Write(record) // writing to memory cannot fail
	l.writer.Flush()
	return append(dst, l.text.Bytes()...)
}

// boundedReader stops a table at a record that is too long. Otherwise a record with an unclosed quote
// would be read into memory completely.
type boundedReader struct {
	reader io.Reader
	read   int // bytes since the start of the record, and up to a buffer more
	count  int // bytes since the last call of taken
}

// maxRecord limits a record. A shorter record that is too long for a request fails only its own row.
const maxRecord = 4*strictjson.MaxBytes + sourceBuffer

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.read > maxRecord {
		return 0, problem.New(problem.CodePayloadTooLarge, "End every record with a line end, and close every quote.",
			"a record of more than %d bytes has no end", 4*strictjson.MaxBytes)
	}
	n, err := b.reader.Read(p)
	b.read, b.count = b.read+n, b.count+n
	return n, err
}

// startRecord marks the start of a record.
func (b *boundedReader) startRecord() { b.read = 0 }

// taken returns the number of bytes that were read since its last call.
func (b *boundedReader) taken() int {
	n := b.count
	b.count = 0
	return n
}
