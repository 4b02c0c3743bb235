package pool_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/slipstick/slipstick/host/internal/engine/enginetest"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire"
)

// The program of these tests is the test binary, which plays the engine when a pool starts it.
func TestMain(m *testing.M) {
	if os.Getenv("SLIPSTICK_ENGINE") != "" {
		wire.Serve(&liar{testEngine()}, nil)
		return
	}
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/slipstick/slipstick/host/internal/engine/process.runStarts"))
}

type input struct {
	X    float64 `name:"x"`
	Mode string  `name:"mode" default:"square"`
}

type output struct {
	Y   float64 `name:"y" unit:"m"`
	PID int     `name:"pid"`
}

func testEngine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "test.pool.square", Version: "1.0.0", Tool: "square", Group: "test",
		Title: "Square", Summary: "Squares.", Errors: []string{"BAD_LUCK"},
		Plots: []sdk.Plot{{ID: "parabola", Title: "Parabola", X: sdk.Axis{Label: "x"}, Y: sdk.Axis{Label: "y", Unit: "m"}}},
	}, func(ctx context.Context, in input) (output, error) {
		switch in.Mode {
		case "crash":
			syscall.Exit(1) // at once, where os.Exit lets the race detector wait a second
		case "crash once": // the first process to see the file dies of it
			if os.Remove(onceFile()) == nil {
				syscall.Exit(1)
			}
		case "hang":
			select {}
		case "tell and hang": // opening the pipe waits for the test to open it too
			if f, err := os.OpenFile(onceFile(), os.O_WRONLY, 0); err == nil {
				f.Close()
			}
			select {}
		case "tell and wait": // until the test closes the pipe
			if f, err := os.OpenFile(onceFile(), os.O_WRONLY, 0); err == nil {
				for err == nil {
					_, err = f.Write([]byte{0})
				}
				f.Close()
			}
		case "log":
			sdk.Logger(ctx).Warn("close to a pole", "x", in.X)
		case "reject":
			return output{}, sdk.Reject("BAD_LUCK", "x", "no")
		case "fail":
			return output{}, errors.New("engine's own fault")
		}
		return output{Y: in.X * in.X, PID: os.Getpid()}, nil
	})
}

// Draw implements [sdk.Drawer].
func (in *input) Draw(context.Context, string) (*sdk.Figure, error) {
	y := in.X * in.X
	switch in.Mode {
	case "crash once":
		if os.Remove(onceFile()) == nil {
			syscall.Exit(1)
		}
	case "crash":
		syscall.Exit(1)
	case "reject":
		return nil, sdk.Reject("BAD_LUCK", "x", "no")
	}
	return &sdk.Figure{Curves: []sdk.Curve{{Label: "y", X: []float64{0, in.X}, Y: []float64{0, y}}}}, nil
}

// onceFileOf is the onceFile of the engines that this process starts.
func onceFileOf(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("/tmp/slipstick-pool-test-%d", os.Getpid())
}

// onceFile is shared by the test and its engines, which have no environment.
func onceFile() string { return fmt.Sprintf("/tmp/slipstick-pool-test-%d", os.Getppid()) }

// liar breaks the contract in ways that an engine of the SDK cannot.
type liar struct{ sdk.Engine }

