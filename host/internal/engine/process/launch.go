package process

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"runtime"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/document"
	"github.com/slipstick/slipstick/sdk/wire/contract"
	"github.com/slipstick/slipstick/sdk/wire/socket"
)

// ErrContract is wrapped by every error about an engine that breaks the contract. The engine
// answers, but an engine must not give this answer.
var ErrContract = contract.ErrContract

// ErrLost is wrapped by every error about a call without an answer: the process died or
// hung, or the time of the call was over. Another process may be able to answer the call.
var ErrLost = errors.New("engine process did not answer")

// ErrMachine is wrapped by every error of Launch that is not the engine's fault. Either the engine
// could not be confined, or the machine had no processes, files or memory left to start it.
var ErrMachine = errors.New("this machine could not start an engine")

// Options of Launch. The zero value is usable.
type Options struct {
	StartTimeout time.Duration // until the engine has described itself; 5 s
	Dir          string        // parent of its private socket directory; the system's temporary directory
	Env          []string      // environment of the process, as NAME=value; it inherits nothing
	Confiner     Confiner      // nil: the process has all rights of the server
	ReadOnly     []string      // paths of the system that a confined process may read
	Unary        bool          // make every call by gRPC, even to an engine with a stream
	Memory       *Share        // memory of the server for its answers; nil: as if it were the only engine
	LowPriority  bool          // the process gives way to everything else that wants the processor
	Log          *Log          // of the log lines of the process; nil: it is asked to write none

	// RequestID returns the id of the request of a call, for log lines; "" for none. It can be nil.
	RequestID func(context.Context) string

	// Known is the Spec that an earlier process of the engine reported, if that process served the
	// stream. Launch then does not wait for the Spec of the new process, because all answers must
	// fit the known one. If the process reports another Spec later, it is killed; see Misdescribed.
	Known *sdk.Spec
}

// unary reports whether every call is made by gRPC. A process on Windows cannot have a stream.
func (o *Options) unary() bool { return o.Unary || runtime.GOOS == "windows" }

const defaultStartTimeout = 5 * time.Second

// Launch starts the program and returns when the engine has described itself, or, if it is known,
// when it answers on its stream. The context and Options.StartTimeout bound only the start; the
// process runs until Close.
//
// The error wraps ErrMachine if the machine is at fault, ErrContract if the engine breaks the
// contract, or the error of the context. After an error, no process and no file is left.
func Launch(ctx context.Context, program *Program, o *Options) (*Process, error) {
	if o == nil {
		o = new(Options)
	}
	timeout := o.StartTimeout
	if timeout <= 0 {
		timeout = defaultStartTimeout
	}
	p, known := newProcess(program, o, timeout), o.Known
	if o.unary() {
		known = nil
	}
	defer context.AfterFunc(ctx, p.run.kill)()
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	go func() {
		defer cancel()
		p.introduce(bounded, known)
	}()
	err := p.ready(known)
	if err == nil {
		err = program.Unchanged() // now the kernel refuses writers, because it runs
	}
	if err == nil {
		return p, nil
	}
	p.Close()
	switch fault := p.run.machineFault(err); {
	case fault != nil:
		err = fmt.Errorf("%w: %w", ErrMachine, fault)
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = ctx.Err()
	case ctx.Err() != nil, p.late:
		err = fmt.Errorf("no engine after %s: %w", timeout, err)
	default:
		return nil, fmt.Errorf("start engine: %w", p.diagnose(err, program, o))
	}
	return nil, fmt.Errorf("start engine: %w%s", err, p.stderr.note())
}

// startSlack is the time that go-plugin waits for the handshake in addition to the start timeout.
// So the start timeout ends first, and shows that the handshake was too late.
const startSlack = time.Second

// newProcess returns a process that has not been started.
func newProcess(program *Program, o *Options, timeout time.Duration) *Process {
	p := &Process{answers: &answers{share: o.Memory}, introduced: make(chan struct{}), requestID: o.RequestID}
	if o.Memory == nil {
		p.answers.share = NewMemory(0, 2*maxBatchValues).Share()
	}
	p.answers.spec = &p.spec
	p.run = newChild(program, o, &printed{log: o.Log, tail: &p.stderr})
	p.plugin = plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  plugin.HandshakeConfig{MagicCookieKey: contract.CookieKey, MagicCookieValue: contract.CookieValue},
		VersionedPlugins: map[int]plugin.PluginSet{contract.ProtocolVersion: {contract.PluginName: new(enginePlugin)}},
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		RunnerFunc: func(_ hclog.Logger, cmd *exec.Cmd, dir string) (runner.Runner, error) {
			return p.run, p.run.adopt(cmd, dir)
		},
		SkipHostEnv: true,
		// go-plugin reads its lines of stderr from a drain, which is empty; its usual buffer has 64 KiB.
		PluginLogBufferSize: 16,
		StartTimeout:        timeout + startSlack,
		SyncStdout:          newSlowWriter(io.Discard),
		SyncStderr:          newSlowWriter(&p.stderr), // of Go engines, in which go-plugin replaces os.Stderr
		Logger:              hclog.NewNullLogger(),    // its errors are returned, and it gets no line of the engine
		UnixSocketConfig:    &plugin.UnixSocketConfig{TempDir: o.Dir},
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxUsual)), grpc.WithStreamInterceptor(refuseBroker),
			grpc.WithStaticStreamWindowSize(grpcWindow), grpc.WithStaticConnWindowSize(16 * grpcWindow),
			grpc.WithMaxHeaderListSize(grpcHeaders),
		},
	})
	return p
}

