package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/tables/outputs"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/versions"
)

type calcCmd struct {
	ID     string   `arg:"" optional:"" complete:"capability" help:"Capability or tool, such as cantilever-deflection."`
	Inputs []string `arg:"" optional:"" name:"name=value" complete:"input" help:"Inputs by name or alias: L=3, L=3ft, model=timoshenko, data=2,4,4. Bare numbers are SI."`
	Pin    string   `complete:"version" help:"Compute with exactly this published version." placeholder:"VERSION"`
	AsOf   string   `help:"Compute with the version that was current then, by the log of the registry: a date, which means its beginning in UTC, or a time such as 2026-03-01T12:00:00Z." placeholder:"DATE"`
	JSON   bool     `help:"Print the result object of the REST interface, or its error object."`

	Steps bool `help:"Also show how each result follows, step by step: in symbols, with numbers, and why each case counts."`

	Unit []string `sep:"none" help:"Show an output in this unit: delta=mm. The output can be left out where there is only one. Can be given several times." placeholder:"OUTPUT=UNIT"`

	batchFlags `embed:""`

	origin

	confinement
	trusting
}

// check judges what the command line means as a whole.
func (c *calcCmd) check() error {
	switch {
	case c.Batch != "" && len(c.Inputs) > 0:
		return fmt.Errorf("%q: the inputs of a batch stand in its file", c.Inputs[0])
	case c.Batch != "" && c.JSON:
		return errors.New("--json is for one calculation; a batch has --output")
	case c.Batch != "" && c.Steps:
		return errors.New("--steps is for one calculation; leave it out of a batch")
	case c.JSON && len(c.Unit) > 0:
		return errors.New("--json is the answer of the interface, whose units do not change; leave --unit out")
	case c.Batch != "" && !c.as().IsTable() && len(c.Unit) > 0:
		return errors.New("--unit goes with --output csv, table, parquet or arrow: NDJSON has the answers of the interface, whose units do not change")
	case c.Batch == "" && c.ID == "":
		return errors.New("name a capability, such as slipstick calc ohms-law V=12 R=8; slipstick list shows what there is")
	}
	return c.batchFlags.check(c.ID)
}

func (c *calcCmd) Run(ctx context.Context, s streams) error {
	if err := c.check(); err != nil {
		return &failure{exitMisuse, err}
	}
	if c.Shard != "" {
		return c.runShard(ctx, s)
	}
	service, end, err := c.origin.computing(ctx, s, c.trusting, c.confinement)
	if err != nil {
		return err
	}
	defer end()
	if c.Batch != "" {
		return c.runBatch(ctx, s, service)
	}
	answer, shown, err := c.calculate(ctx, service)
	if is[*typed.ArgumentError](err) {
		return err
	}
	if err != nil {
		problem := problem.Of(err)
		if c.JSON {
			_, _ = terminal.Plain(s.out).Write(problem.AppendJSON(nil, ""))
		}
		return problem
	}
	if c.JSON {
		_, err = terminal.Plain(s.out).Write(answer.AppendJSON(nil))
		return err
	}
	return terminal.Answer(s.out, answer, shown)
}

// pins are those of --pin.
func pins(pin string) []versions.Pin {
	if pin == "" {
		return nil
	}
	return []versions.Pin{{Place: versions.InCommand, Name: "--pin", Value: pin}}
}

// pins are those of --pin and --as-of.
func (c *calcCmd) pins() []versions.Pin {
	list := pins(c.Pin)
	if c.AsOf != "" {
		list = append(list, versions.Pin{Place: versions.InCommand, Name: "--as-of", Value: c.AsOf, Means: versions.AsOf})
	}
	return list
}

// calculate returns an answer, and how its outputs are to be shown.
func (c *calcCmd) calculate(ctx context.Context, service *calc.Service) (*calc.Answer, *outputs.Choice, error) {
	_, release, err := service.Catalog().Release(c.ID, c.pins())
	if err != nil {
		return nil, nil, err
	}
	shown, err := outputs.Choose(&release.Spec, nil, c.Unit)
	if err != nil {
		return nil, nil, err
	}
	inputs, err := typed.Inputs(&release.Spec, c.Inputs)
	if err != nil {
		return nil, nil, err
	}
	answer, err := service.Calculate(ctx, calc.Request{ID: c.ID, Inputs: inputs, Pins: c.pins()})
	if err == nil && c.Steps {
		service.AddSteps(answer)
	}
	return answer, shown, err
}
