package pool_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// load calls the program from several goroutines until stop is closed, and checks every
// answer. It returns how many there were, and waits for its callers.
func load(t *testing.T, p *pool.Pool, program *registry.Release, callers int, stop <-chan struct{}) (wait func() int64) {
	t.Helper()
	return loadCounted(t, p, program, callers, stop, new(atomic.Int64))
}

func loadCounted(t *testing.T, p *pool.Pool, program *registry.Release, callers int, stop <-chan struct{}, answers *atomic.Int64) (wait func() int64) {
	t.Helper()
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				x := float64(c*1_000_000 + n)
				o, err := p.Calculate(t.Context(), patience, program, values(x, "square"))
				if err != nil || o.Result[0].Number() != x*x {
					t.Errorf("%v: %v, %v", x, o.Result, err)
					return
				}
				answers.Add(1)
			}
		})
	}
	return func() int64 { wg.Wait(); return answers.Load() }
}

// pid is the process that answers now.
func pid(t *testing.T, p *pool.Pool, program *registry.Release) int {
	t.Helper()
	o, err := p.Calculate(t.Context(), patience, program, values(rand.Float64(), "square"))
	if err != nil {
		t.Fatal(err)
	}
	return int(o.Result[1].Number())
}

// A1: no answer is lost if processes are killed under load.
func TestKilledUnderLoad(t *testing.T) {
	p, _, events := newPoolWith(t, pool.Options{StartRate: 1000})
	program, _ := self(t)
	stop := make(chan struct{})
	var answers atomic.Int64
	const callers = 8
	wait := loadCounted(t, p, program, callers, stop, &answers)
	const kills = 20
	for n := range kills {
		_ = syscall.Kill(pid(t, p, program), syscall.SIGKILL)
		events.wait(t, pool.Ended, n+1)
		// Before the next kill, every caller that lost a call has had another answer: a call that
		// is killed twice fails.
		for enough := answers.Load() + 20*callers; answers.Load() < enough && !t.Failed(); {
			pid(t, p, program)
		}
	}
	close(stop)
	if n := wait(); n < kills {
		t.Errorf("only %d answers", n)
	}
}

