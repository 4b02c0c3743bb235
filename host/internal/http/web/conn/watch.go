package conn

import (
	"bytes"
	"math"
)

// watch looks for requests that have both a Content-Length and chunks. net/http drops the length. Two servers
// in a row can read such a request in different ways (RFC 9112 section 6.1). One can then take a part of it for
// another request.
//
// watch follows the requests of one connection. It stops after a request in chunks, which is always the last
// one on its connection.
//
// It reads a header as net/http does: a line that starts with a space or a tab continues the field before it. A
// length can have any number of digits. Requests that net/http refuses need not be read correctly, because
// net/http closes the connection.
type watch struct {
	off  bool
	body int64 // bytes of a body still to come

	inside        bool // a header has started
	length        int64
	sized, chunks bool

	line line
}

// line is the header line that is being read.
type line struct {
	started bool   // a byte of it was read
	content bool   // a byte other than the CR of its end was read
	name    []byte // name of the field, until the colon
	named   bool   // the colon was read
	digits  bool   // a length follows
}

// maxName is the maximum stored length of a name. It is longer than the names of the fields that matter.
const maxName = 64

var (
	lengthName   = []byte("Content-Length")
	encodingName = []byte("Transfer-Encoding")
)

// scan reads the next bytes, and reports whether they complete an ambiguous header.
func (w *watch) scan(data []byte) (ambiguous bool) {
	for len(data) > 0 && !w.off {
		if w.body > 0 {
			n := min(w.body, int64(len(data)))
			w.body, data = w.body-n, data[n:]
			continue
		}
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			w.read(data)
			return false
		}
		w.read(data[:end])
		data = data[end+1:]
		if w.endLine() {
			return true
		}
	}
	return false
}

// read reads a part of a line.
func (w *watch) read(part []byte) {
	l := &w.line
	if len(part) == 0 {
		return
	}
	if !l.started {
		folded := w.inside && (part[0] == ' ' || part[0] == '\t')
		if !folded {
			l.name, l.named, l.digits = l.name[:0], false, false
		}
		l.started, l.content = true, folded
	}
	l.content = l.content || len(bytes.Trim(part, "\r")) > 0
	if !l.named {
		colon := bytes.IndexByte(part, ':')
		if colon < 0 {
			l.keep(part)
			return
		}
		l.keep(part[:colon])
		w.startValue()
		part = part[colon+1:]
	}
	if l.digits {
		w.addDigits(part)
	}
}

func (l *line) keep(part []byte) {
	l.name = append(l.name, part[:min(len(part), maxName-len(l.name))]...)
}

// startValue is called at the colon.
func (w *watch) startValue() {
	l := &w.line
	l.named = true
	switch name := bytes.TrimSpace(l.name); {
	case bytes.EqualFold(name, lengthName):
		w.sized, w.length, l.digits = true, 0, true
	case bytes.EqualFold(name, encodingName):
		w.chunks = true
	}
}

// addDigits continues a length. net/http refuses a length that is too large.
func (w *watch) addDigits(part []byte) {
	for _, c := range part {
		if c < '0' || c > '9' {
			continue
		}
		d := int64(c - '0')
		if w.length > (math.MaxInt64-d)/10 {
			w.length = math.MaxInt64
			return
		}
		w.length = 10*w.length + d
	}
}

func (w *watch) endLine() (ambiguous bool) {
	empty := !w.line.content
	w.line.started, w.line.content = false, false
	if empty {
		return w.inside && w.endHeader()
	}
	w.inside = true
	return false
}

func (w *watch) endHeader() (ambiguous bool) {
	ambiguous = w.sized && w.chunks
	*w = watch{off: w.chunks, body: w.length, line: line{name: w.line.name[:0]}}
	return ambiguous
}
