package main

import (
	"context"
	"io"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/internal/cli/help"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/registry"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Shell: bash, zsh or fish."`
}

func (c *completionCmd) Run(s command.Streams) error {
	text, err := help.Completion(c.Shell)
	if err == nil {
		_, err = io.WriteString(s.Out, text)
	}
	return err
}

// completeCmd is the command of completion scripts. Its arguments are the words up to the cursor.
type completeCmd struct {
	Words []string `arg:"" optional:""`

	command.RegistryFlags
}

func (c *completeCmd) Run(ctx context.Context, s command.Streams, parsed *kong.Context) error {
	return (*registry.Complete)(c).Run(ctx, s, parsed.Model.Node)
}
