package batch

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk/value"
)

// Tally counts rows by outcome.
type Tally struct {
	Succeeded int
	Rejected  int // for reasons that the caller can correct
	Limited   int // refused by the limit of calls
	Failed    int // for internal reasons

	Failure *problem.Problem // of the last row counted in Failed
}

// Rows returns the number of rows.
func (t Tally) Rows() int { return t.Succeeded + t.Rejected + t.Limited + t.Failed }

func (t *Tally) add(p *problem.Problem) {
	switch {
	case p == nil:
		t.Succeeded++
	case p.Code == problem.CodeRateLimited:
		t.Limited++
	case p.Status() >= http.StatusInternalServerError:
		t.Failed++
		t.Failure = p
	default:
		t.Rejected++
	}
}

const (
	// maxBuffered is the number of bytes of answers that are collected before they are written.
	maxBuffered = 1 << 20
	// maxWait is the maximum time that finished answers of a job wait for the rest of it.
	maxWait = 100 * time.Millisecond
)

// answerAll is a worker. It answers jobs until there are no more.
func (b *batch) answerAll(ctx context.Context, jobs <-chan *job) error {
	for j := range jobs {
		if err := b.answer(ctx, j); err != nil {
			return err
		}
		if err := j.waitForPrevious(ctx); err != nil {
			return err
		}
		close(j.written)
		b.release(j)
		j.recycle()
	}
	return nil
}

// answer computes the rows of a job and writes the answers. If the engines are slow, it
// writes finished answers every maxWait.
func (b *batch) answer(ctx context.Context, j *job) error {
	b.resolve(j)
	written := time.Now()
	for i := range j.groups {
		for g := &j.groups[i]; len(g.results) < len(g.rows); {
			g.computeNext(ctx)
			if time.Since(written) < maxWait {
				continue
			}
			if err := b.writeReady(ctx, j); err != nil {
				return err
			}
			written = time.Now()
		}
	}
	return b.writeReady(ctx, j)
}

// resolve creates a task for each row, and groups the tasks by the release that computes
// them. A row that cannot be read becomes a task with a problem.
func (b *batch) resolve(j *job) {
	from := b.service.Publication(nil)
	j.text = string(j.Chunk.text)
	j.tasks = slices.Grow(j.tasks, len(j.rows))
	for i := range j.rows {
		t := task{problem: j.rows[i].problem}
		if t.problem == nil {
			inputs, err := b.resolveRow(from, j, j.rowText(i), &t)
			if err != nil {
				t.problem = problem.Of(err)
			} else {
				g := &j.groups[t.group]
				t.index = len(g.rows)
				g.rows = append(g.rows, inputs)
			}
		}
		j.tasks = append(j.tasks, t)
	}
}

// resolveRow resolves one row, and returns its inputs. A panic fails only this row.
func (b *batch) resolveRow(from *calc.Publication, j *job, row string, t *task) (inputs value.Values, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("read a row: panic: %v", p)
		}
	}()
	f := &j.form
	if b.table != nil {
		if inputs, k := j.alike.read(b.table, row, &j.values); k != nil {
			t.id, t.presets, t.conversions, t.group = k.id, k.resolved.Presets, k.resolved.Conversions, k.group
			return inputs, nil
		}
	} else if inputs, ok := f.read(row, &j.values); ok {
		t.id, t.presets, t.conversions, t.group = f.id, f.resolved.Presets, f.resolved.Conversions, f.group
		return inputs, nil
	}
	req, err := b.in.Request(row, &j.scanner)
	if err != nil {
		return nil, err
	}
	req.Pins = append(req.Pins, b.options.Pins...)
	resolved, err := calc.Resolve(from.Catalog(), &req, &j.values)
	if err != nil {
		return nil, err
	}
	t.id, t.presets, t.conversions, t.group = req.ID, resolved.Presets, resolved.Conversions, j.group(from, resolved.Release)
	switch {
	case b.table != nil:
		j.alike.learn(&resolved, t.id, t.group)
	case b.json:
		f.learn(row, &req.Inputs, &resolved, t.id, t.group)
	}
	return resolved.Inputs, nil
}

// computeNext computes the next rows of the group.
func (g *group) computeNext(ctx context.Context) {
	results := g.engine.Compute(ctx, g.rows[len(g.results):])
	if len(g.results) == 0 {
		g.results = results
	} else {
		g.results = append(g.results, results...)
	}
}

// waitForPrevious waits until everything before the job is written.
func (j *job) waitForPrevious(ctx context.Context) error {
	select {
	case <-j.previous:
	case <-ctx.Done():
	}
	return context.Cause(ctx)
}

// writeReady waits for the jobs before this one, and then writes the answers up to the
// first row that is not computed yet.
func (b *batch) writeReady(ctx context.Context, j *job) error {
	for full := true; full; {
		from := j.next
		full = b.render(j)
		if len(j.out) == 0 {
			return nil
		}
		if err := j.waitForPrevious(ctx); err != nil {
			return err
		}
		if _, err := b.w.Write(j.out); err != nil {
			return err
		}
		b.records.add(j, from, j.next)
		j.notifyRows(from, j.next)
		if b.options.Observe != nil {
			b.options.Observe(j.tally)
		}
		j.out, j.tally = j.out[:0], Tally{}
	}
	return nil
}

// render appends answers up to the first row that is not computed yet. It reports whether
// it stopped before that because maxBuffered was reached.
func (b *batch) render(j *job) (full bool) {
	var a calc.Answer
	for ; j.next < len(j.tasks); j.next++ {
		if len(j.out) >= maxBuffered {
			return true
		}
		t := &j.tasks[j.next]
		failure := t.problem
		if failure == nil {
			g := &j.groups[t.group]
			if t.index >= len(g.results) {
				return false
			}
			r := &g.results[t.index]
			if r.Err != nil {
				failure = problem.Of(r.Err)
			}
			a.Release, a.Success.Template = g.engine.Release, g.engine.Template
			a.Success.ID, a.Success.Outcome, a.Success.Conversions = t.id, r.Outcome, t.conversions
			a.Success.Presets, a.Success.Notices = t.presets.All()
			a.Receipt = b.records.row(g.engine, j.first+uint64(j.next)+1, g.rows[t.index], r.Outcome.Result, r.Err)
		}
		j.out = b.out(j.out, j.rowText(j.next), &a, failure)
		if j.next == 0 {
			j.out = slices.Grow(j.out, min(len(j.out)*len(j.tasks), maxBuffered)) // answers have similar lengths
		}
		j.tally.add(failure)
	}
	return false
}

// notifyRows passes rows of a job to the observers after their answers were written.
func (j *job) notifyRows(from, to int) {
	for i := from; i < to; i++ {
		if t := &j.tasks[i]; t.problem == nil {
			g := &j.groups[t.group]
			g.engine.NotifyRow(g.rows[t.index], &g.results[t.index])
		}
	}
}
