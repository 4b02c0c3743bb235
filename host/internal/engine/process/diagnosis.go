package process

import (
	"debug/buildinfo"
	"debug/elf"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// diagnosis is an error of a start with its cause, where what the engine left behind tells that.
type diagnosis struct {
	text string
	err  error
}

func (e *diagnosis) Error() string { return e.text }
func (e *diagnosis) Unwrap() error { return e.err }

// diagnose returns the error of a start that failed by the engine's own fault, in the fewest words
// that tell its author what to change.
func (p *Process) diagnose(err error, program *Program, o *Options) error {
	printed := p.stderr.text()
	if sentence, at, ok := panicIn(printed); ok {
		return &diagnosis{fmt.Sprintf("the engine panics: %s%s", sentence, at), err}
	}
	if o.Confiner != nil && len(o.ReadOnly) == 0 && needsC(program.file) {
		return &diagnosis{"the engine was built with cgo, so it needs libraries of the system, which no engine may read: build it with slipstick build, or with CGO_ENABLED=0", err}
	}
	return fmt.Errorf("%w%s", err, p.stderr.note())
}

// withoutHandshake describes the failure of a program that is not an engine, or that ended before its
// handshake. It returns other errors of go-plugin cut to the beginning of their text.
func (p *child) withoutHandshake(err error) error {
	const fields = 4 // at least, of a handshake
	line := p.greeted.Load()
	switch {
	case line == nil || strings.Count(*line, "|") >= fields-1:
		return &shortError{err}
	case *line == "":
		return &diagnosis{"the program ended without the handshake of an engine", err}
	}
	return &diagnosis{fmt.Sprintf("the program is not an engine: its first line is %.100q and not a handshake", *line), err}
}

// The form in which Go prints a panic that nobody recovers: the value, an empty line, and for
// each function its name, and its place behind a tab.
var (
	panicked = regexp.MustCompile(`(?s)(?:^|\n)panic: (.*?)(?: \[recovered[^\n]*)?\n(?:\[signal [^\n]*\n)?\ngoroutine \d+[^\n]*\n(.*)`)
	called   = regexp.MustCompile(`(?m)^(\S+)\(.*\)\n\t(\S+:\d+)`)
)

// panicIn finds a panic of Go in what a program printed: its sentence, and " (FILE:LINE)" of the
// first function that is not Go's or the SDK's.
func panicIn(printed string) (sentence, at string, ok bool) {
	found := panicked.FindStringSubmatch(printed)
	if found == nil {
		return "", "", false
	}
	for _, call := range called.FindAllStringSubmatch(found[2], -1) {
		if function := call[1]; function != "panic" && !strings.HasPrefix(function, "runtime.") && !strings.HasPrefix(function, "github.com/slipstick/slipstick/sdk.") {
			at = " (" + call[2] + ")"
			break
		}
	}
	return strings.Join(strings.Fields(found[1]), " "), at, true
}

// needsC reports whether an executable is a Go program that was linked with C.
func needsC(program io.ReaderAt) bool {
	file, err := elf.NewFile(program)
	if err != nil {
		return false
	}
	for _, part := range file.Progs {
		if part.Type == elf.PT_INTERP {
			_, err := buildinfo.Read(program)
			return err == nil
		}
	}
	return false
}
