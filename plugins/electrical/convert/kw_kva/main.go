// Command kw_kva is the engine of the conversion between kilowatts and kilovolt-amperes.
// See [Engine].
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

// Input is the power to convert and the power factor.
type Input struct {
	Mode string  `name:"mode" label:"Direction" enum:"kw_to_kva,kva_to_kw" doc:"Direction of the conversion."`
	A    float64 `name:"a" label:"Power" symbol:"a" unit_by:"mode:kw_to_kva=kW,kva_to_kw=kVA" range:"[0,)" code:"POWER_MUST_BE_NONNEGATIVE" doc:"What is converted: active power for kw_to_kva, apparent power for kva_to_kw."`
	PF   float64 `name:"pf" label:"Power factor" symbol:"\\mathrm{pf}" alias:"power_factor,cos_phi" range:"(0,1]" code:"POWER_FACTOR_OUT_OF_RANGE" doc:"Power factor, greater than 0 and at most 1."`
}

// Output is the active, the apparent and the reactive power.
type Output struct {
	KW   float64 `name:"kw" label:"Active power" symbol:"P" unit:"kW" doc:"Active power."`
	KVA  float64 `name:"kva" label:"Apparent power" symbol:"S" unit:"kVA" doc:"Apparent power."`
	KVAR float64 `name:"kvar" label:"Reactive power" symbol:"Q" unit:"kvar" doc:"Magnitude of the reactive power."`
}

// Engine returns the engine of electrical.convert.kw_kva 1.1.0. The formula is the
// Definition; its a is the power to convert.
//
// Units are kW, kVA and kvar; nothing is negative.
//
// Error: none but the final rounding; each result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the definitions of active, reactive and apparent power of sinusoidal systems.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "electrical.convert.kw_kva",
		Version:    "1.1.0",
		Tool:       "kw-to-kva",
		Group:      "convert",
		Title:      "kW to kVA and kVA to kW",
		Summary:    "Apparent power from active power and power factor, or the other way round.",
		Changes:    "What is converted has units now, which depend on the direction, so that it can be entered in others of its kind. Numbers are as they were.",
		Keywords:   []string{"kilowatt", "kilovolt-ampere", "kvar", "real power", "generator rating", "transformer size", "UPS rating"},
		Definition: `S = a/pf  if mode == "kw_to_kva"  @kw_to_kva_v1
S = a     otherwise               @kva_to_kw_v1
P = S*pf
Q = S*sqrt(1 - pf^2)`,
		Formulas: []sdk.Formula{
			{ID: "kw_to_kva_v1", Label: "Apparent and reactive power from active power"},
			{ID: "kva_to_kw_v1", Label: "Active and reactive power from apparent power"},
		},
		Assumptions:    []string{"Voltage and current are sinusoidal, and balanced in a three-phase system."},
		SignConvention: "All powers are magnitudes: whether the reactive power is inductive or capacitive is left open.",
		References:     []sdk.Reference{{Title: "IEEE Std 1459", Where: "definitions of active, reactive and apparent power and of power factor"}},
	}, calculate)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	sdk.UseFormula(ctx, in.Mode+"_v1")
	apparent := func(x *adaptive.X) adaptive.Num { return x.Of(in.A) }
	out := Output{KW: in.A, KVA: in.A}
	if in.Mode == "kw_to_kva" {
		apparent = func(x *adaptive.X) adaptive.Num { return x.Of(in.A).Div(x.Of(in.PF)) }
		out.KVA = adaptive.Round(ctx, "kva", apparent)
	} else {
		out.KW = adaptive.Round(ctx, "kw", func(x *adaptive.X) adaptive.Num { return x.Of(in.A).Mul(x.Of(in.PF)) })
	}
	out.KVAR = adaptive.RoundSqrt(ctx, "kvar", func(x *adaptive.X) adaptive.Num {
		one, pf := x.Int(1), x.Of(in.PF)
		return apparent(x).Pow(2).Mul(one.Sub(pf), one.Add(pf))
	})
	return out, nil
}
