package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/queue"
	"github.com/slipstick/slipstick/host/internal/queue/shards"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
)

// queueing is how a queue is reached.
type queueing struct {
	Queue string `required:"" env:"SLIPSTICK_QUEUE" help:"NATS brokers with JetStream: nats://HOST:4222, or tls://HOST:4222, several separated by commas. A name and password can stand in front of the host; better in the variable than on the command line." placeholder:"URL"`
	Creds string `name:"queue-creds" env:"SLIPSTICK_QUEUE_CREDS" help:"File of NATS credentials." placeholder:"FILE"`
}

// open connects, and says on the way what becomes of the connection.
func (c *queueing) open(ctx context.Context, s streams, create int) (*queue.Queue, error) {
	return queue.Open(ctx, c.Queue, &queue.Options{Credentials: c.Creds, Create: create, Lost: func(err error) {
		if err == nil {
			terminal.Printf(s.err, "slipstick: the broker is back\n")
			return
		}
		terminal.Printf(s.err, "slipstick: the broker is away: %s\n", err)
	}})
}

// job opens the queue, and finds a job in it.
func (c *queueing) job(ctx context.Context, s streams, id string) (*queue.Queue, *queue.Job, error) {
	q, err := c.open(ctx, s, 0)
	if err != nil {
		return nil, nil, err
	}
	job, err := q.Job(ctx, id)
	if err != nil {
		q.Close()
		return nil, nil, err
	}
	return q, job, nil
}

type batchSubmitCmd struct {
	File    string         `arg:"" help:"The rows: a file that all workers see under this name, or an address (https://...) that they can read."`
	ID      string         `arg:"" complete:"capability" help:"Capability or tool, such as cantilever-deflection."`
	Pin     string         `complete:"version" help:"Compute with exactly this published version. Default: the current one, resolved now." placeholder:"VERSION"`
	Shards  int            `required:"" help:"Into how many parts the rows are divided. A part is what one worker computes at a time, and what is lost if it dies: some seconds to minutes of work." placeholder:"N"`
	Results string         `required:"" help:"Where the results go: a directory that all workers see, or jetstream: for an object store of the brokers." placeholder:"DIR|jetstream:"`
	Format  table.Format   `enum:",ndjson,csv,parquet,arrow" default:"" help:"How the rows are written: ndjson, csv, parquet or arrow. Default: as the name ends." placeholder:"FORMAT"`
	Output  table.Format   `enum:",result,csv,parquet,arrow" default:"" help:"What to write: csv, parquet or arrow, or for NDJSON the result of each row. Default: as the rows are." placeholder:"FORMAT"`
	Unit    []string       `sep:"none" help:"Show an output in this unit: delta=mm. Can be given several times." placeholder:"OUTPUT=UNIT"`
	Decimal typed.Decimals `enum:",point,comma" default:"" help:"The mark before the decimals of numbers in the texts of a table, and in CSV that is written: comma or point. Default: that of the first number with one reading." placeholder:"comma|point"`
	Tag     []string       `sep:"none" help:"A column that passes through, even if its name is nearly that of an input. Can be given several times." placeholder:"COLUMN"`

	Attempts  int           `default:"5" help:"How often workers start a part before it counts as failed, with the reason of the last attempt."`
	LostAfter time.Duration `default:"30s" help:"After how long without a word from a worker its part is given to another." placeholder:"DURATION"`
	Replicas  int           `default:"1" enum:"1,3,5" help:"How many brokers of a cluster keep the queue, when it is made: 1, 3 or 5."`
	JSON      bool          `help:"Print one object."`

	queueing
	origin
	trusting
}

// output is how the answers are written.
func (c *batchSubmitCmd) output(rows table.Format) shards.Output {
	o := shards.Output{Format: cmp.Or(c.Output, rows), Units: c.Unit, Tags: c.Tag, Decimal: marksOf(c.Decimal, rows)}
	if o.Format == table.NDJSON {
		o.Format = shards.Result
	}
	return o
}

