package observe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/sdk"
)

const (
	instances       = 2
	calls           = 3 // calls of each vector on each instance, one after the other
	rounds          = 3 // rounds in which all vectors are sent at once
	startDeadlines  = 4 // a start may take this many times the deadline of a call
	defaultDeadline = 5 * time.Second
	leastGrace      = 100 * time.Millisecond
)

// MostLate is how many late calls an instance may have. After that it gets no more requests,
// since each would take another deadline.
const MostLate = 3

// ErrHarness is wrapped by the error of an Open if the machine prevented the start of the
// engine. For example, it has no sandbox, or no processes or files left.
var ErrHarness = errors.New("not the engine's fault")

// Open starts a fresh instance of the engine. The context bounds only the start, and ends
// when Open has returned. Close ends the instance; it may be nil.
type Open func(ctx context.Context) (engine sdk.Engine, close func(), err error)

// Options of Engine. The zero value is usable.
type Options struct {
	Deadline time.Duration     // of one call; 5 s if zero
	Progress func(rule string) // called with the rule whose evidence is being gathered

	// HasScript reports whether the author's repository has a script. The path starts at its root. It may be nil: the
	// repository is not known.
	HasScript func(path string) bool
}

// observer sends requests and records the answers.
type observer struct {
	Seen
	open     Open
	deadline time.Duration
	grace    time.Duration // from the deadline until a call is given up
	progress func(string)  // never nil
	running  []*instance
}

// Engine starts the engine, makes all calls that any rule needs, and ends the engine. If
// vectors is nil, it uses the vectors of the engine.
func Engine(ctx context.Context, open Open, vectors []byte, o *Options) *Seen {
	s := &observer{open: open, deadline: o.Deadline, progress: o.Progress}
	s.HasScript = o.HasScript
	if s.deadline <= 0 {
		s.deadline = defaultDeadline
	}
	if s.progress == nil {
		s.progress = func(string) {}
	}
	s.grace = max(s.deadline/5, leastGrace) // on a busy machine a good engine returns a little late
	s.progress("starts")
	for i := range instances {
		s.start(ctx, fmt.Sprintf("instance %d", i+1))
	}
	defer s.stop()
	s.readVectors(vectors)
	if s.Spec != nil {
		s.askAll(ctx)
		s.askGenerated(ctx)
	}
	for _, in := range s.running {
		if in.engine != nil {
			s.describe(ctx, in, "after all calls")
		}
		if in.late >= MostLate && in.skipped > 0 {
			s.Skipped = append(s.Skipped, Skipped{in.name, in.skipped})
		}
	}
	s.Stopped = ctx.Err()
	if s.Stopped != nil {
		s.Harness = fmt.Errorf("the suite was stopped before its end: %w", s.Stopped)
	}
	return &s.Seen
}

// carrier is an engine that carries its vectors.
type carrier interface{ Vectors() []byte }

// readVectors reads the given vectors. If they are nil, it reads the vectors of the engine,
// which requires that an instance has started.
func (s *observer) readVectors(given []byte) {
	if given == nil {
		s.Unread = len(s.running) == 0
		if s.Unread {
			return
		}
		if c, ok := s.running[0].engine.(carrier); ok {
			given = c.Vectors()
		}
	}
	s.Vectors, s.VectorsErr = vector.Parse(given)
}

// askAll makes all calls except generated requests. It sends every vector several times to
// each instance, then all vectors at once. It also asks for all plots, and makes a call with
// an ended context.
func (s *observer) askAll(ctx context.Context) {
	s.Answers = make([]Answer, len(s.Vectors))
	for call := range calls {
		for n, in := range s.running {
			if call == 0 && n == 0 {
				s.progress("vectors-results")
				s.askFirst(ctx, in)
				s.progress("determinism")
				continue
			}
			s.askAgain(ctx, in, fmt.Sprintf("call %d of %s", call+1, in.name))
		}
	}
	last := s.running[len(s.running)-1]
	s.progress("concurrency")
	for round := range rounds {
		s.askTogether(ctx, last, fmt.Sprintf("round %d of all at once", round+1))
	}
	if len(s.Spec.Plots) > 0 {
		s.progress("plots")
		s.drawAll(ctx, last)
	}
	s.progress("deadline")
	s.askEnded(ctx, last)
}
