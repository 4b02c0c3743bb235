package process

import (
	"context"
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

// Process is an engine in a process of its own. It is an [sdk.Engine].
type Process struct {
	run     *child
	plugin  *plugin.Client
	conn    *grpc.ClientConn
	health  grpc_health_v1.HealthClient
	spec    sdk.Spec
	vectors []byte
	answers *answers
	needs   contract.Needs
	large   atomic.Bool // an answer by gRPC was larger than most are
	stderr  tail
	stream  *stream // nil if the engine does not serve it
	lastID  atomic.Uint64
	closing sync.Once
}

var _ sdk.Engine = (*Process)(nil)

// Spec implements [sdk.Engine]. It is what the engine claims.
func (p *Process) Spec() sdk.Spec { return p.spec }

// Vectors returns the reference vectors that the engine carries.
func (p *Process) Vectors() []byte { return p.vectors }

// PID is the process id.
func (p *Process) PID() string { return p.run.ID() }

// Exited is closed when the process has ended, for whatever reason.
func (p *Process) Exited() <-chan struct{} { return p.run.exited }

// Gone reports whether the process has ended, or has closed its stream as it does when
// it ends.
func (p *Process) Gone() bool {
	select {
	case <-p.run.exited:
		return true
	default:
		return p.stream != nil && p.stream.over()
	}
}

// StreamEnd says why the stream has ended, "" while it has not and when there is none.
func (p *Process) StreamEnd() string {
	if p.stream == nil || !p.stream.over() {
		return ""
	}
	return p.stream.ended.Error()
}

// Calculate implements [sdk.Engine]. Errors beside an *sdk.Error wrap ErrLost,
// ErrContract, ErrBusy or none of them, when the engine itself reported that it failed.
func (p *Process) Calculate(ctx context.Context, in value.Values) (sdk.Outcome, error) {
	return p.CalculateWithin(ctx, 0, in)
}

// CalculateWithin is Calculate that gives the call up after the limit, if that is
// above zero, as it does when the context ends.
func (p *Process) CalculateWithin(ctx context.Context, limit time.Duration, in value.Values) (sdk.Outcome, error) {
	if p.stream != nil {
		if o, err := p.stream.calculate(ctx, limit, in); err != errSlow {
			return o, err
		}
	}
	return p.calculateUnary(ctx, limit, in)
}

type traceKey struct{}

// WithTraceparent returns a context whose calls carry the traceparent of W3C to the
// engine, as metadata of that name.
func WithTraceparent(ctx context.Context, traceparent string) context.Context {
	return context.WithValue(ctx, traceKey{}, traceparent)
}

func traceparent(ctx context.Context) string {
	parent, _ := ctx.Value(traceKey{}).(string)
	return parent
}

// Healthy returns nil when the engine answers a health check before the context
// ends.
func (p *Process) Healthy(ctx context.Context) error {
	if p.stream != nil && p.stream.idle() {
		if err := p.stream.ping(ctx); err != errSlow {
			return healthError(err)
		}
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

// Kill ends the process at once and does not wait. Calls under way fail.
func (p *Process) Kill() { p.run.signal() }

// LastReceived is when the process last sent anything on its stream; zero without one.
func (p *Process) LastReceived() time.Time {
	if p.stream == nil {
		return time.Time{}
	}
	return time.Unix(0, p.stream.received.Load())
}

// Printed is the beginning and the end of what the process printed on stderr.
func (p *Process) Printed() string { return p.stderr.text() }

// Close ends the process at once and returns when it is gone and its socket
// removed. Calls under way fail. It never waits for the engine's consent: an
// engine keeps nothing that could be lost.
func (p *Process) Close() {
	p.closing.Do(func() {
		p.run.kill() // first: go-plugin asks a stopped process for ever
		p.plugin.Kill()
		if p.stream != nil {
			p.stream.close()
		}
		p.run.release()
	})
}
