// Package queue implements the commands for batches on many machines. [Submit] puts the shards of a batch into a
// queue, and [Work] computes them. [Status], [Fetch] and [Cancel] manage jobs, and [Verify] checks a directory of
// results. The fields of a command are its arguments and flags, and Run executes it.
package queue

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
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/platform/memory"
	"github.com/slipstick/slipstick/host/internal/queue"
	"github.com/slipstick/slipstick/host/internal/queue/shards"
	"github.com/slipstick/slipstick/host/internal/tables/table"
)

// Flags is how a queue is reached.
type Flags struct {
	Queue string `required:"" env:"SLIPSTICK_QUEUE" help:"NATS brokers with JetStream: nats://HOST:4222, or tls://HOST:4222, several separated by commas. A URL can contain a name and password. Then prefer the environment variable to the command line." placeholder:"URL"`
	Creds string `name:"queue-creds" env:"SLIPSTICK_QUEUE_CREDS" help:"File of NATS credentials." placeholder:"FILE"`
}

// open connects to the queue. It prints when the connection is lost and when it is back.
func (c *Flags) open(ctx context.Context, s command.Streams, create int) (*queue.Queue, error) {
	return queue.Open(ctx, c.Queue, &queue.Options{Credentials: c.Creds, Create: create, Lost: func(err error) {
		if err == nil {
			terminal.Printf(s.Err, "slipstick: the broker is back\n")
			return
		}
		terminal.Printf(s.Err, "slipstick: the broker is away: %s\n", err)
	}})
}

// job opens the queue, and finds a job in it.
func (c *Flags) job(ctx context.Context, s command.Streams, id string) (*queue.Queue, *queue.Job, error) {
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

// Submit has the options of slipstick batch submit.
type Submit struct {
	File    string
	ID      string
	Pin     string
	Shards  int
	Results string
	Format  string
	Output  string
	Unit    []string
	Decimal string
	Tag     []string

	Attempts  int
	LostAfter time.Duration
	Replicas  int
	JSON      bool

	Flags
	command.RegistryFlags
	command.TrustFlags
}

// output is how the answers are written.
func (c *Submit) output(rows table.Format) shards.Output {
	o := shards.Output{Format: cmp.Or(table.Format(c.Output), rows), Units: c.Unit, Tags: c.Tag, Decimal: rows.Decimals(c.Decimal)}
	if o.Format == table.NDJSON {
		o.Format = shards.Result
	}
	return o
}

// Run adds a job to the queue.
func (c *Submit) Run(ctx context.Context, s command.Streams) error {
	format := cmp.Or(table.Format(c.Format), table.FormatOf(c.File))
	output := c.output(format)
	switch {
	case format == "":
		return command.Misuse(fmt.Errorf("%s ends in none of .ndjson, .jsonl, .csv, .parquet and .arrow; name the format with --format", c.File))
	case format.IsTable() != output.Format.IsTable():
		return command.Misuse(fmt.Errorf("--output %s does not go with rows of %s", cmp.Or(table.Format(c.Output), output.Format), format))
	case strings.Contains(c.Results, ":") && c.Results != queue.ObjectStore:
		return command.Misuse(fmt.Errorf("--results %s: write a directory, or %s", c.Results, queue.ObjectStore))
	}
	catalog, err := c.Catalog(ctx, s.Err, true, c.TrustFlags)
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
		Shards: shards.Job{Format: format, ID: c.ID, Pins: command.Pins(c.Pin), Shards: c.Shards, Output: output},
	})
	if err != nil {
		return err
	}
	return terminal.Submitted(s.Out, job, made, c.JSON)
}

// Work has the options of slipstick batch work.
type Work struct {
	Job       string
	UntilDone bool
	Files     []string
	Rows      string
	Scratch   string
	JSON      bool

	Flags
	command.RegistryFlags
	command.TrustFlags
	command.SandboxFlags
}

