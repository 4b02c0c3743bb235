package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/requirements"
	"github.com/slipstick/slipstick/host/internal/process"
	"github.com/slipstick/slipstick/host/internal/publish"
	"github.com/slipstick/slipstick/host/internal/terminal"
)

type checkCmd struct {
	Engines          []string      `arg:"" optional:"" help:"Engine executables."`
	Requirements     string        `help:"Set of requirements to judge by, such as 2026-11. Default: the newest." placeholder:"SET"`
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
		return &failure{exitMisuse, errors.New("name at least one engine to check")}
	}
	expected, err := readExpected(c.ExpectedFailures)
	if err != nil {
		return &failure{exitMisuse, err}
	}
	launch, end, err := c.judging.enter(s.err, nil)
	if err != nil {
		return err
	}
	defer end()
	var reports []*report.Report
	failed, unjudged := 0, 0
	show := terminal.Progress(s.err)
	for _, path := range c.Engines {
		one, err := c.judge(ctx, path, launch, set, show)
		show("")
		if err != nil {
			fmt.Fprintln(s.err, "slipstick:", err)
			unjudged++
			continue
		}
		reports = append(reports, one)
		switch one.Expect(expected, time.Now()) {
		case report.Fail:
			failed++
		case report.HarnessError:
			unjudged++
		}
	}
	warnOfOthers(s.err, expected, reports)
	if err := c.write(s.out, reports); err != nil {
		return err
	}
	switch {
	case failed > 0:
		return &failure{exitFailed, fmt.Errorf("failed: %d of %s", failed, terminal.Count(len(c.Engines), "engine"))}
	case unjudged > 0:
		return &failure{exitInternal, fmt.Errorf("could not be judged: %d of %s", unjudged, terminal.Count(len(c.Engines), "engine"))}
	}
	return nil
}

func readExpected(path string) ([]report.Expectation, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	list, err := report.ParseExpected(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

// warnOfOthers names the expected failures of engines that were not checked.
func warnOfOthers(w io.Writer, expected []report.Expectation, reports []*report.Report) {
	for _, e := range expected {
		if !slices.ContainsFunc(reports, func(r *report.Report) bool { return r.Capability == e.Capability }) {
			fmt.Fprintf(w, "slipstick: the expected failure %s is of no engine that was checked\n", e)
		}
	}
}

// judge judges one engine, in the time that there is.
func (c *checkCmd) judge(ctx context.Context, path string, launch process.Options, set *requirements.Set, show func(string)) (*report.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	return publish.Check(ctx, path, launch, set, show)
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
	for i, one := range []struct{ form, path string }{
		{form, c.Output}, {"json", c.Report}, {"junit", c.JUnit}, {"badge", c.Badge},
	} {
		if one.path == "" && i > 0 {
			continue
		}
		data, err := terminal.Reports(one.form, reports)
		switch {
		case err != nil:
		case one.path == "":
			_, err = out.Write(data)
		default:
			err = os.WriteFile(one.path, data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
