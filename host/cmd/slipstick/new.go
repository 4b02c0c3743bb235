package main

import (
	"fmt"
	"strings"

	"github.com/slipstick/slipstick/host/internal/release/scaffold"
)

type newCmd struct {
	Capability string `arg:"" help:"Id of the new capability: domain, group and tool, such as electrical.lighting.lumens_to_lux."`
	Dir        string `help:"Directory to make. Default: the last word of the id." placeholder:"DIR"`
	Module     string `help:"Path of the Go module. Default: example.com/ and the last word of the id." placeholder:"PATH"`
	Lang       string `default:"go" help:"Language: go, python or node."`
	Checkout   string `env:"SLIPSTICK_CHECKOUT" help:"Checkout of Slipstick to build with, in the place of the release that this program belongs to. Default: none; for a program of no release, the one that it lies in." placeholder:"DIR"`
}

func (c *newCmd) Run(s streams) error {
	o := scaffold.Options{Capability: c.Capability, Module: c.Module, Dir: c.Dir, Checkout: c.Checkout, Release: ownRelease(), Language: c.Lang}
	if o.Checkout == "" && o.Release == nil && c.Lang == scaffold.Go {
		o.Checkout = scaffold.OwnCheckout()
	}
	if !strings.Contains(revision, "dirty") {
		o.Revision = revision
	}
	dir, files, err := scaffold.Create(o)
	if err != nil {
		return &failure{exitMisuse, err}
	}
	for _, file := range files {
		fmt.Fprintf(s.out, "%s/%s\n", dir, file)
	}
	if o.Checkout != "" {
		fmt.Fprintf(s.err, "slipstick: the module is built with the checkout %s: it builds on no other machine\n", o.Checkout)
	}
	next := map[string]string{
		scaffold.Go:     "go test ./... && slipstick dev",
		scaffold.Python: "slipstick-engine build",
		scaffold.Node:   "npm install SLIPSTICK-ENGINE.tgz && npm test",
	}[c.Lang]
	if c.Lang == scaffold.Go && o.Checkout == "" && len(o.Release.Sums) == 0 {
		next = "go mod tidy && " + next
	}
	fmt.Fprintf(s.err, "Next: cd %s && %s\n", dir, next)
	return nil
}
