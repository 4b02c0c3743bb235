//go:build unix

package wire

import (
	"math"
	"syscall"
)

// dataLimit is how many bytes of data the process may have, math.MaxInt64 if that is not
// limited.
func dataLimit() int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_DATA, &limit); err != nil || limit.Cur > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(limit.Cur)
}
