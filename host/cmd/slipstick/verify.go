package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/archive"
)

type verifyCmd struct {
	Target string `arg:"" optional:"" complete:"release" help:"CAPABILITY, CAPABILITY@VERSION, the file of a snapshot or of a receipt, or the id or URL of a snapshot. A short id needs the snapshots in --data; with --keys, the command requests the URL. Default: the whole registry."`
	Keys   string `env:"SLIPSTICK_KEYS" help:"Public keys of the server that signed: the document that it publishes, its URL (https://HOST), or a registry that has them. No secret key is needed then." placeholder:"FILE|URL|REGISTRY"`
	JSON   bool   `help:"Print one JSON object with every finding."`
	Rows   string `help:"File of the rows, if the receipt is of a batch. Its extension names the format." placeholder:"FILE"`
	Again  bool   `name:"run" help:"Compute a snapshot, a record or the rows of a batch again, and compare bit by bit."`

	Data        string   `default:"${data}" env:"SLIPSTICK_DATA" help:"Directory of snapshots and of the keys that sign them." placeholder:"DIR"`
	SnapshotKey []string `env:"SLIPSTICK_SNAPSHOT_KEY" help:"Seed of the key that signs snapshots, as in slipstick serve." placeholder:"SEED"`

	command.RegistryFlags
	command.TrustFlags
	command.CheckpointFlag
	command.SandboxFlags
}

func (c *verifyCmd) Run(ctx context.Context, s command.Streams) error {
	return (*archive.Verify)(c).Run(ctx, s)
}
