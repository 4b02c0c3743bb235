package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/slipstick/slipstick/conformance/compat"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/process"
	"github.com/slipstick/slipstick/versions"
)

type diffCmd struct {
	Old       string `arg:"" help:"The older engine: an executable, or a published version such as ohms-law@1.0.0; without @ the current one."`
	New       string `arg:"" help:"The newer engine, likewise."`
	Format    string `default:"text" enum:"text,json" help:"text for people, json for programs, with every difference."`
	Generated int    `default:"256" help:"How many requests to generate from the older Spec, beside those near its vectors." placeholder:"N"`

	origin
	judging
}

func (c *diffCmd) Help() string {
	return `Example: slipstick diff ohms-law@1.0.0 ./ohms_law

Compares what both versions accept, answer and declare, and then asks both the same: the
vectors of the older one, requests near them, and requests generated from its Spec. What
is found says which bump the change needs:

  patch   every answer is the same, to the last bit; texts for people may differ
  minor   something is new: an optional input, an alias, an enum value, an output, a code,
          a wider range, a warning; what was answered has the same numbers
  major   all else: another number, or something that is gone, narrower or required now

Before 1.0.0 a minor version may do what a major one may. A pre-release promises nothing to
those after it. publish makes the same comparison and refuses what is illegal.

The exit code is 0 when the version of the newer engine is legal, 1 when it is not, 2 when
the command line is wrong and 3 when the two cannot be compared.`
}

func (c *diffCmd) Run(ctx context.Context, s streams) error {
	if c.Generated < 1 {
		return &failure{exitMisuse, fmt.Errorf("--generated %d: at least 1", c.Generated)}
	}
	launch, end, err := c.judging.enter(s.err, c.origin.files())
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
	show := progress(s.err)
	report, err := compat.Diff(ctx, older, newer, &compat.Options{Generated: c.Generated, Progress: func(done, all int) {
		show(fmt.Sprintf("%d of %d requests", done, all))
	}})
	show("")
	if errors.Is(err, compat.ErrOther) {
		return &failure{exitMisuse, err}
	}
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
	encoder := json.NewEncoder(plain(s.out))
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}

// find returns the engine that the command line names. It must be closed.
func (c *diffCmd) find(ctx context.Context, name string, launch process.Options) (*compat.Engine, func(), error) {
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		return fromFile(ctx, name, launch)
	}
	id, version, pinned := strings.Cut(name, "@")
	if strings.ContainsAny(id, `/\`) {
		return nil, nil, &failure{exitMisuse, fmt.Errorf("there is no executable %s", name)}
	}
	catalog, err := c.catalog(ctx, io.Discard, true)
	if err != nil {
		return nil, nil, fmt.Errorf("%s is no executable, and for a published version there is %w", name, err)
	}
	var pins []versions.Pin
	if pinned {
		pins = []versions.Pin{{Where: name, Value: version}}
	}
	entry, err := catalog.Find(id)
	if err != nil {
		return nil, nil, describeProblem(calc.ProblemOf(err))
	}
	release, err := entry.Release(pins)
	if err != nil {
		return nil, nil, describeProblem(calc.ProblemOf(err))
	}
	return releaseCompared(release, launch)
}

func fromFile(ctx context.Context, path string, launch process.Options) (*compat.Engine, func(), error) {
	e, err := readExecutable(path, launch)
	if err != nil {
		return nil, nil, err
	}
	spec, vectors, err := e.describe(ctx)
	if err != nil {
		e.close()
		return nil, nil, err
	}
	return e.compared(spec, vectors), e.close, nil
}
