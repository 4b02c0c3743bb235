package calc

import (
	"bytes"
	"errors"
	"io"

	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Lines is the Input of NDJSON: every line that is not blank is a request as
// ReadRequest takes it.
type Lines struct {
	r  io.Reader
	id string // of lines that name no capability

	buffer  []byte
	unread  []byte // of the buffer
	looked  int    // how much of unread is known to have no line end
	skipped int    // bytes of the line that were given up, because it is too long
	err     error  // of the reader
}

// maxSkipped is how much of a line that is too long is read to find its end.
const maxSkipped = 1 << 20

// NewLines returns the Lines of the reader. The id is that of lines that name no
// capability, "" if each has to.
func NewLines(r io.Reader, id string) *Lines { return &Lines{r: r, id: id} }

// lineBuffer has room for a line that is as long as it may be, and for what usually
// comes at once.
const lineBuffer = 2 * strictjson.MaxBytes

// Next implements [Input].
func (l *Lines) Next(b *Block) error {
	for {
		for !b.Full() && l.cut(b) {
		}
		if b.Len() > 0 {
			return nil // what is left has to wait for more to come
		}
		switch {
		case l.err != nil:
			l.last(b)
			return l.err
		case l.skipped > maxSkipped:
			return endlessLine()
		case b.came > admittedBytes:
			return nil // so that bytes without rows are counted
		}
		l.fill(b)
	}
}

func endlessLine() *Problem {
	return NewProblem(CodePayloadTooLarge, "End every line with a line feed.", "a line of more than %d bytes has no end", strictjson.MaxBytes+maxSkipped)
}

// cut moves one line to the block, if there is a whole one.
func (l *Lines) cut(b *Block) bool {
	end := bytes.IndexByte(l.unread[l.looked:], '\n')
	if end < 0 {
		l.looked = len(l.unread)
		return false
	}
	line := l.unread[:l.looked+end]
	l.unread, l.looked = l.unread[len(line)+1:], 0
	l.add(b, line)
	return true
}

func (l *Lines) add(b *Block, line []byte) {
	switch {
	case l.skipped > 0:
		b.Refuse(TooLarge())
		l.skipped = 0
	case len(line) > strictjson.MaxBytes || !blank(line):
		b.Add(line)
	}
}

// last moves what stands behind the last line end.
func (l *Lines) last(b *Block) {
	if errors.Is(l.err, io.EOF) {
		l.add(b, l.unread)
	}
	l.unread = nil
}

// fill reads once. The beginning of a line that is too long is given up.
func (l *Lines) fill(b *Block) {
	if l.skipped > 0 || len(l.unread) > strictjson.MaxBytes {
		l.skipped += len(l.unread)
		l.unread = nil
	}
	if l.buffer == nil {
		l.buffer = make([]byte, lineBuffer)
	}
	kept := copy(l.buffer, l.unread)
	n, err := l.r.Read(l.buffer[kept:])
	b.came += n
	l.unread, l.err = l.buffer[:kept+n], err
	l.looked = min(l.looked, kept)
}

// blank reports whether the line has only the white space of JSON.
func blank(line []byte) bool { return len(bytes.Trim(line, " \t\r")) == 0 }

// Request implements [Input].
func (l *Lines) Request(row string, scanner *strictjson.Scanner) (Request, error) {
	body, err := scanner.ParseObject(row)
	if err != nil {
		return Request{}, notAnObject(err)
	}
	if l.id != "" && !names(&body) {
		return ReadRequest(l.id, body)
	}
	return ReadRequest("", body)
}

// names reports whether a request names its capability.
func names(body *strictjson.Value) bool {
	for _, name := range idNames {
		if body.Has(name) {
			return true
		}
	}
	return false
}

// FullLine is the Output of whole answers: what REST answers to a request of its own.
func (s *Service) FullLine(dst []byte, _ string, a *Answer, p *Problem) []byte {
	if p != nil {
		return p.AppendJSON(dst, s.options.BaseURL)
	}
	return a.AppendJSON(dst)
}

// LeanLine is the Output of results alone; problems are whole.
func (s *Service) LeanLine(dst []byte, _ string, a *Answer, p *Problem) []byte {
	if p != nil {
		return p.AppendJSON(dst, s.options.BaseURL)
	}
	return append(a.Success.AppendResult(append(dst, `{"result":`...)), "}\n"...)
}