func (l *liar) Calculate(ctx context.Context, in value.Values) (sdk.Outcome, error) {
	o, err := l.Engine.Calculate(ctx, in)
	if err != nil {
		return o, err
	}
	switch in[1].Text() {
	case "NaN":
		o.Result[0] = value.NumberOf(math.NaN())
	case "random":
		o.Result[0] = value.NumberOf(rand.Float64())
	case "missing":
		o.Result[0] = value.Value{}
	case "extra":
		o.Result = append(o.Result, value.NumberOf(1))
	case "changed input":
		o.Inputs[0] = value.NumberOf(999)
	case "undeclared warning":
		o.Warnings = append(o.Warnings, sdk.Warning{Code: "BOO", Severity: sdk.Info})
	case "undeclared rejection":
		return o, sdk.Reject("SURPRISE", "x", "no")
	case "hidden":
		o.Assumptions = []string{hiddenText}
		o.Warnings = append(o.Warnings, sdk.Warning{Code: sdk.WarnResultUnderflow, Severity: sdk.Info, Detail: hiddenText, Suggestion: hiddenText})
	case "hidden rejection":
		e := sdk.Reject("BAD_LUCK", "x", hiddenText).Suggest(hiddenText)
		e.Invalid = []sdk.InvalidParameter{{Name: hiddenText, Constraint: hiddenText}}
		return o, e
	case "2 MiB":
		o.Assumptions = []string{strings.Repeat("x", 2<<20)}
	}
	return o, nil
}

// Spec implements [sdk.Engine]. It differs while the file of other specs exists.
func (l *liar) Spec() sdk.Spec {
	spec := l.Engine.Spec()
	if _, err := os.Stat(onceFile() + otherSpec); err == nil {
		spec.Version = "2.0.0"
	}
	return spec
}

// otherSpec ends the name of a file. While that file exists, engines describe themselves otherwise.
const otherSpec = "-other-spec"

// Draw implements [sdk.Plotter].
func (l *liar) Draw(ctx context.Context, plot string, in value.Values) (*sdk.Figure, error) {
	f, err := l.Engine.(sdk.Plotter).Draw(ctx, plot, in)
	switch in[1].Text() {
	case "hidden":
		f.Curves[0].Label, f.Family, f.Points = hiddenText, hiddenText, []sdk.Point{{Label: hiddenText}}
	case "extra": // more points than has x
		f.Curves[0].Y = append(f.Curves[0].Y, 1)
	case "undeclared rejection":
		return nil, sdk.Reject("SURPRISE", "x", "no")
	}
	return f, err
}

// hiddenText has characters that readers cannot see, and shownText is how it is shown.
const (
	hiddenText = "a\x1b[2Jb\u009bc\u202ed\u2028e\u200bf\u2066g\ufeff\n"
	shownText  = "a\ufffd[2Jb\ufffdc\ufffdd\ufffde\ufffdf\ufffdg\ufffd\n"
)

// self is the test binary as a published program, and how often it was read.
func self(t testing.TB) (*registry.Release, *atomic.Int64) {
	t.Helper()
	program := enginetest.Program(t)
	sum := sha256.Sum256(program)
	spec := testEngine().Spec()
	reads := new(atomic.Int64)
	return registry.Unpublished(spec, "sha256:"+hex.EncodeToString(sum[:]), func() (io.ReadCloser, error) {
		reads.Add(1)
		return io.NopCloser(bytes.NewReader(program)), nil
	}), reads
}

// events counts what happens to processes, and lets a test wait for it.
type events struct {
	mu     sync.Mutex
	counts map[pool.Event]int
	change chan struct{}
}

// Engine implements [pool.Metrics].
func (e *events) Engine(_, _, event string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counts[pool.Event(event)]++
	close(e.change)
	e.change = make(chan struct{})
}

func (e *events) Calculation(_, _, _ string, _ time.Duration) {}
func (e *events) Batch(_, _ string, _ int, _ time.Duration)   {}
func (e *events) Running(_, _ string, _ int)                  {}

func (e *events) count(what pool.Event) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.counts[what]
}

// wait returns when the event has happened n times.
func (e *events) wait(t *testing.T, what pool.Event, n int) {
	t.Helper()
	late := time.After(patience)
	for {
		e.mu.Lock()
		count, change := e.counts[what], e.change
		e.mu.Unlock()
		if count >= n {
			return
		}
		select {
		case <-change:
		case <-late:
			t.Fatalf("%s happened %d times, want %d", what, count, n)
		}
	}
}

func newPool(t *testing.T) (*pool.Pool, string) {
	t.Helper()
	p, dir, _ := newPoolWith(t, pool.Options{})
	return p, dir
}

