// Package shadow answers one question: what would a candidate have answered? A registry can say
// that a release is compared with the current one of its capability. Then, behind the answers of
// the current release, the candidate computes from the same inputs, in processes that give way to
// all others, and the package counts how the outcomes differ. It never changes, delays or fails
// an answer: what cannot be computed in time is dropped and counted.
package shadow

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
)

// Engines compute for candidates.
type Engines interface {
	calc.Engines

	// Used reports whether a process of the release runs.
	Used(*catalog.Release) bool
	// End ends the processes of a release, which must not run any more.
	End(*catalog.Release)
	// Close ends all processes.
	Close()
}

// Options of a Shadow. Engines is required.
type Options struct {
	Engines func() (Engines, error) // called when the first candidate is declared
	Timeout time.Duration           // of what is computed at once; a minute if zero, because a candidate gets the processor last
	Inputs  bool                    // keep the inputs with the largest differences, which callers have sent
	Short   func() bool             // whether memory is short, so that no process may be started; nil: it never is
	Log     *slog.Logger            // discarded if nil
	Now     func() time.Time        // nil for the clock
}

// Shadow compares candidates with what is answered. It is safe for concurrent use.
type Shadow struct {
	options Options
	ctx     context.Context
	end     context.CancelFunc
	workers sync.WaitGroup

	mu      sync.Mutex
	engines Engines       // nil before the first candidate
	service *calc.Service // that computes with them
	pairs   []*pair       // the oldest first
}

// Bounds of what is compared at the same time, and of what is reported.
const (
	maxRunning = 16
	maxPairs   = 64 // with those that have ended
)

var _ calc.Shadow = (*Shadow)(nil)

// New returns a Shadow. Close ends it.
func New(o *Options) *Shadow {
	s := &Shadow{options: *o}
	if s.options.Log == nil {
		s.options.Log = slog.New(slog.DiscardHandler)
	}
	if s.options.Timeout <= 0 {
		s.options.Timeout = time.Minute
	}
	if s.options.Now == nil {
		s.options.Now = time.Now
	}
	if s.options.Short == nil {
		s.options.Short = func() bool { return false }
	}
	s.ctx, s.end = context.WithCancel(context.Background())
	return s
}

// Close ends all comparisons and their processes.
func (s *Shadow) Close() {
	s.mu.Lock()
	s.end() // no worker begins after it
	s.mu.Unlock()
	s.workers.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.engines != nil {
		s.engines.Close()
	}
}

// Watches implements [calc.Shadow]: the current releases that candidates are compared with. A
// comparison goes on as long as the same two releases are compared by the same statement.
func (s *Shadow) Watches(published *catalog.Catalog) map[*catalog.Release][]calc.Watch {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return nil
	}
	list := s.declared(published)
	for _, p := range s.pairs {
		if !slices.ContainsFunc(list, func(d declared) bool { return p.compares(d.candidate, d.current) }) {
			p.end()
		}
	}
	s.endRevoked(published)
	watches := map[*catalog.Release][]calc.Watch{}
	for _, d := range list {
		if p := s.pair(d.candidate, d.current); p != nil {
			watches[d.current] = append(watches[d.current], p)
		}
	}
	return watches
}

// declared is a candidate, and the release that it is compared with.
type declared struct{ candidate, current *catalog.Release }

// declared returns what is to be compared.
func (s *Shadow) declared(catalog *catalog.Catalog) (list []declared) {
	for _, e := range catalog.Entries() {
		current, err := e.Release(nil)
		if err != nil {
			continue // no call without a pin is answered, so nothing would change
		}
		for _, r := range e.Releases {
			if r.Shadow.At(s.options.Now()) && r.Available() && r.Digest != current.Digest {
				list = append(list, declared{r, current})
			}
		}
	}
	return list
}

// prepared makes ready what computes, and reports whether that can. The Shadow is locked.
func (s *Shadow) prepared() bool {
	if s.engines != nil {
		return true
	}
	engines, err := s.options.Engines()
	if err != nil {
		s.options.Log.Error("no candidate can be compared", "error", err)
		return false
	}
	s.engines = engines
	s.service = calc.New(catalog.New(nil), engines, &calc.Options{Timeout: s.options.Timeout})
	return true
}

// pair returns the comparison of two releases, and begins one if there is none. It returns nil if
// that cannot compute, or there are too many. The Shadow is locked.
func (s *Shadow) pair(candidate, current *catalog.Release) *pair {
	for _, p := range s.pairs {
		if p.ctx.Err() == nil && p.compares(candidate, current) {
			return p
		}
	}
	if !s.prepared() {
		return nil
	}
	running := 0
	for _, p := range s.pairs {
		if p.ctx.Err() == nil {
			running++
		}
	}
	if running == maxRunning {
		s.options.Log.Error("too many candidates are declared; this one is not compared", "capability", candidate.Capability, "version", candidate.Version, "most", maxRunning)
		return nil
	}
	if len(s.pairs) == maxPairs {
		i := slices.IndexFunc(s.pairs, func(p *pair) bool { return p.ctx.Err() != nil })
		s.pairs = slices.Delete(s.pairs, i, i+1)
	}
	p := s.newPair(candidate, current)
	s.pairs = append(s.pairs, p)
	s.workers.Go(p.work)
	s.options.Log.Info("a candidate is compared with the current version", "capability", candidate.Capability, "version", candidate.Version, "current", current.Version, "sample", candidate.Shadow.Sample)
	return p
}

// endRevoked ends the processes of candidates that may never be executed again. The Shadow is
// locked.
func (s *Shadow) endRevoked(published *catalog.Catalog) {
	for _, p := range s.pairs {
		e, err := published.Find(p.candidate.Capability)
		if err != nil {
			continue
		}
		for _, r := range e.Releases {
			if r.Digest == p.candidate.Digest && r.State() == catalog.Revoked {
				s.engines.End(p.candidate)
			}
		}
	}
}

// Report returns what was compared so far, by capability.
func (s *Shadow) Report() Report {
	s.mu.Lock()
	pairs := slices.Clone(s.pairs)
	s.mu.Unlock()
	r := Report{Comparisons: make([]Comparison, len(pairs))}
	for i, p := range pairs {
		r.Comparisons[i] = p.report()
	}
	r.sort()
	return r
}

func (r *Report) sort() {
	slices.SortFunc(r.Comparisons, func(a, b Comparison) int {
		return cmp.Or(
			cmp.Compare(a.Capability, b.Capability), cmp.Compare(a.Candidate.Version, b.Candidate.Version),
			a.Since.Compare(b.Since), cmp.Compare(a.Current.Digest, b.Current.Digest))
	})
}
