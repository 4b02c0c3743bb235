package calc

import (
	"bytes"
	"errors"
	"io"

	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Lines is the Input that reads NDJSON: every line that is not blank is a request in the
// form that ReadRequest accepts.
type Lines struct {
	r  io.Reader
	id string // capability of lines that do not name one

	buffer  []byte
	unread  []byte // part of the buffer that was not cut into lines yet
	scanned int    // length of the beginning of unread that is known to hold no line end
	skipped int    // bytes of the current line that were dropped because it is too long
	err     error  // from the reader
}

// maxSkipped is how many bytes of an overlong line are read in search of its end.
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
			return nil // Admit has to count bytes without rows, too
		}
		l.fill(c)
	}
}

func endlessLine() *Problem {
	return NewProblem(CodePayloadTooLarge, "End every line with a line feed.", "a line of more than %d bytes has no end", strictjson.MaxBytes+maxSkipped)
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
		c.Refuse(TooLarge())
		l.skipped = 0
	case len(line) > strictjson.MaxBytes || !blank(line):
		c.Add(line)
	}
}

// addLast adds the last line if it has no line end. After an error that line may be cut
// off, so it is dropped.
func (l *Lines) addLast(c *Chunk) {
	if errors.Is(l.err, io.EOF) {
		l.add(c, l.unread)
	}
	l.unread = nil
}

// fill reads once. The beginning of an overlong line is dropped.
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
	c.bytesRead += n
	l.unread, l.err = l.buffer[:kept+n], err
	l.scanned = min(l.scanned, kept)
}

// blank reports whether the line holds only JSON white space.
func blank(line []byte) bool { return len(bytes.Trim(line, " \t\r")) == 0 }

// Request implements [Input].
func (l *Lines) Request(row string, scanner *strictjson.Scanner) (Request, error) {
	body, err := scanner.ParseObject(row)
	if err != nil {
		return Request{}, InvalidObject(err)
	}
	if l.id != "" && !namesCapability(&body) {
		return ReadRequest(l.id, body)
	}
	return ReadRequest("", body)
}

// namesCapability reports whether a request names its capability.
func namesCapability(body *strictjson.Value) bool {
	for _, name := range IDNames {
		if body.Has(name) {
			return true
		}
	}
	return false
}

// FullLine is the Output that writes full answers, the same as REST sends for a single
// request.
func (s *Service) FullLine(dst []byte, _ string, a *Answer, p *Problem) []byte {
	if p != nil {
		return p.AppendJSON(dst, s.options.BaseURL)
	}
	return a.AppendJSON(dst)
}

// AttributedLine is the Output that writes full answers, each with the digest of the engine that
// computed it, and with its receipt if it has one. REST sends them in headers, which the lines of a
// batch do not have. Problems are written in full.
func (s *Service) AttributedLine(dst []byte, _ string, a *Answer, p *Problem) []byte {
	if p != nil {
		return p.AppendJSON(dst, s.options.BaseURL)
	}
	dst = append(append(append(dst, `{"engine_digest":"`...), a.Release.EngineDigest...), `","`...)
	if a.Receipt.Ledger != "" {
		dst = append(a.Receipt.AppendText(append(dst, `receipt":"`...)), `","`...)
	}
	dst = append(dst, `answer":`...)
	return append(bytes.TrimSuffix(a.AppendJSON(dst), lineEnd), "}\n"...)
}

var lineEnd = []byte{'\n'}

// LeanLine is the Output that writes the result alone. Problems are written in full.
func (s *Service) LeanLine(dst []byte, _ string, a *Answer, p *Problem) []byte {
	if p != nil {
		return p.AppendJSON(dst, s.options.BaseURL)
	}
	return append(a.Success.AppendResult(append(dst, `{"result":`...)), "}\n"...)
}
