package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/host/internal/process"
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

func (c *checkCmd) Help() string {
	return `Runs each engine in processes of its own and judges it by every rule of a set of
requirements, with the vectors that it carries and with requests made from its Spec.
Nothing is published. A set never changes: name it in CI, and new rules wait for you.

A rule has one of five outcomes: pass, fail, not applicable, not verified (what it needs is
missing because another rule failed), and harness error (the machine or this program
failed, not the engine).

The exit code is 0 when every engine passes, 1 when one fails, 2 when the command line is
wrong, and 3 when none fails but one could not be judged.

The file of expected failures is a JSON array of
{"capability": ID, "rule": ID, "reason": TEXT, "until": "2026-12-31"}; until may be left
out. publish knows no expected failures: what fails a rule is not published.`
}

func (c *checkCmd) Run(ctx context.Context, s streams) error {
	set, err := conformance.FindSet(c.Requirements)
	if err != nil {
		return &failure{exitMisuse, err}
	}
	if c.Rules {
		return c.listRules(s.out, set)
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
	var reports []*conformance.Report
	failed, unjudged := 0, 0
	show := progress(s.err)
	for _, path := range c.Engines {
		report, err := c.check(ctx, path, launch, set, show)
		show("")
		if err != nil {
			fmt.Fprintln(s.err, "slipstick:", err)
			unjudged++
			continue
		}
		reports = append(reports, report)
		switch report.Expect(expected, time.Now()) {
		case conformance.Fail:
			failed++
		case conformance.HarnessError:
			unjudged++
		}
	}
	warnOfOthers(s.err, expected, reports)
	if err := c.write(s.out, reports); err != nil {
		return err
	}
	switch {
	case failed > 0:
		return &failure{exitFailed, fmt.Errorf("failed: %d of %s", failed, count(len(c.Engines), "engine"))}
	case unjudged > 0:
		return &failure{exitInternal, fmt.Errorf("could not be judged: %d of %s", unjudged, count(len(c.Engines), "engine"))}
	}
	return nil
}

// listRules prints the rules of all sets, the newest first, or of the one asked for.
func (c *checkCmd) listRules(w io.Writer, asked *conformance.Requirements) error {
	sets := conformance.Sets()
	slices.Reverse(sets)
	for _, set := range sets {
		if c.Requirements != "" && set != asked {
			continue
		}
		fmt.Fprintf(w, "%s, for the engine contract %s: %d rules\n", set.Set, set.Contract, len(set.Rules))
		for _, r := range set.Rules {
			fmt.Fprintf(w, "%-24s %s (%s)\n", r.ID, r.Rule, r.Cites)
		}
	}
	return nil
}

func readExpected(path string) ([]conformance.Expectation, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	list, err := conformance.ParseExpected(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

// warnOfOthers names the expected failures of engines that were not checked.
func warnOfOthers(w io.Writer, expected []conformance.Expectation, reports []*conformance.Report) {
	for _, e := range expected {
		if !slices.ContainsFunc(reports, func(r *conformance.Report) bool { return r.Capability == e.Capability }) {
			fmt.Fprintf(w, "slipstick: the expected failure %s is of no engine that was checked\n", e)
		}
	}
}

// check judges one engine. An error says why it could not be read.
func (c *checkCmd) check(ctx context.Context, path string, launch process.Options, set *conformance.Requirements, show func(string)) (*conformance.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	e, err := readExecutable(path, launch)
	if err != nil {
		return nil, err
	}
	defer e.close()
	e.requirements = set
	_, vectors, err := e.describe(ctx)
	if err != nil {
		vectors = nil // the report says why it does not start
	}
	return e.judge(ctx, vectors, show), nil
}

// write prints the reports, and writes them to the files that are asked for.
func (c *checkCmd) write(out io.Writer, reports []*conformance.Report) error {
	format := c.Format
	if c.JSON {
		format = "json"
	}
	if format != "text" {
		out = plain(out)
	}
	for i, one := range []struct{ format, path string }{
		{format, c.Output}, {"json", c.Report}, {"junit", c.JUnit}, {"badge", c.Badge},
	} {
		if one.path == "" && i > 0 {
			continue
		}
		data, err := c.render(one.format, reports)
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

func (c *checkCmd) render(format string, reports []*conformance.Report) ([]byte, error) {
	var b bytes.Buffer
	switch format {
	case "junit":
		err := conformance.WriteJUnit(&b, reports)
		return b.Bytes(), err
	case "badge":
		err := json.NewEncoder(&b).Encode(conformance.BadgeOf(reports))
		return b.Bytes(), err
	}
	for _, r := range reports {
		write := r.WriteText
		switch {
		case format == "json":
			write = func(w io.Writer) error {
				data, err := reportJSON(r)
				if err == nil {
					_, err = w.Write(data)
				}
				return err
			}
		case c.Verbose:
			write = r.WriteList
		}
		if err := write(&b); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
