package main

import (
	"context"
	"fmt"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/sdk/wire"
)

type checkCmd struct {
	Engines []string `arg:"" optional:"" help:"Engine executables."`
	JSON    bool     `help:"Print one report object per engine."`
	Rules   bool     `help:"Print the rules instead of judging."`

	judging
}

func (c *checkCmd) Help() string {
	return `Runs each engine in processes of its own and judges it by every rule, with the vectors
that it carries. Nothing is published.

The exit code is 0 when every engine passes, 1 when one fails, and 3 when one could not
be judged.`
}

func (c *checkCmd) Run(ctx context.Context, s streams) error {
	if c.Rules {
		for _, r := range conformance.Rules() {
			fmt.Fprintf(s.out, "%-24s %s (%s)\n", r.ID, r.Rule, r.Cites)
		}
		return nil
	}
	if len(c.Engines) == 0 {
		return &failure{exitMisuse, fmt.Errorf("name at least one engine to check")}
	}
	launch, end, err := c.judging.enter(s.err)
	if err != nil {
		return err
	}
	defer end()
	failed := 0
	for _, path := range c.Engines {
		passed, err := c.check(ctx, s, path, launch)
		if err != nil {
			return err
		}
		if !passed {
			failed++
		}
	}
	if failed > 0 {
		return &failure{exitFailed, fmt.Errorf("%d of %d engines failed", failed, len(c.Engines))}
	}
	return nil
}

func (c *checkCmd) check(ctx context.Context, s streams, path string, launch wire.Options) (bool, error) {
	e, err := readExecutable(path, launch)
	if err != nil {
		return false, err
	}
	defer e.close()
	_, vectors, err := e.describe(ctx)
	if err != nil {
		return false, err
	}
	report := e.judge(ctx, vectors, progress(s.err))
	if !c.JSON {
		return report.Passed, report.WriteText(s.out)
	}
	data, err := reportJSON(report)
	if err != nil {
		return false, err
	}
	_, err = s.out.Write(data)
	return report.Passed, err
}
