// Command parallel_resistance is the engine of resistances in parallel and in series. See
// [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

const tooFew = "TOO_FEW_RESISTANCES"

// Input is the resistances.
type Input struct {
	Resistances []float64 `name:"resistances" symbol:"R" alias:"R,resistors" unit:"ohm" range:"(0,)" code:"RESISTANCE_MUST_BE_POSITIVE" doc:"The resistances, in any order."`
}

// Output is what they are together.
type Output struct {
	ParallelResistance float64 `name:"parallel_resistance" headline:"true" symbol:"R_p" unit:"ohm" doc:"Resistance of all in parallel."`
	SeriesResistance   float64 `name:"series_resistance" symbol:"R_s" unit:"ohm" doc:"Resistance of all in series."`
}

// Engine returns the engine of electrical.circuits.parallel_resistance 1.0.0. The formula
// is the Definition.
//
// Units are SI; resistances are positive.
//
// Error: none but the final rounding; each result is the binary64 nearest to the true
// value for the given inputs, so their order does not matter.
//
// Source: Ohm's and Kirchhoff's laws.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "electrical.circuits.parallel_resistance",
		Version:    "1.0.0",
		Tool:       "parallel-resistance",
		Group:      "circuits",
		Title:      "Resistors in parallel and in series",
		Summary:    "Resistance of any number of resistors in parallel, and in series.",
		Keywords:   []string{"parallel resistors", "series resistors", "equivalent resistance", "total resistance", "combined resistance", "inductors in parallel", "capacitors in series"},
		Definition: `n = count(R)
R_p = 1/sum(k in 1..n: 1/R[k])
R_s = sum(k in 1..n: R[k])`,
		Formulas: []sdk.Formula{{
			ID: "parallel_resistance_v1", Label: "Resistances in parallel and in series",
		}},
		Assumptions:    []string{"The resistances are linear and constant.", "Wires between them have none."},
		SignConvention: "Resistances are positive.",
		References:     []sdk.Reference{{Title: "Ohm's and Kirchhoff's laws", Where: "resistances in parallel and in series"}},
		Errors:         []string{tooFew},
	}, calculate)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	if len(in.Resistances) == 0 {
		return Output{}, sdk.Reject(tooFew, "resistances", "the list of resistances is empty").Suggest("Give at least one resistance.")
	}
	identity := func(r adaptive.Num) adaptive.Num { return r }
	return Output{
		ParallelResistance: adaptive.Round(ctx, "parallel_resistance", func(x *adaptive.X) adaptive.Num {
			inverse := func(r adaptive.Num) adaptive.Num { return x.Int(1).Div(r) }
			return inverse(sum(x, in.Resistances, inverse))
		}),
		SeriesResistance: adaptive.Round(ctx, "series_resistance", func(x *adaptive.X) adaptive.Num {
			return sum(x, in.Resistances, identity)
		}),
	}, nil
}

// sum adds up f of all resistances. It halves the list, since exact fractions of a long
// one are soon large, and two large ones are cheaper to add than many to one.
func sum(x *adaptive.X, list []float64, f func(adaptive.Num) adaptive.Num) adaptive.Num {
	if len(list) == 1 {
		return f(x.Of(list[0]))
	}
	half := len(list) / 2
	return sum(x, list[:half], f).Add(sum(x, list[half:], f))
}
