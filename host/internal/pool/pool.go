// Package pool runs engine processes: it starts them when they are needed, watches
// them, checks what they answer, and replaces those that fail.
//
// A program has one current process, which all calls share. A call that it loses, or
// answers with what the release may not answer, is tried once more, alone on a standby
// process: an input that kills engines can then take nobody's answer with it, and is
// known when it kills the second.
//
// # States
//
// The supervisor of a program is in one of four phases, and each of its processes in one
// of three lives; machine.go has both with their transitions:
//
//	       needed            started
//	idle ---------> starting ---------> running
//	 ^ ^               |                   |
//	 | +---------------+                   |       any phase --ended--> closed
//	 |    startFailed                      |
//	 +-------------------------------------+
//	                drained
//
//	       called           drain
//	fresh --------> tried --------> draining       fresh --drain--> draining
//
// Failures in a row hold starts back: see backoff. A process that drains before its first
// call counts as one.
package pool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/slipstick/slipstick/host/internal/process"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// ErrUnavailable is wrapped by errors about a program that cannot be run now. The
// text says why.
var ErrUnavailable = errors.New("engine is not available")

// ErrClosed is returned by a pool that has been closed.
var ErrClosed = errors.New("pool is closed")

// Program is one engine to run: exactly the bytes with the digest.
type Program struct {
	Digest string                        // sha256:<hex> of the executable
	Spec   *sdk.Spec                     // of the published release; answers are checked against it
	Open   func() (io.ReadCloser, error) // the executable; what it reads is compared with the digest
}

// Options of a Pool. The zero value is usable.
type Options struct {
	Log      *slog.Logger     // where failures of engines are reported; discarded if nil
	Dir      string           // parent of the pool's private directory; the system's temporary directory
	Confiner process.Confiner // nil: engines may do what the host may
	Unary    bool             // make every call a gRPC call

	StartTimeout time.Duration // of one process; 5 s
	StartRate    rate.Limit    // processes of one program that may start in a second, beyond a few; 5
	IdleStop     time.Duration // a process that is not kept warm ends when unused for this long; 5 min
	ProbeEvery   time.Duration // a process that has been silent for this long is asked for its health; 300 ms
	ProbeTimeout time.Duration // and replaced when it does not answer within this; 500 ms
	Drain        time.Duration // what calls under way get when their process is to end; 2 s
	Canary       int           // every how many calculations one is repeated and compared; 100, below zero never

	// Observe is told what happens to processes.
	Observe func(program Program, e Event)
}

// withDefaults returns o with its zero fields filled in.
func (o *Options) withDefaults() Options {
	var filled Options
	if o != nil {
		filled = *o
	}
	if filled.Log == nil {
		filled.Log = slog.New(slog.DiscardHandler)
	}
	if filled.Observe == nil {
		filled.Observe = func(Program, Event) {}
	}
	if filled.StartRate <= 0 {
		filled.StartRate = 5
	}
	if filled.Canary == 0 {
		filled.Canary = 100
	}
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&filled.StartTimeout, 5 * time.Second}, {&filled.IdleStop, 5 * time.Minute}, {&filled.Drain, 2 * time.Second},
		{&filled.ProbeEvery, 300 * time.Millisecond}, {&filled.ProbeTimeout, 500 * time.Millisecond},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	return filled
}

// Event is something that happened to a process or a call.
type Event string

// The events.
const (
	Started       Event = "start"
	StartFailed   Event = "start_failed"
	Ended         Event = "end"        // for whatever reason, after Started
	Crashed       Event = "crash"      // it ended and nobody here had ended it
	Hung          Event = "hang"       // it did not answer a health check
	Lost          Event = "lost"       // a call got no answer
	Broke         Event = "contract"   // a call got an answer that was not allowed
	Retried       Event = "retry"      // a call was tried again
	InputsRefused Event = "poison"     // a call failed twice, and its inputs are refused for a while
	Quarantined   Event = "quarantine" // it failed so often that it gets a rest
	Idled         Event = "idle_stop"  // it was not needed
	Differed      Event = "different"  // a repeated calculation had another outcome
)

// Pool runs engine processes. It is safe for concurrent use.
type Pool struct {
	options Options
	dir     *directory
	memory  *process.Memory // of answers
	launch  process.Options
	starts  chan struct{} // held while a process starts
	ending  context.Context
	end     context.CancelFunc
	tasks   sync.WaitGroup // everything that runs beside the calls

	supervisors sync.Map // of *supervisor, by digest
	closed      atomic.Bool
}

const (
	startsAtOnce = 4  // processes that start at a time, of all programs
	startBurst   = 10 // processes of one program that may start faster than StartRate
)

