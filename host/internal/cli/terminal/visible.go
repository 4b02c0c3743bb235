// Package terminal writes the output of commands. [Writer] and [Printf] escape control characters. Other functions write tables,
// the progress of long commands, and the texts of problems and findings.
package terminal

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/slipstick/slipstick/sdk/visible"
)

// appendVisible appends the text. It writes invisible characters, except for the kept ones, as JSON escapes, so that a JSON
// document keeps its meaning. It writes invalid UTF-8 as Go escapes.
func appendVisible(dst, text []byte, kept string) []byte {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			dst = fmt.Appendf(dst, `\x%02x`, text[0])
		case visible.Hidden(r) && !strings.ContainsRune(kept, r):
			for _, unit := range utf16.AppendRune(nil, r) {
				dst = fmt.Appendf(dst, `\u%04x`, unit)
			}
		default:
			dst = append(dst, text[:n]...)
		}
		text = text[n:]
	}
	return dst
}

// OneLine makes a text of an engine or a registry safe for a part of a line.
func OneLine(text string) string { return string(appendVisible(nil, []byte(text), "")) }

// Writer escapes control characters in the text written to it, except for line ends and tabs. It is safe for concurrent use.
type Writer struct {
	to io.Writer

	mu   sync.Mutex
	rest []byte // the start of an incomplete character
}

// NewWriter returns a Writer to w, or w itself if it is a Writer.
func NewWriter(w io.Writer) *Writer {
	if v, ok := w.(*Writer); ok {
		return v
	}
	return &Writer{to: w}
}

// Write implements [io.Writer].
func (v *Writer) Write(b []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	text := slices.Concat(v.rest, b)
	end := len(text)
	for i := max(0, end-utf8.UTFMax+1); i < len(text); i++ {
		if !utf8.FullRune(text[i:]) && utf8.RuneStart(text[i]) {
			end = i
			break
		}
	}
	v.rest = append(v.rest[:0], text[end:]...)
	if _, err := v.to.Write(appendVisible(nil, text[:end], "\n\t")); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush writes bytes of an incomplete character at the end.
func (v *Writer) Flush() {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, _ = v.to.Write(appendVisible(nil, v.rest, "\n\t"))
	v.rest = nil
}

// Plain returns the writer for a document that programs read. It is the writer below w without escapes, unless that is a
// terminal.
func Plain(w io.Writer) io.Writer {
	v, ok := w.(*Writer)
	if !ok {
		return w
	}
	if _, shown := Of(w); shown {
		return v
	}
	return v.to
}

// Of returns the terminal that a command reads from or writes to, and whether it is a terminal.
func Of(stream any) (*os.File, bool) {
	if v, ok := stream.(*Writer); ok {
		stream = v.to
	}
	f, ok := stream.(*os.File)
	if !ok {
		return nil, false
	}
	raw, err := f.SyscallConn() // f.Fd would make reads block their thread
	if err != nil {
		return f, false
	}
	shown := false
	err = raw.Control(func(fd uintptr) { shown = term.IsTerminal(int(fd)) })
	return f, err == nil && shown
}

// Printf is like [fmt.Fprintf], but escapes line ends in every text among the arguments. So texts of engines and registries
// cannot add lines that look like lines of slipstick.
func Printf(w io.Writer, format string, args ...any) {
	for i, arg := range args {
		switch text := arg.(type) {
		case string:
			args[i] = OneLine(text)
		case error:
			args[i] = OneLine(text.Error())
		case fmt.Stringer:
			args[i] = OneLine(text.String())
		}
	}
	fmt.Fprintf(w, format, args...)
}
