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

// Shards is the [Computer] of a machine with engines and a registry.
type Shards struct {
	queue   *Queue
	catalog func(context.Context) (*catalog.Catalog, error)
	engines calc.Engines
	scratch string                    // directory that no other process uses
	files   []string                  // directories that jobs can name
	rows    string                    // file of the rows for all jobs, "" for the file that the job names
	workers map[string]*shards.Worker // by job id
}

// ShardsOptions configures the files that a machine uses. With the zero value it computes only jobs
// that name no file, and writes its own files into the temporary directory.
type ShardsOptions struct {
	Files   []string // directories in which jobs can have rows and results
	Rows    string   // file of the rows, for all jobs
	Scratch string   // directory for the machine's own files
}

// NewShards returns a computer. It calls catalog for each job, because the job can name a release that
// is newer than the catalog it read before. Close removes the files that the computer created.
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
		resolved, err := filepath.EvalSymlinks(dir) // jobs can use either name
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

// Accept implements [Computer]. It compares the rows and the releases with the plan.
func (s *Shards) Accept(ctx context.Context, job *Job) error {
	plan, err := shards.ReadPlan([]byte(job.Plan))
	if err != nil {
		return fmt.Errorf("this version of slipstick cannot read the plan: %w", err)
	}
	if plan.Shards != job.Shards {
		return errors.New("the job and its plan have different numbers of shards")
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
		return fmt.Errorf("the rows do not have the digest of the plan, %s", differs.Plan) // every client of the queue can read this text, so it does not contain the digest of the file
	}
	if err != nil {
		return err
	}
	if job.Results != ObjectStore {
		if err := makeDir(s.files, job.Results); err != nil {
			return fmt.Errorf("the directory of the results, %w", err)
		}
	}
	if err := plan.SaveTo(s.dir(job)); err != nil {
		return err
	}
	s.workers[job.ID] = worker
	return nil
}

// file returns the path of the rows of a job. It downloads them if the job names a URL.
func (s *Shards) file(ctx context.Context, job *Job, plan *shards.Plan) (string, error) {
	switch {
	case s.rows != "":
		return s.rows, nil
	case !IsURL(job.From):
		if err := checkRows(s.files, job.From); err != nil {
			return "", fmt.Errorf("the rows, %w", err)
		}
		return job.From, nil
	}
	return Download(ctx, job.From, s.scratch, plan.Input.Bytes)
}

// IsURL reports whether from is the URL of rows, and not a path.
func IsURL(from string) bool {
	u, err := url.Parse(from)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// Download fetches rows into a new file in the directory. The file has the extension of the URL.
func Download(ctx context.Context, from, dir string, limit int64) (string, error) {
	u, err := url.Parse(from)
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp(dir, "rows-*"+filepath.Ext(u.Path))
	if err != nil {
		return "", err
	}
	err = errors.Join(fetch.Copy(ctx, file, from, &fetch.Options{Limit: limit}), file.Close())
	return file.Name(), err
}

// dir returns the directory in which this machine writes the shards of a job.
func (s *Shards) dir(job *Job) string {
	if job.Results == ObjectStore {
		return filepath.Join(s.scratch, job.ID)
	}
	return job.Results
}

// Compute implements [Computer].
func (s *Shards) Compute(ctx context.Context, job *Job, k int) (Output, error) {
	worker, dir := s.workers[job.ID], s.dir(job)
	names := []string{worker.Plan().Name(k), worker.Plan().ManifestName(k)} // the manifest last: it proves that the answers are complete
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
		if err := s.queue.Store(ctx, job, paths...); err != nil {
			return Output{}, err
		}
		if err := errors.Join(os.Remove(paths[0]), os.Remove(paths[1])); err != nil {
			return Output{}, err
		}
	}
	return Output{Rows: int64(m.Rows), Rejected: int64(m.Rejected), Digest: m.Digest}, nil
}
