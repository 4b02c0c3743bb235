//go:build unix

package wire

import (
	"math"
	"syscall"
)

// dataLimit returns the limit of the process for data, in bytes, or math.MaxInt64 if there is
// none.
func dataLimit() int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_DATA, &limit); err != nil || limit.Cur > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(limit.Cur)
}
