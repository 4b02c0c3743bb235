package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/slipstick/slipstick/host/internal/archive/replay"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/page/trust"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/publish"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/versions"
)

type impactCmd struct {
	New    string   `arg:"" complete:"release" help:"What would answer: a published version such as ohms-law@2.0.0, or an engine that is not published: an executable, or the directory of its program."`
	Over   []string `required:"" help:"Stored results: what slipstick replay takes. It may be repeated." placeholder:"TARGET"`
	FailOn []string `name:"fail-on" help:"Exit with 1 if any result changed (changed), is refused now (refused), or differs by more than a part of the stored one (rel=1e-9). It may be repeated." placeholder:"CONDITION"`
	HTML   string   `name:"html" help:"Write a page with the distribution to this file too. It needs no server." placeholder:"FILE"`

	ReadOnly []string `name:"read-only" help:"What an engine that is not published must read of the system to describe itself, such as its interpreter." placeholder:"PATH"`
	recomputing
}

func (c *impactCmd) Run(ctx context.Context, s streams) error {
	var conditions []replay.Condition
	for _, text := range c.FailOn {
		condition, err := replay.ParseCondition(text)
		if err != nil {
			return &failure{exitMisuse, fmt.Errorf("--fail-on %s: %w", text, err)}
		}
		conditions = append(conditions, condition)
	}
	from, err := c.stored()
	if err != nil {
		return err
	}
	catalog, service, running, err := c.begin(ctx, s)
	if err != nil {
		return err
	}
	defer running.Close()
	with, err := c.find(ctx, catalog, running)
	if err != nil {
		return err
	}
	show, end := terminal.Replaying(s.err)
	effect, err := replay.Impact(ctx, catalog, service, with, c.Over, &replay.Options{Stored: from, Progress: show})
	end()
	if err != nil {
		return err
	}
	err = c.write(s, effect, func(w io.Writer) error { return terminal.Effect(w, effect) }, func(w io.Writer) error { return effect.WriteJUnit(w, conditions) })
	if err != nil {
		return err
	}
	if c.HTML != "" {
		if err := writeFile(c.HTML, func(w io.Writer) error { return trust.WriteImpact(w, effect) }); err != nil {
			return err
		}
	}
	for _, condition := range conditions {
		if wrong := condition.In(effect); wrong != "" {
			return &failure{exitFailed, fmt.Errorf("--fail-on %s: %s", condition, wrong)}
		}
	}
	return notWhole(effect.Report)
}

// find returns the release that the command line names.
func (c *impactCmd) find(ctx context.Context, published *catalog.Catalog, running *pool.Pool) (*registry.Release, error) {
	if info, err := os.Stat(c.New); err == nil && (info.Mode().IsRegular() || build.IsProgram(c.New)) {
		e, err := publish.Describe(ctx, c.New, process.Options{Confiner: running.Sandbox().Confiner(), ReadOnly: c.ReadOnly})
		if err != nil {
			return nil, err
		}
		return registry.Unpublished(e.Spec, e.Digest, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(e.Bytes)), nil }), nil
	}
	id, version, pinned := strings.Cut(c.New, "@")
	if strings.ContainsAny(id, `/\`) {
		return nil, &failure{exitMisuse, fmt.Errorf("there is no executable, and no directory of a program, %s", c.New)}
	}
	var pins []versions.Pin
	if pinned {
		pins = []versions.Pin{{Place: versions.InCommand, Name: c.New, Value: version}}
	}
	_, release, err := published.Release(id, pins)
	if err != nil {
		return nil, problem.Of(err)
	}
	return release, nil
}
