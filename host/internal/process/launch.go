package process

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/slipstick/slipstick/sdk/document"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// ErrContract is wrapped by every error about an engine that breaks the contract: it
// answers, but the answer is not one that an engine may give.
var ErrContract = contract.ErrContract

// ErrLost is wrapped by every error about a call without an answer: the process died or
// hung, or the time of the call was over. Another process may be able to answer the call.
var ErrLost = errors.New("engine process did not answer")

// ErrMachine is wrapped by every error of Launch that is not the engine's fault: it could
// not be confined, or the machine had no processes, files or memory left to start it.
var ErrMachine = errors.New("this machine could not start an engine")

// Options of Launch. The zero value is usable.
type Options struct {
	StartTimeout time.Duration // until the engine has described itself; 5 s
	Dir          string        // parent of its private socket directory; the system's temporary directory
	Env          []string      // environment of the process, as NAME=value; it inherits nothing
	Confiner     Confiner      // nil: the process has all rights of the host
	ReadOnly     []string      // paths of the system that a confined process may read
	Unary        bool          // make every call by gRPC, even to an engine with a stream
	Memory       *Share        // memory of the host for its answers; nil: as if it were the only engine
}

const defaultStartTimeout = 5 * time.Second

// Launch starts the program and returns when the engine has described itself. The context
// and Options.StartTimeout bound only the start; the process runs until Close.
//
// The error wraps ErrMachine if the machine is at fault, ErrContract if the engine breaks
// the contract, or the error of the context. After an error nothing is left behind.
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
	p.run = newChild(program, o, &p.stderr)
	p.plugin = plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  plugin.HandshakeConfig{MagicCookieKey: contract.CookieKey, MagicCookieValue: contract.CookieValue},
		VersionedPlugins: map[int]plugin.PluginSet{contract.ProtocolVersion: {contract.PluginName: new(enginePlugin)}},
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

// enginePlugin is an engine as go-plugin sees it. All it provides is the gRPC connection.
type enginePlugin struct{ plugin.NetRPCUnsupportedPlugin }

// GRPCServer implements [plugin.GRPCPlugin]. The host does not serve.
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

// start runs the handshake, connects, and reads the description of the engine. If the engine
// does not serve the stream that it was offered, the host closes its end.
func (p *Process) start(ctx context.Context) error {
	protocol, err := p.plugin.Client()
	if err != nil {
		return &shortError{err}
	}
	conn, err := protocol.Dispense(contract.PluginName)
	if err != nil {
		return err
	}
	p.conn = conn.(*grpc.ClientConn)
	p.health = grpc_health_v1.NewHealthClient(p.conn)
	d, err := p.describe(ctx)
	if err != nil {
		return err
	}
	spec, err := document.ParseSpec(d.Spec)
	if err != nil {
		return fmt.Errorf("%w: its spec is not a Spec document: %v", ErrContract, err)
	}
	p.spec, p.vectors = *spec, d.Vectors
	p.needs = contract.NeedsOf(&p.spec)
	if conn := p.run.takeStream(); d.Stream && conn != nil {
		p.stream = newStream(conn, p.answers, p.run.signal, p.checkHealth)
	} else if conn != nil {
		conn.Close()
	}
	return nil
}
