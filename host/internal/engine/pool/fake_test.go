package pool

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/engine/enginetest"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// fakes launches engines without processes, so that tests can run on the clock of synctest. Its
// programs start and answer according to their behavior.
type fakes struct {
	t          *testing.T
	overloaded atomic.Bool // the machine

	mu       sync.Mutex
	programs map[string]*behavior // by digest
	starting map[string]int       // by capability
	most     map[string]int       // of starting
	events   map[string][]Event   // by capability
}

// behavior is how the processes of a fake program start and answer.
type behavior struct {
	program *registry.Release
	start   func(context.Context) error                // nil: it takes normalStart
	answer  func(context.Context, *fake, string) error // by the text of the inputs; nil: right at once

	mu     sync.Mutex
	alive  []*fake
	starts int
	checks atomic.Int32 // health checks
}

// normalStart is how long a fake process takes to start.
const normalStart = 20 * time.Millisecond

// fakeInput and fakeOutput are the input and the output of all fake programs.
type (
	fakeInput struct {
		X    float64 `name:"x"`
		Mode string  `name:"mode" default:""`
	}
	fakeOutput struct {
		Y float64 `name:"y"`
	}
)

// newFakes returns a pool whose processes are fakes.
func newFakes(t *testing.T, o Options) (*Pool, *fakes) {
	t.Helper()
	f := &fakes{t: t, programs: map[string]*behavior{}, starting: map[string]int{}, most: map[string]int{}, events: map[string][]Event{}}
	o.Dir = enginetest.ShortDir(t)
	o.Metrics = f
	p, err := New(&o)
	if err != nil {
		t.Fatal(err)
	}
	p.start, p.overloaded = f.launch, func() bool { return f.overloaded.Load() }
	t.Cleanup(p.Close)
	return p, f
}

// Engine implements [Metrics].
func (f *fakes) Engine(capability, _, event string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events[capability] = append(f.events[capability], Event(event))
}

func (f *fakes) Calculation(_, _, _ string, _ time.Duration) {}
func (f *fakes) Batch(_, _ string, _ int, _ time.Duration)   {}
func (f *fakes) Running(_, _ string, _ int)                  {}

// add makes a program. The behavior can be changed while none of its processes starts.
func (f *fakes) add(capability, version string) *behavior {
	text := capability + "@" + version
	sum := sha256.Sum256([]byte(text))
	spec := fakeSpec(capability, version).Spec()
	spec.Plots = []sdk.Plot{{ID: "line"}, {ID: "curve"}}
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	b := &behavior{program: registry.Unpublished(spec, "sha256:"+hex.EncodeToString(sum[:]), open)}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.programs[b.program.EngineDigest] = b
	return b
}

func fakeSpec(capability, version string) sdk.Engine {
	return sdk.New(sdk.Spec{Capability: capability, Version: version, Tool: "fake", Group: "test", Title: "Fake", Summary: "Fakes."},
		func(_ context.Context, in fakeInput) (fakeOutput, error) { return fakeOutput{2 * in.X}, nil })
}

// launch replaces launchProcess.
func (f *fakes) launch(ctx context.Context, program *process.Program, o *process.Options) (engine, error) {
	f.mu.Lock()
	b := f.programs[program.Digest()]
	capability := b.program.Spec.Capability
	f.starting[capability]++
	f.most[capability] = max(f.most[capability], f.starting[capability])
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.starting[capability]--
	}()
	bounded, cancel := context.WithTimeout(ctx, o.StartTimeout)
	defer cancel()
	start := b.start
	if start == nil {
		start = func(ctx context.Context) error { return pauseFor(ctx, normalStart) }
	}
	if err := start(bounded); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("start engine: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.starts++
	one := &fake{Engine: fakeSpec(capability, b.program.Spec.Version), behavior: b, id: fmt.Sprint(b.starts), exited: make(chan struct{}), turn: make(chan struct{}, 1)}
	b.alive = append(b.alive, one)
	return one, nil
}

// pauseFor returns after the time, or the error of the context.
func pauseFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// hangs is a start that never ends by itself.
func hangs(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// fails is a start that fails at once.
func fails(context.Context) error { return errors.New("it ended") }

// count returns how often an event happened to programs of the capability.
func (f *fakes) count(capability string, want Event) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.events[capability] {
		if e == want {
			n++
		}
	}
	return n
}

