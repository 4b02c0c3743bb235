package table

import (
	"bytes"
	"io"
)

// lineEnds replaces every line end outside quotes by a line feed. Line ends are a carriage return, as in
// old spreadsheets, a line feed, or both.
type lineEnds struct {
	reader io.Reader
	endState
	reads [2]endState // before each of the last two reads
}

// endState is the state of lineEnds between two reads.
type endState struct {
	quoted  bool // inside quotes
	closed  bool // the previous byte ended quotes
	atStart bool // the previous bytes are the start of a cell
	ended   bool // the previous byte was a carriage return that has become a line feed

	read, written int64 // bytes
	feeds         int   // line feeds that were written
}

func newLineEnds(r io.Reader) *lineEnds {
	return &lineEnds{reader: r, endState: endState{atStart: true}}
}

func (l *lineEnds) Read(p []byte) (int, error) {
	for {
		l.reads = [2]endState{l.reads[1], l.endState}
		n, err := l.reader.Read(p)
		l.read += int64(n)
		n = l.convert(p[:n])
		l.written, l.feeds = l.written+int64(n), l.feeds+bytes.Count(p[:n], lineFeed)
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
	}
}

var lineFeed = []byte{'\n'}

// before returns the state before the read that has the byte at an offset of the converted text. It returns false
// for an earlier byte.
func (l *lineEnds) before(written int64) (endState, bool) {
	s := l.reads[1]
	if s.written > written {
		s = l.reads[0]
	}
	return s, s.written <= written
}

// convert converts bytes in place, and returns their new number.
func (l *lineEnds) convert(p []byte) int {
	if len(p) == 0 {
		return 0
	}
	if !l.ended && bytes.IndexByte(p, '\r') < 0 && bytes.IndexByte(p, '"') < 0 {
		if !l.quoted {
			l.atStart, l.closed = l.startsCell(p), false
		}
		return len(p)
	}
	kept := p[:0] // it never overtakes the bytes that are read
	for len(p) > 0 {
		if l.ended {
			l.ended = false
			if p[0] == '\n' {
				p = p[1:]
				continue
			}
		}
		at := bytes.IndexAny(p, "\"\r")
		if at < 0 {
			at = len(p)
		}
		if at > 0 && !l.quoted {
			l.atStart, l.closed = l.startsCell(p[:at]), false
		}
		kept = append(kept, p[:at]...)
		p = p[at:]
		if len(p) == 0 {
			break
		}
		c := p[0]
		p = p[1:]
		switch {
		case c == '\r' && !l.quoted:
			kept = append(kept, '\n')
			l.ended, l.atStart, l.closed = true, true, false
			continue
		case c == '"' && l.quoted:
			l.quoted, l.closed = false, true
		case c == '"' && (l.atStart || l.closed):
			l.quoted, l.closed = true, false
		case c == '"':
			l.closed = false
		}
		l.atStart = false
		kept = append(kept, c)
	}
	return len(kept)
}

// startsCell reports whether the next byte can be the first of a cell, after these bytes.
func (l *lineEnds) startsCell(p []byte) bool {
	for i := len(p) - 1; i >= 0; i-- {
		switch p[i] {
		case ',', ';', '\t', '\n':
			return true
		case ' ', byteOrderMark[0], byteOrderMark[1], byteOrderMark[2]: // these bytes can arrive one by one
		default:
			return false
		}
	}
	return l.atStart
}
