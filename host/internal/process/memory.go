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

// ErrBusy is wrapped by the error of a call whose answer found no memory: the answers
// of other calls have it. Nothing is wrong with the process.
var ErrBusy = errors.New("the host has no memory for this answer now")

// Memory is what the answers of many engines may take of a host's memory together. An
// engine takes it by its Share, so that one that answers much leaves some to others.
//
// Messages are counted from before they are read until they have been taken apart,
// values until nobody holds the answer any more, which the collector tells. Answers as
// small as most are free.
type Memory struct {
	messages, values budget
	collecting       sync.Mutex
}

// budget is a number of bytes to take from.
type budget struct {
	bytes *semaphore.Weighted
	size  int64
}

func newBudget(size int64) budget { return budget{semaphore.NewWeighted(size), size} }

// Bounds of a Memory, in bytes. A share of the least has room for the largest message.
const (
	LeastMessages = 2 * contract.MaxBatch
	LeastValues   = 16 << 20
)

const (
	freeMessage  = 16 << 10 // bytes of a message on the stream that take no share
	freeValues   = 32 << 10 // bytes of values that take none
	smallMessage = 1 << 10  // bytes of the message of an Outcome whose values are surely free

	memoryWait   = 2 * time.Second // for memory, by an answer that is there
	collectEvery = 100 * time.Millisecond
)

// NewMemory returns a Memory for so many bytes of messages and of values, or the least.
func NewMemory(messages, values int64) *Memory {
	return &Memory{messages: newBudget(max(messages, LeastMessages)), values: newBudget(max(values, LeastValues))}
}

// Share returns the part of m that one program may have: half.
func (m *Memory) Share() *Share {
	return &Share{whole: m, messages: newBudget(m.messages.size / 2), values: newBudget(m.values.size / 2)}
}

// Share is the part of a Memory that one program may have.
type Share struct {
	whole            *Memory
	messages, values budget
}

// acquire takes n bytes from both, or from none.
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

// acquireMessage takes memory for a message, until releaseMessage.
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

// acquireValues takes memory for values, until releaseValues. It is given back by the
// collector, which so has to run when there is none.
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

// releaseWith gives values back when nothing refers to the object any more.
func releaseWith[T any](s *Share, holder *T, n int64) {
	if n > 0 {
		runtime.AddCleanup(holder, s.releaseValues, n)
	}
}
