package terminal

import (
	"fmt"
	"io"
	"runtime"

	"github.com/slipstick/slipstick/host/internal/engine/confine"
)

// Jail prints what does not confine engines here.
func Jail(w io.Writer, j *confine.Jail) {
	switch j.Absence() {
	case confine.Unwanted:
		fmt.Fprintln(w, "slipstick: WARNING: engines run without a jail: they may read, write and reach whatever this user may")
	case confine.NotSupported:
		fmt.Fprintf(w, "slipstick: WARNING: there is no jail on %s: engines may do whatever this user may\n", runtime.GOOS)
	}
	for _, missing := range j.Missing() {
		fmt.Fprintln(w, "slipstick: the jail of engines is not complete:", missing)
	}
}
