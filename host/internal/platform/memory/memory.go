// Package memory says how much memory a host may use: how much its cgroup has, and how much is left to
// collect.
package memory

import (
	"errors"
	"math"
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// share of a cgroup's memory is the host's: its engines live in the same group.
const share = 0.5

// Limit sets the limit of Go's memory to half of what the cgroup of this process may
// have, version 1 or 2 and with the groups above it. It returns the limit in bytes, 0 for
// none. GOMEMLIMIT in the environment decides otherwise, and so does AUTOMEMLIMIT, the
// share of the group or off.
//
// It is called before the host is moved to a group of its own.
func Limit() (int64, error) {
	limit, err := memlimit.Set(memlimit.WithRatio(share), memlimit.WithProvider(memlimit.FromCgroup))
	if errors.Is(err, memlimit.ErrNoCgroup) || errors.Is(err, memlimit.ErrCgroupsNotSupported) {
		err = nil
	}
	if limit == math.MaxInt64 {
		limit = 0
	}
	return limit, err
}

// Ample lets the heap of a process, which is small, grow to five times what lives before it is
// collected: a request or some rows allocate some kilobytes, and collecting for each few hundred of
// them would cost more than the memory.
const Ample = 400

// CollectAt lets the heap grow by so many percent before it is collected. GOGC in the environment
// decides otherwise.
func CollectAt(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
