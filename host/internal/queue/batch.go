package queue

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/queue/shards"
)

// Batch is a file of rows that a queue distributes to workers.
type Batch struct {
	Rows      string     // a file that all workers can read, or a URL
	Results   string     // a directory that all workers can reach, or [ObjectStore]
	Shards    shards.Job // its File is not used
	Attempts  int
	LostAfter time.Duration
}

// TakenError means that the directory of results has the shards of another job.
type TakenError struct {
	Dir string
	Err error
}

func (e *TakenError) Error() string {
	return fmt.Sprintf("%s has the shards of another job: %v", e.Dir, e.Err)
}

func (e *TakenError) Unwrap() error { return e.Err }

// SubmitBatch resolves the version, and puts the shards into the queue. It returns the new job.
func (q *Queue) SubmitBatch(ctx context.Context, catalog *catalog.Catalog, b *Batch) (*Job, *Submitted, error) {
	job := &Job{Shards: b.Shards.Shards, Attempts: b.Attempts, LostAfter: b.LostAfter.Seconds()}
	plan, err := b.plan(ctx, catalog, job)
	if err != nil {
		return nil, nil, err
	}
	submitted, err := q.Submit(ctx, job)
	if err == nil && job.Results == ObjectStore {
		err = q.storePlan(ctx, job, plan)
	}
	return job, submitted, err
}

// plan returns the plan of a batch, and fills in the job. It validates the columns once, before any worker
// tries to compute a shard.
func (b *Batch) plan(ctx context.Context, catalog *catalog.Catalog, job *Job) (plan *shards.Plan, err error) {
	of := b.Shards
	job.From, job.Results = b.Rows, b.Results
	of.File = b.Rows
	if IsURL(b.Rows) {
		const maxRows = 1 << 40
		scratch, err := os.MkdirTemp("", "slipstick-submit-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(scratch)
		of.File, err = Download(ctx, b.Rows, scratch, maxRows)
		if err != nil {
			return nil, err
		}
	} else {
		job.From, err = filepath.Abs(b.Rows)
		if err != nil {
			return nil, err
		}
	}
	var known *shards.Plan
	if job.Results != ObjectStore {
		job.Results, err = filepath.Abs(b.Results)
		if err != nil {
			return nil, err
		}
		known, err = shards.PlanIn(job.Results)
		if err != nil {
			return nil, err
		}
	}
	plan, err = shards.NewPlan(ctx, catalog, of, known)
	if err != nil {
		return nil, err
	}
	if err := plan.Try(ctx, catalog, of.File); err != nil {
		return nil, err
	}
	if job.Results != ObjectStore {
		if err := plan.SaveTo(job.Results); err != nil {
			return nil, &TakenError{job.Results, err}
		}
	}
	job.Plan, job.Rows = string(plan.JSON()), plan.Input.Rows
	job.ID = strings.TrimPrefix(plan.Digest(), "sha256:")
	return plan, nil
}

// storePlan stores the plan next to the results. A client that fetches the results checks them with it.
func (q *Queue) storePlan(ctx context.Context, job *Job, plan *shards.Plan) error {
	dir, err := os.MkdirTemp("", "slipstick-submit-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := plan.SaveTo(dir); err != nil {
		return err
	}
	return q.Store(ctx, job, filepath.Join(dir, shards.PlanName))
}

// DefaultFiles returns the directory in which a worker was started, or none if that is /. A worker that
// is started in / is a service, and its operator did not choose the directory.
func DefaultFiles() ([]string, error) {
	dir, err := os.Getwd()
	if err != nil || dir == "/" {
		return nil, err
	}
	return []string{dir}, nil
}

// WorkerName returns a name for the worker in this process.
func WorkerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%.100s/%d", host, os.Getpid())
}
