package conformance_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/requirements"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

func TestCheckWhenNothingStarts(t *testing.T) {
	open := func(context.Context) (sdk.Engine, func(), error) { return nil, nil, errors.New("exec format error") }
	r := check(t, always(open), vectors(t))
	if got, want := failedRules(r), []string{"starts"}; !slices.Equal(got, want) || r.Passed {
		t.Errorf("passed %t, failed %q, want %q", r.Passed, got, want)
	}
	for _, result := range r.Rules {
		wantPass := strings.HasPrefix(result.ID, "vectors-p") // they need no engine
		judged := wantPass || result.ID == "starts"
		if result.Passed != wantPass || result.Findings == nil || judged != (result.Outcome != report.NotVerified) || judged != (result.Reason == "") {
			t.Errorf("%s: passed %t, want %t; %s %q", result.ID, result.Passed, wantPass, result.Outcome, result.Reason)
		}
	}
	if want := (report.Count{Total: 8}); r.Vectors != want {
		t.Errorf("vectors %+v, want %+v", r.Vectors, want)
	}
}

// An engine that never returns cannot block a check: each call lasts at most its deadline and
// a grace period. This test runs on the real clock, because a fake clock allows no goroutine
// that never ends. Only calls hang, and the deadline leaves a busy machine time for the rest.
func TestCheckReturnsWhenTheEngineNeverDoes(t *testing.T) {
	hang := withAnswer(func(context.Context, value.Values, next) (sdk.Outcome, error) { select {} })
	r := conformance.Check(t.Context(), hang, vectors(t), &conformance.Options{Deadline: 500 * time.Millisecond})
	if got := failedRules(r); !slices.Equal(got, []string{"deadline"}) {
		t.Errorf("failed %q, want only deadline", got)
	}
	for _, id := range []string{"vectors-results", "finite", "determinism", "concurrency"} {
		if result(t, r, id).Passed {
			t.Errorf("%s passed, though there was nothing to judge", id)
		}
	}
}

// Three late calls are enough evidence; more would only take time.
func TestCheckAsksAnEngineThatIsLateNoMore(t *testing.T) {
	var calls atomic.Int64
	r := check(t, always(withAnswer(func(ctx context.Context, _ value.Values, _ next) (sdk.Outcome, error) {
		calls.Add(1)
		<-ctx.Done()
		return sdk.Outcome{}, ctx.Err()
	})), vectors(t))
	if got := calls.Load(); got != 3 {
		t.Errorf("%d calls, want 3", got)
	}
	findings := result(t, r, "deadline").Findings
	if want := "5 calls that were not made, since 3 earlier ones were late"; len(findings) != 4 || findings[3].Found != want {
		t.Errorf("found %+v, want last %q", findings, want)
	}
	if r.Vectors.Passed != 0 {
		t.Errorf("%d vectors passed", r.Vectors.Passed)
	}
}

// mortal opens an engine that fails for a side of 2. After that it fails for everything, like
// a dead process.
func mortal(opened *atomic.Int64, lives int64) conformance.Open {
	return func(context.Context) (sdk.Engine, func(), error) {
		if opened.Add(1) > lives {
			return nil, nil, errors.New("no such file")
		}
		var dead atomic.Bool
		return bent{Engine: cubeStack(), answer: func(_ context.Context, in value.Values, next next) (sdk.Outcome, error) {
			if in[0].Number() == 2 {
				dead.Store(true)
			}
			if dead.Load() {
				return sdk.Outcome{}, errors.New("connection lost")
			}
			return next()
		}}, nil, nil
	}
}

func TestCheckBlamesTheVectorThatKilledTheEngine(t *testing.T) {
	var opened atomic.Int64
	r := check(t, always(mortal(&opened, 9)), vectors(t))
	if got := failedRules(r); !slices.Equal(got, []string{"failures"}) {
		t.Errorf("failed %q, want only failures", got)
	}
	findings := result(t, r, "failures").Findings
	if len(findings) != 1 || findings[0].Subject.String() != "vector P1" || r.Vectors.Passed != 7 || opened.Load() != 3 {
		t.Errorf("found %+v; %d vectors passed; opened %d times, want 3", findings, r.Vectors.Passed, opened.Load())
	}
}