// enginePlugin is an engine as go-plugin sees it. All it provides is the gRPC connection.
type enginePlugin struct{ plugin.NetRPCUnsupportedPlugin }

// GRPCServer implements [plugin.GRPCPlugin]. The server has no gRPC service.
func (enginePlugin) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return errors.ErrUnsupported
}

// GRPCClient implements [plugin.GRPCPlugin].
func (enginePlugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return conn, nil
}

// shortError cuts the text of an error that may repeat long output of an engine.
type shortError struct{ err error }

func (e *shortError) Error() string { return fmt.Sprintf("%.300s", e.err) }
func (e *shortError) Unwrap() error { return e.err }

// introduce starts the process, and lets it describe itself. A process that does not report its
// Spec before the context ends, or reports another Spec than the known one, is killed.
func (p *Process) introduce(ctx context.Context, known *sdk.Spec) {
	defer context.AfterFunc(ctx, p.run.kill)()
	p.fault = p.start(ctx, known)
	p.late = p.fault != nil && ctx.Err() != nil
	close(p.introduced)
	if p.fault != nil {
		p.run.signal()
	}
}

// start runs the handshake, connects, and reads the description of the engine. If the engine does
// not serve the stream, start closes the server's end.
func (p *Process) start(ctx context.Context, known *sdk.Spec) error {
	protocol, err := p.plugin.Client()
	if err != nil {
		return p.run.withoutHandshake(err)
	}
	conn, err := protocol.Dispense(contract.PluginName)
	if err != nil {
		return err
	}
	p.conn = conn.(*grpc.ClientConn)
	p.health = grpc_health_v1.NewHealthClient(p.conn)
	d, err := p.describe(ctx, true)
	if err != nil {
		return err
	}
	spec, err := document.ParseSpec(d.Spec)
	if err != nil {
		return fmt.Errorf("%w: its spec is not a Spec document: %v", ErrContract, err)
	}
	if known != nil {
		p.other = SameSpec(spec, known)
		return p.other
	}
	p.spec = *spec
	p.needs = contract.NeedsOf(&p.spec)
	if conn := p.run.takeStream(); d.Stream && conn != nil {
		p.openStream(conn)
	} else if conn != nil {
		conn.Close()
	}
	return nil
}

// SameSpec returns an error if the Spec of an engine differs from the Spec of its release.
func SameSpec(claimed, published *sdk.Spec) error {
	a, errA := json.Marshal(claimed)
	b, errB := json.Marshal(published)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		return fmt.Errorf("engine describes itself as %s %s, otherwise than published", claimed.Capability, claimed.Version)
	}
	return nil
}

// ready returns when the process can be asked, or why it cannot.
func (p *Process) ready(known *sdk.Spec) error {
	if known == nil {
		<-p.introduced
		return p.fault
	}
	p.spec, p.needs = *known, contract.NeedsOf(known)
	select {
	case <-p.run.started:
	case <-p.introduced: // without having been started
		return p.fault
	}
	conn := p.run.takeStream()
	if err := greet(conn); err != nil {
		conn.Close()
		p.run.signal()
		<-p.introduced
		if p.fault != nil && !errors.Is(err, ErrContract) {
			return p.fault // which has more detail than the end of the stream
		}
		return err
	}
	p.openStream(conn)
	return nil
}

// openStream starts the stream over the connection.
func (p *Process) openStream(conn *socket.Conn) {
	p.stream = newStream(conn, p.answers, p.run.signal, p.checkHealth)
	p.stream.requestID = p.requestID
}

// greeting is the id of the ping that a known engine answers first. Calls have smaller ids.
const greeting = math.MaxUint64

// greet waits until the engine at the other end of the stream answers.
func greet(conn io.ReadWriter) error {
	id := func(b []byte) []byte { return contract.AppendID(b, greeting) }
	if _, err := conn.Write(contract.AppendFrame(nil, contract.FramePing, id)); err != nil {
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	want := contract.AppendFrame(nil, contract.FramePong, id)
	got := make([]byte, len(want))
	if _, err := io.ReadFull(conn, got); err != nil {
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%w: the first frame on its stream is not a pong", ErrContract)
	}
	return nil
}
