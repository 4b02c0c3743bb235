package pool

import (
	"context"
	"time"

	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// engine is one process of a program. It is a [*process.Process], except in tests that do not use
// the clock of the machine.
type engine interface {
	asked
	watched
	ending
	described
}

// asked has the methods that compute and draw.
type asked interface {
	sdk.Engine
	sdk.Plotter
	limited
}

// limited has the methods that compute within a time limit.
type limited interface {
	CalculateWithin(ctx context.Context, limit time.Duration, in value.Values) (sdk.Outcome, error)
	CalculateBatch(ctx context.Context, limit time.Duration, rows []value.Values) ([]response.Result, error)
}

// watched has the methods that show whether the process is alive.
type watched interface {
	Healthy(context.Context) error
	LastReceived() time.Time
	Ended() bool
	Unfit(now time.Time) error
}

// ending has the methods that report the end of the process, and that end it.
type ending interface {
	Exited() <-chan struct{}
	Ending() <-chan struct{}
	killed
}

type killed interface {
	Kill()
	Close()
}

// described has the facts for log lines about the process, and checks its description.
type described interface {
	PID() string
	Printed() string
	StreamEnd() string
	introduced
}

type introduced interface {
	HasStream() bool
	Misdescribed() error
}

// launchProcess starts a process with [process.Launch].
func launchProcess(ctx context.Context, program *process.Program, o *process.Options) (engine, error) {
	p, err := process.Launch(ctx, program, o)
	if err != nil {
		return nil, err
	}
	return p, nil
}
