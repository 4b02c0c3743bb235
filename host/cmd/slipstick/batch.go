package main

import (
	"context"
	"time"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/queue"
)

type batchSubmitCmd struct {
	File    string   `arg:"" help:"The rows: a file that all workers see under this name, or an address (https://...) that they can read."`
	ID      string   `arg:"" complete:"capability" help:"Capability or tool, such as cantilever-deflection."`
	Pin     string   `complete:"version" help:"Compute with exactly this published version. Default: the current one, resolved now." placeholder:"VERSION"`
	Shards  int      `required:"" help:"Into how many parts the rows are divided. A part is what one worker computes at a time, and what is lost if it dies: some seconds to minutes of work." placeholder:"N"`
	Results string   `required:"" help:"Where the results go: a directory that all workers see, or jetstream: for an object store of the brokers." placeholder:"DIR|jetstream:"`
	Format  string   `enum:",ndjson,csv,parquet,arrow" default:"" help:"How the rows are written: ndjson, csv, parquet or arrow. Default: as the name ends." placeholder:"FORMAT"`
	Output  string   `enum:",result,csv,parquet,arrow" default:"" help:"Format of the results: csv, parquet or arrow, or result for NDJSON. Default: as the rows are." placeholder:"FORMAT"`
	Unit    []string `sep:"none" help:"Show an output in this unit: delta=mm. Can be given several times." placeholder:"OUTPUT=UNIT"`
	Decimal string   `enum:",point,comma" default:"" help:"The mark before the decimals of numbers in the texts of a table, and in CSV that is written: comma or point. Default: that of the first number with one reading." placeholder:"comma|point"`
	Tag     []string `sep:"none" help:"A column that passes through, even if its name is nearly that of an input. Can be given several times." placeholder:"COLUMN"`

	Attempts  int           `default:"5" help:"How often workers start a part before it counts as failed, with the reason of the last attempt."`
	LostAfter time.Duration `default:"30s" help:"After how long without a word from a worker its part is given to another." placeholder:"DURATION"`
	Replicas  int           `default:"1" enum:"1,3,5" help:"How many brokers of a cluster keep the queue, when it is made: 1, 3 or 5."`
	JSON      bool          `help:"Print one object."`

	queue.Flags
	command.RegistryFlags
	command.TrustFlags
}

func (c *batchSubmitCmd) Run(ctx context.Context, s command.Streams) error {
	return (*queue.Submit)(c).Run(ctx, s)
}

type batchWorkCmd struct {
	Job       string   `arg:"" optional:"" help:"Work on this job alone; the beginning of its id is enough. Default: on all, the oldest first."`
	UntilDone bool     `help:"End when nothing is left to compute. Default: wait for more."`
	Files     []string `env:"SLIPSTICK_FILES" help:"Directory in which jobs may have their rows and results; a job that names a file elsewhere is refused. Can be given several times. Default: the directory in which the worker is started, unless that is /." placeholder:"DIR"`
	Rows      string   `help:"File of the rows on this machine, if not the file that the job names. It must be byte-identical." placeholder:"FILE"`
	Scratch   string   `env:"SLIPSTICK_SCRATCH" help:"Directory for files of this worker's own: rows that it has fetched, results on their way to an object store. Default: the directory of temporary files." placeholder:"DIR"`
	JSON      bool     `help:"Write a line of JSON for each thing that happens."`

	queue.Flags
	command.RegistryFlags
	command.TrustFlags
	command.SandboxFlags
}

func (c *batchWorkCmd) Run(ctx context.Context, s command.Streams) error {
	return (*queue.Work)(c).Run(ctx, s)
}

type batchStatusCmd struct {
	Job   string `arg:"" optional:"" help:"The job; the beginning of its id is enough. Default: all."`
	Watch bool   `help:"Go on until all parts are computed or have failed. With --json, a line each second."`
	JSON  bool   `help:"Print an object for each job, one a line."`

	queue.Flags
}

func (c *batchStatusCmd) Run(ctx context.Context, s command.Streams) error {
	return (*queue.Status)(c).Run(ctx, s)
}

type batchFetchCmd struct {
	Job string `arg:"" help:"The job; the beginning of its id is enough."`
	Out string `required:"" help:"Directory, which is made if need be. Existing files are not fetched again." placeholder:"DIR"`

	queue.Flags
}

func (c *batchFetchCmd) Run(ctx context.Context, s command.Streams) error {
	return (*queue.Fetch)(c).Run(ctx, s)
}

type batchCancelCmd struct {
	Job string `arg:"" help:"The job; the beginning of its id is enough. Or the key of an entry that is not a job, as batch status names it."`

	queue.Flags
}

func (c *batchCancelCmd) Run(ctx context.Context, s command.Streams) error {
	return (*queue.Cancel)(c).Run(ctx, s)
}

// batchCmd has the commands for large batches.
type batchCmd struct {
	Verify batchVerifyCmd `cmd:"" help:"Prove that the shards of a batch are complete, and compute a sample of their rows again."`
	Submit batchSubmitCmd `cmd:"" help:"Put the shards of a batch into a queue, for workers on many machines."`
	Work   batchWorkCmd   `cmd:"" help:"Compute shards of a queue."`
	Status batchStatusCmd `cmd:"" help:"Show the progress of the jobs of a queue."`
	Fetch  batchFetchCmd  `cmd:"" help:"Copy results out of the object store of a queue."`
	Cancel batchCancelCmd `cmd:"" help:"Remove a job from a queue."`
}

type batchVerifyCmd struct {
	Dir    string `arg:"" help:"Directory of the shards."`
	File   string `arg:"" optional:"" help:"File of the rows, of which a sample is computed again."`
	Sample string `default:"100" help:"How many rows are computed again, chosen at random all over the shards, or all. Default: ${default}." placeholder:"N|all"`
	JSON   bool   `help:"Print one object with everything that was found."`

	command.RegistryFlags
	command.TrustFlags
	command.SandboxFlags
}

func (c *batchVerifyCmd) Run(ctx context.Context, s command.Streams) error {
	return (*queue.Verify)(c).Run(ctx, s)
}
