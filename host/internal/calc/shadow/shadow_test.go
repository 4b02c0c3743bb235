package shadow_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/host/internal/calc/shadow"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// candidates computes for candidates: twice the input, and a little more from 10 on. It refuses
// negative inputs, and fails at 13. It blocks until the channel is closed, if there is one.
type candidates struct {
	calc.Engines
	hang chan struct{}

	mu     sync.Mutex
	inputs []float64
	ended  []string
}

func (c *candidates) CalculateBatch(ctx context.Context, _ time.Duration, _ *catalog.Release, rows []value.Values) ([]response.Result, error) {
	if c.hang != nil {
		select {
		case <-c.hang:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]response.Result, len(rows))
	for i, row := range rows {
		x := row[0].Number()
		c.inputs = append(c.inputs, x)
		switch {
		case x < 0:
			out[i].Err = &sdk.Error{Code: "NEGATIVE_LENGTH", Field: "length", Detail: "too short"}
		case x == 13:
			out[i].Err = errors.New("unlucky")
		case x >= 10:
			out[i].Outcome.Result = value.Values{value.NumberOf(math.Nextafter(2*x, math.Inf(1)))}
		default:
			out[i].Outcome.Result = value.Values{value.NumberOf(2 * x)}
		}
	}
	return out, nil
}

func (c *candidates) Used(*catalog.Release) bool { return false }
func (c *candidates) End(r *catalog.Release)     { c.ended = append(c.ended, r.Version) }
func (c *candidates) Close()                     {}

// asked returns the inputs of all calculations.
func (c *candidates) asked() []float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.inputs)
}

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// published has a capability with the current version 1.0.0 and the candidate 2.0.0.
func published(declaration *evidence.Shadow, change ...func(candidate *registry.Release)) *catalog.Catalog {
	release := func(version string) *registry.Release {
		return &registry.Release{
			Capability: "a.b.c", Version: version, Digest: "sha256:" + version, EngineDigest: "sha256:e" + version,
			Spec: sdk.Spec{
				Capability: "a.b.c", Tool: "c", Version: version,
				Inputs:  []sdk.Field{{Name: "length", Type: sdk.TypeNumber, Unit: "m", Required: true}, {Name: "old", Type: sdk.TypeNumber}},
				Outputs: []sdk.Field{{Name: "double", Type: sdk.TypeNumber, Unit: "m"}},
			},
		}
	}
	candidate := release("2.0.0")
	candidate.Shadow, candidate.Spec.Inputs = declaration, candidate.Spec.Inputs[:1]
	for _, f := range change {
		f(candidate)
	}
	return catalog.New([]registry.Capability{{ID: "a.b.c", Current: "1.0.0", Releases: []*registry.Release{candidate, release("1.0.0")}}})
}

// everything declares that all answers are compared.
var everything = evidence.Shadow{Sample: 1, Since: start}

// setup is a Shadow and the watch on the current release.
type setup struct {
	*shadow.Shadow
	t       *testing.T
	engines *candidates
	now     time.Time
	watches []calc.Watch
}

func newSetup(t *testing.T, o shadow.Options) *setup {
	h := &setup{t: t, engines: new(candidates), now: start}
	o.Engines = func() (shadow.Engines, error) { return h.engines, nil }
	o.Now = func() time.Time { return h.now }
	h.Shadow = shadow.New(&o)
	t.Cleanup(h.Close)
	return h
}

// serve publishes a catalog.
func (h *setup) serve(c *catalog.Catalog) {
	h.watches = nil
	for r, watches := range h.Watches(c) {
		if r.Version != "1.0.0" {
			h.t.Errorf("answers of %s are watched", r.Version)
		}
		h.watches = append(h.watches, watches...)
	}
}

// answer reports an answer of the current release.
func (h *setup) answer(length float64, o record.Outcome) {
	for _, w := range h.watches {
		w.Answered(value.Values{value.NumberOf(length), {}}, o)
	}
}

func double(x float64) record.Outcome {
	return record.Outcome{Result: value.Values{value.NumberOf(2 * x)}}
}

// counted waits until so many answers are counted, and returns the only comparison.
func (h *setup) counted(n uint64) shadow.Comparison {
	h.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		r := h.Report()
		if len(r.Comparisons) != 1 {
			h.t.Fatalf("%d comparisons", len(r.Comparisons))
		}
		c := r.Comparisons[0]
		if c.Compared()+c.Incomparable+c.Failed+c.Dropped.All() >= n {
			return c
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("%+v after 10 s, want %d", c.Counts, n)
		}
	}
}

