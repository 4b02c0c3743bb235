package queue

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/platform/fetch"
	"github.com/slipstick/slipstick/host/internal/queue/shards"
)

// Shards is the [Computer] of a machine that has engines and a registry.
type Shards struct {
	queue   *Queue
	catalog func(context.Context) (*catalog.Catalog, error)
	engines calc.Engines
	scratch string   // directory of its own
	files   []string // directories that jobs may name
	rows    string
	workers map[string]*shards.Worker // by the id of the job
}

// ShardsOptions say which files a machine uses. With the zero value it computes only jobs that name
// no file, and keeps its own files in the directory of temporary files.
type ShardsOptions struct {
	Files   []string // directories in which jobs may have rows and results
	Rows    string   // file of the rows, for all jobs
	Scratch string
}

// NewShards makes a computer. The catalog is asked for each job, because it may be newer than what
// was read before. Close removes the files that it has made for itself.
func NewShards(q *Queue, catalog func(context.Context) (*catalog.Catalog, error), engines calc.Engines, o *ShardsOptions) (*Shards, error) {
	if o == nil {
		o = new(ShardsOptions)
	}
	s := &Shards{queue: q, catalog: catalog, engines: engines, rows: o.Rows, workers: map[string]*shards.Worker{}}
	for _, dir := range o.Files {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		resolved, err := filepath.EvalSymlinks(dir) // jobs may use either name
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, dir, resolved)
	}
	var err error
	s.scratch, err = os.MkdirTemp(o.Scratch, "slipstick-work-")
	return s, err
}

// Close implements [io.Closer].
func (s *Shards) Close() error { return os.RemoveAll(s.scratch) }

// Accept implements [Computer]: it compares rows and releases with the plan.
func (s *Shards) Accept(ctx context.Context, job *Job) error {
	plan, err := shards.ReadPlan([]byte(job.Plan))
	if err != nil {
		return fmt.Errorf("this version of slipstick cannot read the plan: %w", err)
	}
	if plan.Shards != job.Shards {
		return errors.New("the job has another number of shards than its plan")
	}
	catalog, err := s.catalog(ctx)
	if err != nil {
		return err
	}
	file, err := s.file(ctx, job, plan)
	if err != nil {
		return err
	}
	worker, err := shards.NewWorker(plan, catalog, s.engines, file)
	if differs, ok := errors.AsType[*shards.DiffersError](err); ok && differs.What == shards.Rows {
		return fmt.Errorf("the rows have another digest than those of the plan, %s", differs.Plan) // all who read the queue read this
	}
	if err != nil {
		return err
	}
	if job.Results != ObjectStore {
		if err := makeIn(s.files, job.Results); err != nil {
			return fmt.Errorf("the directory of the results, %w", err)
		}
	}
	if err := plan.Settle(s.dir(job)); err != nil {
		return err
	}
	s.workers[job.ID] = worker
	return nil
}

// file returns where the rows of a job are.
func (s *Shards) file(ctx context.Context, job *Job, plan *shards.Plan) (string, error) {
	switch {
	case s.rows != "":
		return s.rows, nil
	case !IsAddress(job.From):
		if err := rowsIn(s.files, job.From); err != nil {
			return "", fmt.Errorf("the rows, %w", err)
		}
		return job.From, nil
	}
	return Download(ctx, job.From, s.scratch, plan.Input.Bytes)
}

// IsAddress reports whether rows are fetched, and not read from a file.
func IsAddress(from string) bool {
	u, err := url.Parse(from)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// Download fetches rows into a new file of the directory, whose name ends as the address does.
func Download(ctx context.Context, address, dir string, limit int64) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp(dir, "rows-*"+filepath.Ext(u.Path))
	if err != nil {
		return "", err
	}
	err = errors.Join(fetch.Copy(ctx, file, address, &fetch.Options{Limit: limit}), file.Close())
	return file.Name(), err
}

// dir is where this machine writes the shards of a job.
func (s *Shards) dir(job *Job) string {
	if job.Results == ObjectStore {
		return filepath.Join(s.scratch, job.ID)
	}
	return job.Results
}

// Compute implements [Computer].
func (s *Shards) Compute(ctx context.Context, job *Job, k int) (Output, error) {
	worker, dir := s.workers[job.ID], s.dir(job)
	names := []string{worker.Plan().Name(k), worker.Plan().ManifestName(k)} // the manifest says that the other is whole
	stored := job.Results == ObjectStore
	if stored {
		if _, err := s.queue.Fetch(ctx, job, dir, names...); err != nil {
			return Output{}, err
		}
	}
	m, _, err := worker.Run(ctx, k, dir, nil)
	if err != nil {
		return Output{}, err
	}
	if stored {
		paths := []string{filepath.Join(dir, names[0]), filepath.Join(dir, names[1])}
		if err := s.queue.Keep(ctx, job, paths...); err != nil {
			return Output{}, err
		}
		if err := errors.Join(os.Remove(paths[0]), os.Remove(paths[1])); err != nil {
			return Output{}, err
		}
	}
	return Output{Rows: int64(m.Rows), Rejected: int64(m.Rejected), Digest: m.Digest}, nil
}
