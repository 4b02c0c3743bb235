package observe

import (
	"context"
	"sync"
	"time"

	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/sdk"
)

// ask sends the vector with index i to an instance, if it is usable. It restarts the instance
// after a failed or late call.
func (s *observer) ask(ctx context.Context, in *instance, i int) Answer {
	if !in.usable() || ctx.Err() != nil {
		in.skipped++
		return Answer{}
	}
	a := ask(ctx, in.engine, s.Spec, s.Vectors[i].Inputs, s.deadline, s.grace)
	if a.Kind == Late {
		in.late++
	}
	if (a.Kind == Late || a.Kind == Failed) && in.usable() && ctx.Err() == nil {
		s.restart(ctx, in)
	}
	return a
}

// Vectors sends each vector once to a running engine.
func Vectors(ctx context.Context, engine sdk.Engine, spec *sdk.Spec, vectors []vector.Vector, deadline time.Duration) *Seen {
	s := &Seen{Spec: spec, Vectors: vectors, Answers: make([]Answer, len(vectors))}
	for i := range vectors {
		if ctx.Err() == nil {
			s.Answers[i] = ask(ctx, engine, spec, vectors[i].Inputs, deadline, leastGrace)
		}
	}
	return s
}

func (s *observer) askFirst(ctx context.Context, in *instance) {
	for i := range s.Vectors {
		s.Answers[i] = s.ask(ctx, in, i)
	}
}

// askAgain repeats the vectors that the engine itself answered the first time.
func (s *observer) askAgain(ctx context.Context, in *instance, where string) {
	for i := range s.Vectors {
		if s.Answers[i].ByEngine() {
			s.Repeated = append(s.Repeated, Sighting{i, where, s.ask(ctx, in, i)})
		}
	}
}

// askTogether sends the same vectors as askAgain, all at the same time.
func (s *observer) askTogether(ctx context.Context, in *instance, where string) {
	if !in.usable() || ctx.Err() != nil {
		return
	}
	from := len(s.Together)
	for i := range s.Vectors {
		if s.Answers[i].ByEngine() {
			s.Together = append(s.Together, Sighting{Vector: i, When: where})
		}
	}
	var all sync.WaitGroup
	gate := make(chan struct{})
	for n := range s.Together[from:] {
		one := &s.Together[from+n]
		all.Go(func() {
			<-gate
			one.Answer = ask(ctx, in.engine, s.Spec, s.Vectors[one.Vector].Inputs, s.deadline, s.grace)
		})
	}
	close(gate)
	all.Wait()
	for _, one := range s.Together[from:] {
		if one.Kind == Late {
			in.late++
		}
	}
}

// drawAll asks for every plot of the vectors that have an outcome.
func (s *observer) drawAll(ctx context.Context, in *instance) {
	for i := range s.Vectors {
		if s.Answers[i].Kind != Answered || ctx.Err() != nil || !in.usable() {
			continue
		}
		for _, p := range s.Spec.Plots {
			_, err := within(ctx, s.deadline, s.grace, func(ctx context.Context) (struct{}, error) {
				return struct{}{}, draw(ctx, in.engine, s.Spec, s.Vectors[i].Inputs, &p)
			})
			s.Drawings = append(s.Drawings, Drawing{i, p.ID, err})
		}
	}
}

// askEnded makes a call whose context has already ended. One such call is enough.
func (s *observer) askEnded(ctx context.Context, in *instance) {
	ended, end := context.WithCancel(ctx)
	end()
	for i := range s.Vectors {
		if s.Answers[i].ByEngine() && in.usable() {
			a := ask(ended, in.engine, s.Spec, s.Vectors[i].Inputs, s.grace, s.grace)
			s.Ended = append(s.Ended, Sighting{i, "its context had ended before the call", a})
			return
		}
	}
}
