package cost_test

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What one calculation may take of every engine without an exception.
const (
	mostAllocations = 50
	mostTime        = 20 // us of a processor
)

// ask asks once. What the answer is, a rejection for example, is judged elsewhere.
func (p *program) ask(ctx context.Context, q *question) { _, _ = p.engine.Calculate(ctx, q.values) }

// TestAllocations holds every engine to its bound, at every question. A bound above the
// common one is removed where it is no longer needed.
func TestAllocations(t *testing.T) {
	look(t, filepath.Join("..", ".."), filepath.Join("..", "..", "..", "sdk"))
	ctx, asked := t.Context(), 0
	for i := range library {
		p := &library[i]
		bound, worst, at := float64(mostAllocations), 0.0, ""
		exception := exceptions[p.dir].allocations
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
			t.Errorf("%s: %v allocations at %s, want at most %v", p.dir, worst, at, bound)
		case excepted && worst <= mostAllocations:
			t.Errorf("%s: %v allocations at most: it needs no exception", p.dir, worst)
		}
		t.Logf("%s: %v allocations at %s", p.dir, worst, at)
	}
	t.Logf("%d engines, %d questions", len(library), asked)
}

// look opens all directories below these, for the go command: it takes a result of before for
// this one if no file changed that the test looked at, and does not know of the second
// build.
func look(t *testing.T, dirs ...string) {
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(_ string, _ fs.DirEntry, err error) error { return err })
		if err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkEngines asks each engine all its questions in turn. One operation is one
// question; us-slowest is the processor time of the slowest one, with that of the collector.
// Engines that take more than they may are named at the end, with the reasons of those that
// have one. Nothing fails for it: what else runs on a machine makes all of them slower.
func BenchmarkEngines(b *testing.B) {
	var above []string
	for i := range library {
		p := &library[i]
		b.Run(p.dir, func(b *testing.B) {
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
	fmt.Printf("%d of %d engines take more than %d us of a processor:\n%s\n", len(above), len(library), mostTime, strings.Join(above, "\n"))
}

// slowest returns the question that takes the most.
func (p *program) slowest(b *testing.B, asked []question) (worst *question) {
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
func (p *program) processorTime(b *testing.B, q *question, repeats int) float64 {
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
func (p *program) explain(q *question, took float64) string {
	why := exceptions[p.dir].allocations.reason
	switch e := exceptions[p.dir].time; {
	case e.reason != "" && took > e.most:
		why = fmt.Sprintf("more than %v: %s", e.most, e.reason)
	case e.reason != "":
		why = e.reason
	case why == "":
		why = "no reason is given"
	}
	return fmt.Sprintf("%s: %.0f us at %s: %s", p.dir, took, q.name, why)
}