// kill ends the processes of the program that are alive, as a kill from outside does.
func (b *behavior) kill() {
	b.mu.Lock()
	alive := b.alive
	b.mu.Unlock()
	for _, one := range alive {
		one.Kill()
	}
}

// fake is a process of a fake program.
type fake struct {
	sdk.Engine
	*behavior
	id     string
	exited chan struct{}
	once   sync.Once
	turn   chan struct{} // of answers that are computed one after the other
	dying  atomic.Bool   // it was killed, and takes calls that it will not answer
	unfit  atomic.Int64  // time from which it is unfit, Unix nanoseconds; 0 if it is fit
}

var _ engine = (*fake)(nil)

func (e *fake) CalculateWithin(ctx context.Context, limit time.Duration, in value.Values) (sdk.Outcome, error) {
	if err := e.obey(ctx, limit, in[1].Text()); err != nil {
		return sdk.Outcome{}, err
	}
	return e.Engine.Calculate(ctx, in)
}

func (e *fake) CalculateBatch(ctx context.Context, limit time.Duration, rows []value.Values) ([]response.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	results := make([]response.Result, len(rows))
	for i, row := range rows {
		if err := e.obey(ctx, limit, row[1].Text()); err != nil {
			return nil, err
		}
		results[i].Outcome, results[i].Err = e.Engine.Calculate(ctx, row)
	}
	return results, nil
}

func (e *fake) Draw(ctx context.Context, plot string, in value.Values) (*sdk.Figure, error) {
	if err := e.obey(ctx, time.Hour, plot+" "+in[1].Text()); err != nil {
		return nil, err
	}
	return &sdk.Figure{Curves: []sdk.Curve{{Label: plot, X: []float64{0, 1}, Y: []float64{0, 1}}}}, nil
}

// obey does what the behavior of the program does with a call.
func (e *fake) obey(ctx context.Context, limit time.Duration, text string) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if e.dying.Load() {
		e.Kill()
	}
	if e.Ended() {
		return fmt.Errorf("%w: it had ended", process.ErrLost)
	}
	e.behavior.mu.Lock()
	answer := e.behavior.answer
	e.behavior.mu.Unlock()
	if answer == nil {
		return nil
	}
	ended, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-e.exited:
			stop()
		case <-ended.Done():
		}
	}()
	switch err := answer(ended, e, text); {
	case e.Ended():
		return fmt.Errorf("%w: it ended", process.ErrLost)
	case err != nil:
		return fmt.Errorf("%w: %w", process.ErrLost, cmp.Or(ctx.Err(), err))
	}
	return nil
}

// deadly is an answer that takes a while. "crash" ends the process, "hang" does not answer.
func deadly(takes time.Duration) func(context.Context, *fake, string) error {
	return func(ctx context.Context, e *fake, text string) error {
		switch {
		case strings.Contains(text, "hang"):
			return hangs(ctx)
		case strings.Contains(text, "crash"):
			e.Kill()
			return process.ErrLost
		}
		return pauseFor(ctx, takes)
	}
}

func (e *fake) Healthy(context.Context) error {
	e.checks.Add(1)
	if e.Ended() || e.dying.Load() {
		return process.ErrLost
	}
	return nil
}

func (e *fake) Spec() sdk.Spec          { return e.program.Spec }
func (e *fake) LastReceived() time.Time { return time.Time{} }

func (e *fake) Ended() bool {
	select {
	case <-e.exited:
		return true
	default:
		return false
	}
}

func (e *fake) Unfit(now time.Time) error {
	if from := e.unfit.Load(); from != 0 && now.UnixNano() >= from {
		return process.ErrContract
	}
	return nil
}

func (e *fake) Exited() <-chan struct{} { return e.exited }
func (e *fake) Ending() <-chan struct{} { return nil }
func (e *fake) Kill()                   { e.once.Do(func() { close(e.exited) }) }
func (e *fake) Close()                  { e.Kill() }
func (e *fake) PID() string             { return e.id }
func (e *fake) Printed() string         { return "" }
func (e *fake) StreamEnd() string       { return "" }
func (e *fake) HasStream() bool         { return true }
func (e *fake) Misdescribed() error     { return nil }

// input is the inputs of a fake program.
func input(x float64, text string) value.Values {
	return value.Values{value.NumberOf(x), value.TextOf(text)}
}
