package terminal

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
)

// Sandbox warns about missing parts of the sandbox for engines, in one line.
func Sandbox(w io.Writer, j *sandbox.Sandbox) {
	switch j.Absence() {
	case sandbox.Unwanted:
		fmt.Fprintln(w, "slipstick: WARNING: engines run without a sandbox: they can read, write and reach everything that this user can")
	case sandbox.NotSupported:
		fmt.Fprintf(w, "slipstick: WARNING: there is no sandbox on %s: engines can do everything that this user can\n", runtime.GOOS)
	}
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
