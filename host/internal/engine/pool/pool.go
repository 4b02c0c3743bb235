// Package pool computes with the engines of published releases. It is the [calc.Engines] of a
// server. It starts processes when they are needed, watches them, checks their answers, and
// replaces processes that fail. It counts and traces calls.
//
// A program is the engine of a release. All calls share its current process. The process can lose a
// call, or return an answer that the release does not allow. The pool then repeats the call once,
// alone on a standby process. So an input that crashes engines cannot fail other calls a second
// time. If the input also crashes the standby process, the pool rejects this input for a while.
//
// # States
//
// The supervisor of a program is in one of four phases, and each of its processes in one of three
// lives. The file machine.go has both, with their transitions:
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
// Consecutive failures delay further starts: see backoff. A process that drains before its first
// call counts as a failure. The number of processes that start at the same time is bounded: see
// places.
package pool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
	"github.com/slipstick/slipstick/registry"
)

// ErrUnavailable is wrapped by errors about a program that cannot run now. The text of the
// error gives the reason.
var ErrUnavailable = errors.New("engine is not available")

// ErrClosed is returned by a pool that has been closed.
var ErrClosed = errors.New("pool is closed")

// Metrics counts what happens to calls and processes. It is implemented by [telemetry.Metrics].
type Metrics interface {
	Calculation(capability, version, outcome string, d time.Duration)
	Batch(capability, version string, rows int, d time.Duration)
	Engine(capability, version, event string)
	Running(capability, version string, change int)
}

// Options of a Pool. The zero value is usable.
type Options struct {
	Log         *slog.Logger       // where failures of engines are reported, and their log lines; discarded if nil
	EngineLog   process.LogOptions // limits of the log lines of each engine
	Metrics     Metrics            // nil: nothing is counted
	Tracer      *telemetry.Tracer  // nil: nothing is traced
	Confine     *sandbox.Options   // how the pool confines engines; nil: see Confiner
	Dir         string             // parent of the pool's private directory; the system's temporary directory
	Programs    string             // directory on whose file system executables are kept; "": they are kept in memory
	Confiner    process.Confiner   // without Confine; nil: engines have all rights of the server
	Unary       bool               // make every call by gRPC
	LowPriority bool               // processes give way to all others, and have little of the memory for answers

	StartTimeout time.Duration // of one process; 5 s
	StartRate    rate.Limit    // starts of one program per second, after an initial burst, without those for second attempts; 10
	IdleStop     time.Duration // time after which an unused process ends, unless it is kept warm; 5 min
	ProbeEvery   time.Duration // silence after which a process gets a health check; 300 ms
	ProbeTimeout time.Duration // time after which a process without an answer to it is replaced; 500 ms
	Drain        time.Duration // time for calls under way when their process must end; 2 s
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
	if filled.Metrics == nil {
		filled.Metrics = telemetry.NewMetrics()
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
	sandbox     *sandbox.Sandbox // nil without Options.Confine
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
	p.memory = newMemory(p.options.LowPriority)
	p.executables = newExecutables(p.options.Programs)
	var err error
	if p.options.Confine != nil {
		p.sandbox, err = sandbox.New(p.options.Confine)
		if err != nil {
			return nil, err
		}
		p.options.Confiner = p.sandbox.Confiner()
	}
	p.dir, err = newDirectory(p.options.Dir)
	if err != nil {
		_ = p.sandbox.Close()
		return nil, err
	}
	p.launch = process.Options{
		StartTimeout: p.options.StartTimeout,
		Confiner:     p.options.Confiner, Unary: p.options.Unary, LowPriority: p.options.LowPriority,
		Env: []string{fmt.Sprintf("GOMAXPROCS=%d", engineProcessors())}, RequestID: calc.CallOf,
	}
	p.ending, p.end = context.WithCancel(context.Background())
	p.tasks.Go(p.watch)
	return p, nil
}

// Background returns a pool in the same sandbox with processes that give way to everything else.
// So they have much more time to start and to answer health checks. Its log lines have the
// purpose. Its calls are neither counted nor traced. It must be closed first.
func (p *Pool) Background(purpose string) (*Pool, error) {
	o := p.options
	o.Confine, o.Metrics, o.Tracer, o.LowPriority = nil, nil, nil, true
	o.StartTimeout, o.ProbeEvery, o.ProbeTimeout, o.StartRate = time.Minute, 10*time.Second, 30*time.Second, 1
	o.Log = o.Log.With(purpose, true)
	return New(&o)
}

// Sandbox returns the sandbox of the processes, or nil without Options.Confine.
func (p *Pool) Sandbox() *sandbox.Sandbox { return p.sandbox }

// Start makes sure that a process of the program runs and has the published Spec. With keep,
// the process stays while it is not used, and is replaced when it ends. The error may wrap
// ErrUnavailable or ErrClosed.
func (p *Pool) Start(ctx context.Context, r *registry.Release, keep bool) error {
	s, err := p.supervisor(r)
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

// End ends every process of a program, after calls under way have had the Drain time. The
// program never runs again.
func (p *Pool) End(r *registry.Release) {
	if s, err := p.supervisor(r); err == nil {
		s.close()
	}
}

// Rest ends the current process of a program, after calls under way have had the Drain time. The
// next call starts another one.
func (p *Pool) Rest(r *registry.Release) {
	s, known := p.supervisors.Load(r.EngineDigest)
	if !known {
		return
	}
	if w := s.(*supervisor).current.Load(); w != nil {
		w.supervisor.observe(Idled)
		w.supervisor.drain(w, nil)
	}
}

// Used reports whether a process of the program runs.
func (p *Pool) Used(r *registry.Release) bool {
	s, ok := p.supervisors.Load(r.EngineDigest)
	return ok && s.(*supervisor).current.Load() != nil
}

// Down returns why the program cannot run now, or nil if no reason is known. Unlike State
// it does not ask the process.
func (p *Pool) Down(r *registry.Release) error {
	s, ok := p.supervisors.Load(r.EngineDigest)
	if !ok {
		return nil
	}
	return s.(*supervisor).fault()
}

// NeverStarts returns why the program does not start. It returns nil if a process has started, if
// no start was tried, or if the machine was at fault.
func (p *Pool) NeverStarts(r *registry.Release) error {
	found, ok := p.supervisors.Load(r.EngineDigest)
	if !ok {
		return nil
	}
	s := found.(*supervisor)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ran || s.lastStart != failing {
		return nil
	}
	return s.backoff.failure
}

func (p *Pool) supervisor(r *registry.Release) (*supervisor, error) {
	if p.closed.Load() {
		return nil, ErrClosed
	}
	s, ok := p.supervisors.Load(r.EngineDigest)
	if !ok {
		s, _ = p.supervisors.LoadOrStore(r.EngineDigest, newSupervisor(p, r))
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

// Close ends every process, after the calls under way have had their time. Then it removes the
// directory of the pool, and the sandbox.
func (p *Pool) Close() {
	if p.closed.Swap(true) {
		return
	}
	p.end()
	for _, s := range p.all() {
		s.close()
	}
	p.tasks.Wait()
	p.executables.close()
	_ = p.dir.remove() // a later pool removes what is left
	_ = p.sandbox.Close()
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
	if len(dir)+socketName > maxSocketPath && runtime.GOOS != "windows" { // where engines have no such socket
		return fmt.Errorf("the path %s is too long for engine sockets: set TMPDIR to a shorter directory", filepath.Clean(dir))
	}
	return nil
}