// Run computes shards of the queue.
func (c *Work) Run(ctx context.Context, s command.Streams) error {
	if c.Rows != "" {
		if _, err := os.Stat(c.Rows); err != nil {
			return command.Misuse(fmt.Errorf("--rows: %w", err))
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
	_, running, err := c.Start(ctx, s, c.TrustFlags, c.SandboxFlags, &pool.Options{ProbeEvery: command.EngineTime, ProbeTimeout: command.EngineTime})
	if err != nil {
		return err
	}
	defer running.Close()
	memory.CollectAt(memory.Ample)
	published := func(ctx context.Context) (*catalog.Catalog, error) { return c.Catalog(ctx, s.Err, true, c.TrustFlags) }
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
	working := terminal.NewWorking(s.Out, s.Err, c.JSON)
	err = q.Work(ctx, computer, &queue.WorkOptions{Name: queue.WorkerName(), Job: id, UntilDone: c.UntilDone, Observe: working.Observe})
	working.End()
	if err == nil && working.GaveUp > 0 {
		err = command.Refused(fmt.Errorf("%s failed; slipstick batch status shows why", terminal.Count(working.GaveUp, "shard")))
	}
	return err
}

// Status has the options of slipstick batch status.
type Status struct {
	Job   string
	Watch bool
	JSON  bool

	Flags
}

// Run reports the progress of jobs.
func (c *Status) Run(ctx context.Context, s command.Streams) error {
	if c.Watch && c.Job == "" {
		return command.Misuse(errors.New("--watch follows one job: name it"))
	}
	if c.Job == "" {
		return c.list(ctx, s)
	}
	q, job, err := c.job(ctx, s, c.Job)
	if err != nil {
		return err
	}
	defer q.Close()
	line := terminal.Progress(s.Err)
	err = q.Watch(ctx, job, c.Watch, func(status *queue.Status) error {
		ended := status.Ended()
		switch {
		case c.JSON:
			err = terminal.JobStatus(s.Out, status, true)
		case ended || !c.Watch:
			line("")
			err = terminal.JobStatus(s.Out, status, false)
		default:
			line(terminal.JobLine(status))
		}
		if err == nil && ended && status.Failed > 0 {
			err = command.Refused(fmt.Errorf("%s failed; submit the job again to try them again", terminal.Count(status.Failed, "shard")))
		}
		return err
	})
	if ctx.Err() != nil {
		line("")
	}
	return err
}

func (c *Status) list(ctx context.Context, s command.Streams) error {
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
		terminal.Printf(s.Err, "slipstick: %s\n", one)
	}
	var failed error
	for _, job := range jobs {
		status, err := q.Status(ctx, job)
		if err == nil && c.JSON {
			err = terminal.JobStatus(s.Out, status, true)
		} else if err == nil {
			terminal.Printf(s.Out, "%s\n", terminal.JobLine(status))
		}
		if err != nil { // the other jobs are listed, too
			failed = errors.Join(failed, fmt.Errorf("job %.12s: %w", job.ID, err))
		}
	}
	return failed
}

// Fetch has the options of slipstick batch fetch.
type Fetch struct {
	Job string
	Out string

	Flags
}

// Run copies results from the object store of the queue.
func (c *Fetch) Run(ctx context.Context, s command.Streams) error {
	q, job, err := c.job(ctx, s, c.Job)
	if err != nil {
		return err
	}
	defer q.Close()
	if job.Results != queue.ObjectStore {
		return command.Refused(fmt.Errorf("the results of this job are not in an object store; they are in %s", job.Results))
	}
	if err := os.MkdirAll(c.Out, 0o777); err != nil {
		return err
	}
	n, err := q.Fetch(ctx, job, c.Out)
	if err == nil {
		terminal.Printf(s.Err, "slipstick: %s fetched; slipstick batch verify %s shows whether all are there\n", terminal.Count(n, "file"), c.Out)
	}
	return err
}

// Cancel has the options of slipstick batch cancel.
type Cancel struct {
	Job string

	Flags
}

// Run removes a job from the queue.
func (c *Cancel) Run(ctx context.Context, s command.Streams) error {
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
		terminal.Printf(s.Err, "slipstick: the entry %q is removed\n", unread.Key)
		return nil
	}
	if err == nil {
		err = q.Cancel(ctx, job)
	}
	if err != nil {
		return err
	}
	terminal.Printf(s.Err, "slipstick: the job %.12s is removed\n", job.ID)
	return nil
}