func (c *batchSubmitCmd) Run(ctx context.Context, s streams) error {
	format := cmp.Or(c.Format, table.FormatOf(c.File))
	output := c.output(format)
	switch {
	case format == "":
		return &failure{exitMisuse, fmt.Errorf("%s ends in none of .ndjson, .jsonl, .csv, .parquet and .arrow; tell how it is written with --format", c.File)}
	case format.IsTable() != output.Format.IsTable():
		return &failure{exitMisuse, fmt.Errorf("--output %s does not go with rows of %s", cmp.Or(c.Output, output.Format), format)}
	case strings.Contains(c.Results, ":") && c.Results != queue.ObjectStore:
		return &failure{exitMisuse, fmt.Errorf("--results %s: write a directory, or %s", c.Results, queue.ObjectStore)}
	}
	catalog, err := c.catalog(ctx, s.err, true, c.trusting)
	if err != nil {
		return err
	}
	q, err := c.open(ctx, s, c.Replicas)
	if err != nil {
		return err
	}
	defer q.Close()
	job, made, err := q.SubmitBatch(ctx, catalog, &queue.Batch{
		Rows: c.File, Results: c.Results, Attempts: c.Attempts, LostAfter: c.LostAfter,
		Shards: shards.Job{Format: format, ID: c.ID, Pins: pins(c.Pin), Shards: c.Shards, Output: output},
	})
	if err != nil {
		return err
	}
	return terminal.Submitted(s.out, job, made, c.JSON)
}

type batchWorkCmd struct {
	Job       string   `arg:"" optional:"" help:"Work on this job alone; the beginning of its id is enough. Default: on all, the oldest first."`
	UntilDone bool     `help:"End when nothing is left to compute. Default: wait for more."`
	Files     []string `env:"SLIPSTICK_FILES" help:"Directory in which jobs may have their rows and results; a job that names a file elsewhere is refused. Can be given several times. Default: the directory in which the worker is started, unless that is /." placeholder:"DIR"`
	Rows      string   `help:"Where this machine has the rows, if not where the job says. They must be the same to the byte." placeholder:"FILE"`
	Scratch   string   `env:"SLIPSTICK_SCRATCH" help:"Directory for files of this worker's own: rows that it has fetched, results on their way to an object store. Default: that of temporary files." placeholder:"DIR"`
	JSON      bool     `help:"Write a line of JSON for each thing that happens."`

	queueing
	origin
	trusting
	confinement
}

func (c *batchWorkCmd) Run(ctx context.Context, s streams) error {
	if c.Rows != "" {
		if _, err := os.Stat(c.Rows); err != nil {
			return &failure{exitMisuse, fmt.Errorf("--rows: %w", err)}
		}
	}
	q, err := c.open(ctx, s, 0)
	if err != nil {
		return err
	}
	defer q.Close()
	var id string
	if c.Job != "" {
		job, err := q.Job(ctx, c.Job)
		if err != nil {
			return err
		}
		id = job.ID
	}
	_, running, err := c.starting(ctx, s, c.trusting, c.confinement, &pool.Options{ProbeEvery: engineTime, ProbeTimeout: engineTime})
	if err != nil {
		return err
	}
	defer running.Close()
	published := func(ctx context.Context) (*catalog.Catalog, error) { return c.catalog(ctx, s.err, true, c.trusting) }
	files := c.Files
	if len(files) == 0 {
		files, err = queue.DefaultFiles()
		if err != nil {
			return err
		}
	}
	computer, err := queue.NewShards(q, published, running, &queue.ShardsOptions{Files: files, Rows: c.Rows, Scratch: c.Scratch})
	if err != nil {
		return err
	}
	defer computer.Close()
	working := terminal.NewWorking(s.out, s.err, c.JSON)
	err = q.Work(ctx, computer, &queue.WorkOptions{Name: queue.WorkerName(), Job: id, UntilDone: c.UntilDone, Observe: working.Observe})
	working.End()
	if err == nil && working.GaveUp > 0 {
		err = &failure{exitFailed, fmt.Errorf("%s failed; slipstick batch status shows why", terminal.Count(working.GaveUp, "shard"))}
	}
	return err
}

