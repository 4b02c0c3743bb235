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

// Batch is a file of rows that a queue divides among workers.
type Batch struct {
	Rows      string     // a file that all workers see, or a URL
	Results   string     // a directory that all workers see, or [ObjectStore]
	Shards    shards.Job // without its File
	Attempts  int
	LostAfter time.Duration
}

// TakenError reports a directory of results that has the shards of another job.
type TakenError struct {
	Dir string
	Err error
}

func (e *TakenError) Error() string {
	return fmt.Sprintf("%s has the shards of another job: %v", e.Dir, e.Err)
}

func (e *TakenError) Unwrap() error { return e.Err }

// SubmitBatch resolves what is to be computed, and puts the shards into the queue. It returns the job that it has made.
func (q *Queue) SubmitBatch(ctx context.Context, catalog *catalog.Catalog, b *Batch) (*Job, *Submitted, error) {
	job := &Job{Shards: b.Shards.Shards, Attempts: b.Attempts, LostAfter: b.LostAfter.Seconds()}
	plan, err := b.plan(ctx, catalog, job)
	if err != nil {
		return nil, nil, err
	}
	made, err := q.Submit(ctx, job)
	if err == nil && job.Results == ObjectStore {
		err = q.keepPlan(ctx, job, plan)
	}
	return job, made, err
}

// plan makes the plan of a batch, and describes the job. The first shard is tried here, rather than by each worker.
func (b *Batch) plan(ctx context.Context, catalog *catalog.Catalog, job *Job) (plan *shards.Plan, err error) {
	of := b.Shards
	job.From, job.Results = b.Rows, b.Results
	of.File = b.Rows
	if IsAddress(b.Rows) {
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
		if err := plan.Settle(job.Results); err != nil {
			return nil, &TakenError{job.Results, err}
		}
	}
	job.Plan, job.Rows = string(plan.JSON()), plan.Input.Rows
	job.ID = strings.TrimPrefix(plan.Digest(), "sha256:")
	return plan, nil
}

// keepPlan puts the plan next to the results. A client that fetches them checks them with it.
func (q *Queue) keepPlan(ctx context.Context, job *Job, plan *shards.Plan) error {
	dir, err := os.MkdirTemp("", "slipstick-submit-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := plan.Settle(dir); err != nil {
		return err
	}
	return q.Keep(ctx, job, filepath.Join(dir, shards.PlanName))
}

// DefaultFiles returns the directory in which a worker was started. A worker that is started in / is a service, and
// its operator did not choose the directory.
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
