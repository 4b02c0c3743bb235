package wire

import (
	"math"
	"os"
	"runtime/debug"
	"sync"
	"time"
)

// collector lets the heap grow further than usual between garbage collections while batches
// run. The heap of an engine is small. So a calculation that allocates much would otherwise
// cause a collection every few rows.
type collector struct {
	mu    sync.Mutex
	usual int         // percentage outside of batches
	end   *time.Timer // nil while no batch has run for batchPause
}

const (
	batchPercent = 400         // GOGC while batches run
	batchPause   = time.Second // after a batch, until the memory is returned
)

// batch is called when a batch starts. It does nothing if the environment sets GOGC.
func (c *collector) batch() {
	if os.Getenv("GOGC") != "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end != nil {
		c.end.Reset(batchPause)
		return
	}
	if most := dataLimit(); most < math.MaxInt64 && debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(most / 2) // the rest is for stacks, for mapped memory that is not used, and for single calls
	}
	c.usual = debug.SetGCPercent(batchPercent)
	c.end = time.AfterFunc(batchPause, c.restore)
}

// restore resets the garbage collector to its state before the batches.
func (c *collector) restore() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end == nil {
		return
	}
	c.end = nil
	debug.SetGCPercent(c.usual)
	debug.FreeOSMemory()
}
