// Package cost_test holds each Go engine to a bound of what one calculation allocates. It measures the time of one, too,
// over all reference vectors and over vectors with other signs:
//
//	go test -bench . ./internal/cost
//
// Allocations are tested. Time is printed, and above 20 us with the reason.
package cost_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slipstick/slipstick/plugins/internal/library"
)

// program is an engine of the library.
type program struct{ library.Engine }

// vectors returns the file of its reference vectors.
func (p program) vectors() string { return filepath.Join(library.Plugins, p.Dir, "vectors.json") }

// What one calculation may take of every engine without an exception.
const (
	mostAllocations = 50
	mostTime        = 20 // us of a processor
)

// ask asks once. What the answer is, a rejection for example, is judged elsewhere.
func (p program) ask(ctx context.Context, q *question) { _, _ = p.Calculate(ctx, q.values) }

// TestAllocations holds every engine to its bound, at every question. A bound above the
// common one is removed where it is no longer needed.
func TestAllocations(t *testing.T) {
	if library.Again(t) {
		return
	}
	ctx, asked := t.Context(), 0
	for _, e := range library.Engines {
		p := program{e}
		bound, worst, at := float64(mostAllocations), 0.0, ""
		exception := exceptions[p.Dir].allocations
		excepted := exception.reason != ""
		if excepted {
			bound = exception.most
		}
		for _, q := range p.questions(t) {
			asked++
			if n := testing.AllocsPerRun(2, func() { p.ask(ctx, &q) }); n > worst {
				worst, at = n, q.name
			}
		}
		switch {
		case worst > bound:
			t.Errorf("%s: %v allocations at %s, want at most %v", p.Dir, worst, at, bound)
		case excepted && worst <= mostAllocations:
			t.Errorf("%s: %v allocations at most: it needs no exception", p.Dir, worst)
		}
		t.Logf("%s: %v allocations at %s", p.Dir, worst, at)
	}
	t.Logf("%d engines, %d questions", len(library.Engines), asked)
}

// BenchmarkEngines asks each engine all its questions in turn. One operation is one
// question; us-slowest is the processor time of the slowest one, with that of the collector.
// Engines that take more than they may are named at the end, with the reasons of those that
// have one. Nothing fails for it: what else runs on a machine makes all of them slower.
func BenchmarkEngines(b *testing.B) {
	if library.Again(b) {
		return
	}
	var above []string
	for _, e := range library.Engines {
		p := program{e}
		b.Run(p.Dir, func(b *testing.B) {
			asked := p.questions(b)
			ctx, next := b.Context(), 0
			b.ReportAllocs()
			for b.Loop() {
				p.ask(ctx, &asked[next%len(asked)])
				next++
			}
			worst := p.slowest(b, asked)
			took := p.processorTime(b, worst, 400)
			b.ReportMetric(took, "us-slowest")
			if took > mostTime {
				above = append(above, p.explain(worst, took))
			}
		})
	}
	fmt.Printf("%d of %d engines take more than %d us of a processor:\n%s\n", len(above), len(library.Engines), mostTime, strings.Join(above, "\n"))
}

// slowest returns the question that takes the most.
func (p program) slowest(b *testing.B, asked []question) (worst *question) {
	most := -1.0
	for i := range asked {
		if took := p.processorTime(b, &asked[i], 4); took > most {
			most, worst = took, &asked[i]
		}
	}
	return worst
}

// processorTime returns what a question takes of all processors, in us: the best of some
// trials of so many repeats. If these are many, the collector has its part in each.
func (p program) processorTime(b *testing.B, q *question, repeats int) float64 {
	const trials = 5
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	best := time.Duration(math.MaxInt64)
	for range trials {
		start := used()
		for range repeats {
			p.ask(b.Context(), q)
		}
		best = min(best, used()-start)
	}
	return float64(best.Microseconds()) / float64(repeats)
}

// explain says what the slowest question of an engine takes, and why that may be. An engine
// that is near the bound on an idle machine is above it on a busy one, for the reason why
// it allocates much.
func (p program) explain(q *question, took float64) string {
	why := exceptions[p.Dir].allocations.reason
	switch e := exceptions[p.Dir].time; {
	case e.reason != "" && took > e.most:
		why = fmt.Sprintf("more than %v: %s", e.most, e.reason)
	case e.reason != "":
		why = e.reason
	case why == "":
		why = "no reason is given"
	}
	return fmt.Sprintf("%s: %.0f us at %s: %s", p.Dir, took, q.name, why)
}