type batchStatusCmd struct {
	Job   string `arg:"" optional:"" help:"The job; the beginning of its id is enough. Default: all."`
	Watch bool   `help:"Go on until all parts are computed or have failed. With --json, a line each second."`
	JSON  bool   `help:"Print an object for each job, one a line."`

	queueing
}

func (c *batchStatusCmd) Run(ctx context.Context, s streams) error {
	if c.Watch && c.Job == "" {
		return &failure{exitMisuse, errors.New("--watch follows one job: name it")}
	}
	if c.Job == "" {
		return c.list(ctx, s)
	}
	q, job, err := c.job(ctx, s, c.Job)
	if err != nil {
		return err
	}
	defer q.Close()
	line := terminal.Progress(s.err)
	err = q.Watch(ctx, job, c.Watch, func(status *queue.Status) error {
		ended := status.Ended()
		switch {
		case c.JSON:
			err = terminal.JobStatus(s.out, status, true)
		case ended || !c.Watch:
			line("")
			err = terminal.JobStatus(s.out, status, false)
		default:
			line(terminal.JobLine(status))
		}
		if err == nil && ended && status.Failed > 0 {
			err = &failure{exitFailed, fmt.Errorf("%s failed; submit the job again to try them again", terminal.Count(status.Failed, "shard"))}
		}
		return err
	})
	if ctx.Err() != nil {
		line("")
	}
	return err
}

func (c *batchStatusCmd) list(ctx context.Context, s streams) error {
	q, err := c.open(ctx, s, 0)
	if err != nil {
		return err
	}
	defer q.Close()
	jobs, unread, err := q.Jobs(ctx)
	if err != nil {
		return err
	}
	for _, one := range unread {
		terminal.Printf(s.err, "slipstick: %s\n", one)
	}
	var failed error
	for _, job := range jobs {
		status, err := q.Status(ctx, job)
		if err == nil && c.JSON {
			err = terminal.JobStatus(s.out, status, true)
		} else if err == nil {
			terminal.Printf(s.out, "%s\n", terminal.JobLine(status))
		}
		if err != nil { // the other jobs are listed, too
			failed = errors.Join(failed, fmt.Errorf("job %.12s: %w", job.ID, err))
		}
	}
	return failed
}

type batchFetchCmd struct {
	Job string `arg:"" help:"The job; the beginning of its id is enough."`
	Out string `required:"" help:"Directory, which is made if need be. What is there is not fetched again." placeholder:"DIR"`

	queueing
}

func (c *batchFetchCmd) Run(ctx context.Context, s streams) error {
	q, job, err := c.job(ctx, s, c.Job)
	if err != nil {
		return err
	}
	defer q.Close()
	if job.Results != queue.ObjectStore {
		return &failure{exitFailed, fmt.Errorf("the results of this job are no objects; they are in %s", job.Results)}
	}
	if err := os.MkdirAll(c.Out, 0o777); err != nil {
		return err
	}
	n, err := q.Fetch(ctx, job, c.Out)
	if err == nil {
		terminal.Printf(s.err, "slipstick: %s fetched; slipstick batch verify %s says whether all are there\n", terminal.Count(n, "file"), c.Out)
	}
	return err
}

type batchCancelCmd struct {
	Job string `arg:"" help:"The job; the beginning of its id is enough. Or the key of an entry that is not a job, as batch status names it."`

	queueing
}

func (c *batchCancelCmd) Run(ctx context.Context, s streams) error {
	q, err := c.open(ctx, s, 0)
	if err != nil {
		return err
	}
	defer q.Close()
	job, err := q.Job(ctx, c.Job)
	if unread, ok := errors.AsType[*queue.UnreadError](err); ok {
		if err := q.Discard(ctx, unread); err != nil {
			return err
		}
		terminal.Printf(s.err, "slipstick: the entry %q is removed\n", unread.Key)
		return nil
	}
	if err == nil {
		err = q.Cancel(ctx, job)
	}
	if err != nil {
		return err
	}
	terminal.Printf(s.err, "slipstick: the job %.12s is removed\n", job.ID)
	return nil
}
