package main

import (
	"fmt"

	"github.com/slipstick/slipstick/host/internal/scaffold"
)

type newCmd struct {
	Capability string `arg:"" help:"Id of the new capability: domain, group and tool, such as electrical.lighting.lumens_to_lux."`
	Dir        string `help:"Directory to make. Default: the last word of the id." placeholder:"DIR"`
	Module     string `help:"Path of the Go module. Default: example.com/ and the last word of the id." placeholder:"PATH"`
	Checkout   string `env:"SLIPSTICK_CHECKOUT" help:"Checkout of Slipstick to build with. Default: the one this program lies in." placeholder:"DIR"`
}

func (c *newCmd) Run(s streams) error {
	dir, files, err := scaffold.Create(scaffold.Options{Capability: c.Capability, Module: c.Module, Dir: c.Dir, Checkout: c.Checkout})
	if err != nil {
		return &failure{exitMisuse, err}
	}
	for _, file := range files {
		fmt.Fprintf(s.out, "%s/%s\n", dir, file)
	}
	fmt.Fprintf(s.err, "Next: cd %s && go test ./... && slipstick dev .\n", dir)
	return nil
}
