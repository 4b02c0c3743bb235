package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/calc"
)

// studyFlags has the fields of [calc.StudyForm].
type studyFlags struct {
	Kind   string   `arg:"" optional:"" help:"Kind of study: sweep, compare, goal-seek, sensitivity, gum or monte-carlo."`
	ID     string   `arg:"" optional:"" complete:"capability" help:"Capability or tool, such as cantilever-deflection."`
	Inputs []string `arg:"" optional:"" name:"name=value" complete:"input" help:"Inputs by name or alias, as for slipstick calc."`
	Pin    string   `complete:"version" help:"Study exactly this published version." placeholder:"VERSION"`

	Output []string `sep:"none" help:"Output to study. Can be given several times. Default: the main output." placeholder:"NAME"`

	Vary    []string `sep:"none" help:"sweep, compare: values of an input, as 0:1:11 (from, to, count), 1:1000:4:log, or 1,2,5. sensitivity: its name. Can be given several times." placeholder:"NAME=VALUES"`
	Zip     bool     `help:"sweep: combine the first values of all inputs, then the second ones, and so on. Default: every combination."`
	Against string   `help:"compare: the other version." placeholder:"VERSION"`
	Unknown string   `help:"goal-seek: the input to find, and the range to search." placeholder:"NAME=FROM:TO"`
	Goal    string   `help:"goal-seek: the wanted value of the output." placeholder:"VALUE"`
	Change  string   `help:"sensitivity: relative change of the inputs for the tornado chart. Default: 0.1." placeholder:"PART"`

	Uncertain   []string `sep:"none" help:"gum, monte-carlo: uncertainty of an input: 0.05 (standard uncertainty), normal:0.05:9 (with degrees of freedom), rectangular:0.1 (half-width), t:0.05:9, trapezoidal:0.1:0.02. Can be given several times." placeholder:"NAME=WHAT"`
	Correlation []string `sep:"none" help:"Correlation coefficient of two uncertain inputs. Can be given several times." placeholder:"A,B=R"`
	Probability string   `help:"Probability of coverage intervals. Default: 0.95." placeholder:"PART"`
	SecondOrder bool     `help:"gum: include the terms of second order."`
	Draws       string   `help:"monte-carlo: number of draws. Default: 50000." placeholder:"N"`
	Digits      string   `help:"monte-carlo: draw until 1 or 2 digits of the uncertainty are stable." placeholder:"N"`
	MaxDraws    string   `help:"monte-carlo: with --digits, maximum number of draws." placeholder:"N"`
	Seed        string   `help:"monte-carlo: seed of the random numbers. The same seed gives the same draws. Default: 1." placeholder:"N"`
	Bins        string   `help:"monte-carlo: bins of the histogram. Default: 50." placeholder:"N"`
}

type studyCmd struct {
	studyFlags

	Plan   string `help:"Read the plan from this file, in the form of POST /api/v1/study. - is stdin." placeholder:"FILE"`
	Replay string `help:"Run the study of this answer or snapshot again, and report whether the result is byte-identical. - is stdin." placeholder:"FILE"`
	JSON   bool   `help:"Print the result object of the REST interface, or its error object."`
	CSV    bool   `name:"csv" help:"Print the numbers as CSV."`

	Unit  []string `sep:"none" help:"Unit of an input or output of the study, such as delta=mm, or mm if it has one output. Can be given several times." placeholder:"NAME=UNIT"`
	Units string   `help:"Customary units of inputs and outputs without a unit: us, metric or si. Default: the units of the Spec." placeholder:"SYSTEM"`

	command.RegistryFlags

	command.SandboxFlags
	command.TrustFlags
}

func (c *studyCmd) Run(ctx context.Context, s command.Streams) error {
	return (&calc.Study{
		Form: calc.StudyForm(c.studyFlags), Plan: c.Plan, Replay: c.Replay, JSON: c.JSON, CSV: c.CSV, Unit: c.Unit, Units: c.Units,
		RegistryFlags: c.RegistryFlags, SandboxFlags: c.SandboxFlags, TrustFlags: c.TrustFlags,
	}).Run(ctx, s)
}