func TestEveryOutcomeIsCounted(t *testing.T) {
	h := newSetup(t, shadow.Options{Inputs: true})
	h.serve(published(&everything))
	h.answer(1, double(1))
	h.answer(2, double(2))
	h.answer(10, double(10))
	h.answer(20, double(20))
	h.answer(0, record.Outcome{Code: "ZERO_LENGTH", Field: "length"})
	h.answer(-1, double(-1))
	h.answer(-2, record.Outcome{Code: "TOO_SHORT", Field: "length"})
	h.answer(-3, record.Outcome{Code: "NEGATIVE_LENGTH", Field: "length"})
	h.answer(13, double(13))
	for _, w := range h.watches {
		w.Answered(value.Values{value.NumberOf(1), value.NumberOf(7)}, double(1)) // the candidate has no input "old"
		w.Answered(value.Values{value.NumberOf(1), value.TextOf(strings.Repeat("x", 65<<10))}, double(1))
	}
	c := h.counted(11)
	if want := (shadow.Counts{
		Same: 3, Changed: 2, Refused: 1, Answered: 1, Reworded: 1, Incomparable: 1, Failed: 1, Dropped: shadow.Dropped{Large: 1},
	}); c.Counts != want {
		t.Errorf("%+v\nwant %+v", c.Counts, want)
	}
	if o := c.Outputs; len(o) != 1 || o[0].Name != "double" || o[0].Differs != 2 || o[0].Largest.Ulps != 1 || *o[0].Largest.Relative != (math.Nextafter(20, 40)-20)/20 {
		t.Errorf("outputs %+v", o)
	} else if w := o[0].Worst; len(w) != 2 || string(w[0].Inputs) != `{"length":10}` || string(w[0].Old) != "20" || string(w[0].New) != "20.000000000000004" {
		t.Errorf("worst %+v", w)
	}
	if want := []shadow.Refusals{{Refusal: shadow.Refusal{Code: "NEGATIVE_LENGTH", Field: "length"}, Count: 1}}; !slices.Equal(c.Refusals, want) {
		t.Errorf("refusals %+v", c.Refusals)
	}
	if len(c.Obstacles) != 1 || c.Obstacles[0].Field != "old" || c.Obstacles[0].Reason != "unknown" || c.Obstacles[0].Count != 1 {
		t.Errorf("obstacles %+v", c.Obstacles)
	}
	if c.Failure == "" || c.Candidate.Version != "2.0.0" || c.Current.Version != "1.0.0" || !c.Running {
		t.Errorf("%+v", c)
	}
}

func TestInputsAreKeptOnRequestOnly(t *testing.T) {
	h := newSetup(t, shadow.Options{})
	h.serve(published(&everything))
	h.answer(10, double(10))
	c := h.counted(1)
	if text, _ := json.Marshal(c); c.Changed != 1 || strings.Contains(string(text), "worst") {
		t.Errorf("%s", text)
	}
}

// eventually waits until holds returns true.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not after 10 s: %s", what)
		}
	}
}

func TestHostsSampleTheSameInputs(t *testing.T) {
	const answers = 4000
	tenth := everything
	tenth.Sample = 0.1
	hosts := []*setup{newSetup(t, shadow.Options{}), newSetup(t, shadow.Options{})}
	for _, h := range hosts {
		h.serve(published(&tenth))
		for i := range answers {
			h.answer(float64(i)/answers, double(float64(i)/answers))
		}
	}
	eventually(t, "both have computed the same tenth", func() bool {
		a, b := hosts[0].engines.asked(), hosts[1].engines.asked()
		return len(a) > answers/10-100 && len(a) < answers/10+100 && slices.Equal(a, b)
	})
}

// A candidate that hangs does not delay answers, and its queue is limited.
func TestHangingCandidateDropsAnswers(t *testing.T) {
	h := newSetup(t, shadow.Options{})
	h.engines.hang = make(chan struct{})
	h.serve(published(&everything))
	const answers = 5000
	for i := range answers {
		h.answer(float64(i%9), double(float64(i%9)))
	}
	c := h.Report().Comparisons[0]
	if waiting := answers - c.Dropped.Busy; c.Compared() != 0 || waiting < 1024 || waiting > 1024+256 {
		t.Errorf("%d wait, %+v", waiting, c.Counts)
	}
	close(h.engines.hang)
	if c := h.counted(answers); c.Same != answers-c.Dropped.Busy {
		t.Errorf("%+v", c.Counts)
	}
}

func TestShortMemoryStartsNoCandidate(t *testing.T) {
	h := newSetup(t, shadow.Options{Short: func() bool { return true }})
	h.serve(published(&everything))
	h.answer(1, double(1))
	if c := h.counted(1); c.Dropped.Memory != 1 || len(h.engines.asked()) != 0 {
		t.Errorf("%+v", c.Counts)
	}
}

