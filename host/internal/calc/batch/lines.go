package batch

import (
	"bytes"
	"errors"
	"io"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Lines is the Input that reads NDJSON: every line that is not blank is a request in the
// form that ReadRequest accepts.
type Lines struct {
	r  io.Reader
	id string // capability of lines that do not name one

	buffer  []byte
	unread  []byte // part of the buffer that is not yet cut into lines
	scanned int    // length of the start of unread that is known to contain no line end
	skipped int    // bytes of the current line that were dropped because it is too long
	read    int64  // bytes that were read from the reader
	err     error  // from the reader
}

// maxSkipped is the number of bytes of an overlong line that are searched for its end.
const maxSkipped = 1 << 20

// NewLines returns the Lines of the reader. The id is the capability of lines that do not
// name one; if it is "", every line has to.
func NewLines(r io.Reader, id string) *Lines { return &Lines{r: r, id: id} }

// Terms implements [Asking].
func (l *Lines) Terms() record.Terms { return record.Terms{Capability: l.id} }

// lineBuffer is the size of the buffer: a line of the maximum length, and as much again so
// that one read usually gets many lines.
const lineBuffer = 2 * strictjson.MaxBytes

// Next implements [Input].
func (l *Lines) Next(c *Chunk) error {
	for {
		for !c.Full() && l.cutLine(c) {
		}
		if c.Len() > 0 {
			return nil // the rest is an incomplete line
		}
		switch {
		case l.err != nil:
			l.addLast(c)
			return l.err
		case l.skipped > maxSkipped:
			return endlessLine()
		case c.bytesRead > admittedBytes:
			return nil // Admit must count bytes outside rows too
		}
		l.fill(c)
	}
}

func endlessLine() *problem.Problem {
	return problem.New(problem.CodePayloadTooLarge, "End every line with a line feed.", "a line of more than %d bytes has no end", strictjson.MaxBytes+maxSkipped)
}

// cutLine moves one line to the chunk, and reports whether there was a complete one.
func (l *Lines) cutLine(c *Chunk) bool {
	end := bytes.IndexByte(l.unread[l.scanned:], '\n')
	if end < 0 {
		l.scanned = len(l.unread)
		return false
	}
	line := l.unread[:l.scanned+end]
	l.unread, l.scanned = l.unread[len(line)+1:], 0
	l.add(c, line)
	return true
}

func (l *Lines) add(c *Chunk, line []byte) {
	switch {
	case l.skipped > 0:
		c.Refuse(problem.TooLarge())
		l.skipped = 0
	case len(line) > strictjson.MaxBytes || !blank(line):
		c.Add(line)
	}
}

// addLast adds the last line if it has no line end. After an error the line may be incomplete,
// so it is dropped.
func (l *Lines) addLast(c *Chunk) {
	if errors.Is(l.err, io.EOF) {
		l.add(c, l.unread)
	}
	l.unread = nil
}

// fill reads once. It drops the start of an overlong line.
func (l *Lines) fill(c *Chunk) {
	if l.skipped > 0 || len(l.unread) > strictjson.MaxBytes {
		l.skipped += len(l.unread)
		l.unread = nil
	}
	if l.buffer == nil {
		l.buffer = make([]byte, lineBuffer)
	}
	kept := copy(l.buffer, l.unread)
	n, err := l.r.Read(l.buffer[kept:])
	c.bytesRead, l.read = c.bytesRead+n, l.read+int64(n)
	l.unread, l.err = l.buffer[:kept+n], err
	l.scanned = min(l.scanned, kept)
}

// Offset returns the number of bytes before the next line, or false within a line that is too long.
func (l *Lines) Offset() (int64, bool) { return l.read - int64(len(l.unread)), l.skipped == 0 }

// blank reports whether the line contains only JSON white space.
func blank(line []byte) bool { return len(bytes.Trim(line, " \t\r")) == 0 }

// Request implements [Input].
func (l *Lines) Request(row string, scanner *strictjson.Scanner) (calc.Request, error) {
	body, err := scanner.ParseObject(row)
	if err != nil {
		return calc.Request{}, problem.InvalidObject(err)
	}
	if l.id != "" && !namesCapability(&body) {
		return calc.ReadRequest(l.id, body)
	}
	return calc.ReadRequest("", body)
}

// namesCapability reports whether a request names its capability.
func namesCapability(body *strictjson.Value) bool {
	for _, name := range calc.IDNames {
		if body.Has(name) {
			return true
		}
	}
	return false
}

// FullLine returns the Output that writes full answers, the same as REST sends for a single
// request.
func FullLine(baseURL string) Output {
	return func(dst []byte, _ string, a *calc.Answer, p *problem.Problem) []byte {
		if p != nil {
			return p.AppendJSON(dst, baseURL)
		}
		return a.AppendJSON(dst)
	}
}

// AttributedLine returns the Output that writes full answers, each with its engine digest. If the answer
// has a receipt, the receipt is included. REST sends both in headers, which the lines of a batch do not
// have. Problems are written in full.
func AttributedLine(baseURL string) Output {
	return func(dst []byte, _ string, a *calc.Answer, p *problem.Problem) []byte {
		if p != nil {
			return p.AppendJSON(dst, baseURL)
		}
		dst = append(append(append(dst, `{"engine_digest":"`...), a.Release.EngineDigest...), `","`...)
		if a.Receipt.Ledger != "" {
			dst = append(a.Receipt.AppendText(append(dst, `receipt":"`...)), `","`...)
		}
		dst = append(dst, `answer":`...)
		return append(bytes.TrimSuffix(a.AppendJSON(dst), lineEnd), "}\n"...)
	}
}

var lineEnd = []byte{'\n'}

// LeanLine returns the Output that writes only the result. Problems are written in full.
func LeanLine(baseURL string) Output {
	return func(dst []byte, _ string, a *calc.Answer, p *problem.Problem) []byte {
		if p != nil {
			return p.AppendJSON(dst, baseURL)
		}
		return append(a.Success.AppendResult(append(dst, `{"result":`...)), "}\n"...)
	}
}
