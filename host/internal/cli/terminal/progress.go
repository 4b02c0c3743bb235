package terminal

import (
	"fmt"
	"io"
)

// Progress returns a function that shows the current step on one line of a terminal. If w is not a terminal, it does nothing.
// The empty step clears the line.
func Progress(w io.Writer) func(step string) {
	f, ok := Of(w)
	if !ok {
		return func(string) {}
	}
	return func(step string) { fmt.Fprintf(f, "\r\x1b[K%s", OneLine(step)) }
}

// Lines returns a writer of whole lines. On a terminal, a line replaces the step that [Progress] shows.
func Lines(w io.Writer) io.Writer {
	f, ok := Of(w)
	if !ok {
		return w
	}
	return lines{f}
}

type lines struct{ to io.Writer }

// Write implements [io.Writer].
func (l lines) Write(b []byte) (int, error) {
	_, err := l.to.Write(append([]byte("\r\x1b[K"), b...))
	return len(b), err
}
