package terminal

import (
	"fmt"
	"io"
	"runtime"

	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
)

// Sandbox warns about missing parts of the sandbox for engines.
func Sandbox(w io.Writer, j *sandbox.Sandbox) {
	switch j.Absence() {
	case sandbox.Unwanted:
		fmt.Fprintln(w, "slipstick: WARNING: engines run without a sandbox: they may read, write and reach whatever this user may")
	case sandbox.NotSupported:
		fmt.Fprintf(w, "slipstick: WARNING: there is no sandbox on %s: engines may do whatever this user may\n", runtime.GOOS)
	}
	for _, missing := range j.Missing() {
		fmt.Fprintln(w, "slipstick: the sandbox of engines is not complete:", missing)
	}
}
