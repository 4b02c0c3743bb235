package pool

import (
	"context"
	"time"

	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// engine is one process of a program. It is a [*process.Process], except in tests that need
// another clock than the one of the machine.
type engine interface {
	asked
	watched
	ending
	described
}

// asked computes and draws.
type asked interface {
	sdk.Engine
	sdk.Plotter
	limited
}

// limited computes within a time limit.
type limited interface {
	CalculateWithin(ctx context.Context, limit time.Duration, in value.Values) (sdk.Outcome, error)
	CalculateBatch(ctx context.Context, limit time.Duration, rows []value.Values) ([]response.Result, error)
}

// watched shows whether the process is alive.
type watched interface {
	Healthy(context.Context) error
	LastReceived() time.Time
	Ended() bool
	Unfit(now time.Time) error
}

// ending tells when the process ends, and ends it.
type ending interface {
	Exited() <-chan struct{}
	Ending() <-chan struct{}
	killed
}

type killed interface {
	Kill()
	Close()
}

// described is what a log line says about the process, and how it describes itself.
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
