package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/slipstick/slipstick/conformance/compat"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/publish"
	"github.com/slipstick/slipstick/versions"
)

type diffCmd struct {
	Old       string `arg:"" complete:"release" help:"The older engine or table: an executable, the directory of a program or a table, or a published version such as ohms-law@1.0.0; without @ the current one."`
	New       string `arg:"" complete:"release" help:"The newer one, likewise."`
	Format    string `default:"text" enum:"text,json" help:"text for people, json for programs, with every difference."`
	Generated int    `default:"256" help:"How many requests to generate from the older Spec, beside those near its vectors." placeholder:"N"`

	origin
	judging
}

func (c *diffCmd) Run(ctx context.Context, s streams) error {
	if c.Generated < 1 {
		return &failure{exitMisuse, fmt.Errorf("--generated %d: at least 1", c.Generated)}
	}
	if c.ofTables() {
		return c.runTables(ctx, s)
	}
	launch, end, err := c.judging.enter(s.err, c.origin.own())
	if err != nil {
		return err
	}
	defer end()
	older, end, err := c.find(ctx, c.Old, launch)
	if err != nil {
		return err
	}
	defer end()
	newer, end, err := c.find(ctx, c.New, launch)
	if err != nil {
		return err
	}
	defer end()
	show := terminal.Progress(s.err)
	report, err := compat.Diff(ctx, older, newer, &compat.Options{Generated: c.Generated, Progress: func(done, all int) {
		show(fmt.Sprintf("%d of %d requests", done, all))
	}})
	show("")
	if err != nil {
		return err
	}
	if err := c.write(s, report); err != nil {
		return err
	}
	if !report.Legal {
		return &failure{exitFailed, fmt.Errorf("%s %s is not a legal version", report.Capability, report.New.Version)}
	}
	return nil
}

func (c *diffCmd) write(s streams, report *compat.Report) error {
	if c.Format == "text" {
		return report.WriteText(s.out)
	}
	encoder := json.NewEncoder(terminal.Plain(s.out))
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}

// find returns the engine that the command line names. It must be closed.
func (c *diffCmd) find(ctx context.Context, name string, launch process.Options) (*compat.Engine, func(), error) {
	if info, err := os.Stat(name); err == nil && (info.Mode().IsRegular() || build.IsProgram(name)) {
		return publish.FromFile(ctx, name, launch)
	}
	id, version, pinned := strings.Cut(name, "@")
	if strings.ContainsAny(id, `/\`) {
		return nil, nil, &failure{exitMisuse, fmt.Errorf("there is no executable, and no directory of a program, %s", name)}
	}
	catalog, err := c.catalog(ctx, io.Discard, true)
	if err != nil {
		return nil, nil, fmt.Errorf("%s is no executable, and for a published version there is %w", name, err)
	}
	var pins []versions.Pin
	if pinned {
		pins = []versions.Pin{{Place: versions.InCommand, Name: name, Value: version}}
	}
	_, release, err := catalog.Release(id, pins)
	if err != nil {
		return nil, nil, problem.Of(err)
	}
	return publish.FromRelease(release, launch)
}
