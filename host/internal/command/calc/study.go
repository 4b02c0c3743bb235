package calc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/study"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/outputs"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// StudyForm describes a study by flags.
type StudyForm study.Written

// Study has the options of slipstick study.
type Study struct {
	Form StudyForm

	Plan   string
	Replay string
	JSON   bool
	CSV    bool

	Unit  []string
	Units string

	command.RegistryFlags

	command.SandboxFlags
	command.TrustFlags
}

func (c *Study) check() error {
	switch {
	case c.Replay != "" && (c.Plan != "" || c.Form.Kind != ""):
		return errors.New("--replay has its plan in the file; name nothing else")
	case c.Replay != "" && (len(c.Unit) > 0 || c.Units != ""):
		return errors.New("--replay compares every byte, and shows no numbers; leave --unit and --units out")
	case c.Units != "" && !slices.Contains(outputs.Systems, c.Units):
		return fmt.Errorf("--units %q is not a system of units; give us, metric or si", c.Units)
	case c.JSON && c.CSV:
		return errors.New("--json and --csv are two ways to print the result; give one")
	case c.Replay == "" && c.Plan == "" && (c.Form.Kind == "" || c.Form.ID == ""):
		return errors.New("name a kind of study and a capability, such as slipstick study sensitivity ohms-law V=12 R=8; slipstick study --help lists the kinds")
	case c.Plan != "" && c.Form.Kind != "":
		return errors.New("--plan has kind, capability and inputs in the file; name nothing else")
	}
	return nil
}

// Run runs a study, or repeats a stored one.
func (c *Study) Run(ctx context.Context, s command.Streams) error {
	if err := c.check(); err != nil {
		return command.Misuse(err)
	}
	service, engines, err := c.RegistryFlags.Service(ctx, s, c.TrustFlags, c.SandboxFlags)
	if err != nil {
		return err
	}
	defer engines.Close()
	if c.Replay != "" {
		return c.replay(ctx, s, service)
	}
	r, choice, err := c.run(ctx, s, service)
	if misuse := command.Is[*typed.ArgumentError](err) || command.Is[*study.FormError](err) || command.Is[*command.Failure](err); misuse {
		return err
	}
	if err != nil {
		problem := problem.Of(err)
		if c.JSON {
			_, _ = terminal.Plain(s.Out).Write(problem.AppendJSON(nil, ""))
		}
		return problem
	}
	table, err := choice.In(r)
	if err != nil {
		return problem.Of(err)
	}
	switch {
	case c.JSON:
		if err := choice.Show(r); err != nil {
			return problem.Of(err)
		}
		text, err := r.AppendJSON(nil)
		if err == nil {
			_, err = terminal.Plain(s.Out).Write(text)
		}
		return err
	case c.CSV:
		for _, t := range table.Warnings {
			terminal.Printf(s.Err, "warning: %s: %s\n", t.Code, terminal.OneLine(t.Detail))
		}
		text, err := table.Table(nil).CSV()
		if err == nil {
			_, err = terminal.Plain(s.Out).Write(text)
		}
		return err
	}
	return terminal.Study(s.Out, table)
}

// maxStudyFile bounds the bytes that are read from a file. A result of the largest sweep fits.
const maxStudyFile = 16 << 20

// read reads a file, or stdin.
func read(s command.Streams, name string) ([]byte, error) {
	from := s.In
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, command.Misuse(err)
		}
		defer f.Close()
		from = f
	}
	text, err := io.ReadAll(io.LimitReader(from, maxStudyFile+1))
	if err == nil && len(text) > maxStudyFile {
		err = command.Misuse(fmt.Errorf("%s has more than %d bytes", name, maxStudyFile))
	}
	return text, err
}

// replay makes a study again.
func (c *Study) replay(ctx context.Context, s command.Streams, service *calc.Service) error {
	text, err := read(s, c.Replay)
	if err != nil {
		return err
	}
	same, now, err := study.Recompute(ctx, service, text, nil)
	if err != nil {
		return problem.Of(err)
	}
	if !same {
		return command.Refused(fmt.Errorf("the study of %s %s gives another result than the file has", now.Capability, now.Version))
	}
	terminal.Printf(s.Out, "byte-identical: %s of %s %s, %s\n", now.Kind, now.Capability, now.Version, terminal.Count(now.Calculations, "calculation"))
	return nil
}

// run returns the result of a study, and the units to show it in.
func (c *Study) run(ctx context.Context, s command.Streams, service *calc.Service) (*study.Result, *study.Choice, error) {
	plan, err := c.plan(s, service)
	if err != nil {
		return nil, nil, err
	}
	words := terminal.StudyFlags
	if c.Plan != "" || c.JSON {
		words = study.JSON
	}
	made, err := study.Read(service, c.Form.ID, plan, command.Pins(c.Form.Pin), words)
	if err != nil {
		return nil, nil, err
	}
	choice, err := made.Choose(customary.System(c.Units), c.Unit)
	if err != nil {
		return nil, nil, err
	}
	r, err := made.Run(ctx, nil)
	return r, choice, err
}

// plan returns the plan of the file, or the one that the flags mean.
func (c *Study) plan(s command.Streams, service *calc.Service) (strictjson.Value, error) {
	if c.Plan != "" {
		text, err := read(s, c.Plan)
		if err != nil {
			return strictjson.Value{}, err
		}
		plan, err := calc.ReadObject(text)
		if p, ok := errors.AsType[*problem.Problem](err); ok {
			p.Detail = c.Plan + ": " + p.Detail
		}
		return plan, err
	}
	_, release, err := service.Catalog().Release(c.Form.ID, command.Pins(c.Form.Pin))
	if err != nil {
		return strictjson.Value{}, err
	}
	written := study.Written(c.Form)
	return written.Plan(&release.Spec)
}
