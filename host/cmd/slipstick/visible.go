package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// steers reports whether a character acts on a terminal instead of being shown: the
// control characters, and those that set the direction of text, with which what is read
// can be another than what is there.
func steers(r rune) bool {
	switch {
	case r < 0x20, 0x7f <= r && r <= 0x9f, r == 0x061c, r == 0x200e, r == 0x200f, 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069:
		return true
	}
	return false
}

// appendVisible appends the text, in which what steers a terminal, and is not kept, is
// written as the escape of JSON, and a byte that is no UTF-8 as the one of Go. The text
// of a JSON document means the same afterwards.
func appendVisible(dst, text []byte, kept string) []byte {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			dst = fmt.Appendf(dst, `\x%02x`, text[0])
		case steers(r) && !strings.ContainsRune(kept, r):
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = append(dst, text[:n]...)
		}
		text = text[n:]
	}
	return dst
}

// oneLine makes a text of engines or registries safe to stand in a line of ours.
func oneLine(text string) string { return string(appendVisible(nil, []byte(text), "")) }

// visible passes on what is written to it so that it cannot steer a terminal, whoever has
// made it. Our own line ends and tabs are kept.
type visible struct {
	to io.Writer

	mu   sync.Mutex
	rest []byte // the beginning of a character whose end was not written yet
}

func newVisible(w io.Writer) *visible {
	if v, ok := w.(*visible); ok {
		return v
	}
	return &visible{to: w}
}

// Write implements [io.Writer].
func (v *visible) Write(b []byte) (int, error) {
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

// flush passes on what was no whole character.
func (v *visible) flush() {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, _ = v.to.Write(appendVisible(nil, v.rest, "\n\t"))
	v.rest = nil
}

// plain is where documents for programs go: to the writer behind w, byte for byte, unless
// that is a terminal.
func plain(w io.Writer) io.Writer {
	v, ok := w.(*visible)
	if !ok {
		return w
	}
	if _, shown := screen(w); shown {
		return v
	}
	return v.to
}

// screen is the terminal that w writes to.
func screen(w io.Writer) (*os.File, bool) {
	if v, ok := w.(*visible); ok {
		w = v.to
	}
	f, ok := w.(*os.File)
	if !ok {
		return nil, false
	}
	info, err := f.Stat()
	return f, err == nil && info.Mode()&os.ModeCharDevice != 0
}

// printLine is [fmt.Fprintf] that keeps every text among the arguments in its line: what
// an engine or a registry says cannot add lines that look like ours.
func printLine(w io.Writer, format string, args ...any) {
	for i, arg := range args {
		switch text := arg.(type) {
		case string:
			args[i] = oneLine(text)
		case error:
			args[i] = oneLine(text.Error())
		case fmt.Stringer:
			args[i] = oneLine(text.String())
		}
	}
	fmt.Fprintf(w, format, args...)
}
