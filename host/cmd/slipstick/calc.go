package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/calc"
)

type calcCmd struct {
	ID     string   `arg:"" optional:"" complete:"capability" help:"Capability or tool, such as cantilever-deflection."`
	Inputs []string `arg:"" optional:"" name:"name=value" complete:"input" help:"Inputs by name or alias: L=3, L=3ft, model=timoshenko, data=2,4,4. Bare numbers are SI."`
	Pin    string   `complete:"version" help:"Compute with exactly this published version." placeholder:"VERSION"`
	AsOf   string   `help:"Compute with the version that was current at this time, by the transparency log. A date means 00:00 UTC; a time is 2026-03-01T12:00:00Z." placeholder:"DATE"`
	JSON   bool     `help:"Print the result object of the REST interface, or its error object."`

	Steps bool `help:"Also show how each result follows, in symbols and with numbers, and why each case applies."`

	Unit  []string `sep:"none" help:"Show an output in this unit: delta=mm. Without OUTPUT= it is the unit of the only output. Can be given several times." placeholder:"OUTPUT=UNIT"`
	Units string   `help:"Show outputs, inputs and worked steps in the customary units of a system: us, metric or si." placeholder:"SYSTEM"`

	Batch     string   `help:"Compute every row of this file, - for stdin." placeholder:"FILE"`
	Format    string   `enum:",ndjson,csv,parquet,arrow,arrows" default:"" help:"Format of the file: ndjson, csv, parquet, arrow (the file form of Arrow) or arrows (the streaming form). Default: by the extension of the file; ndjson for stdin." placeholder:"FORMAT"`
	Output    string   `enum:",full,result,csv,table,parquet,arrow,arrows" default:"" help:"Form of the answers. NDJSON: full, or result for results only. The table with columns of results: csv, parquet, arrow or arrows, or table for people. Default: by the extension of --out if the rows are a table; else full." placeholder:"full|result|csv|table|parquet|arrow|arrows"`
	Decimal   string   `enum:",point,comma" default:"" help:"Decimal separator of numbers in texts, and in CSV output: comma or point. Default: the separator of the first number with only one reading." placeholder:"comma|point"`
	Tag       []string `sep:"none" help:"Column of a table that passes through, even if its name is similar to the name of an input. Can be given several times." placeholder:"COLUMN"`
	KeepGoing bool     `default:"true" negatable:"" help:"Continue after a row without a result. The last line counts such rows. --no-keep-going stops soon after the first."`
	Out       string   `short:"o" help:"Write to this file, which appears when it is complete. With --shard, write into this directory. Default: stdout." placeholder:"FILE|DIR"`
	Shard     string   `help:"Compute only this shard of the rows, such as 17/200, into the directory --out. auto/200 takes the number from JOB_COMPLETION_INDEX of Kubernetes, or SLURM_ARRAY_TASK_ID of Slurm." placeholder:"K/N"`
	Progress  string   `enum:",json" default:"" help:"json: write the progress to stderr, as one line of JSON per second. Default: show it on a terminal." placeholder:"json"`

	command.RegistryFlags

	command.SandboxFlags
	command.TrustFlags
}

func (c *calcCmd) Run(ctx context.Context, s command.Streams) error {
	return (*calc.Calc)(c).Run(ctx, s)
}
