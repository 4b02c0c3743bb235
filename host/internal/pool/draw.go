package pool

import (
	"context"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/sdk"
)

// Draw draws a plot of the program, within the limit. A process that loses the request
// is replaced, and it is tried once more: a picture is not worth a spare process.
func (p *Pool) Draw(ctx context.Context, limit time.Duration, program Program, plot string, in sdk.Values) (*sdk.Figure, error) {
	s, err := p.slot(program)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	f, err := s.draw(ctx, plot, in)
	if broken(err) && ctx.Err() == nil {
		f, err = s.draw(ctx, plot, in)
	}
	if broken(err) {
		s.log.warn("engine does not draw", "plot", plot, "error", err)
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return f, err
}

func (s *slot) draw(ctx context.Context, plot string, in sdk.Values) (*sdk.Figure, error) {
	if err := s.poisons.find(in); err != nil {
		return nil, err
	}
	i, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer i.release()
	i.call()
	f, err := i.process.Draw(ctx, plot, in)
	err = judgeError(s.program.Spec, err)
	i.note(ctx, err)
	return f, err
}
