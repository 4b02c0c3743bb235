package calc

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/slipstick/slipstick/sdk/response"
)

// Tally counts rows by what became of them.
type Tally struct {
	Succeeded int
	Rejected  int // the caller can correct them
	Limited   int // they came faster than the caller may calculate
	Failed    int // our fault

	Failure *Problem // of the last that failed
}

func (t *Tally) add(p *Problem) {
	switch {
	case p == nil:
		t.Succeeded++
	case p.Code == CodeRateLimited:
		t.Limited++
	case p.Status() >= http.StatusInternalServerError:
		t.Failed++
		t.Failure = p
	default:
		t.Rejected++
	}
}

const (
	// maxOut is how many bytes of answers wait until they are written.
	maxOut = 1 << 20
	// maxWait is how long answers wait for those that are still computed.
	maxWait = 100 * time.Millisecond
)

// answerAll answers windows until there are no more.
func (b *batch) answerAll(ctx context.Context, windows <-chan *window) error {
	for w := range windows {
		if err := b.answer(ctx, w); err != nil {
			return err
		}
		if err := w.turn(ctx); err != nil {
			return err
		}
		close(w.written)
		b.give(w)
		w.free()
	}
	return nil
}

// answer computes the rows of a window and writes the answers, those of slow engines as
// they come.
func (b *batch) answer(ctx context.Context, w *window) error {
	b.understand(w)
	written := time.Now()
	for i := range w.groups {
		for g := &w.groups[i]; len(g.results) < len(g.rows); {
			b.service.computeSome(ctx, g)
			if time.Since(written) < maxWait {
				continue
			}
			if err := b.writeReady(ctx, w); err != nil {
				return err
			}
			written = time.Now()
		}
	}
	return b.writeReady(ctx, w)
}

// understand makes lines of the rows, and groups those that are to be computed.
func (b *batch) understand(w *window) {
	catalog := b.service.Catalog()
	w.text = string(w.Block.text)
	w.lines = slices.Grow(w.lines, len(w.rows))
	for i := range w.rows {
		l := line{problem: w.rows[i].problem}
		if l.problem == nil {
			if q, err := b.ask(catalog, w, i, &l); err != nil {
				l.problem = ProblemOf(err)
			} else {
				l.group = w.group(catalog, q.release)
				g := &w.groups[l.group]
				l.at, l.conversions = len(g.rows), q.conversions
				g.rows = append(g.rows, q.inputs)
			}
		}
		w.lines = append(w.lines, l)
	}
}

// ask reads one row. A bug that it brings to light is a fault of this row alone.
func (b *batch) ask(catalog *Catalog, w *window, i int, l *line) (q question, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("read a row: panic: %v", p)
		}
	}()
	req, err := b.in.Request(w.row(i), &w.scanner)
	if err != nil {
		return q, err
	}
	req.Pins = append(req.Pins, b.options.Pins...)
	l.id = req.ID
	return catalog.understand(&req, &w.values)
}

// computeSome computes as many further rows of the group as fit the pace.
func (s *Service) computeSome(ctx context.Context, g *group) {
	rows := g.rows[len(g.results):]
	rows = rows[:min(len(rows), g.pace.rows())]
	start := time.Now()
	results, err := s.engines.CalculateBatch(ctx, s.options.Timeout, g.release, rows)
	g.pace.note(len(rows), time.Since(start))
	if err == nil && len(results) != len(rows) {
		err = fmt.Errorf("%d results for %d rows", len(results), len(rows))
	}
	if err != nil {
		results = slices.Repeat([]response.Result{{Err: err}}, len(rows))
	}
	completeAll(&g.release.Spec, rows, results)
	if len(g.results) == 0 {
		g.results = results
	} else {
		g.results = append(g.results, results...)
	}
}

// turn waits until everything before the window is written.
func (w *window) turn(ctx context.Context) error {
	select {
	case <-w.before:
	case <-ctx.Done():
	}
	return context.Cause(ctx)
}

// writeReady writes the answers up to the first that is not computed yet, after those
// of all windows before.
func (b *batch) writeReady(ctx context.Context, w *window) error {
	for full := true; full; {
		full = b.render(w)
		if len(w.out) == 0 {
			return nil
		}
		if err := w.turn(ctx); err != nil {
			return err
		}
		if _, err := b.w.Write(w.out); err != nil {
			return err
		}
		if b.options.Observe != nil {
			b.options.Observe(w.tally)
		}
		w.out, w.tally = w.out[:0], Tally{}
	}
	return nil
}

// render appends answers up to the first that is not computed yet, or until there is no
// room for more.
func (b *batch) render(w *window) (full bool) {
	var a Answer
	for ; w.next < len(w.lines); w.next++ {
		if len(w.out) >= maxOut {
			return true
		}
		l := &w.lines[w.next]
		problem := l.problem
		if problem == nil {
			g := &w.groups[l.group]
			if l.at >= len(g.results) {
				return false
			}
			r := &g.results[l.at]
			if r.Err != nil {
				problem = ProblemOf(r.Err)
			}
			a.Release, a.Success.Template = g.release, g.frame
			a.Success.ID, a.Success.Outcome, a.Success.Conversions = l.id, r.Outcome, l.conversions
		}
		w.out = b.out(w.out, w.row(w.next), &a, problem)
		if w.next == 0 {
			w.out = slices.Grow(w.out, min(len(w.out)*len(w.lines), maxOut)) // answers are alike
		}
		w.tally.add(problem)
	}
	return false
}
