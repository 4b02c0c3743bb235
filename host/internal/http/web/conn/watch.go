package conn

import (
	"bytes"
	"math"
)

// watch looks for requests that have a Content-Length and chunks as well. net/http drops the
// length. Two servers in a row can read such a request in different ways, and mistake a part of it
// for another request (RFC 9112 section 6.1).
//
// It follows the requests of one connection. It stops after a request in chunks, which is
// always the last one on its connection.
//
// It reads a header as net/http does: a line that begins with a space or a tab continues the
// field before it, and a length may have any number of digits. Requests that net/http refuses
// need not be read correctly, because net/http closes the connection.
type watch struct {
	off  bool
	body int64 // bytes of a body still to come

	inside        bool // a header has begun
	length        int64
	sized, chunks bool

	line line
}

// line is the line of a header that is being read.
type line struct {
	begun   bool   // a byte of it was seen
	content bool   // and one that is not the CR of its end
	name    []byte // of the field, until the colon
	named   bool   // the colon was seen
	digits  bool   // what follows is a length
}

// maxName is how much of a name is kept: more than those of the fields that matter.
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

// read takes a part of a line.
func (w *watch) read(part []byte) {
	l := &w.line
	if len(part) == 0 {
		return
	}
	if !l.begun {
		folded := w.inside && (part[0] == ' ' || part[0] == '\t')
		if !folded {
			l.name, l.named, l.digits = l.name[:0], false, false
		}
		l.begun, l.content = true, folded
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

// addDigits goes on with a length. One that does not fit is refused by net/http.
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
	w.line.begun, w.line.content = false, false
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
