package snapshot_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
)

func BenchmarkCreateEmbedded(b *testing.B) { benchmarkCreate(b, embedding(b, seed)) }

func BenchmarkCreateStored(b *testing.B) {
	benchmarkCreate(b, storing(b, connect(b, startRedis(b).addr)))
}

func benchmarkCreate(b *testing.B, store *snapshot.Store) {
	c := content(b, "cantilever")
	b.ReportAllocs()
	for b.Loop() {
		create(b, store, c)
	}
}

func BenchmarkGetEmbedded(b *testing.B) {
	store := embedding(b, seed)
	benchmarkGet(b, store, create(b, store, content(b, "cantilever")).ID)
}

func BenchmarkGetStored(b *testing.B) {
	store := storing(b, connect(b, startRedis(b).addr))
	benchmarkGet(b, store, create(b, store, content(b, "cantilever")).ID)
}

// BenchmarkGetForged measures the work that a client can cause with one request: reading an id that
// no key signed.
func BenchmarkGetForged(b *testing.B) {
	store := embedding(b, seed)
	raw := decode(b, create(b, store, content(b, "cantilever")).ID)
	raw[60] ^= 1
	id := encode(raw)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = store.Get(b.Context(), id)
	}
}

func benchmarkGet(b *testing.B, store *snapshot.Store, id string) {
	b.ReportAllocs()
	for b.Loop() {
		get(b, store, id)
	}
}

// BenchmarkCreateFile measures creating a snapshot in a file for one caller. Most of the time is
// spent on two disk syncs.
func BenchmarkCreateFile(b *testing.B) {
	store := filing(b, b.TempDir())
	i := 0
	for b.Loop() {
		create(b, store, numbered(b, i))
		i++
	}
}

// BenchmarkCreateFileTogether measures 64 concurrent callers, who share transactions.
func BenchmarkCreateFileTogether(b *testing.B) {
	store := filing(b, b.TempDir())
	c := content(b, "cantilever")
	var next atomic.Int64
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			mine := c
			mine.Inputs = fmt.Appendf(nil, `{"length":%d}`, next.Add(1))
			create(b, store, mine)
		}
	})
}

func BenchmarkGetFile(b *testing.B) {
	store := filing(b, b.TempDir())
	benchmarkGet(b, store, create(b, store, content(b, "cantilever")).ID)
}
