// Command lmtd is the engine of the log mean temperature difference. See [Engine].
package main

import (
	"context"
	_ "embed"
	"math"

	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// The codes of this engine.
const (
	temperatureCross = "TEMPERATURE_CROSS"
	implausible      = "STREAM_TEMPERATURES_IMPLAUSIBLE"
)

const parallel = "parallel"

// Input is the temperatures of both streams, and the exchanger if the heat is wanted.
type Input struct {
	Flow             string   `name:"flow" enum:"counterflow=counter|countercurrent,parallel=parallel_flow|cocurrent" default:"counterflow" doc:"Whether the streams flow against each other or side by side."`
	HotIn            float64  `name:"hot_in" label:"Hot stream, inlet" alias:"Th_in,T_hot_in" symbol:"T_{h,i}" unit:"K" doc:"Temperature of the hot stream at its inlet. Only differences count."`
	HotOut           float64  `name:"hot_out" label:"Hot stream, outlet" alias:"Th_out,T_hot_out" symbol:"T_{h,o}" unit:"K" doc:"Temperature of the hot stream at its outlet."`
	ColdIn           float64  `name:"cold_in" label:"Cold stream, inlet" alias:"Tc_in,T_cold_in" symbol:"T_{c,i}" unit:"K" doc:"Temperature of the cold stream at its inlet."`
	ColdOut          float64  `name:"cold_out" label:"Cold stream, outlet" alias:"Tc_out,T_cold_out" symbol:"T_{c,o}" unit:"K" doc:"Temperature of the cold stream at its outlet."`
	UA               *float64 `name:"ua" label:"Conductance UA" alias:"UA" symbol:"UA" unit:"W/K" range:"(0,)" doc:"Heat transfer coefficient by area of the exchanger, if the heat flow is wanted."`
	CorrectionFactor float64  `name:"correction_factor" alias:"F" symbol:"F" default:"1" range:"(0,1]" advanced:"true" doc:"Factor for exchangers that are neither counterflow nor parallel, applied to the counterflow value."`
}

// Output is the mean difference.
type Output struct {
	LMTD     float64  `name:"lmtd" headline:"true" difference:"true" label:"Log mean temperature difference" symbol:"\\Delta T_m" unit:"K" doc:"Logarithmic mean of the temperature differences at the two ends."`
	DeltaT1  float64  `name:"delta_t_1" difference:"true" label:"Difference at the hot inlet" symbol:"\\Delta T_1" unit:"K" doc:"Temperature difference at the end where the hot stream enters."`
	DeltaT2  float64  `name:"delta_t_2" difference:"true" label:"Difference at the hot outlet" symbol:"\\Delta T_2" unit:"K" doc:"Temperature difference at the other end."`
	HeatFlow *float64 `name:"heat_flow" symbol:"\\dot Q" unit:"W" doc:"Heat from the hot stream to the cold, if the heat transfer capacity is given."`
}

// Engine returns the engine of thermo.heat_exchanger.lmtd 1.0.1: the logarithmic mean
// of the differences between two streams at the ends of an exchanger. The formula is the
// Definition. Its first two cases of the mean are the limits of the third.
//
// Units are SI. Temperatures may be on any scale whose degree is the kelvin, since only
// differences count. Heat from the hot stream to the cold is positive.
//
// Error: none but the final rounding; each result is the binary64 nearest to the true
// value for the given inputs, also where the differences are nearly equal.
//
// Source: see the Spec.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "thermo.heat_exchanger.lmtd",
		Version:    "1.0.1",
		Tool:       "lmtd",
		Group:      "thermo",
		Title:      "Log mean temperature difference (LMTD)",
		Summary:    "Logarithmic mean temperature difference of a heat exchanger in counterflow or parallel flow, and its heat flow.",
		Changes:    "The formula says what the mean of equal differences is, for which the text before gave 0/0, and what it is where one of them is zero. Numbers are as they were.",
		Keywords:   []string{"heat exchanger", "radiator", "counterflow", "shell and tube", "mean temperature difference", "logarithmic mean", "plate exchanger", "approach temperature"},
		Definition: `DeltaT_1 = T_hi - T_ci  if flow == "parallel"  @lmtd_parallel_v1
DeltaT_1 = T_hi - T_co  otherwise              @lmtd_counterflow_v1
DeltaT_2 = T_ho - T_co  if flow == "parallel"  @lmtd_parallel_v1
DeltaT_2 = T_ho - T_ci  otherwise              @lmtd_counterflow_v1
DeltaT_m = DeltaT_1                                     if DeltaT_1 == DeltaT_2
DeltaT_m = 0                                            if min(DeltaT_1, DeltaT_2) == 0
DeltaT_m = (DeltaT_1 - DeltaT_2)/ln(DeltaT_1/DeltaT_2)  otherwise
Qdot = UA*F*DeltaT_m`,
		Formulas: []sdk.Formula{
			{ID: "lmtd_counterflow_v1", Label: "Counterflow"},
			{ID: "lmtd_parallel_v1", Label: "Parallel flow"},
		},
		Assumptions: []string{
			"The exchanger is in steady state and loses no heat to its surroundings.",
			"The overall heat transfer coefficient and the heat capacities of both streams are constant.",
			"A stream that changes phase keeps its temperature.",
		},
		SignConvention: "Heat from the hot stream to the cold stream is positive.",
		References: []sdk.Reference{
			{Title: "Incropera, Fundamentals of Heat and Mass Transfer", Where: "chapter 11, the log mean temperature difference"},
		},
		Limits: []sdk.Limit{
			{Quantity: "hot_in - hot_out", Min: new(0.0), Unit: "K", Warning: implausible, Doc: "The hot stream does not get warmer."},
			{Quantity: "cold_out - cold_in", Min: new(0.0), Unit: "K", Warning: implausible, Doc: "The cold stream does not get colder."},
		},
		Plots: []sdk.Plot{{
			ID: "temperature", Title: "Temperatures along the exchanger",
			Summary: "Temperatures of both streams over the part of the exchanger's area that lies between a place and the hot inlet, which is on the left. They are those of pure counterflow or parallel flow.",
			X:       sdk.Axis{Label: "part of the area, from the hot inlet"},
			Y:       sdk.Axis{Label: "temperature", Symbol: "T", Unit: "K"},
		}},
		Errors:   []string{temperatureCross},
		Warnings: []string{implausible},
	}, calculate)
}

