package shards

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/platform/durable"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/tables/table"
)

// Manifest describes the answers of a shard.
type Manifest struct {
	Form     string `json:"form" validate:"eq=slipstick-shard/1"`
	Plan     string `json:"plan" validate:"digest"`
	Shard    int    `json:"shard" validate:"min=1"`
	First    uint64 `json:"first_row"` // number in the input; the first row of the input is 0
	Rows     uint64 `json:"rows"`
	Rejected uint64 `json:"rejected"` // rows without a result
	Output   string `json:"output" validate:"required,maxbytes=200"`
	Digest   string `json:"digest" validate:"digest"` // digest of the answers
	Bytes    int64  `json:"bytes" validate:"min=0"`
	Release  string `json:"release" validate:"digest"`
	Engine   string `json:"engine" validate:"digest"`
	Platform string `json:"platform" validate:"required,maxbytes=100"`
}

// Worker computes shards of a [Plan], one at a time.
type Worker struct {
	plan    *Plan
	file    string
	read    os.FileInfo // of the file when its digest matched the plan
	service *calc.Service
	engine  string      // digest of the engine
	ended   table.Place // near the end of the previous shard
}

// NewWorker compares the file and the releases in the catalog with the plan, and returns a worker. The
// error is a [*DiffersError], a [*table.InputError] or a [*problem.Problem].
func NewWorker(plan *Plan, catalog *catalog.Catalog, engines calc.Engines, file string) (*Worker, error) {
	own, err := plan.catalog(catalog)
	if err != nil {
		return nil, err
	}
	_, release, err := own.Release(plan.Capability, exactly(plan.Version))
	if err != nil {
		return nil, problem.Of(err)
	}
	w := &Worker{plan: plan, file: file, service: calc.New(own, engines, nil), engine: release.EngineDigest}
	w.read, err = os.Stat(file)
	if err != nil {
		return nil, &table.InputError{Err: err}
	}
	if plan.measured != nil && unchanged(plan.measured, w.read) {
		return w, nil
	}
	digest, err := build.Digest(file)
	if err != nil {
		return nil, &table.InputError{Err: err}
	}
	if digest != plan.Input.Digest {
		return nil, &DiffersError{Rows, plan.Input.Digest, digest}
	}
	return w, nil
}

// unchanged reports whether a file is probably the same as before, by its inode, size and time.
func unchanged(then, now os.FileInfo) bool {
	return os.SameFile(then, now) && now.Size() == then.Size() && now.ModTime().Equal(then.ModTime())
}

// Plan returns the plan of the worker.
func (w *Worker) Plan() *Plan { return w.plan }

// FailedError means that the calculation of a row failed for a reason that is not in the row. The worker
// does not write the shard, because another machine could compute the row.
type FailedError struct{ Problem *problem.Problem }

func (e *FailedError) Error() string { return "a row could not be computed: " + e.Problem.Error() }
func (e *FailedError) Unwrap() error { return e.Problem }

// Compute writes the answers of a shard, and returns its manifest. The observer can be nil.
func (w *Worker) Compute(ctx context.Context, shard int, to io.Writer, o table.Observer) (*Manifest, error) {
	if err := w.plan.has(shard); err != nil {
		return nil, err
	}
	rows, hash := w.plan.Rows(shard), sha256.New()
	written := &counter{to: io.MultiWriter(to, hash)}
	rejected, err := w.compute(ctx, []batch.Span{rows}, written, o)
	if err != nil {
		return nil, err
	}
	return &Manifest{
		Form: shardForm, Plan: w.plan.Digest(), Shard: shard, First: rows.First, Rows: rows.Count, Rejected: rejected,
		Output: w.plan.Name(shard), Digest: fmt.Sprintf("sha256:%x", hash.Sum(nil)), Bytes: written.n,
		Release: w.plan.Release.Digest, Engine: w.engine, Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}, nil
}

// compute writes the answers to some rows, and returns the number of rejected rows.
func (w *Worker) compute(ctx context.Context, rows []batch.Span, to io.Writer, o table.Observer) (rejected uint64, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	tally := &tally{next: o, failed: stop}
	b := w.plan.batch(w.file)
	b.Only, b.Out, b.Observer, b.Table.First, b.Resume = rows, to, tally, rows[0].First, &w.ended
	err = b.Run(ctx, w.service)
	if failed, ok := errors.AsType[*FailedError](err); ok {
		return 0, failed
	}
	if err != nil {
		return 0, err
	}
	if now, err := os.Stat(w.file); err != nil || !unchanged(w.read, now) || tally.rows != count(rows) {
		return 0, &table.InputError{Err: fmt.Errorf("%s was changed while it was read", w.file)}
	}
	return tally.rejected, nil
}

func count(rows []batch.Span) (n uint64) {
	for _, s := range rows {
		n += s.Count
	}
	return n
}

// Run computes a shard, unless the directory has its answers already. It reports whether the directory
// had them. Answers and manifest appear under their names when they are complete and on disk. Temporary
// files of a killed run are harmless. The next run that completes the shard removes them.
func (w *Worker) Run(ctx context.Context, shard int, dir string, o table.Observer) (_ *Manifest, existed bool, err error) {
	if err := w.plan.has(shard); err != nil {
		return nil, false, err
	}
	if s := w.plan.examine(dir, shard); s.State == Whole {
		return s.Manifest, true, durable.Sweep(dir, w.plan.stem(shard))
	}
	var m *Manifest
	err = durable.Replace(filepath.Join(dir, w.plan.Name(shard)), 0o666, func(to *os.File) (err error) {
		m, err = w.Compute(ctx, shard, to, o)
		return err
	})
	if err == nil {
		err = durable.Replace(filepath.Join(dir, w.plan.ManifestName(shard)), 0o666, durable.Bytes(m.JSON()))
	}
	if errors.Is(err, os.ErrNotExist) {
		// Another worker was faster, and has removed the temporary files of this one.
		if s := w.plan.examine(dir, shard); s.State == Whole {
			return s.Manifest, true, nil
		}
	}
	if err != nil {
		return nil, false, err
	}
	return m, false, durable.Sweep(dir, w.plan.stem(shard))
}

// JSON returns the document of the manifest.
func (m *Manifest) JSON() []byte { return document(m) }

// tally counts rows, and passes them on to an observer if there is one.
type tally struct {
	next           table.Observer
	failed         context.CancelCauseFunc
	rows, rejected uint64
}

func (t *tally) SetSize(bytes int64) {
	if t.next != nil {
		t.next.SetSize(bytes)
	}
}

func (t *tally) SetRows(rows int64) {
	if t.next != nil {
		t.next.SetRows(rows)
	}
}

func (t *tally) Reader(r io.Reader) io.Reader {
	if t.next != nil {
		return t.next.Reader(r)
	}
	return r
}

func (t *tally) Add(rows batch.Tally) {
	t.rows += uint64(rows.Rows())
	t.rejected += uint64(rows.Rejected)
	if rows.Failed > 0 {
		t.failed(&FailedError{rows.Failure})
	}
	if t.next != nil {
		t.next.Add(rows)
	}
}

// counter counts the bytes that pass through it.
type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}
