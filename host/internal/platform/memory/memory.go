// Package memory sets and checks the memory limits of a server. [Limit] and [CollectAt] configure
// the garbage collector of Go. [ReleaseIdle] returns memory to the operating system. [Short] reports
// whether little memory is left.
package memory

import (
	"errors"
	"math"
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// share is the server's share of the memory of its cgroup. The engines of the server run in the
// same cgroup.
const share = 0.5

// Limit sets Go's memory limit to half of the memory of this process's cgroup, version 1 or 2. The
// limits of the groups above it count too. Limit returns the limit in bytes, 0 for none. GOMEMLIMIT
// in the environment takes precedence. So does AUTOMEMLIMIT, which is the share of the group or
// off.
//
// Call Limit before the server moves to another cgroup.
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

// Ample is the argument of [CollectAt] for a process with a small heap. The heap grows to five
// times its live size before it is collected. A request or some rows allocate some kilobytes. A
// collection after every few hundred of them would cost more than the memory.
const Ample = 400

// CollectAt sets by how many percent the heap grows before it is collected. GOGC in the environment
// takes precedence.
func CollectAt(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
