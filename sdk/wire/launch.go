package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire/enginepb"
)

// ErrContract is wrapped by every error about an engine that breaks the contract:
// it answers, but not what an engine may answer.
var ErrContract = errors.New("engine broke the contract")

// ErrLost is wrapped by every error about a call that got no answer: the process
// died, hung or was never there. Another process may well answer it.
var ErrLost = errors.New("engine process did not answer")

// ErrMachine is wrapped by every error of Launch that is no fault of the engine: it
// could not be confined, or no processes, files or memory were left to start it.
var ErrMachine = errors.New("this machine could not start an engine")

// Options of Launch. The zero value is usable.
type Options struct {
	StartTimeout time.Duration // until the engine has described itself; 5 s
	Dir          string        // where its private socket directory is made; the system's temporary directory
	Env          []string      // environment of the process; it inherits none
	Confiner     Confiner      // nil: the process may do what the host may
	ReadOnly     []string      // what a confined process may read of the system
	Unary        bool          // make every call a gRPC call, even to an engine with a lane
	Memory       *Share        // what its answers may take of the host; nil: as if it were the only engine
}

const defaultStartTimeout = 5 * time.Second

// Process is an engine in a process of its own. It is an [sdk.Engine].
type Process struct {
	run     *process
	plugin  *plugin.Client
	conn    *grpc.ClientConn
	health  grpc_health_v1.HealthClient
	spec    sdk.Spec
	vectors []byte
	answers *answers
	needs   needs
	large   atomic.Bool // an answer by gRPC was larger than most are
	stderr  tail
	lane    *lane // nil if the engine does not serve it
	lastID  atomic.Uint64
	closing sync.Once
}

var _ sdk.Engine = (*Process)(nil)

// Launch starts the program and returns when the engine has described itself. The
// process runs until Close; the context bounds the start only. On error nothing is
// left behind.
func Launch(ctx context.Context, program *Program, o *Options) (*Process, error) {
	if o == nil {
		o = new(Options)
	}
	timeout := o.StartTimeout
	if timeout <= 0 {
		timeout = defaultStartTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	p := &Process{answers: &answers{share: o.Memory}}
	if o.Memory == nil {
		p.answers.share = NewMemory(0, 2*maxBatchValues).Share()
	}
	p.answers.spec = &p.spec
	p.run = newProcess(program, o, &p.stderr)
	p.plugin = plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  handshake,
		VersionedPlugins: plugins(nil),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		RunnerFunc: func(_ hclog.Logger, cmd *exec.Cmd, dir string) (runner.Runner, error) {
			return p.run, p.run.adopt(cmd, dir)
		},
		SkipHostEnv:      true,
		StartTimeout:     timeout,
		SyncStdout:       newSlowDiscard(),
		SyncStderr:       newSlowDiscard(),
		Logger:           hclog.NewNullLogger(),
		UnixSocketConfig: &plugin.UnixSocketConfig{TempDir: o.Dir},
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxUsual)), grpc.WithStreamInterceptor(refuseBroker),
			grpc.WithStaticStreamWindowSize(grpcWindow), grpc.WithStaticConnWindowSize(16 * grpcWindow),
			grpc.WithMaxHeaderListSize(grpcHeaders),
		},
	})
	stop := context.AfterFunc(ctx, p.run.kill)
	defer stop()
	if err := p.start(ctx); err != nil {
		p.Close()
		switch fault := p.run.machineFault(err); {
		case fault != nil:
			err = fmt.Errorf("%w: %w", ErrMachine, fault)
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			err = fmt.Errorf("no engine after %s: %w", timeout, err)
		case ctx.Err() != nil:
			err = ctx.Err()
		}
		return nil, fmt.Errorf("start engine: %w%s", err, p.stderr.note())
	}
	return p, nil
}

// shortError is an error that may repeat what an engine printed.
type shortError struct{ err error }

func (e *shortError) Error() string { return fmt.Sprintf("%.300s", e.err) }
func (e *shortError) Unwrap() error { return e.err }

func (p *Process) start(ctx context.Context) error {
	protocol, err := p.plugin.Client()
	if err != nil {
		return &shortError{err}
	}
	conn, err := protocol.Dispense(pluginName)
	if err != nil {
		return err
	}
	p.conn = conn.(*grpc.ClientConn)
	p.health = grpc_health_v1.NewHealthClient(p.conn)
	d, err := p.describe(ctx)
	if err != nil {
		return err
	}
	spec, err := sdk.ParseSpec(d.spec)
	if err != nil {
		return fmt.Errorf("%w: its spec is not a Spec document: %v", ErrContract, err)
	}
	p.spec, p.vectors = *spec, d.vectors
	p.needs = needsOf(&p.spec)
	if conn := p.run.takeLane(); d.lane && conn != nil {
		p.lane = newLane(conn, p.answers, p.run.signal)
	} else if conn != nil {
		conn.Close()
	}
	return nil
}

