package main

import (
	"fmt"
	"io"
)

// progress returns a function that shows the step under way on one line of a
// terminal, and does nothing elsewhere. The empty step clears the line.
func progress(w io.Writer) func(step string) {
	f, ok := screen(w)
	if !ok {
		return func(string) {}
	}
	return func(step string) { fmt.Fprintf(f, "\r\x1b[K%s", oneLine(step)) }
}
