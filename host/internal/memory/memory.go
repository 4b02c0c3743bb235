// Package memory keeps a host within the memory that its cgroup has.
package memory

import (
	"errors"
	"math"

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