// New returns a Pool. Close removes what it made. What the answers of its engines may
// take of the memory depends on the limit that Go has at this moment.
func New(o *Options) (*Pool, error) {
	p := &Pool{options: o.withDefaults(), starts: make(chan struct{}, startsAtOnce), memory: newMemory()}
	var err error
	if p.dir, err = newDirectory(p.options.Dir); err != nil {
		return nil, err
	}
	p.launch = process.Options{
		StartTimeout: p.options.StartTimeout, Dir: p.dir.path,
		Confiner: p.options.Confiner, Unary: p.options.Unary,
		Env: []string{fmt.Sprintf("GOMAXPROCS=%d", engineProcessors())},
	}
	p.ending, p.end = context.WithCancel(context.Background())
	p.tasks.Go(p.watch)
	return p, nil
}

// Start makes sure that a process of the program runs and describes itself as
// published. With keep it stays when it is not used, and is replaced when it ends.
func (p *Pool) Start(ctx context.Context, program Program, keep bool) error {
	s, err := p.supervisor(program)
	if err != nil {
		return err
	}
	if keep {
		s.warm.Store(true)
	}
	w, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	w.release()
	return nil
}

// Release lets the process of a program end when it is not used any more.
func (p *Pool) Release(program Program) {
	if s, err := p.supervisor(program); err == nil {
		s.warm.Store(false)
	}
}

// End ends every process of a program, which never runs again. Calls under way get their
// time first.
func (p *Pool) End(program Program) {
	if s, err := p.supervisor(program); err == nil {
		s.close()
	}
}

// Used reports whether a process of the program runs.
func (p *Pool) Used(program Program) bool {
	s, ok := p.supervisors.Load(program.Digest)
	return ok && s.(*supervisor).current.Load() != nil
}

// State tells how a program is, without starting it.
type State string

// The states of a program. Running means that its process answered a health check.
const (
	Running    State = "ok"
	Idle       State = "idle" // no process; one starts on demand
	Resting    State = "quarantined"
	Failing    State = "does not start"
	Unanswered State = "does not answer"
)

// State asks the program's process for its health, if it has one.
func (p *Pool) State(ctx context.Context, program Program) State {
	s, ok := p.supervisors.Load(program.Digest)
	if !ok {
		return Idle
	}
	return s.(*supervisor).state(ctx)
}

// Failure tells why the program cannot run now, nil if nothing is known against it. It
// asks no process: State does.
func (p *Pool) Failure(program Program) error {
	s, ok := p.supervisors.Load(program.Digest)
	if !ok {
		return nil
	}
	return s.(*supervisor).fault()
}

// Calculate computes on a process of the program, within the limit. A process that dies, hangs or
// breaks the contract is replaced and the calculation tried once more; no answer
// that breaks the contract is ever returned.
func (p *Pool) Calculate(ctx context.Context, limit time.Duration, program Program, in value.Values) (sdk.Outcome, error) {
	s, err := p.supervisor(program)
	if err != nil {
		return sdk.Outcome{}, err
	}
	return s.calculate(ctx, limit, in)
}

// CalculateBatch computes one outcome per row, as Calculate does each. The error is
// that of the whole batch.
func (p *Pool) CalculateBatch(ctx context.Context, limit time.Duration, program Program, rows []value.Values) ([]response.Result, error) {
	s, err := p.supervisor(program)
	if err != nil {
		return nil, err
	}
	return s.calculateBatch(ctx, limit, rows)
}

func (p *Pool) supervisor(program Program) (*supervisor, error) {
	if p.closed.Load() {
		return nil, ErrClosed
	}
	s, ok := p.supervisors.Load(program.Digest)
	if !ok {
		s, _ = p.supervisors.LoadOrStore(program.Digest, newSupervisor(p, program))
	}
	return s.(*supervisor), nil
}

// all lists the supervisors.
func (p *Pool) all() []*supervisor {
	var supervisors []*supervisor
	for _, s := range p.supervisors.Range {
		supervisors = append(supervisors, s.(*supervisor))
	}
	return supervisors
}

// Close ends every process, after the calls under way have had their time, and
// removes the pool's directory.
func (p *Pool) Close() error {
	if p.closed.Swap(true) {
		return nil
	}
	p.end()
	for _, s := range p.all() {
		s.close()
	}
	p.tasks.Wait()
	return p.dir.remove()
}

// engineProcessors is how many processors an engine written in Go uses at once. There
// are many engines, and one that works on calls alone has less to keep in step.
func engineProcessors() int { return max(1, runtime.NumCPU()/4) }

// maxSocketPath is how long the path of a Unix socket may be; go-plugin adds names of
// its own to the pool's directory.
const (
	maxSocketPath = 104
	socketName    = len("/plugin-dir1234567890/plugin1234567890")
)

func checkSocketPath(dir string) error {
	if len(dir)+socketName > maxSocketPath {
		return fmt.Errorf("the path %s is too long for engine sockets: set TMPDIR to a shorter directory", filepath.Clean(dir))
	}
	return nil
}
