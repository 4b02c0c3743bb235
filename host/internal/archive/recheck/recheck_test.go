package recheck_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/recheck"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

const round = 2 * time.Minute

type in struct {
	X float64 `name:"x" symbol:"x"`
}

type out struct {
	Y float64 `name:"y" symbol:"y"`
}

// right is the function that the engines of these tests publish.
func right(x float64) float64 { return 2*x + 1 }

// newRelease returns a version of test.lab.line. If formula is set, it publishes the formula y = 2x
// + 1.
func newRelease(version string, formula bool) *registry.Release {
	spec := sdk.Spec{Capability: "test.lab.line", Version: version, Tool: "line", Group: "lab", Title: "Line", Summary: "A line."}
	if formula {
		spec.Definition = "y = 2*x + 1"
	}
	spec = sdk.New(spec, func(_ context.Context, i in) (out, error) { return out{right(i.X)}, nil }).Spec()
	return &registry.Release{
		Capability: spec.Capability, Version: version, Digest: "sha256:" + version, EngineDigest: "sha256:engine" + version, Spec: spec,
		Vectors: []byte(`[{"id": "V1", "inputs": {"x": 3}, "expected": {"y": 7}, "source": "by hand"}]`),
	}
}

// lab is a Checker with the releases and engines that it checks.
type lab struct {
	*recheck.Checker
	t        *testing.T
	log      bytes.Buffer
	mu       sync.Mutex
	releases []*registry.Release
	current  string
	running  map[string]bool // by version
	turns    func(key string) bool
	engine   func(x float64) (float64, error) // what processes compute now
	asked    []float64
	rested   int
}

// set changes fields under the lock.
func (l *lab) set(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

func newLab(t *testing.T, o recheck.Options, releases ...*registry.Release) *lab {
	l := &lab{
		t: t, releases: releases, current: releases[0].Version, running: map[string]bool{releases[0].Version: true},
		engine: func(x float64) (float64, error) { return right(x), nil },
	}
	o.Engines = func() (recheck.Engines, error) { return l, nil }
	o.Running = func(r *catalog.Release) bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.running[r.Version]
	}
	o.Catalog = func() *catalog.Catalog {
		l.mu.Lock()
		defer l.mu.Unlock()
		return catalog.New([]registry.Capability{{ID: "test.lab.line", Current: l.current, Releases: l.releases}})
	}
	o.Turn = func(_ context.Context, key string, _ time.Duration) bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.turns == nil || l.turns(key)
	}
	o.Log = slog.New(slog.NewTextHandler(&l.log, nil))
	l.Checker = recheck.New(&o)
	ctx, end := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.Run(ctx)
	}()
	t.Cleanup(func() { end(); <-done })
	synctest.Wait()
	return l
}

func (l *lab) Calculate(_ context.Context, _ time.Duration, _ *catalog.Release, in value.Values) (sdk.Outcome, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, in[0].Number())
	y, err := l.engine(in[0].Number())
	return sdk.Outcome{Result: value.Values{value.NumberOf(y)}}, err
}

func (l *lab) CalculateBatch(ctx context.Context, limit time.Duration, r *catalog.Release, rows []value.Values) ([]response.Result, error) {
	list := make([]response.Result, len(rows))
	for i, row := range rows {
		list[i].Outcome, list[i].Err = l.Calculate(ctx, limit, r, row)
	}
	return list, nil
}

func (l *lab) Draw(context.Context, time.Duration, *catalog.Release, string, value.Values) (*sdk.Figure, error) {
	return nil, nil
}

func (l *lab) Rest(*catalog.Release) { l.set(func() { l.rested++ }) }
func (l *lab) Close()                {}

// becomes changes the function that processes compute from now on.
func (l *lab) becomes(f func(x float64) float64) {
	l.set(func() { l.engine = func(x float64) (float64, error) { return f(x), nil } })
}

// answer keeps a calculation of the first release.
func (l *lab) answer(x, y float64) {
	l.Keep(l.releases[0], value.Values{value.NumberOf(x)}, record.Outcome{Result: value.Values{value.NumberOf(y)}})
}

// rounds waits for n rounds.
func (l *lab) rounds(n int) {
	for range n {
		time.Sleep(round)
		synctest.Wait()
	}
}

// take returns the inputs that processes received since its last call.
func (l *lab) take() []float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	asked := l.asked
	l.asked = nil
	return asked
}

func (l *lab) differs(want bool, what string) {
	l.t.Helper()
	list := l.Differences()
	if is := len(list) > 0; is != want {
		l.t.Errorf("%s: differs %v, want %v: %+v\n%s", what, is, want, list, l.log.String())
	}
}