// ends are the temperatures of the cold stream at the hot inlet and outlet.
func (in *Input) ends() (first, second float64) {
	if in.Flow == parallel {
		return in.ColdIn, in.ColdOut
	}
	return in.ColdOut, in.ColdIn
}

func calculate(ctx context.Context, in Input) (Output, error) {
	sdk.UseFormula(ctx, "lmtd_"+in.Flow+"_v1")
	first, second := in.ends()
	delta1, delta2 := in.HotIn-first, in.HotOut-second
	if err := in.checkCross(delta1, delta2); err != nil {
		return Output{}, err
	}
	if in.HotOut > in.HotIn || in.ColdOut < in.ColdIn {
		sdk.Warn(ctx, sdk.Warning{
			Code: implausible, Severity: sdk.Caution,
			Detail:     "The hot stream gets warmer or the cold stream colder, which giving heat from one to the other does not do.",
			Suggestion: "Check that inlets and outlets are not mixed up.",
		})
	}
	mean := in.mean(elementary.Of(in.HotIn).Sub(elementary.Of(first)), elementary.Of(in.HotOut).Sub(elementary.Of(second)))
	out := Output{LMTD: elementary.Round(ctx, "lmtd", mean), DeltaT1: delta1, DeltaT2: delta2}
	if in.UA != nil {
		flow := elementary.Of(*in.UA).Mul(elementary.Of(in.CorrectionFactor), mean)
		out.HeatFlow = new(elementary.Round(ctx, "heat_flow", flow))
	}
	return out, nil
}

func (in *Input) checkCross(delta1, delta2 float64) error {
	field, where := "cold_out", "inlet"
	switch {
	case delta1 < 0 && in.Flow == parallel:
		field = "cold_in"
	case delta1 < 0:
	case delta2 < 0 && in.Flow == parallel:
		where = "outlet"
	case delta2 < 0:
		field, where = "hot_out", "outlet"
	default:
		return nil
	}
	return sdk.Reject(temperatureCross, field, "at the hot %s the cold stream is warmer than the hot one: heat would flow back", where).
		Suggest("Give temperatures with the hot stream the warmer one at both ends.")
}

// mean is the logarithmic mean of two differences that are not negative.
func (in *Input) mean(a, b elementary.Num) elementary.Num {
	if a.Cmp(b) < 0 {
		a, b = b, a
	}
	switch {
	case b.Sign() == 0:
		return b
	case a.Cmp(b) == 0:
		return a
	}
	excess := a.Sub(b)
	return excess.Div(excess.Div(b).Log1p())
}

// Draw draws both streams.
func (in *Input) Draw(context.Context, string) (*sdk.Figure, error) {
	first, second := in.ends()
	delta1, delta2 := in.HotIn-first, in.HotOut-second
	if err := in.checkCross(delta1, delta2); err != nil {
		return nil, err
	}
	along := func(from, to float64) func(at float64) float64 {
		return func(at float64) float64 {
			part := exchanged(at, delta2/delta1)
			return float64(from*(1-part)) + float64(to*part)
		}
	}
	hot, cold := sdk.Curve{Label: "hot stream"}, sdk.Curve{Label: "cold stream"}
	hot.X, hot.Y = sdk.Sample(0, 1, 65, along(in.HotIn, in.HotOut))
	cold.X, cold.Y = sdk.Sample(0, 1, 65, along(first, second))
	names := [2]string{"cold outlet", "cold inlet"}
	if in.Flow == parallel {
		names = [2]string{"cold inlet", "cold outlet"}
	}
	return &sdk.Figure{Curves: []sdk.Curve{hot, cold}, Points: []sdk.Point{
		{Label: "hot inlet", X: 0, Y: in.HotIn}, {Label: "hot outlet", X: 1, Y: in.HotOut},
		{Label: names[0], X: 0, Y: first}, {Label: names[1], X: 1, Y: second},
	}}, nil
}

// exchanged is the part of all heat that is exchanged in the given part of the area,
// from the end of the larger difference, of which that at the other end is a part of q:
// differences fall exponentially.
func exchanged(at, q float64) float64 {
	switch {
	case math.IsNaN(q): // both ends have no difference
		return at
	case q > 1:
		return 1 - exchanged(1-at, 1/q)
	case at == 0:
		return 0
	}
	fall := math.Log(q) // drawn
	if fall > -1e-12 {
		return at
	}
	return math.Expm1(at*fall) / math.Expm1(fall) // drawn
}
