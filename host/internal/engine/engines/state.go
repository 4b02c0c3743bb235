package engines

import (
	"context"
	"errors"
	"sync"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/engine/confine"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/registry/evidence"
)

// State is the state of a release, as it is shown to operators.
type State string

// The states of releases, in addition to those of package pool.
const (
	Damaged   State = "damaged in the registry"
	Untrusted State = "not signed by a trusted key"
	Revoked   State = "revoked"
	Private   State = "wants to read the host's own files"
)

// Answers reports whether a call of the release would be answered, as far as that is known.
func (s State) Answers() bool { return s == State(pool.Running) || s == State(pool.Idle) }

// States returns the state of every release, by capability@version. A damaged capability
// without releases appears by its id.
func (e *Engines) States(ctx context.Context, catalog *calc.Catalog) map[string]State {
	var mu sync.Mutex
	states := map[string]State{}
	each(catalog, askedAtOnce, func(_ *calc.Entry, r *calc.Release) error {
		state := e.state(ctx, r)
		mu.Lock()
		defer mu.Unlock()
		states[r.Capability+"@"+r.Version] = state
		return nil
	})
	for _, entry := range catalog.Entries() {
		if entry.Problem != nil && len(entry.Releases) == 0 {
			states[entry.ID] = Damaged
		}
		for _, r := range entry.Releases {
			switch name := r.Capability + "@" + r.Version; {
			case errors.Is(r.Problem, evidence.ErrUntrusted):
				states[name] = Untrusted
			case r.Problem != nil:
				states[name] = Damaged
			case r.Lifecycle.State == evidence.Revoked:
				states[name] = Revoked
			}
		}
	}
	return states
}

// state returns the state of a release that can be read and may run.
func (e *Engines) state(ctx context.Context, r *calc.Release) State {
	state := e.pool.State(ctx, e.program(r))
	switch refusal := e.refusal(r); {
	case refusal == nil || state == pool.Running:
		return State(state)
	case confine.IsPrivate(refusal):
		return Private
	}
	return State(pool.Failing)
}
