package terminal

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
)

// Sandbox warns about missing parts of the sandbox for engines, with a line for each.
func Sandbox(w io.Writer, j *sandbox.Sandbox) {
	warnOfAbsence(w, j)
	for _, missing := range j.Missing() {
		fmt.Fprintln(w, "slipstick: the sandbox of engines is not complete:", missing)
	}
}

// SandboxInBrief warns about missing parts of the sandbox in one line, for commands of a person at a terminal.
func SandboxInBrief(w io.Writer, j *sandbox.Sandbox) {
	warnOfAbsence(w, j)
	missing := j.Missing()
	if len(missing) == 0 {
		return
	}
	names := make([]string, len(missing))
	for i, m := range missing {
		names[i] = string(m.Protection)
	}
	fmt.Fprintf(w, "slipstick: the sandbox of engines is not complete here: no %s (slipstick doctor explains)\n", strings.Join(names, ", "))
}

func warnOfAbsence(w io.Writer, j *sandbox.Sandbox) {
	switch j.Absence() {
	case sandbox.Unwanted:
		fmt.Fprintln(w, "slipstick: WARNING: engines run without a sandbox: they can read, write and reach everything that this user can")
	case sandbox.NotSupported:
		fmt.Fprintf(w, "slipstick: WARNING: there is no sandbox on %s: engines can do everything that this user can\n", runtime.GOOS)
	}
}
