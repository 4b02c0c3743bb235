package cost_test

import (
	"context"
	"io/fs"
	"path/filepath"
	"testing"
	"time"
)

// most is how often one calculation may allocate memory.
const most = 50

// ask asks once. What the answer is, a rejection for example, is judged elsewhere.
func (p *program) ask(ctx context.Context, q *question) { _, _ = p.engine.Calculate(ctx, q.values) }

// TestAllocations holds every engine to its bound, at every question. A bound above the
// common one needs a reason, and is removed where it is no longer needed.
func TestAllocations(t *testing.T) {
	look(t, filepath.Join("..", ".."), filepath.Join("..", "..", "..", "sdk"))
	ctx, asked := t.Context(), 0
	unused := map[string]bool{}
	for dir := range exceptions {
		unused[dir] = true
	}
	for i := range library {
		p := &library[i]
		bound, worst, at := float64(most), 0.0, ""
		exception, excepted := exceptions[p.dir]
		if excepted {
			bound = exception.allocations
		}
		delete(unused, p.dir)
		for _, q := range p.questions(t) {
			asked++
			if n := testing.AllocsPerRun(2, func() { p.ask(ctx, &q) }); n > worst {
				worst, at = n, q.name
			}
		}
		switch {
		case worst > bound:
			t.Errorf("%s: %v allocations at %s, want at most %v", p.dir, worst, at, bound)
		case excepted && worst <= most:
			t.Errorf("%s: %v allocations at most: it needs no exception", p.dir, worst)
		}
		t.Logf("%s: %v allocations at %s", p.dir, worst, at)
	}
	for dir := range unused {
		t.Errorf("%s: an exception, and no engine", dir)
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
// question; us-slowest is what the slowest one takes, the best of some trials.
func BenchmarkEngines(b *testing.B) {
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
			b.ReportMetric(float64(p.slowest(b, asked))/1e3, "us-slowest")
		})
	}
}

// slowest returns what the slowest question takes.
func (p *program) slowest(b *testing.B, asked []question) (slowest time.Duration) {
	const trials, repeats = 5, 4
	for i := range asked {
		best := time.Duration(1 << 62)
		for range trials {
			start := time.Now()
			for range repeats {
				p.ask(b.Context(), &asked[i])
			}
			best = min(best, time.Since(start)/repeats)
		}
		slowest = max(slowest, best)
	}
	return slowest
}
