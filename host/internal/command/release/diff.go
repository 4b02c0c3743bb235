package release

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
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/publish"
	"github.com/slipstick/slipstick/versions"
)

// Diff has the options of slipstick diff.
type Diff struct {
	Old       string
	New       string
	Format    string
	Generated int

	command.RegistryFlags
	command.JudgingFlags
}

// Run compares two versions of an engine or a table.
func (c *Diff) Run(ctx context.Context, s command.Streams) error {
	if c.Generated < 1 {
		return command.Misuse(fmt.Errorf("--generated %d: at least 1", c.Generated))
	}
	if c.ofTables() {
		return c.runTables(ctx, s)
	}
	launch, end, err := c.JudgingFlags.Enter(s.Err, c.RegistryFlags.Own())
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
	show := terminal.Progress(s.Err)
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
		return command.Refused(fmt.Errorf("%s %s is not a legal version", report.Capability, report.New.Version))
	}
	return nil
}

func (c *Diff) write(s command.Streams, report *compat.Report) error {
	if c.Format == "text" {
		return report.WriteText(s.Out)
	}
	encoder := json.NewEncoder(terminal.Plain(s.Out))
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}

// find returns the engine that the command line names. It must be closed.
func (c *Diff) find(ctx context.Context, name string, launch process.Options) (*compat.Engine, func(), error) {
	if info, err := os.Stat(name); err == nil && (info.Mode().IsRegular() || build.IsProgram(name)) {
		return publish.FromFile(ctx, name, launch)
	}
	id, version, pinned := strings.Cut(name, "@")
	if strings.ContainsAny(id, `/\`) {
		return nil, nil, command.Misuse(fmt.Errorf("there is no executable, and no directory of a program, %s", name))
	}
	catalog, err := c.Catalog(ctx, io.Discard, true)
	if err != nil {
		return nil, nil, fmt.Errorf("%s is not an executable, and for a published version there is %w", name, err)
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
