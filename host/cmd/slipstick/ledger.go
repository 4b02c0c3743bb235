package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/archive"
)

// ledgerCmd has the commands for the records of a server's answers.
type ledgerCmd struct {
	List   ledgerListCmd   `cmd:"" help:"List the segments of a ledger."`
	Find   ledgerFindCmd   `cmd:"" help:"Show records, one per line."`
	Check  ledgerCheckCmd  `cmd:"" help:"Check that a ledger is complete and unchanged."`
	Export ledgerExportCmd `cmd:"" help:"Write records to a file: NDJSON, Parquet or Arrow."`
}

type ledgerListCmd struct {
	Dir  string `arg:"" help:"Directory of the ledger, or a copy of it. A server can write to it at the same time."`
	JSON bool   `help:"Print one JSON array."`
}

func (c *ledgerListCmd) Run(s command.Streams) error {
	return (*archive.ListLedger)(c).Run(s)
}

type ledgerCheckCmd struct {
	Dir string `arg:"" help:"Directory of the ledger, or a copy of it. A server can write to it at the same time."`

	Keys        string   `env:"SLIPSTICK_KEYS" help:"Public keys of the server: the document that it publishes, its URL (https://HOST), or a registry that has them." placeholder:"FILE|URL|REGISTRY"`
	Data        string   `env:"SLIPSTICK_DATA" help:"Data directory of the server, instead of --keys." placeholder:"DIR"`
	SnapshotKey []string `env:"SLIPSTICK_SNAPSHOT_KEY" help:"Configured keys instead of --keys, as in slipstick serve." placeholder:"SEED"`
	command.RemoteFlags
	Roots string `name:"tsa-roots" type:"existingfile" help:"PEM file with the certificates of trusted timestamp authorities. Without it, timestamps are not checked." placeholder:"FILE"`
	JSON  bool   `help:"Print one JSON object with every finding."`
}

func (c *ledgerCheckCmd) Run(ctx context.Context, s command.Streams) error {
	return (*archive.CheckLedger)(c).Run(ctx, s)
}

type ledgerFindCmd struct {
	Dir string `arg:"" help:"Directory of the ledger, or a copy of it. A server can write to it at the same time."`
	archive.RecordFlags
}

func (c *ledgerFindCmd) Run(s command.Streams) error {
	return (*archive.FindRecords)(c).Run(s)
}

type ledgerExportCmd struct {
	Dir string `arg:"" help:"Directory of the ledger, or a copy of it. A server can write to it at the same time."`
	archive.RecordFlags
	Format string `enum:",ndjson,parquet,arrow,arrows" default:"" help:"Format of the output: ndjson, parquet, arrow or arrows (the streaming form). With --capability and --calculation-version, all except ndjson have a column for each input and result. Default: by the extension of --out; else ndjson." placeholder:"FORMAT"`
	Out    string `short:"o" help:"Write to this file, which appears when it is complete. Default: stdout." placeholder:"FILE"`

	command.RegistryFlags
}

func (c *ledgerExportCmd) Run(ctx context.Context, s command.Streams) error {
	return (*archive.ExportRecords)(c).Run(ctx, s)
}
