package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/registry"
)

type listCmd struct {
	JSON     bool   `help:"Print one JSON object per release." xor:"form"`
	Markdown bool   `help:"Print an index in Markdown, with a table per domain and group." xor:"form"`
	Uses     string `complete:"release" help:"List only capabilities that use this table: ID, or ID@VERSION." placeholder:"TABLE[@VERSION]"`

	command.RegistryFlags
	command.TrustFlags
}

func (c *listCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.List)(c).Run(ctx, s)
}

type showCmd struct {
	ID   string `arg:"" complete:"capability" help:"Capability or tool."`
	Pin  string `complete:"version" help:"Describe this published version instead of the current one." placeholder:"VERSION"`
	JSON bool   `xor:"form" help:"Print the Spec as published."`
	Text bool   `xor:"form" help:"Print the document of a text engine as published."`

	command.RegistryFlags
	command.TrustFlags
}

func (c *showCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.Show)(c).Run(ctx, s)
}
