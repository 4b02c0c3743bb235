package pool

import (
	"math"
	"runtime/debug"

	"github.com/slipstick/slipstick/host/internal/process"
)

// Memory for the answers of all engines together, in bytes, on a host without a memory limit.
// If there is a limit (GOMEMLIMIT), messages may take a quarter of it and values half of it.
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