func (l *lab) logged(texts ...string) {
	l.t.Helper()
	for _, text := range texts {
		if !strings.Contains(l.log.String(), text) {
			l.t.Errorf("the log does not have %q: %s", text, l.log.String())
		}
	}
}

// Another process is asked between one and two rounds later, and a correct engine causes no report.
func TestLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, recheck.Options{}, newRelease("1.0.0", true))
		l.answer(5, right(5))
		l.rounds(1)
		if asked := l.take(); len(asked) != 0 {
			t.Errorf("asked at once: %v", asked)
		}
		l.rounds(1)
		if asked := l.take(); len(asked) != 1 || asked[0] != 5 || l.rested != 1 {
			t.Errorf("asked %v, and %d processes ended", asked, l.rested)
		}
		l.rounds(3)
		if asked := l.take(); len(asked) != 0 {
			t.Errorf("asked again: %v", asked)
		}
		l.differs(false, "a right engine")
	})
}

// Every difference is noticed, and is logged with its inputs and both outcomes. It lasts until
// three consecutive rounds agree.
func TestDifferences(t *testing.T) {
	wrong := func(x float64) float64 { return 3*x + 1 }
	for name, tt := range map[string]struct {
		formula  bool
		answered float64 // at x = 5
		again    func(x float64) float64
		logged   []string
		becomes  func(x float64) float64
		over     bool // when it has become that
	}{
		"another number without a formula":       {false, 11, wrong, []string{`inputs="{\"x\":5}"`, `before="{\"y\":11}"`, `now="{\"y\":16}"`}, right, true},
		"another number that stays":              {false, 11, wrong, nil, wrong, false},
		"wrong before, right now":                {true, 16, right, []string{`before="{\"y\":16}"`, `now="{\"y\":11}"`, "the published formula gives 11 at these inputs"}, right, true},
		"the same wrong number":                  {true, 16, wrong, []string{`result="{\"y\":16}"`, "y is 16, but the published formula gives 11 at these inputs"}, right, true},
		"the same wrong number, and it stays":    {true, 16, wrong, nil, wrong, false},
		"wrong in the last place for no formula": {false, 11.000000000000002, right, []string{`before="{\"y\":11.000000000000002}"`}, right, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				l := newLab(t, recheck.Options{Differ: func(*catalog.Release) { calls++ }}, newRelease("1.0.0", tt.formula))
				l.answer(5, tt.answered)
				l.becomes(tt.again)
				l.rounds(2)
				l.differs(true, "after two rounds")
				l.logged(append(tt.logged, `slipstick yank test.lab.line 1.0.0 --reason`)...)
				if calls != 1 {
					t.Errorf("Differ was called %d times", calls)
				}
				l.set(func() { l.running["1.0.0"] = false }) // it is also asked without a running process
				l.becomes(tt.becomes)
				l.rounds(2)
				l.differs(true, "after two rounds that agree")
				l.rounds(1)
				l.differs(!tt.over, "after three")
			})
		})
	}
}

// A difference after rounds that agree restarts the count. A round without results does not count.
func TestThreeInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, recheck.Options{}, newRelease("1.0.0", false))
		l.answer(5, 11)
		l.becomes(func(float64) float64 { return 0 })
		l.rounds(2)
		l.becomes(right)
		l.rounds(2)
		l.becomes(func(float64) float64 { return 0 })
		l.rounds(1)
		l.becomes(right)
		l.rounds(2)
		l.set(func() { l.engine = func(float64) (float64, error) { return 0, errors.New("lost") } })
		l.rounds(5)
		l.differs(true, "two rounds that agree, and five without an answer")
		l.becomes(right)
		l.rounds(1)
		l.differs(false, "three rounds that agree")
	})
}

// A withdrawn version does not differ any more, and is not checked.
func TestWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, recheck.Options{}, newRelease("1.0.0", true))
		l.answer(5, 16)
		l.rounds(2)
		l.differs(true, "before")
		yanked := *l.releases[0]
		yanked.Lifecycle = evidence.Lifecycle{State: evidence.Yanked, Reason: "wrong numbers"}
		l.set(func() { l.releases = []*registry.Release{&yanked} })
		l.differs(false, "at once")
		l.take()
		l.rounds(3)
		if asked := l.take(); len(asked) != 0 {
			t.Errorf("asked %v", asked)
		}
	})
}

