package pool

import (
	"math"
	"runtime/debug"

	"github.com/slipstick/slipstick/host/internal/process"
)

// What the answers of all engines may take together, in bytes, on a host whose memory
// has no limit. Of a limit of Go's memory (GOMEMLIMIT) they may take a quarter and a half.
const (
	mostMessages = 64 << 20
	mostValues   = 128 << 20
)

func newMemory() *process.Memory {
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		return process.NewMemory(mostMessages, mostValues)
	}
	return process.NewMemory(min(mostMessages, limit/4), min(mostValues, limit/2))
}
