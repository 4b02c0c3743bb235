package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/requirements"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
	"github.com/slipstick/slipstick/host/internal/release/publish"
)

type checkCmd struct {
	Engines          []string      `arg:"" optional:"" help:"Engine executables, and directories of programs in Go and of tables."`
	Requirements     string        `help:"Set of requirements to judge by, such as 2027-01. Default: the newest." placeholder:"SET"`
	Rules            bool          `help:"Print the rules of every set, or of the one given, instead of judging."`
	ExpectedFailures string        `help:"File of failures that are known: they do not fail the run, and one that does not come does." placeholder:"FILE"`
	Format           string        `enum:"text,json,junit,badge" default:"text" help:"What to print: text, json, junit or badge."`
	JSON             bool          `help:"The same as --format json: one report object per engine."`
	Verbose          bool          `help:"Print every rule as text, not only those that did not pass, and what was not reached."`
	Output           string        `help:"Write what would be printed to this file." placeholder:"FILE"`
	Report           string        `help:"Write JSON to this file too." placeholder:"FILE"`
	JUnit            string        `name:"junit" help:"Write JUnit XML to this file too." placeholder:"FILE"`
	Badge            string        `help:"Write a badge for shields.io to this file too." placeholder:"FILE"`
	Timeout          time.Duration `default:"10m" help:"For judging one engine."`

	judging
}

func (c *checkCmd) Run(ctx context.Context, s streams) error {
	set, err := requirements.Find(c.Requirements)
	if err != nil {
		return &failure{exitMisuse, err}
	}
	if c.Rules {
		sets := []*requirements.Set{set}
		if c.Requirements == "" { // all of them, the newest first
			sets = requirements.Sets()
			slices.Reverse(sets)
		}
		terminal.Rules(s.out, sets)
		return nil
	}
	if len(c.Engines) == 0 {
		return &failure{exitMisuse, errNoEngines}
	}
	if err := meaningful(c.Engines); err != nil {
		return err
	}
	directories, engines := separate(c.Engines)
	if len(directories) > 0 {
		unsound, err := c.checkTables(s, directories)
		if err == nil && unsound > 0 {
			err = &failure{exitFailed, fmt.Errorf("failed: %d of %s", unsound, terminal.Count(len(directories), "table"))}
		}
		if err != nil || len(engines) == 0 {
			return err
		}
		c.Engines = engines
	}
	expected, err := report.ReadExpected(c.ExpectedFailures)
	if err != nil {
		return &failure{exitMisuse, err}
	}
	launch, end, err := c.judging.enter(s.err, sandbox.ServerFiles{Data: ownData()})
	if err != nil {
		return err
	}
	defer end()
	reports, tally := c.judge(ctx, s.err, &publish.CheckOptions{Launch: launch, Requirements: set, Expected: expected, Timeout: c.Timeout})
	for _, e := range report.Unused(expected, reports) {
		fmt.Fprintf(s.err, "slipstick: the expected failure %s is of no engine that was checked\n", e)
	}
	if err := c.write(s.out, reports); err != nil {
		return err
	}
	if n := tally[report.Fail]; n > 0 {
		return &failure{exitFailed, fmt.Errorf("failed: %d of %s", n, terminal.Count(len(c.Engines), "engine"))}
	}
	if n := tally[report.HarnessError]; n > 0 {
		return &failure{exitInternal, fmt.Errorf("could not be judged: %d of %s", n, terminal.Count(len(c.Engines), "engine"))}
	}
	return nil
}

// judge judges the engines, says on w why one cannot be read, and counts what became of
// them.
func (c *checkCmd) judge(ctx context.Context, w io.Writer, o *publish.CheckOptions) (reports []*report.Report, tally map[report.Outcome]int) {
	tally = map[report.Outcome]int{}
	o.Progress = terminal.Progress(w)
	for _, path := range c.Engines {
		one, outcome, err := publish.Check(ctx, path, o)
		o.Progress("")
		tally[outcome]++
		if err != nil {
			fmt.Fprintln(w, "slipstick:", err)
			continue
		}
		reports = append(reports, one)
	}
	return reports, tally
}

// write prints the reports, and writes them to the files that are asked for.
func (c *checkCmd) write(out io.Writer, reports []*report.Report) error {
	form := c.Format
	if c.JSON {
		form = "json"
	}
	if form != "text" {
		out = terminal.Plain(out)
	} else if c.Verbose {
		form = "list"
	}
	return terminal.WriteReports(out, reports, terminal.ReportFile{Form: form, Path: c.Output},
		terminal.ReportFile{Form: "json", Path: c.Report},
		terminal.ReportFile{Form: "junit", Path: c.JUnit},
		terminal.ReportFile{Form: "badge", Path: c.Badge})
}
