package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/registry"
)

// mirrorCmd has the commands that move a registry as one file.
type mirrorCmd struct {
	Export mirrorExportCmd `cmd:"" help:"Write a registry to one file."`
	Import mirrorImportCmd `cmd:"" help:"Add the releases of an exported file to a registry."`
}

type mirrorExportCmd struct {
	File string `arg:"" help:"File to write, such as library.zip." type:"path"`

	command.RegistryFlags
}

func (c *mirrorExportCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.Export)(c).Run(ctx, s)
}

type mirrorImportCmd struct {
	File string `arg:"" help:"File that slipstick mirror export made." type:"existingfile"`
	To   string `default:"${own}" env:"SLIPSTICK_REGISTRY" help:"The registry: a directory, created if absent, or oci://HOST/PREFIX." placeholder:"DIR|oci://..."`

	command.RemoteFlags
	command.SigningFlag
}

func (c *mirrorImportCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.Import)(c).Run(ctx, s)
}
