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
