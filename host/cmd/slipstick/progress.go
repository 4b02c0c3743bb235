package main

import (
	"fmt"
	"io"
	"os"
)

// progress returns a function that shows the step under way on one line of a
// terminal, and does nothing elsewhere. The empty step clears the line.
func progress(w io.Writer) func(step string) {
	f, ok := w.(*os.File)
	if !ok {
		return func(string) {}
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return func(string) {}
	}
	return func(step string) { fmt.Fprintf(f, "\r\x1b[K%s", step) }
}
