package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/release"
)

type newCmd struct {
	Capability string `arg:"" help:"Id of the new capability: domain, group and tool, such as electrical.lighting.lumens_to_lux."`
	Dir        string `help:"Directory to create. Default: the last part of the id; for a document, the current directory." placeholder:"DIR"`
	Module     string `help:"Path of the Go module. Default: example.com/ and the last part of the id." placeholder:"PATH"`
	Lang       string `default:"go" help:"Language: text for a document, go or python."`
	Text       bool   `help:"The same as --lang text: make a document, which needs no programming."`
	From       string `help:"Workbook to import, in the format .xlsx. The result is a draft of a document." placeholder:"BOOK"`
	Checkout   string `env:"SLIPSTICK_CHECKOUT" help:"Checkout of Slipstick to build with, instead of the release of this program. Default: none; for a program without a release, the checkout that it is in." placeholder:"DIR"`
}

func (c *newCmd) Run(ctx context.Context, s command.Streams) error {
	return (*release.New)(c).Run(ctx, s, program())
}
