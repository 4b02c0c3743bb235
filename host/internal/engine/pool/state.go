package pool

import (
	"context"
	"errors"
	"sync"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
)

// State is the state of a release, in words for operators.
type State string

// The states of releases. Running means that its process answered a health check.
const (
	Running    State = "ok"
	Idle       State = "idle" // no process; one starts on demand
	BackingOff State = "quarantined"
	Failing    State = "does not start"
	Unanswered State = "does not answer"
	Damaged    State = "damaged in the registry"
	Untrusted  State = "not signed by a trusted key"
	Revoked    State = "revoked"
	Private    State = "needs files of the server"
)

// Answers reports whether a call of the release would be answered, as far as that is known.
func (s State) Answers() bool { return s == Running || s == Idle }

// States returns the state of every release, by capability@version. A damaged capability
// without releases appears by its id.
func (p *Pool) States(ctx context.Context, published *catalog.Catalog) map[string]State {
	var mu sync.Mutex
	states := map[string]State{}
	each(published, askedAtOnce, func(_ *catalog.Entry, r *catalog.Release) error {
		state := p.State(ctx, r)
		mu.Lock()
		defer mu.Unlock()
		states[r.Capability+"@"+r.Version] = state
		return nil
	})
	for _, entry := range published.Entries() {
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

// State returns the state of a release that can be read and may run, without starting its engine.
// If there is a process, the process gets a health check.
func (p *Pool) State(ctx context.Context, r *registry.Release) State {
	state := Idle
	if s, ok := p.supervisors.Load(r.EngineDigest); ok {
		state = s.(*supervisor).state(ctx)
	}
	var private *sandbox.PrivateError
	switch refusal := p.refusal(r); {
	case refusal == nil || state == Running:
		return state
	case errors.As(refusal, &private):
		return Private
	}
	return Failing
}

// Differed counts, as an event of its engine, that a release has changed or wrong results.
func (p *Pool) Differed(r *registry.Release) {
	p.options.Metrics.Engine(r.Capability, r.Version, "different")
}
