package pool

import (
	"context"
	"time"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// Draw draws a plot of the program, within the limit. It repeats and refuses requests as Calculate
// does, each plot for itself. The error is as from Calculate.
func (p *Pool) Draw(ctx context.Context, limit time.Duration, program Program, plot string, in value.Values) (*sdk.Figure, error) {
	s, err := p.supervisor(program)
	if err != nil {
		return nil, err
	}
	a, err := s.ask(ctx, limit, request{plot, in})
	return a.figure, err
}
