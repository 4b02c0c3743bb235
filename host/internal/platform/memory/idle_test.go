package memory

import (
	"context"
	"runtime"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"
)

// garbage allocates memory that nothing uses afterwards.
func garbage() { kept = make([]byte, 4*worthwhile); kept = nil }

var kept []byte

func TestIdle(t *testing.T) {
	debug.FreeOSMemory()
	h := newHeap()
	if h.idle() {
		t.Error("idle after a release")
	}
	garbage()
	if h.idle() {
		t.Error("idle after much work")
	}
	if !h.idle() {
		t.Error("not idle without work")
	}
}

// The memory of work is returned after a minute.
func TestReleaseIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		go ReleaseIdle(ctx)
		synctest.Wait()
		garbage()
		time.Sleep(2*time.Minute + time.Second) // the clock is a fake
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if held := m.HeapSys - m.HeapReleased; held > worthwhile {
			t.Errorf("the heap has %d MB after a rest", held>>20)
		}
		cancel()
	})
}
