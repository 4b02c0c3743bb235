package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hashicorp/go-plugin/runner"
	"github.com/slipstick/slipstick/sdk/wire/contract"
	"github.com/slipstick/slipstick/sdk/wire/socket"
)

// child runs one engine process for go-plugin, as its [runner.Runner]. The runner of go-plugin
// inherits the server's stdin, trusts any address that an engine prints, and can wait forever on a
// pipe. This one does none of that.
type child struct {
	program *Program
	options *Options
	printed *printed // receives what the engine prints on stderr

	started chan struct{} // closed when it has been started; never, if that fails
	exited  chan struct{}
	greeted atomic.Pointer[string] // the first line on stdout, nil until it is complete

	mu        sync.Mutex // guards what follows
	cmd       *exec.Cmd
	socketDir string
	confined  *Confined
	stdout    *os.File
	stderr    *os.File
	drain     *drain       // of stderr; nil until it is read
	stream    *socket.Conn // the server's end; nil if no stream is offered, or after takeStream
	streamEnd *os.File     // the engine's end
	tail      *os.File     // the bytes after the runtime of a text engine; nil for other engines
	killed    bool         // a later start must fail
	refused   error        // why it could not be confined, or must not run
}

var _ runner.Runner = (*child)(nil)

func newChild(p *Program, o *Options, printed *printed) *child {
	return &child{program: p, options: o, printed: printed, started: make(chan struct{}), exited: make(chan struct{})}
}

// adopt prepares the command, with the environment and socket directory from go-plugin. It
// offers the stream and confines the process.
func (p *child) adopt(cmd *exec.Cmd, socketDir string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.socketDir = socketDir
	p.cmd = &exec.Cmd{
		Path: p.program.path, Args: []string{"engine"}, Dir: socketDir,
		Env: slices.Concat(temporary(socketDir), []string{contract.LogVariable + "=" + p.options.Log.asked()}, p.options.Env, cmd.Env),
	}
	if !p.options.unary() {
		if err := p.offerStream(); err != nil {
			return err
		}
	}
	if err := p.offerTail(); err != nil {
		return err
	}
	start := &Start{Command: p.cmd, Program: p.program.file, Dir: socketDir, ReadOnly: p.options.ReadOnly, LowPriority: p.options.LowPriority}
	if p.options.Confiner == nil {
		p.confined = unconfined(start)
		return nil
	}
	var err error
	p.confined, err = p.options.Confiner.Confine(start)
	if err != nil {
		p.refused = fmt.Errorf("confine: %w", err)
	}
	return p.refused
}

// scarce are the errors of a machine that is short of processes, memory, files or disk space.
var scarce = []error{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE, syscall.ENOSPC}

// machineFault returns the reason for a failed start if the machine is at fault. It returns
// nil if the engine is.
func (p *child) machineFault(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refused != nil {
		return p.refused
	}
	if p.cmd == nil || p.cmd.Process == nil { // it never ran
		for _, lack := range scarce {
			if errors.Is(err, lack) {
				return err
			}
		}
	}
	return nil
}

// firstFile is the descriptor of the first of a command's ExtraFiles.
const firstFile = 3

// offerStream makes a socket pair and passes one end to the engine. An environment variable
// gives the descriptor.
func (p *child) offerStream() error {
	ours, theirs, err := socket.Pair()
	if err != nil {
		return err
	}
	p.stream, p.streamEnd = ours, theirs
	number, err := inherit(p.cmd, theirs)
	p.cmd.Env = append(p.cmd.Env, fmt.Sprintf("%s=%d", contract.StreamVariable, number))
	return err
}

// takeStream returns the server's end of the stream, once.
func (p *child) takeStream() *socket.Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	conn := p.stream
	p.stream = nil
	return conn
}

// Start implements runner.Runner.
func (p *child) Start(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed {
		return errors.New("start was cancelled")
	}
	var ends [2]*os.File // the engine's
	for i, ours := range []**os.File{&p.stdout, &p.stderr} {
		var err error
		*ours, ends[i], err = os.Pipe()
		if err != nil {
			return err
		}
		defer ends[i].Close()
	}
	p.cmd.Stdout, p.cmd.Stderr = ends[0], ends[1]
	for _, f := range []*os.File{p.streamEnd, p.tail} {
		if f != nil {
			defer f.Close()
		}
	}
	p.refused = p.program.Unchanged()
	if p.refused != nil {
		p.stdout.Close()
		p.stderr.Close()
		return p.refused
	}
	if err := startProcess(p.cmd); err != nil {
		p.stdout.Close()
		p.stderr.Close()
		return err
	}
	if p.options.LowPriority && p.options.Confiner == nil {
		_ = lower(p.cmd) // at worst it has the priority of others
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.exited)
	}()
	close(p.started)
	return nil
}

