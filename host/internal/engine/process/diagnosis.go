package process

import (
	"debug/buildinfo"
	"debug/elf"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// diagnosis is the error of a failed start with its cause, if the output of the engine shows the
// cause.
type diagnosis struct {
	text string
	err  error
}

func (e *diagnosis) Error() string { return e.text }
func (e *diagnosis) Unwrap() error { return e.err }

// diagnose returns the error of a start that failed because of the engine. Its few words show the
// author what to change.
func (p *Process) diagnose(err error, program *Program, o *Options) error {
	printed := p.stderr.text()
	if sentence, at, ok := panicIn(printed); ok {
		return &diagnosis{fmt.Sprintf("the engine panics: %s%s", sentence, at), err}
	}
	if o.Confiner != nil && len(o.ReadOnly) == 0 && needsC(program.file) {
		return &diagnosis{"the engine was built with cgo, so it needs libraries that no engine may read: build it with slipstick build, or with CGO_ENABLED=0", err}
	}
	return fmt.Errorf("%w%s", err, p.stderr.note())
}

// withoutHandshake describes the failure of a program that is not an engine, or that ended before
// its handshake. It shortens the text of other errors of go-plugin.
func (p *child) withoutHandshake(err error) error {
	const fields = 4 // at least, of a handshake
	line := p.greeted.Load()
	switch {
	case line == nil || strings.Count(*line, "|") >= fields-1:
		return &shortError{err}
	case *line == "":
		return &diagnosis{"the program is not a Slipstick engine, or it failed: it ended before its handshake", err}
	}
	return &diagnosis{fmt.Sprintf("the program is not a Slipstick engine: its first line is %.100q and not a handshake", *line), err}
}

// The text that Go prints for a panic that is not recovered: the value and an empty line. Then each
// function follows: its name, and on the next line a tab and its position.
var (
	panicked = regexp.MustCompile(`(?s)(?:^|\n)panic: (.*?)(?: \[recovered[^\n]*)?\n(?:\[signal [^\n]*\n)?\ngoroutine \d+[^\n]*\n(.*)`)
	called   = regexp.MustCompile(`(?m)^(\S+)\(.*\)\n\t(\S+:\d+)`)
)

// panicIn finds a panic of a Go program in its output. It returns the message, and " (FILE:LINE)"
// of the first function that is not part of Go or of the SDK.
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
