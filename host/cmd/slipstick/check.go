package main

import (
	"context"
	"time"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/release"
)

type checkCmd struct {
	Engines          []string      `arg:"" optional:"" help:"Documents (NAME.calc.md), engine executables, and directories of documents, of programs in Go and of tables."`
	Requirements     string        `help:"Set of requirements to judge by, such as 2027-02. Default: the newest." placeholder:"SET"`
	Rules            bool          `help:"Print the rules of every set, or of the one given, instead of judging."`
	ExpectedFailures string        `help:"File of failures that are known: they do not fail the run, and one that does not come does." placeholder:"FILE"`
	Format           string        `enum:"text,json,junit,badge" default:"text" help:"Format of the output: text, json, junit or badge."`
	JSON             bool          `help:"The same as --format json: one report object per engine."`
	Verbose          bool          `help:"Print all rules as text, also the rules that pass or that were not reached."`
	Output           string        `help:"Write what would be printed to this file." placeholder:"FILE"`
	Report           string        `help:"Write JSON to this file too." placeholder:"FILE"`
	JUnit            string        `name:"junit" help:"Write JUnit XML to this file too." placeholder:"FILE"`
	Badge            string        `help:"Write a badge for shields.io to this file too." placeholder:"FILE"`
	Timeout          time.Duration `default:"10m" help:"For judging one engine."`

	command.JudgingFlags
}

func (c *checkCmd) Run(ctx context.Context, s command.Streams) error {
	return (*release.Check)(c).Run(ctx, s)
}
