package release

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/requirements"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
	"github.com/slipstick/slipstick/host/internal/release/publish"
)

// Check has the options of slipstick check.
type Check struct {
	Engines          []string
	Requirements     string
	Rules            bool
	ExpectedFailures string
	Format           string
	JSON             bool
	Verbose          bool
	Output           string
	Report           string
	JUnit            string
	Badge            string
	Timeout          time.Duration

	command.JudgingFlags
}

// Run judges engines and tables.
func (c *Check) Run(ctx context.Context, s command.Streams) error {
	set, err := requirements.Find(c.Requirements)
	if err != nil {
		return command.Misuse(err)
	}
	if c.Rules {
		sets := []*requirements.Set{set}
		if c.Requirements == "" { // all of them, the newest first
			sets = requirements.Sets()
			slices.Reverse(sets)
		}
		terminal.Rules(s.Out, sets)
		return nil
	}
	if len(c.Engines) == 0 {
		return command.Misuse(errNoEngines)
	}
	c.Engines, err = withDocuments(c.Engines)
	if err == nil {
		err = meaningful(c.Engines)
	}
	if err != nil {
		return err
	}
	directories, engines := separate(c.Engines)
	if len(directories) > 0 {
		unsound, err := c.checkTables(s, directories)
		if err == nil && unsound > 0 {
			err = command.Refused(fmt.Errorf("failed: %d of %s", unsound, terminal.Count(len(directories), "table")))
		}
		if err != nil || len(engines) == 0 {
			return err
		}
		c.Engines = engines
	}
	expected, err := report.ReadExpected(c.ExpectedFailures)
	if err != nil {
		return command.Misuse(err)
	}
	launch, end, err := c.JudgingFlags.Enter(s.Err, sandbox.ServerFiles{Data: command.OwnData()})
	if err != nil {
		return err
	}
	defer end()
	reports, tally := c.judge(ctx, s.Err, &publish.CheckOptions{Launch: launch, Requirements: set, Expected: expected, Timeout: c.Timeout})
	for _, e := range report.Unused(expected, reports) {
		fmt.Fprintf(s.Err, "slipstick: the expected failure %s is about an engine that was not checked\n", e)
	}
	if err := c.write(s.Out, reports); err != nil {
		return err
	}
	if n := tally[report.Fail]; n > 0 {
		return command.Refused(fmt.Errorf("failed: %d of %s", n, terminal.Count(len(c.Engines), "engine")))
	}
	if n := tally[report.HarnessError]; n > 0 {
		return command.Internal(fmt.Errorf("could not be judged: %d of %s", n, terminal.Count(len(c.Engines), "engine")))
	}
	return nil
}

// judge judges the engines, and counts the outcomes. It prints on w why it cannot read an engine.
func (c *Check) judge(ctx context.Context, w io.Writer, o *publish.CheckOptions) (reports []*report.Report, tally map[report.Outcome]int) {
	tally = map[report.Outcome]int{}
	o.Progress = terminal.Progress(w)
	for _, path := range c.Engines {
		o.Launch.Log = authorLog(w, path)
		one, outcome, err := publish.Check(ctx, path, o)
		o.Progress("")
		tally[outcome]++
		if err != nil {
			fmt.Fprintln(w, "slipstick:", command.NameFile(err, c.Engines, nil))
			continue
		}
		reports = append(reports, one)
	}
	return reports, tally
}

// AuthorLogRate is how many log lines per second an author sees of one engine: all, except in a flood.
const AuthorLogRate = 10_000

// authorLog returns a Log that prints the lines of an engine of all levels.
func authorLog(w io.Writer, engine string) *process.Log {
	o := &slog.HandlerOptions{Level: process.SlogLevel(hclog.Trace), ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey && len(groups) == 0 {
			return slog.Attr{}
		}
		return a
	}}
	logger := slog.New(slog.NewTextHandler(terminal.Lines(w), o)).With("engine", engine)
	return process.NewLog(logger, process.LogOptions{Level: hclog.Trace, Rate: AuthorLogRate})
}

// write prints the reports, and writes them to the files that are asked for.
func (c *Check) write(out io.Writer, reports []*report.Report) error {
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