// Spec implements [sdk.Engine]. It is what the engine claims.
func (p *Process) Spec() sdk.Spec { return p.spec }

// Vectors returns the reference vectors that the engine carries.
func (p *Process) Vectors() []byte { return p.vectors }

// PID is the process id.
func (p *Process) PID() string { return p.run.ID() }

// Exited is closed when the process has ended, for whatever reason.
func (p *Process) Exited() <-chan struct{} { return p.run.exited }

// Gone reports whether the process has ended, or has closed its lane as it does when
// it ends.
func (p *Process) Gone() bool {
	select {
	case <-p.run.exited:
		return true
	default:
		return p.lane != nil && p.lane.over()
	}
}

// LaneEnd says why the lane has ended, "" while it has not and when there is none.
func (p *Process) LaneEnd() string {
	if p.lane == nil || !p.lane.over() {
		return ""
	}
	return p.lane.ended.Error()
}

// Calculate implements [sdk.Engine]. Errors beside an *sdk.Error wrap ErrLost,
// ErrContract, ErrBusy or none of them, when the engine itself reported that it failed.
func (p *Process) Calculate(ctx context.Context, in sdk.Values) (sdk.Outcome, error) {
	return p.CalculateWithin(ctx, 0, in)
}

// CalculateWithin is Calculate that gives the call up after the limit, if that is
// above zero, as it does when the context ends.
func (p *Process) CalculateWithin(ctx context.Context, limit time.Duration, in sdk.Values) (sdk.Outcome, error) {
	if p.lane != nil {
		if o, err := p.lane.calculate(ctx, limit, in); err != errSlow {
			return o, err
		}
	}
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	call := &enginepb.Call{Id: p.lastID.Add(1), Inputs: toValues(in), TimeoutNanos: int64(timeLeft(ctx, 0))}
	if parent := traceparent(ctx); parent != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "traceparent", parent)
	}
	var o sdk.Outcome
	err := p.invoke(ctx, enginepb.Engine_Calculate_FullMethodName, call, p.needs.call(in), func(b []byte) error {
		err := checkID(b, call.GetId())
		if err == nil {
			o, err = p.answers.outcome(ctx, b)
		}
		return err
	})
	if err != nil {
		return sdk.Outcome{}, err
	}
	return o, nil
}

// checkID requires that a message answers the call with the id.
func checkID(b []byte, id uint64) error {
	if got, err := decodeID(b); err != nil || got != id {
		return contractError(cmp.Or(err, fmt.Errorf("outcome of call %d for call %d", got, id)))
	}
	return nil
}

// contractError makes err one of an engine that broke the contract.
func contractError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrContract, err)
}

// maxFailure is how many characters of a failure are kept.
const maxFailure = 300

// engineFailure is what an engine says of its own failure.
func engineFailure(text []byte) error {
	return fmt.Errorf("engine failed: %.*s", maxFailure, text[:min(len(text), 4*maxFailure)])
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

func callError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ErrLost, ctx.Err())
	}
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	return fmt.Errorf("%w: %w", ErrContract, &shortError{err})
}

// Healthy returns nil when the engine answers a health check before the context
// ends.
func (p *Process) Healthy(ctx context.Context) error {
	if p.lane != nil && p.lane.idle() {
		if err := p.lane.ping(ctx); err != errSlow {
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

// Heard is when the process last sent anything on its lane; zero without one.
func (p *Process) Heard() time.Time {
	if p.lane == nil {
		return time.Time{}
	}
	return time.Unix(0, p.lane.heard.Load())
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
		if p.lane != nil {
			p.lane.close()
		}
		p.run.release()
	})
}

// tail keeps the beginning and the end of what an engine printed, to explain its end: Go
// says first why a program dies, and others last.
type tail struct {
	mu    sync.Mutex
	first []byte
	last  []byte
	lost  bool // something between them
}

const (
	maxFirst = 1 << 10
	maxLast  = 2 << 10
)

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(len(b), maxFirst-len(t.first))
	t.first = append(t.first, b[:n]...)
	t.last = append(t.last, b[n:]...)
	if over := len(t.last) - maxLast; over > 0 {
		t.last, t.lost = append(t.last[:0], t.last[over:]...), true
	}
	return len(b), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	between := ""
	if t.lost {
		between = " ... "
	}
	return strings.ToValidUTF8(strings.TrimSpace(string(t.first)+between+string(t.last)), "?")
}

func (t *tail) note() string {
	text := t.text()
	if text == "" {
		return ""
	}
	return fmt.Sprintf("; it printed %q", text)
}
