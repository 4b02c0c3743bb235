// Package conversion makes the engines that convert a number from one unit of a quantity
// to another, from the one table of units.
package conversion

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// About is what the engine of one quantity tells people. The rest follows from the
// table.
type About struct {
	Title, Summary string
	Keywords       []string
	Assumptions    []string
	References     []sdk.Reference // beside those that all have
}

type input struct {
	A    sdk.Decimal `name:"a" label:"Value" symbol:"a" doc:"The number to convert."`
	From string      `name:"from" label:"From" doc:"Unit to convert from."`
	To   string      `name:"to" label:"To" doc:"Unit to convert to."`
}

type output struct {
	Value float64 `name:"value" label:"Result" symbol:"v" doc:"The number in the wanted unit."`
	Unit  string  `name:"unit" label:"Unit" doc:"Unit of the result."`
}

const belowAbsoluteZero = "TEMPERATURE_BELOW_ABSOLUTE_ZERO"

// Engine returns the engine of units.convert.<quantity> 1.0.0. Its result is the binary64
// nearest to the true one. It panics if the table does not have the quantity.
func Engine(quantity string, about About) sdk.Engine {
	spec := sdk.Spec{
		Capability:  "units.convert." + quantity,
		Version:     "1.0.0",
		Tool:        strings.ReplaceAll(quantity, "_", "-"),
		Group:       "convert",
		Title:       about.Title,
		Summary:     about.Summary,
		Keywords:    about.Keywords,
		Assumptions: about.Assumptions,
		References: append([]sdk.Reference{
			{Title: "NIST Special Publication 811, Guide for the Use of the International System of Units", Where: "2008 edition, Appendix B"},
		}, about.References...),
	}
	if quantity == "temperature" {
		spec.Errors = []string{belowAbsoluteZero}
	}
	si := siOf(quantity)
	inner := sdk.New(spec, func(ctx context.Context, in input) (output, error) { return calculate(ctx, in, si) })
	return &engine{inner, withUnits(inner.Spec(), quantity)}
}

// definition returns the formula. A number that stands for absolute zero may lie below it by a
// part of its last bit, as that of -459.67 degF does.
func definition(quantity string) string {
	if quantity == "temperature" {
		return "v = max(a + zero(from), 0)*factor(from)/factor(to) - zero(to)"
	}
	return "v = a*factor(from)/factor(to)"
}

// engine is one whose units are those of a table, which no tag of a struct can list.
type engine struct {
	sdk.Engine
	spec sdk.Spec
}

func (e *engine) Spec() sdk.Spec { return e.spec }

func (e *engine) Calculate(ctx context.Context, in value.Values) (sdk.Outcome, error) {
	if err := sdk.CheckValues(e.spec.Inputs, in); err != nil {
		return sdk.Outcome{}, fmt.Errorf("inputs do not fit the spec: %w", err)
	}
	return e.Engine.Calculate(ctx, in)
}

// withUnits makes enums of the units in spec, and then adds the formula, which is about them. A
// unit with a space is called by its spelling with a dot, which addresses of pages can hold.
func withUnits(spec sdk.Spec, quantity string) sdk.Spec {
	var ids []string
	var aliases []sdk.Alias
	for _, u := range units.Of(quantity) {
		id := strings.ReplaceAll(u.ID, " ", ".")
		if ids = append(ids, id); id != u.ID {
			aliases = append(aliases, sdk.Alias{Alias: u.ID, Value: id})
		}
	}
	spec.Inputs, spec.Outputs = slices.Clone(spec.Inputs), slices.Clone(spec.Outputs)
	for _, name := range []string{"from", "to"} {
		f := &spec.Inputs[spec.Input(name)]
		f.Enum, f.EnumAliases = ids, aliases
	}
	spec.Outputs[1].Enum = ids
	spec.Definition = definition(quantity)
	spec.Formulas = []sdk.Formula{{ID: quantity + "_conversion_v1", Label: "By the definitions of both units, rounded once"}}
	spec.Express()
	if err := spec.Validate(); err != nil {
		panic(fmt.Sprintf("conversion: spec of %s: %v", spec.Capability, err))
	}
	return spec
}

// siOf returns the SI unit of a quantity.
func siOf(quantity string) string {
	si := units.SI(quantity).ID
	if si == "" {
		panic(fmt.Sprintf("conversion: no unit measures %q", quantity))
	}
	return si
}

func calculate(ctx context.Context, in input, si string) (output, error) {
	from, _ := units.Lookup(in.From) // the engine has checked both
	to, _ := units.Lookup(in.To)
	if from.Quantity == "temperature" && isBelowZero(in.A, from) {
		if !isNearestToZero(in.A, from) {
			return output{}, sdk.Reject(belowAbsoluteZero, "a", "%s %s is below absolute zero", describe(in.A), from.ID).
				Suggest(fmt.Sprintf("Give at least %s %s.", absoluteZero(from), from.ID))
		}
		in.A = sdk.Decimal{Literal: absoluteZero(from)}
	}
	explain(ctx, from, si)
	if to.ID != from.ID {
		explain(ctx, to, si)
	}
	return output{convert(ctx, in.A, from, to), in.To}, nil
}

// explain states what a unit is, unless it is that of the SI.
func explain(ctx context.Context, u units.Unit, si string) {
	switch {
	case u.Offset != nil:
		sdk.Assume(ctx, "x "+u.ID+" is (x + "+decimal(u.Offset)+")*"+u.Definition+" "+si+", exactly.")
	case u.ID != si:
		sdk.Assume(ctx, "1 "+u.ID+" is "+u.Definition+" "+si+", exactly.")
	}
}
