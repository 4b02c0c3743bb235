package pool

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/sdk/value"
)

// quarantineLife is how long a request that failed twice is refused immediately.
const quarantineLife = time.Minute

// maxQuarantined is the largest number of requests in the quarantine.
const maxQuarantined = 1000

// quarantine has the requests on which engines failed, so that they do not kill further processes.
type quarantine struct {
	some atomic.Bool // false if there are none, which is the usual case; saves the lock

	mu    sync.Mutex
	known map[poison]refusal
}

// poison is the key of a request.
type poison [sha256.Size]byte

type refusal struct {
	err   error
	until time.Time
}

func newQuarantine() *quarantine { return &quarantine{known: map[poison]refusal{}} }

func (r request) poison() poison {
	return sha256.Sum256(value.AppendKey(append([]byte(r.plot), 0), r.inputs))
}

// find returns the error of a request that failed recently, or nil. Inputs that cannot be
// computed are not drawn either.
func (q *quarantine) find(r request) error {
	if !q.some.Load() {
		return nil
	}
	err := q.refused(r)
	if err == nil && r.plot != "" {
		err = q.refused(request{inputs: r.inputs})
	}
	return err
}

func (q *quarantine) refused(r request) error {
	key := r.poison()
	q.mu.Lock()
	defer q.mu.Unlock()
	found, ok := q.known[key]
	if !ok || time.Now().After(found.until) {
		return nil
	}
	return fmt.Errorf("these inputs failed before: %w", found.err)
}

func (q *quarantine) add(r request, err error) {
	key, now := r.poison(), time.Now()
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
