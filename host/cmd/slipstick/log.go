package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/registry"
)

// logCmd has the commands for the transparency log of a registry.
type logCmd struct {
	Init    logInitCmd    `cmd:"" help:"Start the transparency log of a registry."`
	Update  logUpdateCmd  `cmd:"" help:"Add missing entries to the log, and sign a new checkpoint."`
	Show    logShowCmd    `cmd:"" help:"List the entries of the log."`
	Check   logCheckCmd   `cmd:"" help:"Compare the log with checkpoints that others saw."`
	Witness logWitnessCmd `cmd:"" help:"Cosign the checkpoint, unless it contradicts an earlier one."`
}

type logInitCmd struct {
	registry.LogFlags
	command.RegistryFlags
}

func (c *logInitCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.InitLog)(c).Run(ctx, s)
}

type logUpdateCmd struct {
	Removed []string `help:"Log that a capability, or a version of one (CAPABILITY@VERSION), was removed from the registry on purpose." placeholder:"ID"`
	registry.LogFlags
	command.RegistryFlags
}

func (c *logUpdateCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.UpdateLog)(c).Run(ctx, s)
}

type logShowCmd struct {
	Capability string `arg:"" optional:"" complete:"capability" help:"Only entries of this capability or tool."`
	Checkpoint bool   `help:"Print the checkpoint with its signatures instead, in the form that other servers compare."`
	JSON       bool   `help:"Print one JSON object per entry."`
	command.RegistryFlags
}

func (c *logShowCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.ShowLog)(c).Run(ctx, s)
}

type logCheckCmd struct {
	Head []string `help:"Checkpoint that another reader has seen: a file, or the URL of a server (https://HOST). Can be given several times." placeholder:"FILE|URL"`
	Seen string   `help:"File with the last checkpoint that was seen here, created if absent. The log must continue it. Then the command writes the new checkpoint to the file." placeholder:"FILE"`
	JSON bool     `help:"Print one JSON object with every finding."`
	command.RegistryFlags
	command.TrustFlags
}

func (c *logCheckCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.CheckLog)(c).Run(ctx, s)
}

type logWitnessCmd struct {
	Key  string `required:"" help:"Secret key of the witness (NAME.key). To trust it, give it the role witness." placeholder:"FILE"`
	Seen string `required:"" help:"File with the last checkpoint that this witness has cosigned, created if absent. The log must continue it. Then the command writes the new checkpoint to the file." placeholder:"FILE"`
	command.RegistryFlags
	command.TrustFlags
}

func (c *logWitnessCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.WitnessLog)(c).Run(ctx, s)
}
