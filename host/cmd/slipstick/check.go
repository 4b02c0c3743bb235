package main

import (
	"context"
	"time"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/release"
)

type checkCmd struct {
	Engines          []string      `arg:"" optional:"" help:"Documents (NAME.calc.md), engine executables, and directories of documents, of programs in Go and of tables."`
	Requirements     string        `help:"Requirement set to check against, such as 2027-02. Default: the newest." placeholder:"SET"`
	Rules            bool          `help:"Print the rules of every set, or of --requirements, and check no engine."`
	ExpectedFailures string        `help:"File of expected failures. An expected failure does not fail the run, but an expected failure that does not occur does." placeholder:"FILE"`
	Format           string        `enum:"text,json,junit,badge" default:"text" help:"Format of the output: text, json, junit or badge."`
	JSON             bool          `help:"The same as --format json: one report object per engine."`
	Verbose          bool          `help:"Print all rules as text, including rules that pass or were not reached."`
	Output           string        `help:"Write the output to this file instead of stdout." placeholder:"FILE"`
	Report           string        `help:"Also write JSON to this file." placeholder:"FILE"`
	JUnit            string        `name:"junit" help:"Also write JUnit XML to this file." placeholder:"FILE"`
	Badge            string        `help:"Also write a badge for shields.io to this file." placeholder:"FILE"`
	Timeout          time.Duration `default:"10m" help:"Time for the checks of one engine."`

	command.JudgingFlags
}

func (c *checkCmd) Run(ctx context.Context, s command.Streams) error {
	return (*release.Check)(c).Run(ctx, s)
}
