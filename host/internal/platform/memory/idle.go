package memory

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// ReleaseIdle returns unused memory to the operating system, now and after each minute without much
// work. It returns when the context ends. With [Ample] a heap grows to several times its live size, and
// without work Go would keep it that large.
func ReleaseIdle(ctx context.Context) {
	h := newHeap()
	every := time.NewTicker(time.Minute)
	defer every.Stop()
	for {
		if h.idle() {
			debug.FreeOSMemory()
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			return
		}
	}
}

// worthwhile is the number of unused bytes from which a garbage collection is worth its CPU time.
const worthwhile = 16 << 20

// heap is the heap of this process at the last call of idle.
type heap struct {
	allocated uint64 // bytes since the start
	read      []metrics.Sample
}

func newHeap() *heap {
	h := &heap{read: []metrics.Sample{
		{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
	}}
	h.idle()
	return h
}

// idle reports whether the heap has much memory that nothing uses. Memory that the work since the last call
// would soon use again does not count.
func (h *heap) idle() bool {
	metrics.Read(h.read)
	of := func(i int) uint64 { return h.read[i].Value.Uint64() }
	allocated, live, objects, free := of(0), of(1), of(2), of(3)
	recent := allocated - h.allocated
	h.allocated = allocated
	unused := free + objects - min(live, objects)
	return unused > worthwhile && unused > 2*recent
}