// Only the vectors of running releases are computed, once an hour.
func TestVectorsEveryHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, recheck.Options{}, newRelease("2.0.0", true), newRelease("1.0.0", true))
		for hour := range 3 {
			l.rounds(30)
			if asked := l.take(); len(asked) != 1 || asked[0] != 3 {
				t.Errorf("hour %d: asked %v", hour, asked)
			}
		}
		l.set(func() { l.running["1.0.0"] = true }) // a version that clients pin
		l.rounds(31)
		if asked := l.take(); len(asked) < 2 || len(asked) > 3 {
			t.Errorf("two versions: asked %v", asked)
		}
		l.set(func() { clear(l.running) })
		l.rounds(60)
		if asked := l.take(); len(asked) != 0 {
			t.Errorf("while they sleep: asked %v", asked)
		}
		l.set(func() { l.running["2.0.0"] = true })
		l.becomes(func(x float64) float64 { return 3 * x })
		l.rounds(1)
		l.differs(true, "vectors")
		l.logged("vector=V1", "path=result.y", "want=")
		l.becomes(right)
		l.rounds(3)
		l.differs(false, "vectors that agree again")
	})
}

// A release that becomes current is checked immediately, also if it does not run. Releases that are
// current at the start do not count.
func TestPromotion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, recheck.Options{}, newRelease("1.0.0", true), newRelease("2.0.0", true))
		l.Published()
		synctest.Wait()
		if asked := l.take(); len(asked) != 0 {
			t.Errorf("without a promotion: asked %v", asked)
		}
		l.becomes(func(x float64) float64 { return 3 * x })
		l.set(func() { l.current = "2.0.0" })
		l.Published()
		synctest.Wait()
		l.differs(true, "at once")
		if d := l.Differences(); len(d) != 1 || d[0].Version != "2.0.0" {
			t.Errorf("%+v", d)
		}
	})
}

// Among several servers, one computes the vectors of an hour, and each computes the vectors after a
// promotion.
func TestOneOfSeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		taken, mu := map[string]bool{}, new(sync.Mutex)
		turns := func(key string) bool {
			mu.Lock()
			defer mu.Unlock()
			was := taken[key]
			taken[key] = true
			return !was
		}
		var servers []*lab
		for range 3 {
			l := newLab(t, recheck.Options{}, newRelease("1.0.0", true), newRelease("2.0.0", true))
			l.set(func() { l.turns = turns })
			servers = append(servers, l)
		}
		asked := func() (n int) {
			for _, l := range servers {
				n += len(l.take())
			}
			return n
		}
		time.Sleep(4 * time.Hour)
		synctest.Wait()
		if n := asked(); n != 4 {
			t.Errorf("asked %d times in four hours", n)
		}
		for _, l := range servers {
			l.set(func() { l.current = "2.0.0" })
			l.Published()
			synctest.Wait()
		}
		if n := asked(); n != 1 {
			t.Errorf("asked %d times after a promotion", n)
		}
	})
}

// The number of kept calculations is bounded. Calculations of a release without a process wait for
// its next process.
func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, recheck.Options{}, newRelease("1.0.0", true))
		l.set(func() { l.running["1.0.0"] = false })
		for x := range 10_000 {
			l.answer(float64(x), right(float64(x)))
		}
		l.rounds(10)
		if asked := l.take(); len(asked) != 0 {
			t.Errorf("%d asked while it sleeps", len(asked))
		}
		l.set(func() { l.running["1.0.0"] = true })
		l.rounds(1)
		asked := l.take()
		late := 0
		for _, x := range asked {
			if x >= 5000 {
				late++
			}
		}
		if len(asked) != 64 || late < 8 || late > 56 { // 32 on average; each bound is missed once in 10^9 runs
			t.Errorf("%d asked, %d of the second half", len(asked), late)
		}
		l.differs(false, "bounds")
	})
}

// If Hide is set, inputs are not logged.
func TestHidden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, recheck.Options{Hide: true}, newRelease("1.0.0", true))
		l.answer(123456, 98765)
		l.rounds(2)
		l.differs(true, "hidden")
		if strings.Contains(l.log.String(), "123456") {
			t.Errorf("the log has the input: %s", l.log.String())
		}
		l.logged(`inputs="not logged"`, `result="{\"y\":98765}"`)
	})
}

// BenchmarkKeep measures the cost of keeping or skipping one calculation in a hundred.
func BenchmarkKeep(b *testing.B) {
	c := recheck.New(&recheck.Options{})
	r := newRelease("1.0.0", true)
	in, o := value.Values{value.NumberOf(1)}, record.Outcome{Result: value.Values{value.NumberOf(3)}}
	b.ReportAllocs()
	for b.Loop() {
		c.Keep(r, in, o)
	}
}
