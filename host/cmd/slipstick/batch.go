package main

import (
	"context"
	"time"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/queue"
)

type batchSubmitCmd struct {
	File    string   `arg:"" help:"File of the rows: a path that is the same for all workers, or a URL (https://...) that they can read."`
	ID      string   `arg:"" complete:"capability" help:"Capability or tool, such as cantilever-deflection."`
	Pin     string   `complete:"version" help:"Compute with exactly this published version. Default: the version that is current now." placeholder:"VERSION"`
	Shards  int      `required:"" help:"Number of shards. A worker computes one shard at a time, and loses it if it is killed. Choose shards that take seconds to minutes." placeholder:"N"`
	Results string   `required:"" help:"Destination of the results: a directory that all workers can write to, or jetstream: for an object store of the brokers." placeholder:"DIR|jetstream:"`
	Format  string   `enum:",ndjson,csv,parquet,arrow" default:"" help:"Format of the rows: ndjson, csv, parquet or arrow. Default: by the extension of the file." placeholder:"FORMAT"`
	Output  string   `enum:",result,csv,parquet,arrow" default:"" help:"Format of the results: csv, parquet or arrow, or result for NDJSON. Default: the format of the rows." placeholder:"FORMAT"`
	Unit    []string `sep:"none" help:"Show an output in this unit: delta=mm. Can be given several times." placeholder:"OUTPUT=UNIT"`
	Decimal string   `enum:",point,comma" default:"" help:"Decimal separator of numbers in texts, and in CSV output: comma or point. Default: the separator of the first number with only one reading." placeholder:"comma|point"`
	Tag     []string `sep:"none" help:"Column that passes through, even if its name is similar to the name of an input. Can be given several times." placeholder:"COLUMN"`

	Attempts  int           `default:"5" help:"Attempts of workers to compute a shard, before it counts as failed with the reason of the last attempt."`
	LostAfter time.Duration `default:"30s" help:"Time without a message from a worker, after which its shard goes to another worker." placeholder:"DURATION"`
	Replicas  int           `default:"1" enum:"1,3,5" help:"Brokers of a cluster that keep the queue: 1, 3 or 5. It applies when the command creates the queue."`
	JSON      bool          `help:"Print one JSON object."`

	queue.Flags
	command.RegistryFlags
	command.TrustFlags
}

func (c *batchSubmitCmd) Run(ctx context.Context, s command.Streams) error {
	return (*queue.Submit)(c).Run(ctx, s)
}

type batchWorkCmd struct {
	Job       string   `arg:"" optional:"" help:"Job to compute, by the first characters of its id. Default: all jobs, the oldest first."`
	UntilDone bool     `help:"End when no shard is left to compute. Default: wait for more."`
	Files     []string `env:"SLIPSTICK_FILES" help:"Directory for rows and results of jobs. A job with a file elsewhere is rejected. Can be given several times. Default: the current directory, unless that is /." placeholder:"DIR"`
	Rows      string   `help:"File of the rows on this machine, if not the file that the job names. It must be byte-identical." placeholder:"FILE"`
	Scratch   string   `env:"SLIPSTICK_SCRATCH" help:"Directory for temporary files of this worker: downloaded rows, and results before their upload. Default: the directory of temporary files." placeholder:"DIR"`
	JSON      bool     `help:"Write one JSON object per event."`

	queue.Flags
	command.RegistryFlags
	command.TrustFlags
	command.SandboxFlags
}

func (c *batchWorkCmd) Run(ctx context.Context, s command.Streams) error {
	return (*queue.Work)(c).Run(ctx, s)
}

type batchStatusCmd struct {
	Job   string `arg:"" optional:"" help:"Job, by the first characters of its id. Default: all."`
	Watch bool   `help:"Continue until all shards are computed or have failed. With --json, print one line per second."`
	JSON  bool   `help:"Print one JSON object per job and line."`

	queue.Flags
}

func (c *batchStatusCmd) Run(ctx context.Context, s command.Streams) error {
	return (*queue.Status)(c).Run(ctx, s)
}

type batchFetchCmd struct {
	Job string `arg:"" help:"Job, by the first characters of its id."`
	Out string `required:"" help:"Directory for the results, created if absent. Existing files are not fetched again." placeholder:"DIR"`

	queue.Flags
}

func (c *batchFetchCmd) Run(ctx context.Context, s command.Streams) error {
	return (*queue.Fetch)(c).Run(ctx, s)
}

type batchCancelCmd struct {
	Job string `arg:"" help:"Job, by the first characters of its id, or the key of an entry that is not a job, as batch status shows it."`

	queue.Flags
}

func (c *batchCancelCmd) Run(ctx context.Context, s command.Streams) error {
	return (*queue.Cancel)(c).Run(ctx, s)
}

// batchCmd has the commands for large batches.
type batchCmd struct {
	Verify batchVerifyCmd `cmd:"" help:"Check that the shards of a batch are complete, and compute a sample of their rows again."`
	Submit batchSubmitCmd `cmd:"" help:"Put the shards of a batch into a queue, for workers on many machines."`
	Work   batchWorkCmd   `cmd:"" help:"Compute shards from a queue."`
	Status batchStatusCmd `cmd:"" help:"Show the progress of the jobs in a queue."`
	Fetch  batchFetchCmd  `cmd:"" help:"Copy results from the object store of a queue."`
	Cancel batchCancelCmd `cmd:"" help:"Remove a job from a queue."`
}

type batchVerifyCmd struct {
	Dir    string `arg:"" help:"Directory with the results of the shards."`
	File   string `arg:"" optional:"" help:"File of the rows. The command computes a sample of them again."`
	Sample string `default:"100" help:"Number of rows to compute again, chosen at random from all shards, or all. Default: ${default}." placeholder:"N|all"`
	JSON   bool   `help:"Print one JSON object with all findings."`

	command.RegistryFlags
	command.TrustFlags
	command.SandboxFlags
}

func (c *batchVerifyCmd) Run(ctx context.Context, s command.Streams) error {
	return (*queue.Verify)(c).Run(ctx, s)
}
