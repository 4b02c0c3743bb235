// Package shadow compares candidates with the current releases of their capabilities. A registry can
// declare that a release is a shadow candidate. After an answer of the current release, the candidate
// computes the same inputs, in processes with a lower priority than all others. The package counts how
// the outcomes differ. It never changes, delays or fails an answer: it drops and counts calculations
// that cannot be computed in time. Use [New] to create a [Shadow], and [Get] to read reports.
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
	// End ends the processes of a release that must not run any more.
	End(*catalog.Release)
	// Close ends all processes.
	Close()
}

// Options of a Shadow. Engines is required.
type Options struct {
	Engines func() (Engines, error) // called when the first candidate is declared
	Timeout time.Duration           // of one call; a minute if zero, because candidates have the lowest CPU priority
	Inputs  bool                    // keep the inputs with the largest differences, which callers have sent
	Short   func() bool             // whether memory is too short to start a process; nil: never
	Log     *slog.Logger            // discarded if nil
	Now     func() time.Time        // nil for the clock
}

// Shadow compares candidates with the answers of current releases. It is safe for concurrent use.
type Shadow struct {
	options Options
	ctx     context.Context
	end     context.CancelFunc
	workers sync.WaitGroup

	mu      sync.Mutex
	engines Engines       // nil before the first candidate
	service *calc.Service // uses the engines
	pairs   []*pair       // the oldest first
}

// Limits of concurrent comparisons and of the report.
const (
	maxRunning = 16
	maxPairs   = 64 // including ended comparisons
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
	s.end() // no worker starts after it
	s.mu.Unlock()
	s.workers.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.engines != nil {
		s.engines.Close()
	}
}

// Watches implements [calc.Shadow]: it returns the current releases with their comparisons. A comparison
// continues while the same statement compares the same two releases.
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

// declared is a candidate and the release that it is compared with.
type declared struct{ candidate, current *catalog.Release }

// declared returns the declared comparisons.
func (s *Shadow) declared(catalog *catalog.Catalog) (list []declared) {
	for _, e := range catalog.Entries() {
		current, err := e.Release(nil)
		if err != nil {
			continue // no call without a pin is answered, so the candidate would not change anything
		}
		for _, r := range e.Releases {
			if r.Shadow.At(s.options.Now()) && r.Available() && r.Digest != current.Digest {
				list = append(list, declared{r, current})
			}
		}
	}
	return list
}

// prepared starts the engines if necessary, and reports whether they can be used. The caller holds the lock.
func (s *Shadow) prepared() bool {
	if s.engines != nil {
		return true
	}
	engines, err := s.options.Engines()
	if err != nil {
		s.options.Log.Error("the server cannot compare shadow candidates", "error", err)
		return false
	}
	s.engines = engines
	s.service = calc.New(catalog.New(nil), engines, &calc.Options{Timeout: s.options.Timeout})
	return true
}

// pair returns the comparison of two releases, and starts one if there is none. It returns nil if
// engines cannot be used, or there are too many comparisons. The caller holds the lock.
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
		s.options.Log.Error("too many shadow candidates are declared; the server does not compare this one", "capability", candidate.Capability, "version", candidate.Version, "most", maxRunning)
		return nil
	}
	if len(s.pairs) == maxPairs {
		i := slices.IndexFunc(s.pairs, func(p *pair) bool { return p.ctx.Err() != nil })
		s.pairs = slices.Delete(s.pairs, i, i+1)
	}
	p := s.newPair(candidate, current)
	s.pairs = append(s.pairs, p)
	s.workers.Go(p.work)
	s.options.Log.Info("the server compares a shadow candidate with the current version", "capability", candidate.Capability, "version", candidate.Version, "current", current.Version, "sample", candidate.Shadow.Sample)
	return p
}

// endRevoked ends the processes of candidates that must never be executed again. The caller holds the
// lock.
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

// Report returns the results so far, by capability.
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
