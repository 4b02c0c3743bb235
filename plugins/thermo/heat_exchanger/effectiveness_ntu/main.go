// Command effectiveness_ntu is the engine of the effectiveness of heat exchangers. See
// [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// The arrangements.
const (
	counterflow = "counterflow"
	parallel    = "parallel"
	maxMixed    = "crossflow_cmax_mixed"
	minMixed    = "crossflow_cmin_mixed"
)

// Input is the exchanger in dimensionless numbers.
type Input struct {
	NTU           float64 `name:"ntu" label:"Number of transfer units" alias:"NTU,N" symbol:"N" range:"[0,)" doc:"Number of transfer units: UA by the smaller heat capacity rate."`
	CapacityRatio float64 `name:"capacity_ratio" alias:"C,Cr" symbol:"C" range:"[0,1]" doc:"Smaller heat capacity rate by the larger; zero where one stream changes phase."`
	Arrangement   string  `name:"arrangement" enum:"counterflow=counter|countercurrent,parallel=parallel_flow|cocurrent,crossflow_cmax_mixed,crossflow_cmin_mixed" doc:"How the streams flow: against each other, side by side, or across, with the stream of the larger or of the smaller capacity rate mixed and the other not."`
}

// Output is the effectiveness.
type Output struct {
	Effectiveness float64 `name:"effectiveness" symbol:"\\varepsilon" doc:"Heat flow as a part of the largest that is possible with these inlets."`
}

// Engine returns the engine of thermo.heat_exchanger.effectiveness_ntu 1.0.0: the
// effectiveness of a heat exchanger with N transfer units and the ratio C of the heat
// capacity rates. The formula is the Definition. For counterflow the code computes
// t/(1 - C + C t) with t = 1 - exp(-N (1 - C)), which cancels less.
//
// All quantities are dimensionless.
//
// Error: none but the final rounding; the result is the binary64 nearest to the true
// value for the given inputs, also near C = 0 and C = 1.
//
// Source: see the Spec.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "thermo.heat_exchanger.effectiveness_ntu",
		Version:    "1.0.0",
		Tool:       "effectiveness-ntu",
		Group:      "thermo",
		Title:      "Heat exchanger effectiveness (NTU method)",
		Summary:    "Effectiveness of a counterflow, parallel or crossflow heat exchanger from its number of transfer units and the ratio of heat capacity rates.",
		Keywords:   []string{"NTU method", "heat exchanger efficiency", "number of transfer units", "heat recovery", "crossflow", "counterflow", "capacity rate ratio", "recuperator"},
		Definition: `varepsilon = 1 - exp(-N)                                    if C == 0                                   @ntu_single_stream_v1
varepsilon = N/(1 + N)                                      if arrangement == "counterflow" and C == 1  @ntu_counterflow_balanced_v1
varepsilon = (1 - exp(-N*(1 - C)))/(1 - C*exp(-N*(1 - C)))  if arrangement == "counterflow"             @ntu_counterflow_v1
varepsilon = (1 - exp(-N*(1 + C)))/(1 + C)                  if arrangement == "parallel"                @ntu_parallel_v1
varepsilon = (1 - exp(-C*(1 - exp(-N))))/C                  if arrangement == "crossflow_cmax_mixed"    @ntu_crossflow_cmax_mixed_v1
varepsilon = 1 - exp(-(1 - exp(-C*N))/C)                    otherwise                                   @ntu_crossflow_cmin_mixed_v1`,
		Formulas: []sdk.Formula{
			{ID: "ntu_counterflow_v1", Label: "Counterflow"},
			{ID: "ntu_counterflow_balanced_v1", Label: "Counterflow, C = 1"},
			{ID: "ntu_parallel_v1", Label: "Parallel flow"},
			{ID: "ntu_crossflow_cmax_mixed_v1", Label: "Crossflow, larger capacity rate mixed"},
			{ID: "ntu_crossflow_cmin_mixed_v1", Label: "Crossflow, smaller capacity rate mixed"},
			{ID: "ntu_single_stream_v1", Label: "Any arrangement, C = 0"},
		},
		Assumptions: []string{
			"The exchanger is in steady state and loses no heat to its surroundings.",
			"The overall heat transfer coefficient and the heat capacities of both streams are constant.",
			"A mixed stream has one temperature across its channel at each place.",
		},
		References: []sdk.Reference{
			{Title: "Incropera, Fundamentals of Heat and Mass Transfer", Where: "chapter 11, effectiveness-NTU relations"},
		},
		Plots: []sdk.Plot{{
			ID: "effectiveness", Title: "Effectiveness over NTU",
			Summary: "Effectiveness over the number of transfer units for this arrangement and capacity ratio, with the point of this exchanger, and for comparison that of a stream that changes phase, which no arrangement exceeds.",
			X:       sdk.Axis{Label: "number of transfer units", Symbol: "N"},
			Y:       sdk.Axis{Label: "effectiveness", Symbol: `\varepsilon`},
		}},
	}, calculate)
}

