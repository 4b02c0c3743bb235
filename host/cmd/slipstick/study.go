package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/study"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// studyFlags has the members of [study.Written], and the help of each.
type studyFlags struct {
	Kind   string   `arg:"" optional:"" help:"sweep, compare, goal-seek, sensitivity, gum or monte-carlo."`
	ID     string   `arg:"" optional:"" complete:"capability" help:"Capability or tool, such as cantilever-deflection."`
	Inputs []string `arg:"" optional:"" name:"name=value" complete:"input" help:"Inputs by name or alias, as slipstick calc takes them."`
	Pin    string   `complete:"version" help:"Study exactly this published version." placeholder:"VERSION"`

	Output []string `sep:"none" help:"An output to study. Can be given several times. Default: what people want first." placeholder:"NAME"`

	Vary    []string `sep:"none" help:"sweep, compare: values of an input, as 0:1:11 (from, to, count), 1:1000:4:log, or 1,2,5. sensitivity: its name. Can be given several times." placeholder:"NAME=VALUES"`
	Zip     bool     `help:"Take the values of several inputs together, not every combination."`
	Against string   `help:"compare: the other version." placeholder:"VERSION"`
	Unknown string   `help:"goal-seek: the input that is looked for, and between which values." placeholder:"NAME=FROM:TO"`
	Goal    string   `help:"goal-seek: the value that the output is to have." placeholder:"VALUE"`
	Change  string   `help:"sensitivity: by which part inputs are changed for the tornado chart. Default: 0.1." placeholder:"PART"`

	Uncertain   []string `sep:"none" help:"gum, monte-carlo: what is known of an input: 0.05 (standard uncertainty), normal:0.05:9 (with degrees of freedom), rectangular:0.1 (half-width), t:0.05:9, trapezoidal:0.1:0.02. Can be given several times." placeholder:"NAME=WHAT"`
	Correlation []string `sep:"none" help:"Coefficient of correlation of two uncertain inputs. Can be given several times." placeholder:"A,B=R"`
	Probability string   `help:"Of coverage intervals. Default: 0.95." placeholder:"PART"`
	SecondOrder bool     `help:"gum: with the terms of second order."`
	Draws       string   `help:"monte-carlo: how many. Default: 50000." placeholder:"N"`
	Digits      string   `help:"monte-carlo: draw until that many digits of the uncertainty are stable, 1 or 2." placeholder:"N"`
	MaxDraws    string   `help:"monte-carlo: with --digits, draws at most." placeholder:"N"`
	Seed        string   `help:"monte-carlo: the same seed draws the same. Default: 1." placeholder:"N"`
	Bins        string   `help:"monte-carlo: of the histogram. Default: 50." placeholder:"N"`
}

type studyCmd struct {
	studyFlags

	Plan   string `help:"Read the plan from this file, as POST /api/v1/study takes it; - is stdin." placeholder:"FILE"`
	Replay string `help:"Make the study of this answer or snapshot again, and say whether every byte is the same; - is stdin." placeholder:"FILE"`
	JSON   bool   `help:"Print the result object of the REST interface, or its error object."`
	CSV    bool   `name:"csv" help:"Print the numbers as CSV."`

	origin

	confinement
	trusting
}

func (c *studyCmd) check() error {
	switch {
	case c.Replay != "" && (c.Plan != "" || c.Kind != ""):
		return errors.New("--replay has its plan in the file; name nothing else")
	case c.JSON && c.CSV:
		return errors.New("--json and --csv are two ways to print the result; give one")
	case c.Replay == "" && c.Plan == "" && (c.Kind == "" || c.ID == ""):
		return errors.New("name a kind of study and a capability, such as slipstick study sensitivity ohms-law V=12 R=8; slipstick study --help lists the kinds")
	case c.Plan != "" && c.Kind != "":
		return errors.New("--plan has kind, capability and inputs in the file; name nothing else")
	}
	return nil
}

func (c *studyCmd) Run(ctx context.Context, s streams) error {
	if err := c.check(); err != nil {
		return &failure{exitMisuse, err}
	}
	service, end, err := c.origin.computing(ctx, s, c.trusting, c.confinement)
	if err != nil {
		return err
	}
	defer end()
	if c.Replay != "" {
		return c.replay(ctx, s, service)
	}
	r, err := c.run(ctx, s, service)
	if misuse := is[*typed.ArgumentError](err) || is[*study.FormError](err) || is[*failure](err); misuse {
		return err
	}
	if err != nil {
		problem := problem.Of(err)
		if c.JSON {
			_, _ = terminal.Plain(s.out).Write(problem.AppendJSON(nil, ""))
		}
		return problem
	}
	switch {
	case c.JSON:
		text, err := r.AppendJSON(nil)
		if err == nil {
			_, err = terminal.Plain(s.out).Write(text)
		}
		return err
	case c.CSV:
		for _, t := range r.Warnings {
			terminal.Printf(s.err, "warning: %s: %s\n", t.Code, terminal.OneLine(t.Detail))
		}
		text, err := r.Table().CSV()
		if err == nil {
			_, err = terminal.Plain(s.out).Write(text)
		}
		return err
	}
	return terminal.Study(s.out, r)
}

// maxStudyFile bounds what is read of a file: a result of the largest sweep.
const maxStudyFile = 16 << 20

// read reads a file, or stdin.
func read(s streams, name string) ([]byte, error) {
	from := s.in
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, &failure{exitMisuse, err}
		}
		defer f.Close()
		from = f
	}
	text, err := io.ReadAll(io.LimitReader(from, maxStudyFile+1))
	if err == nil && len(text) > maxStudyFile {
		err = &failure{exitMisuse, fmt.Errorf("%s has more than %d bytes", name, maxStudyFile)}
	}
	return text, err
}

// replay makes a study again.
func (c *studyCmd) replay(ctx context.Context, s streams, service *calc.Service) error {
	text, err := read(s, c.Replay)
	if err != nil {
		return err
	}
	same, now, err := study.Recompute(ctx, service, text, nil)
	if err != nil {
		return problem.Of(err)
	}
	if !same {
		return &failure{exitFailed, fmt.Errorf("the study of %s %s gives another result than the file has", now.Capability, now.Version)}
	}
	terminal.Printf(s.out, "the same, byte for byte: %s of %s %s, %s\n", now.Kind, now.Capability, now.Version, terminal.Count(now.Calculations, "calculation"))
	return nil
}

func (c *studyCmd) run(ctx context.Context, s streams, service *calc.Service) (*study.Result, error) {
	plan, err := c.plan(s, service)
	if err != nil {
		return nil, err
	}
	words := terminal.StudyFlags
	if c.Plan != "" || c.JSON {
		words = study.JSON
	}
	made, err := study.Read(service, c.ID, plan, pins(c.Pin), words)
	if err != nil {
		return nil, err
	}
	return made.Run(ctx, nil)
}

// plan returns the plan of the file, or the one that the flags mean.
func (c *studyCmd) plan(s streams, service *calc.Service) (strictjson.Value, error) {
	if c.Plan != "" {
		text, err := read(s, c.Plan)
		if err != nil {
			return strictjson.Value{}, err
		}
		return calc.ReadObject(text)
	}
	_, release, err := service.Catalog().Release(c.ID, pins(c.Pin))
	if err != nil {
		return strictjson.Value{}, err
	}
	written := study.Written(c.studyFlags)
	return written.Plan(&release.Spec)
}
