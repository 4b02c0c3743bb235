package process

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// Process is an engine in its own process. It implements [sdk.Engine] and [sdk.Plotter], and is
// safe for concurrent use.
type Process struct {
	run     *child
	plugin  *plugin.Client
	conn    *grpc.ClientConn
	health  grpc_health_v1.HealthClient
	spec    sdk.Spec
	answers *answers
	needs   contract.Needs
	large   atomic.Bool   // some answer by gRPC exceeded maxUsual
	stderr  tail          // what it printed, without its log lines
	stream  *stream       // nil if the engine does not serve the stream
	lastID  atomic.Uint64 // of calls by gRPC; the stream has separate ids
	closing sync.Once

	requestID func(context.Context) string // see Options

	introduced chan struct{} // closed when it has described itself or failed to
	fault      error         // why it failed to; set before introduced is closed
	late       bool          // it failed because its time was over
	other      error         // error if its description differs from its release
}

var _ sdk.Engine = (*Process)(nil)

// Spec implements [sdk.Engine]. It is an unverified claim of the engine.
func (p *Process) Spec() sdk.Spec { return p.spec }

// Vectors asks the engine for the reference vectors that it carries.
func (p *Process) Vectors(ctx context.Context) ([]byte, error) {
	err := p.connected(ctx)
	if err != nil {
		return nil, err
	}
	d, err := p.describe(ctx, false)
	return d.Vectors, err
}

// PID returns the process id as a decimal number, "" if the process never started.
func (p *Process) PID() string { return p.run.ID() }

// Exited returns a channel that is closed when the process has ended, for whatever reason.
func (p *Process) Exited() <-chan struct{} { return p.run.exited }

// Misdescribed returns the error of a process that was launched with a known Spec, and then
// reported another one. Such a process is killed.
func (p *Process) Misdescribed() error {
	select {
	case <-p.introduced:
		return p.other
	default:
		return nil
	}
}

// HasStream reports whether the process is asked on its stream.
func (p *Process) HasStream() bool { return p.stream != nil }

// Ended reports whether the process has ended or is about to end. A process that ends closes its
// stream, and the server may notice that first.
func (p *Process) Ended() bool {
	select {
	case <-p.run.exited:
		return true
	default:
		return p.stream != nil && p.stream.over()
	}
}

// Ending returns a channel that is closed when the process has closed its stream. A process that
// dies closes its stream before the kernel reports its end: in between, the kernel removes the
// namespaces of the process. The channel is nil for an engine without a stream.
func (p *Process) Ending() <-chan struct{} {
	if p.stream == nil {
		return nil
	}
	return p.stream.done
}

// Unfit returns why a process that runs should be replaced, or nil. Such a process sends answers to
// calls that it does not have, or its stream stays blocked. It can still answer the calls under
// way. The error wraps ErrContract or ErrLost.
func (p *Process) Unfit(now time.Time) error {
	if p.stream == nil {
		return nil
	}
	return p.stream.unfit(now)
}

// unsent is the error of a call that the process cannot have seen, because it had ended before.
type unsent struct{ error }

func (e *unsent) Unwrap() error { return e.error }

// Unsent reports whether the error is about a call that was never sent.
func Unsent(err error) bool {
	_, ok := errors.AsType[*unsent](err)
	return ok
}

// StreamEnd returns why the stream has ended. It is "" while the stream is open, and for an
// engine without a stream.
func (p *Process) StreamEnd() string {
	if p.stream == nil || !p.stream.over() {
		return ""
	}
	return p.stream.ended.Error()
}

// Calculate implements [sdk.Engine]. An error that is not an *sdk.Error wraps ErrLost,
// ErrContract or ErrBusy. If it wraps none of these, the engine itself reported a failure.
func (p *Process) Calculate(ctx context.Context, in value.Values) (sdk.Outcome, error) {
	return p.CalculateWithin(ctx, 0, in)
}

// CalculateWithin is Calculate with a time limit for the call; zero means no limit. A limit costs
// less than a context with a deadline. When the limit or the context is over, the call fails with
// an error that wraps ErrLost.
//
// If a call on the stream has to wait for a long calculation, it is made by gRPC instead, which
// serves calls in parallel.
func (p *Process) CalculateWithin(ctx context.Context, limit time.Duration, in value.Values) (sdk.Outcome, error) {
	if p.stream != nil {
		if o, err := p.stream.calculate(ctx, limit, in); err != errSlow {
			return o, err
		}
	}
	return p.calculateUnary(ctx, limit, in)
}

type traceKey struct{}

// WithTraceparent returns a context whose calls carry the traceparent (W3C Trace Context) to
// the engine.
func WithTraceparent(ctx context.Context, traceparent string) context.Context {
	return context.WithValue(ctx, traceKey{}, traceparent)
}

func traceparent(ctx context.Context) string {
	parent, _ := ctx.Value(traceKey{}).(string)
	return parent
}

// requestOf returns the id of the request of a call. Of may be nil.
func requestOf(ctx context.Context, of func(context.Context) string) contract.RequestID {
	if of == nil {
		return contract.RequestID{}
	}
	return contract.RequestIDOf(of(ctx))
}

// Healthy returns nil if the engine answers a health check before the context ends. It uses the
// stream while that is idle, and gRPC otherwise: on a busy stream the check would wait for a
// calculation.
func (p *Process) Healthy(ctx context.Context) error {
	if p.stream != nil && p.stream.idle() {
		if err := p.stream.ping(ctx); err != errSlow {
			return healthError(err)
		}
	}
	return p.checkHealth(ctx)
}

// checkHealth makes a health check by gRPC.
func (p *Process) checkHealth(ctx context.Context) error {
	if err := p.connected(ctx); err != nil {
		return healthError(err)
	}
	reply, err := p.health.Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: plugin.GRPCServiceName}, grpc.MaxCallRecvMsgSize(pongNeed))
	if err != nil {
		return healthError(err)
	}
	if s := reply.GetStatus(); s != grpc_health_v1.HealthCheckResponse_SERVING {
		return fmt.Errorf("health check: engine is %v", s)
	}
	return nil
}

func healthError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("health check: %w", err)
}

// Kill ends the process immediately and does not wait for its end. Calls under way fail.
func (p *Process) Kill() { p.run.signal() }

// LastReceived is the time of the last answer on the stream. It is zero for an engine
// without a stream.
func (p *Process) LastReceived() time.Time {
	if p.stream == nil {
		return time.Time{}
	}
	return time.Unix(0, p.stream.received.Load())
}

// Printed returns the beginning and the end of what the process printed on stderr, at most 3 KiB,
// without its log lines.
func (p *Process) Printed() string { return p.stderr.text() }

// Close ends the process immediately. It returns when the process has ended and its socket
// is removed. Calls under way fail. Close does not ask the engine to end by itself, since an
// engine has no state that could be lost.
func (p *Process) Close() {
	p.closing.Do(func() {
		p.run.kill() // first, because go-plugin would wait forever for a process that is stopped
		<-p.introduced
		p.plugin.Kill()
		if p.stream != nil {
			p.stream.close()
		}
		p.run.release()
	})
}