// signal kills the process group and does not wait for its end.
func (p *child) signal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.killed = true
	if p.cmd == nil || p.cmd.Process == nil {
		return
	}
	select {
	case <-p.exited: // another process may have the id by now
	default:
		killProcess(p.cmd)
	}
}

// kill kills the process group and waits for its end. It may be called several times. If it
// is called before the start, the start fails.
func (p *child) kill() {
	p.signal()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil || p.cmd.Process == nil {
		return
	}
	<-p.exited
	p.awaitOutput()
	// A grandchild may keep the other ends open. Closing ours avoids waiting for it.
	p.stdout.Close()
	p.stderr.Close()
}

// lastOutput is how long the end of the output may take after the end of the process.
const lastOutput = 100 * time.Millisecond

// awaitOutput waits until everything that the process has printed on stderr was read. The child is
// locked.
func (p *child) awaitOutput() {
	if p.drain == nil {
		return
	}
	late := time.NewTimer(lastOutput)
	defer late.Stop()
	select {
	case <-p.drain.ended:
	case <-late.C: // a grandchild still has the other end
	}
}

// release frees the resources of the process after its end.
func (p *child) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stream != nil {
		p.stream.Close()
	}
	for _, f := range []*os.File{p.streamEnd, p.tail} {
		if f != nil {
			f.Close() // a second time if the process was started, which does no harm
		}
	}
	if p.confined != nil {
		p.confined.Release()
	}
	if p.socketDir != "" {
		os.RemoveAll(p.socketDir) // go-plugin does not remove it if nothing was started
	}
}

// Kill implements runner.Runner.
func (p *child) Kill(context.Context) error {
	p.kill()
	return nil
}

// Wait implements runner.Runner.
func (p *child) Wait(context.Context) error {
	<-p.exited
	return nil
}

// Stdout implements runner.Runner. It has only the handshake line.
func (p *child) Stdout() io.ReadCloser {
	return &firstLine{from: p.stdout, limit: throttle{rate: drainRate}, complete: func(line string) { p.greeted.Store(&line) }}
}

// Stderr implements runner.Runner. It is empty for go-plugin, which would parse every line.
func (p *child) Stderr() io.ReadCloser {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drain = newDrain(p.stderr, p.printed)
	return p.drain
}

// Name implements runner.Runner.
func (p *child) Name() string { return "engine " + p.program.digest }

// ID implements runner.Runner.
func (p *child) ID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil || p.cmd.Process == nil {
		return ""
	}
	return strconv.Itoa(p.cmd.Process.Pid)
}

// Diagnose implements runner.Runner.
func (p *child) Diagnose(context.Context) string { return "" }

// PluginToHost implements runner.AddrTranslator. It refuses every address except a Unix
// socket in the engine's own directory. On Windows, go-plugin listens on a loopback address, and
// PluginToHost refuses all others.
func (p *child) PluginToHost(network, address string) (string, string, error) {
	if runtime.GOOS == "windows" && network == "tcp" {
		return network, address, checkLoopback(address)
	}
	if network != "unix" {
		return "", "", fmt.Errorf("engine announced a %.20q address %.100q: it must be a unix socket", network, address)
	}
	path, err := p.confined.Reach(p.cmd.Process.Pid, address)
	return network, path, err
}

func checkLoopback(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().IsLoopback() || at.Port() == 0 {
		return fmt.Errorf("engine announced the address %.100q: it must be a loopback address", address)
	}
	return nil
}

// HostToPlugin implements runner.AddrTranslator.
func (p *child) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

// maxHandshake bounds the handshake line.
const maxHandshake = 4 << 10

// firstLine passes on the first line of a stream and discards the rest, so that output of an
// engine neither blocks it nor floods go-plugin. A first line of more than maxHandshake
// bytes cannot be a handshake and ends the stream.
type firstLine struct {
	from     *os.File
	line     []byte // passed on
	over     bool   // the first line is complete
	complete func(line string)
	limit    throttle
}

func (l *firstLine) Read(b []byte) (int, error) {
	if len(l.line) > maxHandshake {
		return 0, io.EOF
	}
	for {
		n, err := l.from.Read(b)
		drained := n
		if l.over {
			n = 0
		} else if end := bytes.IndexByte(b[:n], '\n'); end >= 0 {
			n, l.over = end+1, true
		}
		l.line = append(l.line, b[:n]...)
		if l.over && n > 0 || !l.over && (err != nil || len(l.line) > maxHandshake) {
			l.complete(string(bytes.TrimSpace(l.line)))
		}
		if n > 0 || err != nil {
			return n, err
		}
		l.limit.wait(drained)
	}
}

func (l *firstLine) Close() error { return l.from.Close() }
