// Package pool runs engine processes: it starts them when they are needed, checks
// what they answer, and replaces those that fail.
package pool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

// ErrUnavailable is wrapped by errors about a program that cannot be run now. The
// text says why.
var ErrUnavailable = errors.New("engine is not available")

// ErrClosed is returned by a pool that has been closed.
var ErrClosed = errors.New("pool is closed")

// Program is one engine to run: exactly the bytes with the digest.
type Program struct {
	Digest string                 // sha256:<hex> of the executable
	Spec   *sdk.Spec              // of the published release; answers are checked against it
	Read   func() ([]byte, error) // the executable
}

// Options of a Pool. The zero value is usable.
type Options struct {
	Log          *slog.Logger  // where failures of engines are reported; discarded if nil
	StartTimeout time.Duration // of one process; 5 s
	Dir          string        // parent of the pool's private directory; the system's temporary directory

	// Observe is told what happens to processes.
	Observe func(program Program, e Event)
}

// Event is something that happened to a process.
type Event string

// The events.
const (
	Started     Event = "start"
	StartFailed Event = "start_failed"
	Ended       Event = "end"      // for whatever reason, after Started
	Lost        Event = "lost"     // a call got no answer
	Broke       Event = "contract" // a call got an answer that was not allowed
)

// Pool runs at most one process per program. It is safe for concurrent use.
type Pool struct {
	log     *slog.Logger
	observe func(Program, Event)
	options wire.Options

	mu     sync.Mutex
	slots  map[string]*slot // by digest
	closed bool
}

// The system bounds the path of a socket; go-plugin adds names of its own to the
// pool's directory.
const (
	maxSocketPath = 104
	socketName    = len("/plugin-dir1234567890/plugin1234567890")
)

// New returns a Pool. Close removes what it made.
func New(o *Options) (*Pool, error) {
	if o == nil {
		o = new(Options)
	}
	p := &Pool{log: o.Log, observe: o.Observe, slots: map[string]*slot{}}
	if p.observe == nil {
		p.observe = func(Program, Event) {}
	}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	dir, err := os.MkdirTemp(o.Dir, "slipstick-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for engine sockets: %w", err)
	}
	if len(dir)+socketName > maxSocketPath {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("the path %s is too long for engine sockets: set TMPDIR to a shorter directory", dir)
	}
	p.options = wire.Options{StartTimeout: o.StartTimeout, Dir: dir}
	return p, nil
}

// Start makes sure that a process of the program runs and describes itself as
// published.
func (p *Pool) Start(ctx context.Context, program Program) error {
	s, err := p.slot(program)
	if err != nil {
		return err
	}
	_, err = s.process(ctx)
	return err
}

// Check starts the program if it does not run, and asks its process whether it is
// well.
func (p *Pool) Check(ctx context.Context, program Program) error {
	s, err := p.slot(program)
	if err != nil {
		return err
	}
	process, err := s.process(ctx)
	if err != nil {
		return err
	}
	if err := process.Healthy(ctx); err != nil {
		s.discard(process)
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// attempts is how often a calculation is tried, each time on another process.
const attempts = 2

// Calculate computes on a process of the program. A process that dies, hangs or
// breaks the contract is replaced and the calculation tried once more; no answer
// that breaks the contract is ever returned.
func (p *Pool) Calculate(ctx context.Context, program Program, in sdk.Values) (sdk.Outcome, error) {
	s, err := p.slot(program)
	if err != nil {
		return sdk.Outcome{}, err
	}
	for attempt := 1; ; attempt++ {
		o, err := s.try(ctx, in, attempts-attempt)
		if err == nil || !errors.Is(err, wire.ErrLost) && !errors.Is(err, wire.ErrContract) {
			return o, err
		}
		if ctx.Err() != nil {
			return sdk.Outcome{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		if errors.Is(err, wire.ErrContract) {
			s.observe(Broke)
		} else {
			s.observe(Lost)
		}
		p.log.Warn("engine failed", "capability", program.Spec.Capability, "version", program.Spec.Version,
			"attempt", attempt, "error", err)
		if attempt == attempts {
			return sdk.Outcome{}, err
		}
	}
}

func (p *Pool) slot(program Program) (*slot, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	s, ok := p.slots[program.Digest]
	if !ok {
		s = &slot{program: program, options: p.options, turn: make(chan struct{}, 1)}
		s.observe = func(e Event) { p.observe(program, e) }
		p.slots[program.Digest] = s
	}
	return s, nil
}

// Close ends every process and removes the pool's directory. Calculations under
// way fail.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	slots := p.slots
	p.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range slots {
		wg.Go(s.close)
	}
	wg.Wait()
	return os.RemoveAll(p.options.Dir)
}
