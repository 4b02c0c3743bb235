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
	AsOf   string   `help:"Compute with the version that was current then, by the log of the registry: a date, which means its beginning in UTC, or a time such as 2026-03-01T12:00:00Z." placeholder:"DATE"`
	JSON   bool     `help:"Print the result object of the REST interface, or its error object."`

	Steps bool `help:"Also show how each result follows, step by step: in symbols, with numbers, and why each case counts."`

	Unit  []string `sep:"none" help:"Show an output in this unit: delta=mm. The output can be left out where there is only one. Can be given several times." placeholder:"OUTPUT=UNIT"`
	Units string   `help:"Show outputs and worked steps in the customary units of a system: us, metric or si." placeholder:"SYSTEM"`

	Batch     string   `help:"Compute every row of this file, - for stdin." placeholder:"FILE"`
	Format    string   `enum:",ndjson,csv,parquet,arrow,arrows" default:"" help:"How the file is written: ndjson, csv, parquet, or Arrow, in the form for random access (arrow) or the streaming one (arrows). Default: as its name ends; ndjson for stdin." placeholder:"FORMAT"`
	Output    string   `enum:",full,result,csv,table,parquet,arrow,arrows" default:"" help:"What to write: full answers or only each result, as NDJSON; or the columns of a table and those of the results as csv, parquet, arrow or arrows, or as table, to be read by people. Default: as the name of --out ends if the rows are a table; else full." placeholder:"full|result|csv|table|parquet|arrow|arrows"`
	Decimal   string   `enum:",point,comma" default:"" help:"The mark before the decimals of numbers in the texts of a table, and in CSV that is written: comma or point. Default: that of the first number with one reading." placeholder:"comma|point"`
	Tag       []string `sep:"none" help:"A column of a table that passes through, even if its name is nearly that of an input. Can be given several times." placeholder:"COLUMN"`
	KeepGoing bool     `default:"true" negatable:"" help:"Continue after a row without a result; the last line counts such rows. --no-keep-going stops soon after the first."`
	Out       string   `short:"o" help:"Write to this file, which appears when it is complete; with --shard, the directory of the shards. Default: stdout." placeholder:"FILE|DIR"`
	Shard     string   `help:"Compute only this part of the rows, such as 17/200 for the 17th of 200, into the directory --out. auto/200 takes the number from JOB_COMPLETION_INDEX of Kubernetes, or SLURM_ARRAY_TASK_ID of Slurm." placeholder:"K/N"`
	Progress  string   `enum:",json" default:"" help:"json: write how far it is to stderr, each second, as a line of JSON. Default: shown on a terminal." placeholder:"json"`

	command.RegistryFlags

	command.SandboxFlags
	command.TrustFlags
}

func (c *calcCmd) Run(ctx context.Context, s command.Streams) error {
	return (*calc.Calc)(c).Run(ctx, s)
}