func TestComparisonLastsAsLongAsItsStatement(t *testing.T) {
	h := newSetup(t, shadow.Options{})
	until := everything
	until.Until = start.Add(time.Hour)
	h.serve(published(&until))
	h.answer(1, double(1))
	h.counted(1)

	h.serve(published(&until)) // the same registry is read again
	h.answer(2, double(2))
	if c := h.counted(2); c.Same != 2 || !c.Running {
		t.Errorf("%+v", c)
	}

	h.now = start.Add(time.Hour)
	h.answer(3, double(3))
	if c := h.counted(2); c.Running || c.Compared() != 2 {
		t.Errorf("after its end: %+v", c)
	}

	h.now = start
	old := h.watches
	h.serve(published(nil)) // the comparison was stopped
	if len(h.watches) != 0 {
		t.Error("answers are still watched")
	}
	h.watches = old
	h.answer(4, double(4)) // an answer to an earlier request
	if c := h.counted(2); c.Running || c.Compared() != 2 {
		t.Errorf("after it was stopped: %+v", c)
	}

	h.serve(published(&everything))
	h.answer(5, double(5))
	eventually(t, "a new statement starts new counts", func() bool {
		r := h.Report()
		return len(r.Comparisons) == 2 && r.Comparisons[0].Compared()+r.Comparisons[1].Compared() == 3
	})
}

func TestWhatIsNotCompared(t *testing.T) {
	for name, change := range map[string]func(*registry.Release){
		"damaged":  func(r *registry.Release) { r.Problem = errors.New("gone") },
		"revoked":  func(r *registry.Release) { r.Lifecycle.State = evidence.Revoked },
		"stopped":  func(r *registry.Release) { r.Shadow = &evidence.Shadow{} },
		"the same": func(r *registry.Release) { r.Digest = "sha256:1.0.0" },
	} {
		h := newSetup(t, shadow.Options{})
		h.serve(published(&everything, change))
		if len(h.watches) != 0 || len(h.Report().Comparisons) != 0 {
			t.Errorf("%s: compared", name)
		}
	}
}

func TestRevokedCandidateEnds(t *testing.T) {
	h := newSetup(t, shadow.Options{})
	h.serve(published(&everything))
	h.serve(published(&everything, func(r *registry.Release) { r.Lifecycle.State = evidence.Revoked }))
	if len(h.watches) != 0 || !slices.Equal(h.engines.ended, []string{"2.0.0"}) {
		t.Errorf("%d watch; ended %v", len(h.watches), h.engines.ended)
	}
}

func TestHostsAddUp(t *testing.T) {
	reports := make([]shadow.Report, 2)
	for k, lengths := range [][]float64{{1, 10, 11, -1}, {2, 3, 12, -1, -1, 13}} {
		h := newSetup(t, shadow.Options{Inputs: true})
		h.serve(published(&everything))
		for _, x := range lengths {
			h.answer(x, double(x))
		}
		h.counted(uint64(len(lengths)))
		text, err := json.Marshal(h.Report())
		if err == nil {
			err = json.Unmarshal(text, &reports[k])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	sum := shadow.Add(reports...)
	if len(sum.Comparisons) != 1 {
		t.Fatalf("%d comparisons", len(sum.Comparisons))
	}
	c := sum.Comparisons[0]
	if want := (shadow.Counts{Same: 3, Changed: 3, Refused: 3, Failed: 1}); c.Counts != want {
		t.Errorf("%+v", c.Counts)
	}
	if c.Refusals[0].Count != 3 || c.Outputs[0].Differs != 3 || len(c.Outputs[0].Worst) != 3 || string(c.Outputs[0].Worst[0].Inputs) != `{"length":10}` {
		t.Errorf("%+v", c)
	}
	if again := shadow.Add(reports[1], reports[0]); again.Comparisons[0].Counts != c.Counts {
		t.Errorf("in another order: %+v", again)
	}
}

// BenchmarkAnswered measures the cost of a compared answer for the current release.
func BenchmarkAnswered(b *testing.B) {
	for name, sample := range map[string]float64{"not sampled": 1e-9, "sampled": 1} {
		b.Run(name, func(b *testing.B) {
			s := shadow.New(&shadow.Options{Engines: func() (shadow.Engines, error) { return new(candidates), nil }})
			defer s.Close()
			for _, watches := range s.Watches(published(&evidence.Shadow{Sample: sample})) {
				inputs, o := value.Values{value.NumberOf(3), {}}, double(3)
				b.ReportAllocs()
				for b.Loop() {
					watches[0].Answered(inputs, o)
				}
			}
		})
	}
}
