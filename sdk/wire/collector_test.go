package wire

import (
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"testing/synctest"
	"time"
)

// percentage returns the present GOGC.
func percentage() uint64 {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// While batches run, collections are rarer, and afterwards the state is as before.
func TestCollector(t *testing.T) {
	t.Setenv("GOGC", "")
	limit, usual := debug.SetMemoryLimit(-1), debug.SetGCPercent(70)
	t.Cleanup(func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(usual)
	})
	synctest.Test(t, func(t *testing.T) {
		var c collector
		for range 3 {
			for range 5 {
				c.batch()
				time.Sleep(batchPause - 1)
				if got := percentage(); got != batchPercent {
					t.Errorf("%d %% between batches", got)
				}
			}
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			if got := percentage(); got != 70 {
				t.Errorf("%d %% after batches", got)
			}
			c.restore() // a timer that was reset too late
		}
		t.Setenv("GOGC", "50")
		c.batch()
		if percentage() != 70 {
			t.Errorf("%d %% where the environment decides", percentage())
		}
	})
}
