package pool

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/sdk/value"
)

// quarantineLife is how long inputs that failed twice are refused immediately.
const quarantineLife = time.Minute

// maxQuarantined is the largest number of inputs that are remembered.
const maxQuarantined = 1000

// quarantine remembers inputs on which engines fail, so that they do not kill further
// processes.
type quarantine struct {
	some atomic.Bool // false, as almost always, if there are none; saves the lock

	mu    sync.Mutex
	known map[[sha256.Size]byte]refusal
}

type refusal struct {
	err   error
	until time.Time
}

func newQuarantine() *quarantine { return &quarantine{known: map[[sha256.Size]byte]refusal{}} }

// find returns the error of inputs that failed recently, or nil.
func (q *quarantine) find(in value.Values) error {
	if !q.some.Load() {
		return nil
	}
	key := sha256.Sum256(value.AppendKey(nil, in))
	q.mu.Lock()
	defer q.mu.Unlock()
	found, ok := q.known[key]
	if !ok || time.Now().After(found.until) {
		return nil
	}
	return fmt.Errorf("these inputs failed before: %w", found.err)
}

func (q *quarantine) add(in value.Values, err error) {
	key := sha256.Sum256(value.AppendKey(nil, in))
	now := time.Now()
	q.mu.Lock()
	defer q.mu.Unlock()
	for k, old := range q.known {
		if now.After(old.until) || len(q.known) >= maxQuarantined {
			delete(q.known, k)
		}
	}
	q.known[key] = refusal{err, now.Add(quarantineLife)}
	q.some.Store(true)
}
