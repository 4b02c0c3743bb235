package pool

import (
	"math"
	"runtime/debug"

	"github.com/slipstick/slipstick/host/internal/engine/process"
)

// Memory for the answers of all engines together, in bytes, on a server without a memory limit. If
// there is a limit (GOMEMLIMIT), messages may take a quarter of it and values half of it. Engines
// with low priority have an eighth of that.
const (
	mostMessages     = 64 << 20
	mostValues       = 128 << 20
	lowPriorityShare = 8
)

func newMemory(lowPriority bool) *process.Memory {
	messages, values := int64(mostMessages), int64(mostValues)
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		messages, values = min(messages, limit/4), min(values, limit/2)
	}
	if lowPriority {
		messages, values = messages/lowPriorityShare, values/lowPriorityShare
	}
	return process.NewMemory(messages, values)
}
