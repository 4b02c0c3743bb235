package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/tables/outputs"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// Answer writes the answer of one calculation for people, with the chosen outputs. With
// a system of units, the inputs are in its units too. The error can be a fault of the choice.
func Answer(w io.Writer, a *calc.Answer, shown *outputs.Choice) error {
	spec, o := a.Success.Spec, &a.Success.Outcome
	fields, values, err := shown.Of(o)
	if err != nil {
		return problem.Of(err)
	}
	entered, given, err := shown.Inputs(o)
	if err != nil {
		return problem.Of(err)
	}
	t := columns(w, 3)
	Printf(t, "%s\n\n", spec.Title)
	printValues(t, fields, values, true)
	Printf(t, "\ninputs\n")
	printValues(t, entered, given, shown.HasSystem())
	if f := a.Success.Formula(); f != nil {
		Printf(t, "\nformula\n  %s\n", f.Expression)
	}
	if len(a.Success.Steps) > 0 {
		Printf(t, "\nsteps\n")
	}
	printSteps(t, a.Success.Steps, "  ")
	list(t, "assumptions", a.Success.Assumptions())
	var warnings []string
	for _, x := range a.Success.AllWarnings() {
		warnings = append(warnings, strings.TrimSpace(fmt.Sprintf("%s (%s): %s %s", x.Code, x.Severity, x.Detail, x.Suggestion)))
	}
	list(t, "warnings", warnings)
	printProvenance(t, a.Release)
	return t.Flush()
}

// printSteps writes steps. The steps of a called calculation are indented below its line.
func printSteps(w io.Writer, steps []response.Step, indent string) {
	for i := range steps {
		for _, line := range stepLines(&steps[i]) {
			Printf(w, "%s%s\n", indent, line)
		}
		if steps[i].Called != nil {
			printSteps(w, steps[i].Called.Steps, indent+"  ")
		}
	}
}

// stepLines returns the lines of a step. A long call has its results, and the calculation, on separate lines.
func stepLines(s *response.Step) []string {
	if s.Called == nil || len(s.Text) <= stepWidth {
		return s.Lines(stepWidth)
	}
	indent := strings.Repeat(" ", len(s.Name))
	lines := []string{s.Name + " = " + s.Rule, indent + " = " + s.Value, indent + "   by " + s.Called.Title + " " + s.Called.Version}
	if s.Because != "" {
		lines = append(lines, indent+"   because "+s.Because)
	}
	return lines
}

// stepWidth is the maximum length of a step on one line. Longer steps have rule, numbers and value on separate lines.
const stepWidth = 100

func printValues(w io.Writer, fields []sdk.Field, values value.Values, full bool) {
	for _, i := range headlineFirst(fields) {
		f, v := &fields[i], values[i]
		if v.Kind() == value.Absent {
			continue
		}
		text := strings.Trim(string(response.AppendValue(nil, f, v)), `"`)
		switch {
		case v.Kind() == value.Number && full:
			_, formatted := response.Format(fields[i:i+1], values[i:i+1])
			Printf(w, "  %s\t%s\t(%s)\n", f.Name, formatted, text)
		default:
			Printf(w, "  %s\t%s\n", f.Name, strings.TrimSpace(text+" "+f.Unit))
		}
	}
}

// headlineFirst returns the indexes of fields, headlines first.
func headlineFirst(fields []sdk.Field) []int {
	var order []int
	for i := range fields {
		if fields[i].Headline {
			order = slices.Insert(order, 0, i)
		} else {
			order = append(order, i)
		}
	}
	return order
}

func printProvenance(w io.Writer, r *registry.Release) {
	Printf(w, "\ncomputed by\n  %s %s, tier %s\n  engine %s\n", r.Capability, r.Version, r.Verification.Tier, r.EngineDigest)
}
