package pool

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/sdk"
)

// poisonLife is how long inputs that failed twice are refused at once.
const poisonLife = time.Minute

// maxPoisons bounds how many inputs are remembered.
const maxPoisons = 1000

// poisons remembers inputs that engines fail on, so that they cost no more processes.
type poisons struct {
	some atomic.Bool // almost always there are none

	mu    sync.Mutex
	known map[[sha256.Size]byte]poison
}

type poison struct {
	err   error
	until time.Time
}

func newPoisons() *poisons { return &poisons{known: map[[sha256.Size]byte]poison{}} }

// find returns the error of inputs that failed lately.
func (p *poisons) find(in sdk.Values) error {
	if !p.some.Load() {
		return nil
	}
	key := sha256.Sum256(sdk.AppendKey(nil, in))
	p.mu.Lock()
	defer p.mu.Unlock()
	found, ok := p.known[key]
	if !ok || time.Now().After(found.until) {
		return nil
	}
	return fmt.Errorf("these inputs failed before: %w", found.err)
}

func (p *poisons) add(in sdk.Values, err error) {
	key := sha256.Sum256(sdk.AppendKey(nil, in))
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, old := range p.known {
		if now.After(old.until) || len(p.known) >= maxPoisons {
			delete(p.known, k)
		}
	}
	p.known[key] = poison{err, now.Add(poisonLife)}
	p.some.Store(true)
}