// patience is how long a test waits for what must happen: it only ends a test that hangs, and a
// machine that is busy passes.
const patience = 2 * time.Minute

// newPoolWith makes a pool that gives its processes all time to start and to answer health checks,
// unless the options set other times.
func newPoolWith(t *testing.T, o pool.Options) (*pool.Pool, string, *events) {
	t.Helper()
	o.StartTimeout = cmp.Or(o.StartTimeout, patience)
	o.ProbeTimeout = cmp.Or(o.ProbeTimeout, patience)
	e := &events{counts: map[pool.Event]int{}, change: make(chan struct{})}
	if o.Dir == "" {
		o.Dir = enginetest.ShortDir(t)
	}
	o.Metrics = e
	p, err := pool.New(&o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p, o.Dir, e
}

func values(x float64, mode string) value.Values {
	return value.Values{value.NumberOf(x), value.TextOf(mode)}
}

func TestOneProcessAnswersAll(t *testing.T) {
	p, dir := newPool(t)
	program, reads := self(t)
	pids := map[float64]bool{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			o, err := p.Calculate(t.Context(), patience, program, values(float64(i), "square"))
			if err != nil || o.Result[0].Number() != float64(i*i) {
				t.Errorf("%d: %v, %v", i, o.Result, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			pids[o.Result[1].Number()] = true
		})
	}
	wg.Wait()
	if len(pids) != 1 || reads.Load() != 1 {
		t.Errorf("%d processes and %d reads of the program, want one of each", len(pids), reads.Load())
	}
	p.Close()
	for pid := range pids {
		if err := syscall.Kill(int(pid), 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %v after Close: %v", pid, err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
	if _, err := p.Calculate(t.Context(), patience, program, values(1, "square")); !errors.Is(err, pool.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// Plots come from the engine's process, which may draw only the plots of its release.
func TestDraw(t *testing.T) {
	p, _, events := newPoolWith(t, pool.Options{})
	program, _ := self(t)
	once := onceFileOf(t)
	if err := os.WriteFile(once, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(once)
	for _, mode := range []string{"square", "crash once"} {
		f, err := p.Draw(t.Context(), patience, program, "parabola", values(3, mode))
		if err != nil || len(f.Curves) != 1 || f.Curves[0].Y[1] != 9 {
			t.Errorf("%s: %+v, %v", mode, f, err)
		}
	}
	events.wait(t, pool.Lost, 1)
	var rejection *sdk.Error
	if _, err := p.Draw(t.Context(), patience, program, "parabola", values(3, "reject")); !errors.As(err, &rejection) || rejection.Code != "BAD_LUCK" {
		t.Errorf("rejected: %v", err)
	}
	for _, mode := range []string{"extra", "undeclared rejection"} {
		if f, err := p.Draw(t.Context(), patience, program, "parabola", values(3, mode)); !errors.Is(err, process.ErrContract) {
			t.Errorf("%s: %+v, %v, want ErrContract", mode, f, err)
		}
	}
	if f, err := p.Draw(t.Context(), patience, program, "parabola", values(3, "crash")); !errors.Is(err, process.ErrLost) {
		t.Errorf("crash: %+v, %v, want ErrLost", f, err)
	}
}

// No text of an engine reaches a caller with characters that readers cannot see. This is so for
// calculations, rows, rejections and plots.
func TestHiddenTexts(t *testing.T) {
	p, _ := newPool(t)
	program, _ := self(t)
	check := func(what string, texts ...string) {
		t.Helper()
		for i, text := range texts {
			if text != shownText {
				t.Errorf("%s: text %d is %q", what, i, text)
			}
		}
	}
	o, err := p.Calculate(t.Context(), patience, program, values(3, "hidden"))
	if err != nil || len(o.Warnings) != 1 || o.Result[0].Number() != 9 {
		t.Fatalf("%+v, %v", o, err)
	}
	check("a calculation", o.Assumptions[0], o.Warnings[0].Detail, o.Warnings[0].Suggestion)
	o, err = p.Calculate(t.Context(), patience, program, values(3, hiddenText))
	if err != nil {
		t.Fatal(err)
	}
	check("an input that is a text", o.Inputs[1].Text())
	_, err = p.Calculate(t.Context(), patience, program, values(3, "hidden rejection"))
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok {
		t.Fatal(err)
	}
	check("a rejection", e.Detail, e.Suggestion, e.Invalid[0].Name, e.Invalid[0].Constraint)
	rows, err := p.CalculateBatch(t.Context(), patience, program, []value.Values{values(3, "hidden"), values(3, "hidden rejection"), values(4, "square")})
	if err != nil {
		t.Fatal(err)
	}
	e, ok = errors.AsType[*sdk.Error](rows[1].Err)
	if !ok || rows[0].Err != nil || rows[2].Err != nil {
		t.Fatalf("%+v", rows)
	}
	check("rows", rows[0].Outcome.Assumptions[0], rows[0].Outcome.Warnings[0].Detail, e.Detail)
	f, err := p.Draw(t.Context(), patience, program, "parabola", values(3, "hidden"))
	if err != nil {
		t.Fatal(err)
	}
	check("a picture", f.Curves[0].Label, f.Family, f.Points[0].Label)
}

// A process that dies is replaced, and the caller does not notice.
func TestCrash(t *testing.T) {
	p, _, events := newPoolWith(t, pool.Options{})
	program, _ := self(t)
	once := fmt.Sprintf("/tmp/slipstick-pool-test-%d", os.Getpid())
	if err := os.WriteFile(once, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(once)
	o, err := p.Calculate(t.Context(), patience, program, values(3, "crash once"))
	if err != nil || o.Result[0].Number() != 9 {
		t.Errorf("crash once: %v, %v", o.Result, err)
	}
	events.wait(t, pool.Crashed, 1)
	o, err = p.Calculate(t.Context(), patience, program, values(3, "crash"))
	if !errors.Is(err, process.ErrLost) {
		t.Errorf("crash always: %v, %v, want ErrLost", o, err)
	}
	events.wait(t, pool.Crashed, 3)
	_, err = p.Calculate(t.Context(), patience, program, values(3, "crash"))
	if !errors.Is(err, process.ErrLost) {
		t.Errorf("crash again: %v", err)
	}
	if n := events.count(pool.Crashed); n != 3 || events.count(pool.Quarantined) != 1 {
		t.Errorf("%d processes died: deadly inputs may take two, once", n)
	}
	o, err = p.Calculate(t.Context(), patience, program, values(4, "square"))
	if err != nil || o.Result[0].Number() != 16 {
		t.Errorf("after the crashes: %v, %v", o.Result, err)
	}
}

// A process killed from outside between calls is replaced.
func TestKilledBetweenCalls(t *testing.T) {
	p, _ := newPool(t)
	program, _ := self(t)
	for i := range 3 {
		o, err := p.Calculate(t.Context(), patience, program, values(float64(i), "square"))
		if err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
		if err := syscall.Kill(int(o.Result[1].Number()), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHang(t *testing.T) {
	p, _, events := newPoolWith(t, pool.Options{})
	program, _ := self(t)
	hang(t, p, program, events)
	if o, err := p.Calculate(t.Context(), patience, program, values(2, "square")); err != nil || o.Result[0].Number() != 4 {
		t.Errorf("after the hang: %v, %v", o.Result, err)
	}
}

// A caller who leaves does not end the process of other callers.
func TestCallerLeaves(t *testing.T) {
	p, _ := newPool(t)
	program, _ := self(t)
	before, err := p.Calculate(t.Context(), patience, program, values(1, "square"))
	if err != nil {
		t.Fatal(err)
	}
	pipe := fmt.Sprintf("/tmp/slipstick-pool-test-%d", os.Getpid())
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(pipe)
	ctx, leave := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := p.Calculate(ctx, patience, program, values(1, "tell and hang"))
		done <- err
	}()
	if f, err := os.Open(pipe); err != nil { // returns when the engine is in the call
		t.Fatal(err)
	} else {
		f.Close()
	}
	leave()
	if err := <-done; err == nil {
		t.Error("no error for the caller who left")
	}
	after, err := p.Calculate(t.Context(), patience, program, values(1, "square"))
	if err != nil || !after.Result[1].Equal(before.Result[1]) {
		t.Errorf("process %v became %v, %v", before.Result, after.Result, err)
	}
}

// An answer that breaks the contract is never returned.
func TestContract(t *testing.T) {
	p, _ := newPool(t)
	program, _ := self(t)
	for _, mode := range []string{"NaN", "missing", "extra", "changed input", "undeclared warning", "undeclared rejection", "2 MiB"} {
		if o, err := p.Calculate(t.Context(), patience, program, values(1, mode)); !errors.Is(err, process.ErrContract) {
			t.Errorf("%s: %v, %v, want ErrContract", mode, o, err)
		}
	}
	var rejection *sdk.Error
	if _, err := p.Calculate(t.Context(), patience, program, values(1, "reject")); !errors.As(err, &rejection) || rejection.Code != "BAD_LUCK" {
		t.Errorf("reject: %v", err)
	}
	if _, err := p.Calculate(t.Context(), patience, program, values(1, "fail")); err == nil || !strings.Contains(err.Error(), "engine's own fault") {
		t.Errorf("fail: %v", err)
	}
}

func TestWillNotStart(t *testing.T) {
	p, dir := newPool(t)
	program, _ := self(t)
	wrong := registry.Unpublished(program.Spec, "sha256:"+strings.Repeat("0", 64), program.OpenEngine)
	if err := p.Start(t.Context(), wrong, false); !errors.Is(err, pool.ErrUnavailable) || !strings.Contains(err.Error(), "digest") {
		t.Errorf("other bytes: %v", err)
	}
	other := program.Spec
	other.Version = "2.0.0"
	sum := sha256.Sum256([]byte("#!/bin/false"))
	for name, broken := range map[string]*registry.Release{
		"described otherwise": registry.Unpublished(other, program.EngineDigest, program.OpenEngine),
		"unreadable":          registry.Unpublished(program.Spec, "sha256:1", func() (io.ReadCloser, error) { return nil, os.ErrNotExist }),
		"no engine":           registry.Unpublished(program.Spec, "sha256:"+hex.EncodeToString(sum[:]), func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("#!/bin/false")), nil }),
	} {
		if _, err := p.Calculate(t.Context(), patience, broken, values(1, "square")); !errors.Is(err, pool.ErrUnavailable) {
			t.Errorf("%s: %v, want ErrUnavailable", name, err)
		}
	}
	entries, _ := os.ReadDir(dir)
	if sockets, _ := os.ReadDir(dir + "/" + entries[0].Name()); len(sockets) > 0 {
		t.Errorf("still there: %v", sockets)
	}
}

// A failed start is not repeated at once for every caller.
func TestBackOff(t *testing.T) {
	p, _ := newPool(t)
	good, _ := self(t)
	var reads atomic.Int64
	program := registry.Unpublished(good.Spec, good.EngineDigest, func() (io.ReadCloser, error) { reads.Add(1); return nil, os.ErrNotExist })
	for range 100 {
		if err := p.Start(t.Context(), program, false); !errors.Is(err, pool.ErrUnavailable) {
			t.Fatal(err)
		}
	}
	if n := reads.Load(); n > 10 {
		t.Errorf("100 calls tried to start %d times", n)
	}
}

// A directory whose sockets could not be used is refused with the remedy.
func TestLongDirectory(t *testing.T) {
	dir := t.TempDir() + "/" + strings.Repeat("x", 100)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.New(&pool.Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("error = %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}
