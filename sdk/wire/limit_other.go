//go:build !unix

package wire

import "math"

// dataLimit is how many bytes of data the process may have: here that is not limited.
func dataLimit() int64 { return math.MaxInt64 }
