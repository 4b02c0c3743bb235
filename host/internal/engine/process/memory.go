package process

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/slipstick/slipstick/sdk/wire/contract"
	"golang.org/x/sync/semaphore"
)

// ErrBusy is wrapped by the error of a call if the answers of other calls left no memory for its
// answer. The process itself works.
var ErrBusy = errors.New("the server has no memory for this answer now")

// Memory bounds the memory for the answers of all engines of a server. Each engine acquires it
// through its own Share, so that an engine with large answers cannot take all of it.
//
// A message counts from before it is read until it has been decoded. Values count until the answer
// is garbage, which a cleanup of the garbage collector detects. Small answers are free: most
// answers are small, and counting them would cost more than it protects.
type Memory struct {
	messages, values budget
	collecting       sync.Mutex
}

// budget is a number of bytes that can be acquired and released.
type budget struct {
	bytes *semaphore.Weighted
	size  int64
}

func newBudget(size int64) budget { return budget{semaphore.NewWeighted(size), size} }

// Smallest sizes of a Memory, in bytes. A Share is half of a Memory, so the largest message fits
// even into the smallest Share.
const (
	leastMessages = 2 * contract.MaxBatch
	leastValues   = 16 << 20
)

const (
	freeMessage  = 16 << 10 // bytes of a message on the stream up to which it is free
	freeValues   = 32 << 10 // bytes of values up to which they are free
	smallMessage = 1 << 10  // bytes of an Outcome up to which its values are certainly free

	memoryWait   = 2 * time.Second        // how long an answer that has arrived waits for memory
	collectEvery = 100 * time.Millisecond // time between forced collections while it waits
)

// NewMemory returns a Memory for so many bytes of messages and of values. Sizes below
// leastMessages and leastValues are raised to these.
func NewMemory(messages, values int64) *Memory {
	return &Memory{messages: newBudget(max(messages, leastMessages)), values: newBudget(max(values, leastValues))}
}

// Share returns the part of m that one program may use: half of it. Shares of several
// programs overlap, so together they can use all of m, but none can use all of it alone.
func (m *Memory) Share() *Share {
	return &Share{whole: m, messages: newBudget(m.messages.size / 2), values: newBudget(m.values.size / 2)}
}

// Share is the part of a Memory that one program may use.
type Share struct {
	whole            *Memory
	messages, values budget
}

// acquire acquires n bytes from both budgets, or from none. It waits until the context ends.
func acquire(ctx context.Context, own, whole budget, n int64) error {
	if err := own.bytes.Acquire(ctx, n); err != nil {
		return fmt.Errorf("%w: %d bytes", ErrBusy, n)
	}
	if err := whole.bytes.Acquire(ctx, n); err != nil {
		own.bytes.Release(n)
		return fmt.Errorf("%w: %d bytes", ErrBusy, n)
	}
	return nil
}

// tryAcquire is acquire without waiting. It reports whether the bytes were acquired.
func tryAcquire(own, whole budget, n int64) bool {
	if !own.bytes.TryAcquire(n) {
		return false
	}
	if !whole.bytes.TryAcquire(n) {
		own.bytes.Release(n)
		return false
	}
	return true
}

// acquireMessage acquires memory for a message of n bytes, until releaseMessage. It waits at
// most memoryWait.
func (s *Share) acquireMessage(ctx context.Context, n int64) error {
	if n > s.messages.size {
		return fmt.Errorf("%w: %d bytes", ErrBusy, n)
	}
	if tryAcquire(s.messages, s.whole.messages, n) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, memoryWait)
	defer cancel()
	return acquire(ctx, s.messages, s.whole.messages, n)
}

func (s *Share) releaseMessage(n int64) {
	if n > 0 {
		s.messages.bytes.Release(n)
		s.whole.messages.bytes.Release(n)
	}
}

// acquireValues acquires memory for values of n bytes, until releaseValues. It waits at most
// memoryWait. Memory for values is released by the garbage collector, so while there is none
// left, acquireValues forces collections. One caller at a time does that for all.
func (s *Share) acquireValues(ctx context.Context, n int64) error {
	if n > s.values.size {
		return fmt.Errorf("%w: %d bytes", ErrBusy, n)
	}
	ctx, cancel := context.WithTimeout(ctx, memoryWait)
	defer cancel()
	for !tryAcquire(s.values, s.whole.values, n) {
		if s.whole.collecting.TryLock() {
			runtime.GC()
			s.whole.collecting.Unlock()
		}
		attempt, cancelAttempt := context.WithTimeout(ctx, collectEvery)
		err := acquire(attempt, s.values, s.whole.values, n)
		cancelAttempt()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
	}
	return nil
}

func (s *Share) releaseValues(n int64) {
	if n > 0 {
		s.values.bytes.Release(n)
		s.whole.values.bytes.Release(n)
	}
}

// releaseWith releases the memory of values when nothing refers to the holder any more. The
// holder must be part of the allocation that keeps the values alive.
func releaseWith[T any](s *Share, holder *T, n int64) {
	if n > 0 {
		runtime.AddCleanup(holder, s.releaseValues, n)
	}
}
