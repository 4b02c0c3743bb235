//go:build !unix

package wire

import "math"

// dataLimit returns the limit of the process for data, in bytes. This system has no limit.
func dataLimit() int64 { return math.MaxInt64 }
