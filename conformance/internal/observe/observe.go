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
	calls           = 3 // of each vector, one after the other, on each instance
	rounds          = 3 // of all vectors at once
	startDeadlines  = 4 // starting may take this many deadlines
	defaultDeadline = 5 * time.Second
	leastGrace      = 100 * time.Millisecond
)

// MostLate is how many calls of an instance may be late before it is asked no more.
const MostLate = 3

// ErrHarness is wrapped by what an Open returns when it could not be tried whether the
// engine starts: no jail, no processes or files left. The engine is not blamed.
var ErrHarness = errors.New("not the engine's fault")

// Open starts a fresh instance of the engine. The context is that of starting it, and
// ends when Open has returned. Close ends the instance; it may be nil.
type Open func(ctx context.Context) (engine sdk.Engine, close func(), err error)

// Options are what a caller of Engine may change.
type Options struct {
	Deadline time.Duration     // of one call; 5 s if zero
	Progress func(rule string) // is told the rule whose evidence is being gathered
}

// observer asks, and takes down what it sees.
type observer struct {
	Seen
	open     Open
	deadline time.Duration
	grace    time.Duration // after the deadline, before a call is given up
	progress func(string)
	running  []*instance
}

// Engine starts the engine, asks it everything once and for all, and ends it. Without
// vectors (nil) those that the engine carries are asked.
func Engine(ctx context.Context, open Open, vectors []byte, o *Options) *Seen {
	s := &observer{open: open, deadline: o.Deadline, progress: o.Progress}
	if s.deadline <= 0 {
		s.deadline = defaultDeadline
	}
	if s.progress == nil {
		s.progress = func(string) {}
	}
	s.grace = max(s.deadline/5, leastGrace)
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
	if s.Stopped = ctx.Err(); s.Stopped != nil {
		s.Harness = fmt.Errorf("the suite was stopped before its end: %w", s.Stopped)
	}
	return &s.Seen
}

// carrier is an engine that carries its vectors with it.
type carrier interface{ Vectors() []byte }

// readVectors reads those given, or those that the engine carries if none are.
func (s *observer) readVectors(given []byte) {
	if given == nil {
		if s.Unread = len(s.running) == 0; s.Unread {
			return
		}
		if c, ok := s.running[0].engine.(carrier); ok {
			given = c.Vectors()
		}
	}
	s.Vectors, s.VectorsErr = vector.Parse(given)
}

// askAll makes every call there is to make.
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