// relation is the law of an arrangement for a capacity ratio.
type relation struct {
	formula       string
	effectiveness func(n elementary.Num) elementary.Num
}

var one = elementary.Int(1)

// fall is 1 - e^-x.
func fall(x elementary.Num) elementary.Num { return x.Neg().Expm1().Neg() }

func (in *Input) relation() relation {
	c := elementary.Of(in.CapacityRatio)
	rest := one.Sub(c)
	switch {
	case in.CapacityRatio == 0:
		return relation{"ntu_single_stream_v1", fall}
	case in.Arrangement == counterflow && in.CapacityRatio == 1:
		return relation{"ntu_counterflow_balanced_v1", func(n elementary.Num) elementary.Num { return n.Div(one.Add(n)) }}
	case in.Arrangement == counterflow:
		return relation{"ntu_counterflow_v1", func(n elementary.Num) elementary.Num {
			t := fall(n.Mul(rest))
			return t.Div(rest.Add(c.Mul(t)))
		}}
	case in.Arrangement == parallel:
		return relation{"ntu_parallel_v1", func(n elementary.Num) elementary.Num { return fall(n.Mul(one.Add(c))).Div(one.Add(c)) }}
	case in.Arrangement == maxMixed:
		return relation{"ntu_crossflow_cmax_mixed_v1", func(n elementary.Num) elementary.Num { return fall(c.Mul(fall(n))).Div(c) }}
	}
	return relation{"ntu_crossflow_cmin_mixed_v1", func(n elementary.Num) elementary.Num { return fall(fall(c.Mul(n)).Div(c)) }}
}

func calculate(ctx context.Context, in Input) (Output, error) {
	r := in.relation()
	sdk.UseFormula(ctx, r.formula)
	return Output{Effectiveness: elementary.Round(ctx, "effectiveness", r.effectiveness(elementary.Of(in.NTU)))}, nil
}

// Draw draws the line that this exchanger lies on.
func (in *Input) Draw(context.Context, string) (*sdk.Figure, error) {
	law := in.relation().effectiveness
	line := func(law func(elementary.Num) elementary.Num) func(float64) float64 {
		return func(n float64) float64 { return law(elementary.Of(n)).Float() }
	}
	end := max(5, in.NTU)
	curve, best := sdk.Curve{Label: "this arrangement and capacity ratio"}, sdk.Curve{Label: "capacity ratio 0", Style: sdk.Guide}
	curve.X, curve.Y = sdk.Sample(0, end, 101, line(law), in.NTU)
	best.X, best.Y = sdk.Sample(0, end, 101, line(fall))
	return &sdk.Figure{
		Curves: []sdk.Curve{curve, best},
		Points: []sdk.Point{{Label: "this exchanger", X: in.NTU, Y: line(law)(in.NTU)}},
	}, nil
}