func TestCheckReportsAnEngineThatDoesNotStartAgain(t *testing.T) {
	var opened atomic.Int64
	r := check(t, always(mortal(&opened, 2)), vectors(t))
	if got := failedRules(r); !slices.Equal(got, []string{"starts", "failures"}) {
		t.Errorf("failed %q", got)
	}
	if got := result(t, r, "starts").Findings; len(got) != 1 || got[0].Subject.String() != "instance 1, started again" {
		t.Errorf("found %+v", got)
	}
}

// Texts of an engine cannot break or fill a terminal.
func TestFindingsAreShortAndPrintable(t *testing.T) {
	r := check(t, always(failing(func() error { return errors.New("\x1b[31m\n" + strings.Repeat("é", 5000)) })), vectors(t))
	found := result(t, r, "failures").Findings[0].Found
	if len(found) > 410 || !strings.HasPrefix(found, " [31m é") || !strings.HasSuffix(found, "é...") {
		t.Errorf("%d bytes: %s", len(found), found)
	}
}

// Each engine hangs in another place. The time of Check is bounded, on a fake clock.
func TestCheckTimeIsBounded(t *testing.T) {
	for _, c := range []struct {
		name  string
		open  func(hang func()) conformance.Open
		limit time.Duration
		rule  string
	}{
		{"open", func(hang func()) conformance.Open {
			return func(context.Context) (sdk.Engine, func(), error) { hang(); return cubeStack(), nil, nil }
		}, 42 * time.Second, "starts"}, // 2 starts of 4 deadlines and a grace
		{"Spec", func(hang func()) conformance.Open {
			return withSpec(func(*sdk.Spec) { hang() })
		}, 24 * time.Second, "starts"}, // 2 instances, twice each
		{"Calculate", func(hang func()) conformance.Open {
			return withAnswer(func(context.Context, value.Values, next) (sdk.Outcome, error) { hang(); return sdk.Outcome{}, nil })
		}, 36 * time.Second, "deadline"}, // 2 instances, three late calls each
		{"close", func(hang func()) conformance.Open {
			return func(context.Context) (sdk.Engine, func(), error) { return cubeStack(), hang, nil }
		}, 12 * time.Second, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				released := make(chan struct{})
				started := time.Now()
				r := conformance.Check(t.Context(), c.open(func() { <-released }), vectors(t), nil)
				took := time.Since(started)
				close(released)
				if took > c.limit {
					t.Errorf("took %v, want at most %v", took, c.limit)
				}
				if got := failedRules(r); strings.Join(got, " ") != c.rule {
					t.Errorf("failed %q, want %q", got, c.rule)
				}
			})
		})
	}
}

func TestCheckClosesWhatStartsTooLate(t *testing.T) {
	for _, c := range []struct {
		name string
		wait func(ctx context.Context, released chan struct{})
	}{
		{"after it was given up", func(_ context.Context, released chan struct{}) { <-released }},
		{"within the grace", func(ctx context.Context, _ chan struct{}) { <-ctx.Done() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				released := make(chan struct{})
				var opened, closed atomic.Int64
				conformance.Check(t.Context(), func(ctx context.Context) (sdk.Engine, func(), error) {
					c.wait(ctx, released)
					opened.Add(1)
					return cubeStack(), func() { closed.Add(1) }, nil
				}, vectors(t), nil)
				close(released)
				synctest.Wait()
				if opened.Load() != 2 || closed.Load() != 2 {
					t.Errorf("opened %d and closed %d, want 2 and 2", opened.Load(), closed.Load())
				}
			})
		})
	}
}

func TestCheckClosesEachInstanceOnce(t *testing.T) {
	var opened, closed atomic.Int64
	check(t, func() conformance.Open {
		return func(context.Context) (sdk.Engine, func(), error) {
			opened.Add(1)
			return cubeStack(), func() { closed.Add(1) }, nil
		}
	}, vectors(t))
	if opened.Load() != 2 || closed.Load() != 2 {
		t.Errorf("opened %d and closed %d, want 2 and 2", opened.Load(), closed.Load())
	}
}

func TestCheckStopsWhenItsContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var calls atomic.Int64
	open := withAnswer(func(_ context.Context, _ value.Values, next next) (sdk.Outcome, error) {
		calls.Add(1)
		cancel()
		return next()
	})
	r := conformance.Check(ctx, open, vectors(t), nil)
	if r.Passed || calls.Load() != 1 {
		t.Errorf("passed %t after %d calls", r.Passed, calls.Load())
	}
	if r.Outcome != report.HarnessError {
		t.Errorf("the outcome is %s", r.Outcome)
	}
	if got := failedRules(r); len(got) > 0 {
		t.Errorf("failed %q: the engine is blamed", got)
	}
	for _, result := range r.Rules {
		known := strings.HasPrefix(result.ID, "vectors-p") // rules that need no engine
		if known != result.Passed && (known || result.Outcome != report.HarnessError || !strings.Contains(result.Reason, "context canceled")) {
			t.Errorf("%s: %s, %s", result.ID, result.Outcome, result.Reason)
		}
	}
}

func TestCheckReportsItsProgress(t *testing.T) {
	var rules []string
	o := &conformance.Options{Progress: func(rule string) { rules = append(rules, rule) }}
	conformance.Check(t.Context(), opens(cubeStack()), vectors(t), o)
	want := []string{"starts", "vectors-results", "determinism", "concurrency", "deadline", "generated-answers"}
	if !slices.Equal(rules, want) {
		t.Errorf("progress %q, want %q", rules, want)
	}
	for _, id := range rules {
		result(t, conformance.Check(t.Context(), opens(nil), nil, nil), id)
	}
}

// Each call must get values of its own: an engine that overwrites its inputs affects only its
// own answer.
func TestCheckSharesNoInputs(t *testing.T) {
	var mu sync.Mutex
	seen := map[float64]bool{}
	const mark = -12345
	open := withAnswer(func(_ context.Context, in value.Values, next next) (sdk.Outcome, error) {
		mu.Lock()
		seen[in[0].Number()] = true
		mu.Unlock()
		o, err := next()
		in[0] = value.NumberOf(mark)
		return o, err
	})
	if r := check(t, always(open), vectors(t)); !r.Passed || seen[mark] {
		t.Errorf("passed %t, %q; sides seen %v", r.Passed, failedRules(r), seen)
	}
}

func TestRunPassesAGoodEngine(t *testing.T) { conformance.Run(t, cubeStack(), vectors(t)) }

// The test binary acts as an author's test of a bad engine.
func TestRunOfABadEngine(t *testing.T) {
	const player = "CONFORMANCE_PLAYS_AUTHOR"
	if os.Getenv(player) != "" {
		bad := bent{Engine: cubeStack(), answer: changed(func(o *sdk.Outcome) { o.Result[0] = value.NumberOf(7) })}
		conformance.Run(t, bad, vectors(t))
		return
	}
	author := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRunOfABadEngine$", "-test.v")
	author.Env = append(os.Environ(), player+"=1")
	out, err := author.CombinedOutput()
	if err == nil {
		t.Error("the author's test passed")
	}
	for _, want := range []string{
		"--- FAIL: TestRunOfABadEngine/vectors-results",
		"--- PASS: TestRunOfABadEngine/deadline",
		"an engine must compute the result that each vector expects",
		"where vector P1, result.volume",
		"found 7, off by 1",
		"want  8 within 8e-12",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestRunSkipsWhatItCannotJudge(t *testing.T) {
	const player = "CONFORMANCE_PLAYS_AUTHOR"
	if os.Getenv(player) != "" {
		conformance.Run(t, cubeStack(), nil)
		return
	}
	author := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRunSkipsWhatItCannotJudge$", "-test.v")
	author.Env = append(os.Environ(), player+"=1")
	out, err := author.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "--- SKIP: TestRunSkipsWhatItCannotJudge/finite") ||
		!strings.Contains(string(out), "--- FAIL: TestRunSkipsWhatItCannotJudge/vectors-parse") {
		t.Errorf("%v\n%s", err, out)
	}
}

// An engine is judged by the rules of the given set, and by no others.
func TestCheckByASet(t *testing.T) {
	set := &requirements.Set{Name: "2026-00", Rules: slices.Clone(requirements.Newest().Rules[:2])}
	set.Rules[0].Rule = "an engine must start as it did then"
	hopeless := withOutcome(func(o *sdk.Outcome) { o.Result = nil })
	r := conformance.Check(t.Context(), hopeless, vectors(t), &conformance.Options{Requirements: set})
	if !r.Passed || r.Requirements != "2026-00" || len(r.Rules) != 2 || r.Rules[0].Rule != set.Rules[0].Rule {
		t.Errorf("%+v", r)
	}
}
