package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/telemetry"
	"github.com/slipstick/slipstick/host/internal/typed"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/strictjson"
	"github.com/slipstick/slipstick/versions"
)

type calcCmd struct {
	ID     string   `arg:"" optional:"" help:"Capability or tool, such as cantilever-deflection."`
	Inputs []string `arg:"" optional:"" name:"name=value" help:"Inputs by name or alias: L=3, L=3ft, model=timoshenko, data=2,4,4. Bare numbers are SI."`
	Pin    string   `help:"Compute with exactly this published version." placeholder:"VERSION"`
	JSON   bool     `help:"Print the result object of the REST interface, or its error object."`

	batchFlags `embed:""`

	origin

	confinement
	trusting
}

func (c *calcCmd) Help() string {
	return `Example: slipstick calc cantilever-deflection L=3 E=210e9 I=8.356e-5 w0=12000

Many at once, from a file of any size:

  slipstick calc --batch beams.ndjson --out answers.ndjson
  slipstick calc --batch beams.csv --output csv cantilever-deflection > deflections.csv
  generate | slipstick calc --batch - --output result ohms-law

A line of NDJSON is what POST /api/v1/calc takes: {"id": "ohms-law", "inputs": {"V": 12, "R": 8}}.
The capability given here is that of lines without an id. The first record of a CSV file names
the inputs, by name or alias; its cells are written as values are here (3, 3 ft), and an empty
one is an input that is not sent. Rows are answered in their order, each for itself.

A list is written data=2,4,4 or data='[2,4,4]', a list of rows layers='0.1 0.04; 0.2 1.4' or as
JSON. An input that takes decimal strings takes every number here exactly as it is typed; in
NDJSON only what stands in quotes is.

The exit code is 0 for a result, 1 when the inputs or the version are rejected, 2 when
the command line is wrong and 3 when the engine could not be run. Of a batch it is the
highest of its rows.`
}

// check judges what the command line means as a whole.
func (c *calcCmd) check() error {
	switch {
	case c.Batch != "" && len(c.Inputs) > 0:
		return fmt.Errorf("%q: the inputs of a batch stand in its file", c.Inputs[0])
	case c.Batch != "" && c.JSON:
		return errors.New("--json is for one calculation; a batch has --output")
	case c.Batch == "" && c.ID == "":
		return errors.New("name a capability, such as slipstick calc ohms-law V=12 R=8; slipstick list shows what there is")
	}
	return c.batchFlags.check(c.ID)
}

func (c *calcCmd) Run(ctx context.Context, s streams) error {
	if err := c.check(); err != nil {
		return &failure{exitMisuse, err}
	}
	catalog, err := c.origin.catalog(ctx, s.err, true, c.trusting)
	if err != nil {
		return err
	}
	jailed, err := c.confinement.enter(s.err, slices.Concat(dataFiles(""), c.origin.files(), c.trusting.files()))
	if err != nil {
		return err
	}
	defer jailed.close()
	engines, err := newEngines(slog.New(slog.NewTextHandler(s.err, nil)), telemetry.NewMetrics(), new(telemetry.Tracer), jailed, false)
	if err != nil {
		return err
	}
	defer engines.pool.Close()
	service := calc.New(catalog, engines, nil)
	if c.Batch != "" {
		return c.runBatch(ctx, s, service)
	}
	answer, err := c.calculate(ctx, service)
	var misuse *failure
	if errors.As(err, &misuse) {
		return misuse
	}
	if err != nil {
		problem := calc.ProblemOf(err)
		if c.JSON {
			_, _ = plain(s.out).Write(problem.AppendJSON(nil, ""))
		}
		return describeProblem(problem)
	}
	if c.JSON {
		_, err = plain(s.out).Write(answer.AppendJSON(nil))
		return err
	}
	return printAnswer(s.out, answer)
}

// pins are those of the command line.
func (c *calcCmd) pins() []versions.Pin {
	if c.Pin == "" {
		return nil
	}
	return []versions.Pin{{Place: versions.InCommand, Name: "--pin", Value: c.Pin}}
}

// release finds what the command line names.
func (c *calcCmd) release(service *calc.Service) (*calc.Release, error) {
	entry, err := service.Catalog().Find(c.ID)
	if err != nil {
		return nil, err
	}
	return entry.Release(c.pins())
}

