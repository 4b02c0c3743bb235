package pool

import (
	"context"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// Draw draws a plot of the program, within the limit. If a process loses the request, the
// process is replaced and the request is repeated once on the new current process. Unlike a
// calculation, a plot does not get a standby process.
func (p *Pool) Draw(ctx context.Context, limit time.Duration, program Program, plot string, in value.Values) (*sdk.Figure, error) {
	s, err := p.supervisor(program)
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

func (s *supervisor) draw(ctx context.Context, plot string, in value.Values) (*sdk.Figure, error) {
	if err := s.inputs.find(in); err != nil {
		return nil, err
	}
	w, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer w.release()
	w.call()
	f, err := w.process.Draw(ctx, plot, in)
	if err = judgeError(s.program.Spec, err); err == nil {
		f.Show()
	}
	w.note(ctx, err)
	return f, err
}
