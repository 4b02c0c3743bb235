// Package pool runs engine processes: it starts them when they are needed, watches
// them, checks what they answer, and replaces those that fail.
//
// A program has one current process, which all calls share. If the process loses a call, or
// answers what the release may not answer, the call is repeated once, alone on a standby
// process. So an input that kills engines cannot fail other calls a second time. If it kills
// the standby process too, the input is known to be the cause, and is refused for a while.
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
// Consecutive failures delay further starts: see backoff. A process that drains before its
// first call counts as a failure. The number of processes that start at the same time is
// bounded: see places.
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

	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// ErrUnavailable is wrapped by errors about a program that cannot run now. The text of the
// error gives the reason.
var ErrUnavailable = errors.New("engine is not available")

// ErrClosed is returned by a pool that has been closed.
var ErrClosed = errors.New("pool is closed")

// Program is one engine to run: exactly the bytes with the digest.
type Program struct {
	Digest string                        // sha256:<hex> of the executable
	Spec   *sdk.Spec                     // of the published release; answers are checked against it
	Open   func() (io.ReadCloser, error) // opens the executable, whose bytes are compared with Digest
}

// Options of a Pool. The zero value is usable.
type Options struct {
	Log      *slog.Logger     // where failures of engines are reported; discarded if nil
	Dir      string           // parent of the pool's private directory; the system's temporary directory
	Programs string           // directory on whose file system executables are kept; "": they are kept in memory
	Confiner process.Confiner // nil: engines have all rights of the server
	Unary    bool             // make every call by gRPC
	Behind   bool             // processes give way to all others, and have little of the memory for answers

	StartTimeout time.Duration // of one process; 5 s
	StartRate    rate.Limit    // starts of one program per second, after an initial burst, without those for second attempts; 10
	IdleStop     time.Duration // time after which an unused process ends, unless it is kept warm; 5 min
	ProbeEvery   time.Duration // silence after which a process gets a health check; 300 ms
	ProbeTimeout time.Duration // time after which a process without an answer to it is replaced; 500 ms
	Drain        time.Duration // time for calls under way when their process must end; 2 s

	// Observe is called for every event.
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
		filled.StartRate = 10
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
	Started     Event = "start"
	StartFailed Event = "start_failed"
	Ended       Event = "end"        // for whatever reason, after Started
	Crashed     Event = "crash"      // it ended, and this pool had not ended it
	Hung        Event = "hang"       // it did not answer a health check, or a call blocked its stream for too long
	Lost        Event = "lost"       // a call got no answer
	Broke       Event = "contract"   // a call got an answer that was not allowed, or there was an answer without a call
	Retried     Event = "retry"      // a call was tried again
	Quarantined Event = "poison"     // a call failed twice, and its inputs are refused for a while
	BackedOff   Event = "quarantine" // it failed so often that it gets a rest
	Idled       Event = "idle_stop"  // it was not needed
)

// Pool runs engine processes. It is safe for concurrent use.
type Pool struct {
	options     Options
	dir         *directory
	memory      *process.Memory // of answers
	launch      process.Options
	executables *executables
	places      *places // for processes that start
	start       func(context.Context, *process.Program, *process.Options) (engine, error)
	overloaded  func() bool // reports whether the machine has too much to run
	ending      context.Context
	end         context.CancelFunc
	tasks       sync.WaitGroup // everything that runs next to the calls

	supervisors sync.Map // of *supervisor, by digest
	closed      atomic.Bool
}

// startBurst is how many processes of one program can start faster than StartRate.
const startBurst = 10

// New returns a Pool. Close removes what it made. The memory for the answers of its engines
// depends on Go's memory limit at the time of the call.
func New(o *Options) (*Pool, error) {
	p := &Pool{options: o.withDefaults(), start: launchProcess, overloaded: overloaded}
	p.places = newPlaces(p.options.StartTimeout/slowStart, func() bool { return p.overloaded() })
	p.memory = newMemory(p.options.Behind)
	p.executables = newExecutables(p.options.Programs)
	var err error
	if p.dir, err = newDirectory(p.options.Dir); err != nil {
		return nil, err
	}
	p.launch = process.Options{
		StartTimeout: p.options.StartTimeout,
		Confiner:     p.options.Confiner, Unary: p.options.Unary, Behind: p.options.Behind,
		Env: []string{fmt.Sprintf("GOMAXPROCS=%d", engineProcessors())},
	}
	p.ending, p.end = context.WithCancel(context.Background())
	p.tasks.Go(p.watch)
	return p, nil
}

// Start makes sure that a process of the program runs and has the published Spec. With keep,
// the process stays while it is not used, and is replaced when it ends. The error may wrap
// ErrUnavailable or ErrClosed.
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

// Release revokes keep: the process of the program ends when it is no longer used.
func (p *Pool) Release(program Program) {
	if s, err := p.supervisor(program); err == nil {
		s.warm.Store(false)
	}
}

// End ends every process of a program, after calls under way have had the Drain time. The
// program never runs again.
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

// State is the state of a program.
type State string

// The states of a program. Running means that its process answered a health check.
const (
	Running    State = "ok"
	Idle       State = "idle" // no process; one starts on demand
	BackingOff State = "quarantined"
	Failing    State = "does not start"
	Unanswered State = "does not answer"
)

// State returns the state of a program without starting it. If the program has a process, the
// process gets a health check.
func (p *Pool) State(ctx context.Context, program Program) State {
	s, ok := p.supervisors.Load(program.Digest)
	if !ok {
		return Idle
	}
	return s.(*supervisor).state(ctx)
}

// Failure returns why the program cannot run now, or nil if no reason is known. Unlike State
// it does not ask the process.
func (p *Pool) Failure(program Program) error {
	s, ok := p.supervisors.Load(program.Digest)
	if !ok {
		return nil
	}
	return s.(*supervisor).fault()
}

// NeverStarts returns why the program does not start, or nil if a process has started, if no start
// was tried, or if the machine was at fault.
func (p *Pool) NeverStarts(program Program) error {
	found, ok := p.supervisors.Load(program.Digest)
	if !ok {
		return nil
	}
	s := found.(*supervisor)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ran || s.standing != failing {
		return nil
	}
	return s.backoff.failure
}

// Calculate computes on a process of the program, within the limit. If the process dies,
// hangs or breaks the contract, it is replaced and the calculation is repeated once. An
// answer that breaks the contract is never returned.
//
// The error is an *sdk.Error if the engine rejects the inputs. Otherwise it may wrap
// ErrUnavailable, ErrClosed, or an error of package process.
func (p *Pool) Calculate(ctx context.Context, limit time.Duration, program Program, in value.Values) (sdk.Outcome, error) {
	s, err := p.supervisor(program)
	if err != nil {
		return sdk.Outcome{}, err
	}
	a, err := s.ask(ctx, limit, request{inputs: in})
	return a.outcome, err
}

// CalculateBatch computes one outcome per row, each as Calculate does. The error is about the
// whole batch.
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
	p.executables.close()
	return p.dir.remove()
}

// engineProcessors is how many processors an engine written in Go uses at the same time.
// There are many engines, and a Go program with fewer processors synchronizes less.
func engineProcessors() int { return max(1, runtime.NumCPU()/4) }

// maxSocketPath is the largest length of the path of a Unix socket. go-plugin adds names to
// the pool's directory.
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
