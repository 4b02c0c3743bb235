package cache_test

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/cache"
)

// A hit allocates nothing, and neither does a key that is requested for the first time.
func TestAllocations(t *testing.T) {
	c := cache.New[string](1 << 20)
	key, once := []byte("kept"), make([]byte, 100)
	compute := value("A")
	ask := func(key []byte) {
		if got, _, err := c.Do(context.Background(), key, compute); got != "A" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	ask(key)
	ask(key)
	if n := testing.AllocsPerRun(100, func() { ask(key) }); n != 0 {
		t.Errorf("a hit allocates %v times", n)
	}
	asked := uint64(0)
	first := func() {
		asked++
		binary.LittleEndian.PutUint64(once, asked)
		ask(once)
	}
	for range 1000 {
		first() // fills the buffers of all shards
	}
	if n := testing.AllocsPerRun(1000, first); n != 0 {
		t.Errorf("a new key allocates %v times", n)
	}
	if s := c.Stats(); s.Entries != 1 {
		t.Errorf("keys that were requested once are kept: %+v", s)
	}
}

// Many callers request few keys, and some computations fail. Each caller gets the value of its
// key, and no key is computed twice at the same time.
func TestShared(t *testing.T) {
	c := cache.New[uint64](8 << 10) // so that values are evicted, too
	failed := errors.New("failed")
	const keys, callers, calls = 40, 16, 500
	var computing [keys]sync.Mutex
	var callersDone sync.WaitGroup
	for caller := range uint64(callers) {
		callersDone.Go(func() {
			var key [8]byte
			for i := range uint64(calls) {
				k := (i*7 + caller*i) % keys
				binary.LittleEndian.PutUint64(key[:], k)
				got, hit, err := c.Do(t.Context(), key[:], func() (uint64, int64, error) {
					if !computing[k].TryLock() {
						t.Errorf("key %d is computed twice at once", k)
						return k, 1, nil
					}
					defer computing[k].Unlock()
					if i%5 == 0 {
						return 0, 0, failed
					}
					return k, 1, nil
				})
				clear(key[:]) // the caller reuses its key
				if err != nil && !(errors.Is(err, failed) && !hit) || err == nil && got != k {
					t.Errorf("key %d has %d, %v, %v", k, got, hit, err)
				}
			}
		})
	}
	callersDone.Wait()
	if s := c.Stats(); s.Hits+s.Misses < callers*calls || s.Entries > keys {
		t.Errorf("%+v", s)
	}
}

func BenchmarkDo(b *testing.B) {
	key := make([]byte, 150)
	compute := func() (string, int64, error) { return "A", 1, nil }
	b.Run("hit", func(b *testing.B) {
		c := cache.New[string](1 << 20)
		b.ReportAllocs()
		for b.Loop() {
			_, _, _ = c.Do(context.Background(), key, compute)
		}
	})
	b.Run("new", func(b *testing.B) {
		c := cache.New[string](1 << 20)
		asked := uint64(0)
		b.ReportAllocs()
		for b.Loop() {
			asked++
			binary.LittleEndian.PutUint64(key, asked)
			_, _, _ = c.Do(context.Background(), key, compute)
		}
	})
}
