// Package calc implements the commands that compute with published engines, without a server. [Calc] computes one
// result or the rows of a file, [Study] runs a study, and [MCP] serves the tools for agents. The fields of a
// command are its arguments and flags, and Run executes it.
package calc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/outputs"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/versions"
)

// Calc has the options of slipstick calc.
type Calc struct {
	ID     string
	Inputs []string
	Pin    string
	AsOf   string
	JSON   bool

	Steps bool

	Unit  []string
	Units string

	Batch     string
	Format    string
	Output    string
	Decimal   string
	Tag       []string
	KeepGoing bool
	Out       string
	Shard     string
	Progress  string

	command.RegistryFlags

	command.SandboxFlags
	command.TrustFlags
}

// check returns an error if flags contradict each other.
func (c *Calc) check() error {
	switch {
	case c.Batch != "" && len(c.Inputs) > 0:
		return fmt.Errorf("%q: the inputs of a batch are in its file", c.Inputs[0])
	case c.Batch != "" && c.JSON:
		return errors.New("--json is for one calculation; a batch has --output")
	case c.Batch != "" && c.Steps:
		return errors.New("--steps is for one calculation; leave it out of a batch")
	case c.Units != "" && !slices.Contains(outputs.Systems, c.Units):
		return fmt.Errorf("--units %q is not a system of units; give us, metric or si", c.Units)
	case c.Shard != "" && c.Units != "":
		return errors.New("--units is not for shards; give each output its unit with --unit")
	case c.JSON && (len(c.Unit) > 0 || c.Units != ""):
		return errors.New("--json is the answer of the interface, whose units do not change; leave --unit and --units out")
	case c.Batch != "" && !c.as().IsTable() && (len(c.Unit) > 0 || c.Units != ""):
		return errors.New("--unit and --units go with --output csv, table, parquet or arrow: NDJSON has the answers of the interface, whose units do not change")
	case c.Batch == "" && c.ID == "":
		return errors.New("name a capability, such as slipstick calc ohms-law V=12 R=8; slipstick list shows what there is")
	}
	if id, version, found := strings.Cut(c.ID, "@"); found {
		return fmt.Errorf("%q is not an id; to pin the version, write slipstick calc %s --pin %s", c.ID, id, version)
	}
	return c.checkBatch()
}

// Run computes one result, a batch or a shard of a batch.
func (c *Calc) Run(ctx context.Context, s command.Streams) error {
	if err := c.check(); err != nil {
		return command.Misuse(err)
	}
	if c.Shard != "" {
		return c.runShard(ctx, s)
	}
	service, engines, err := c.RegistryFlags.Service(ctx, s, c.TrustFlags, c.SandboxFlags)
	if err != nil {
		return err
	}
	defer engines.Close()
	if c.Batch != "" {
		return c.runBatch(ctx, s, service, engines)
	}
	answer, shown, err := c.calculate(ctx, service)
	if command.Is[*typed.ArgumentError](err) {
		return err
	}
	if err != nil {
		problem := problem.Of(err)
		if c.JSON {
			_, _ = terminal.Plain(s.Out).Write(problem.AppendJSON(nil, ""))
		}
		return problem
	}
	if c.JSON {
		_, err = terminal.Plain(s.Out).Write(answer.AppendJSON(nil))
		return err
	}
	return terminal.Answer(s.Out, answer, shown)
}

// pins returns the pins that --pin and --as-of mean.
func (c *Calc) pins() []versions.Pin {
	list := command.Pins(c.Pin)
	if c.AsOf != "" {
		list = append(list, versions.Pin{Place: versions.InCommand, Name: "--as-of", Value: c.AsOf, Means: versions.AsOf})
	}
	return list
}

// calculate returns an answer, and how its outputs are to be shown.
func (c *Calc) calculate(ctx context.Context, service *calc.Service) (*calc.Answer, *outputs.Choice, error) {
	_, release, err := service.Catalog().Release(c.ID, c.pins())
	if err != nil {
		return nil, nil, err
	}
	shown, err := outputs.Choose(&release.Spec, nil, c.Unit)
	if err == nil {
		shown = shown.In(customary.System(c.Units))
	}
	if err != nil {
		return nil, nil, err
	}
	inputs, err := typed.Inputs(&release.Spec, c.Inputs)
	if err != nil {
		return nil, nil, err
	}
	answer, err := service.Calculate(ctx, calc.Request{ID: c.ID, Inputs: inputs, Pins: c.pins()})
	if err == nil && c.Steps {
		service.AddSteps(answer, shown.Steps())
	}
	return answer, shown, err
}