func (c *calcCmd) calculate(ctx context.Context, service *calc.Service) (*calc.Answer, error) {
	release, err := c.release(service)
	if err != nil {
		return nil, err
	}
	req := calc.Request{ID: c.ID, Inputs: strictjson.Value{Kind: strictjson.Object}, Pins: c.pins()}
	for _, arg := range c.Inputs {
		name, text, ok := strings.Cut(arg, "=")
		if !ok {
			return nil, &failure{exitMisuse, fmt.Errorf("%q is not name=value, such as L=3", arg)}
		}
		if _, twice := req.Inputs.Member(name); twice {
			return nil, sdk.Conflict(name, "%s is given twice", name)
		}
		req.Inputs.Members = append(req.Inputs.Members, readInput(&release.Spec, name, text))
	}
	return service.Calculate(ctx, req)
}

// readInput turns the text of an input into the JSON member that it means.
func readInput(spec *sdk.Spec, name, text string) strictjson.Member {
	if i := spec.Input(name); i >= 0 {
		return strictjson.Member{Name: name, Value: typed.Argument(&spec.Inputs[i], text)}
	}
	return strictjson.Member{Name: name, Value: strictjson.Value{Kind: strictjson.String, Text: text}} // the envelope knows what to say
}

// describeProblem makes the problem an error for people, with the exit code that
// goes with it.
func describeProblem(p *calc.Problem) error {
	var text strings.Builder
	printLine(&text, "%s: %s", p.Code, p.Detail)
	for _, i := range p.Invalid[min(1, len(p.Invalid)):] {
		printLine(&text, "\n  also %s: %s", i.Name, i.Constraint)
	}
	if p.Mismatch != nil && len(p.Mismatch.Available) > 0 {
		printLine(&text, "\n  published: %s", strings.Join(p.Mismatch.Available, ", "))
	}
	if len(p.AcceptableIDs) > 0 {
		printLine(&text, "\n  nearest: %s", strings.Join(p.AcceptableIDs[:min(5, len(p.AcceptableIDs))], ", "))
	}
	if p.Cause != nil {
		fmt.Fprintf(&text, "\n  because: %v", p.Cause) // may have lines of its own
	}
	if what := suggestion(p); what != "" {
		printLine(&text, "\n  %s", what)
	}
	code := exitFailed
	if p.Status() >= 500 {
		code = exitInternal
	}
	return &failure{code, errors.New(text.String())}
}

// printAnswer prints the answer for a person.
func printAnswer(w io.Writer, a *calc.Answer) error {
	spec, o := a.Success.Spec, &a.Success.Outcome
	t := tabwriter.NewWriter(w, 0, 8, 3, ' ', 0)
	printLine(t, "%s\n\n", spec.Title)
	printValues(t, spec.Outputs, o.Result, true)
	printLine(t, "\ninputs\n")
	printValues(t, spec.Inputs, o.Inputs, false)
	if f := a.Success.Formula(); f != nil {
		printLine(t, "\nformula\n  %s\n", f.Expression)
	}
	printList(t, "assumptions", a.Success.Assumptions())
	var warnings []string
	for _, x := range o.Warnings {
		warnings = append(warnings, strings.TrimSpace(fmt.Sprintf("%s (%s): %s %s", x.Code, x.Severity, x.Detail, x.Suggestion)))
	}
	printList(t, "warnings", warnings)
	printProvenance(t, a.Release)
	return t.Flush()
}

func printValues(w io.Writer, fields []sdk.Field, values sdk.Values, full bool) {
	for i := range fields {
		f, v := &fields[i], values[i]
		if v.Kind() == sdk.Absent {
			continue
		}
		text := strings.Trim(string(sdk.AppendValue(nil, f, v)), `"`)
		switch {
		case v.Kind() == sdk.Number && full:
			_, formatted := sdk.Format(fields[i:i+1], values[i:i+1])
			printLine(w, "  %s\t%s\t(%s)\n", f.Name, formatted, text)
		default:
			printLine(w, "  %s\t%s\n", f.Name, strings.TrimSpace(text+" "+f.Unit))
		}
	}
}

func printList(w io.Writer, title string, items []string) {
	if len(items) == 0 {
		return
	}
	printLine(w, "\n%s\n", title)
	for _, item := range items {
		printLine(w, "  - %s\n", item)
	}
}

func printProvenance(w io.Writer, r *registry.Release) {
	printLine(w, "\ncomputed by\n  %s %s, tier %s\n  engine %s\n", r.Capability, r.Version, r.Verification.Tier, r.EngineDigest)
}