// A3, H1, H2: the pool finds a stopped process by its silence and replaces it, and no caller waits
// for it forever.
func TestStopped(t *testing.T) {
	p, _, events := newPoolWith(t, pool.Options{ProbeEvery: 30 * time.Millisecond, ProbeTimeout: time.Second})
	program, _ := self(t)
	stop := make(chan struct{})
	wait := load(t, p, program, 4, stop)
	stopped := pid(t, p, program)
	if err := syscall.Kill(stopped, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	events.wait(t, pool.Hung, 1)
	events.wait(t, pool.Ended, 1)
	if now := pid(t, p, program); now == stopped {
		t.Error("the stopped process answers")
	}
	close(stop)
	wait()
	// The pool also finds a stopped process without calls.
	if err := syscall.Kill(pid(t, p, program), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	events.wait(t, pool.Hung, 2)
}

// A8, P3: inputs that kill every process do not affect other calls, and kill only two processes.
func TestQuarantine(t *testing.T) {
	p, _, events := newPoolWith(t, pool.Options{StartRate: 1000})
	program, _ := self(t)
	stop := make(chan struct{})
	wait := load(t, p, program, 8, stop)
	const deadly = 5
	for n := range deadly {
		for range 3 {
			if _, err := p.Calculate(t.Context(), patience, program, values(float64(n), "crash")); !errors.Is(err, process.ErrLost) {
				t.Errorf("deadly input: %v", err)
			}
		}
	}
	close(stop)
	wait()
	if n := events.count(pool.Quarantined); n != deadly {
		t.Errorf("%d inputs are in quarantine, want %d", n, deadly)
	}
	if n := events.count(pool.Crashed); n > 2*deadly {
		t.Errorf("%d processes died of %d inputs", n, deadly)
	}
}

// A2: a call that hangs does not affect the others; its process is replaced.
func TestHangBesideOthers(t *testing.T) {
	p, _, events := newPoolWith(t, pool.Options{})
	program, _ := self(t)
	stop := make(chan struct{})
	wait := load(t, p, program, 4, stop)
	hang(t, p, program, events)
	close(stop)
	wait()
}

// late reports whether a call ended with its deadline. An engine that starts after the deadline reports it as text.
func late(err error) bool {
	return err != nil && strings.HasSuffix(err.Error(), context.DeadlineExceeded.Error())
}

// hang makes a call that hangs, until two processes have been tried for it. On a busy machine the
// start of a process may take longer than the caller waits.
func hang(t *testing.T, p *pool.Pool, program *registry.Release, events *events) {
	t.Helper()
	for limit := time.Second; limit <= 32*time.Second; limit *= 2 {
		before := events.count(pool.Lost)
		_, err := p.Calculate(t.Context(), limit, program, values(1, "hang"))
		if !errors.Is(err, pool.ErrUnavailable) && !errors.Is(err, process.ErrLost) && !late(err) {
			t.Fatalf("hang: %v", err)
		}
		if n := events.count(pool.Lost) - before; n == 2 {
			return
		} else if n > 2 {
			t.Fatalf("%d processes were tried, want 2", n)
		}
	}
	t.Fatal("no second process was tried")
}

// A7, A10: no goroutine, file or directory stays of processes that crash.
func TestNothingIsLeft(t *testing.T) {
	p, dir, events := newPoolWith(t, pool.Options{StartRate: 1000})
	program, _ := self(t)
	pid(t, p, program)
	before := openFiles(t)
	cycles := 50
	if os.Getenv("SLIPSTICK_SOAK") != "" {
		cycles = 10_000
	}
	for n := range cycles {
		_ = syscall.Kill(pid(t, p, program), syscall.SIGKILL)
		pid(t, p, program)
		events.wait(t, pool.Ended, n+1)
	}
	after := openFiles(t)
	for late := time.Now().Add(patience); after > before+5 && time.Now().Before(late); after = openFiles(t) {
		runtime.Gosched() // what ended last may still be given back
	}
	t.Logf("%d cycles: %d open files became %d, and there are %d goroutines", cycles, before, after, runtime.NumGoroutine())
	if after > before+5 {
		t.Errorf("%d open files became %d", before, after)
	}
	sockets, _ := filepath.Glob(filepath.Join(dir, "slipstick-*", "plugin*"))
	if len(sockets) > 3 {
		t.Errorf("still there: %v", sockets)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// A batch loses no row when its process dies, and a row that kills processes does not fail other
// rows.
func TestBatch(t *testing.T) {
	p, _, events := newPoolWith(t, pool.Options{StartRate: 1000})
	program, _ := self(t)
	rows := make([]value.Values, 500)
	for i := range rows {
		rows[i] = values(float64(i), "square")
	}
	rows[100] = values(100, "reject")
	rows[200] = values(200, "crash")
	rows[300] = values(300, "NaN")
	rows[400] = values(400, "fail")
	results, err := p.CalculateBatch(t.Context(), patience, program, rows)
	if err != nil {
		t.Fatal(err)
	}
	var rejection *sdk.Error
	for i, r := range results {
		switch i {
		case 100:
			if !errors.As(r.Err, &rejection) || rejection.Code != "BAD_LUCK" {
				t.Errorf("rejected row: %v", r.Err)
			}
		case 200:
			if !errors.Is(r.Err, process.ErrLost) {
				t.Errorf("row that kills: %v", r.Err)
			}
		case 300:
			if !errors.Is(r.Err, process.ErrContract) {
				t.Errorf("row that is answered NaN: %v", r.Err)
			}
		case 400:
			if r.Err == nil || errors.As(r.Err, &rejection) && rejection == nil {
				t.Errorf("row that fails: %v", r.Err)
			}
		default:
			if r.Err != nil || r.Outcome.Result[0].Number() != float64(i*i) {
				t.Fatalf("row %d: %v, %v", i, r.Outcome.Result, r.Err)
			}
		}
	}
	if n := events.count(pool.Crashed); n > 2 {
		t.Errorf("%d processes died of one row", n)
	}
}

// A process that is not kept ends when it is not used, and another starts on demand.
func TestIdle(t *testing.T) {
	p, _, events := newPoolWith(t, pool.Options{IdleStop: time.Millisecond, ProbeEvery: 3 * time.Millisecond})
	program, _ := self(t)
	pid(t, p, program)
	events.wait(t, pool.Ended, events.count(pool.Started)) // one may be too old before it is called
	if state := p.State(t.Context(), program); state != pool.Idle {
		t.Errorf("state %q, want %q", state, pool.Idle)
	}
	if err := p.Start(t.Context(), program, true); err != nil {
		t.Fatal(err)
	}
	if state := p.State(t.Context(), program); state != pool.Running {
		t.Errorf("state %q, want %q", state, pool.Running)
	}
	// A process that is kept is started again without a call.
	_ = syscall.Kill(pid(t, p, program), syscall.SIGKILL)
	starts := events.count(pool.Started)
	events.wait(t, pool.Started, starts+1)
}

// A program backs off if its processes end before their first answer, and its errors have the
// reason.
func TestBackingOff(t *testing.T) {
	p, _, events := newPoolWith(t, pool.Options{StartRate: 1000})
	program, _ := self(t)
	program = registry.Unpublished(program.Spec, program.EngineDigest, func() (io.ReadCloser, error) { return nil, os.ErrNotExist })
	for events.count(pool.BackedOff) == 0 {
		if err := p.Start(t.Context(), program, false); !errors.Is(err, pool.ErrUnavailable) {
			t.Fatal(err)
		}
	}
	if n := events.count(pool.StartFailed); n != 5 {
		t.Errorf("%d starts before the rest, want 5", n)
	}
	if state := p.State(t.Context(), program); state != pool.Failing {
		t.Errorf("state %q, want %q", state, pool.Failing)
	}
}

// H14: calls under way get their time when the pool closes.
func TestDrain(t *testing.T) {
	p, dir, _ := newPoolWith(t, pool.Options{Drain: 30 * time.Second})
	program, _ := self(t)
	pipe := onceFileOf(t)
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(pipe)
	done := make(chan error)
	go func() {
		_, err := p.Calculate(t.Context(), time.Minute, program, values(1, "tell and wait"))
		done <- err
	}()
	f, err := os.Open(pipe) // returns when the engine is in the call
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan struct{})
	go func() { p.Close(); close(closed) }()
	for {
		if _, err := p.Calculate(t.Context(), patience, program, values(1, "square")); errors.Is(err, pool.ErrClosed) {
			break
		}
	}
	os.Remove(pipe) // the long call may have been asked again, another way, and not look for it yet
	f.Close()       // lets the engine continue
	if err := <-done; err != nil {
		t.Errorf("call under way: %v", err)
	}
	<-closed
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("still there: %v, %v", left, err)
	}
}
