// Command wall_heat_loss is an example engine that uses each tag, each member of the Spec and each call once. Copy the
// parts that you need. It computes the heat that a wall loses.
//
// Two members of the Spec are missing. ReadOnlyPaths is for programs that read files of the system, which a program in
// Go does not. Verification belongs to reviewers.
package main

import (
	"context"
	_ "embed"
	"math"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// Temperatures has inputs that several engines can share: Input embeds it.
type Temperatures struct {
	Inside  *float64 `name:"inside" alias:"T1" unit:"K" symbol:"T_{1}" range:"[200,350]" doc:"Temperature of the air inside."`
	Outside *float64 `name:"outside" alias:"T2" unit:"K" symbol:"T_{2}" range:"[200,350]" doc:"Temperature of the air outside."`

	// A difference is not a temperature: 10 degC are 10 K. The pointer is nil if the input is not sent.
	Difference *float64 `name:"difference" alias:"dT" unit:"K" difference:"true" symbol:"\\Delta T" range:"[-150,150]" doc:"How much warmer it is inside, in place of the two temperatures."`
}

// Complete derives inputs from each other, and rejects inputs that are missing or exclude each other. The answer shows
// the derived inputs.
func (t *Temperatures) Complete(context.Context) error {
	switch {
	case t.Difference != nil && (t.Inside != nil || t.Outside != nil):
		return sdk.Conflict("difference", "difference is sent with a temperature").Suggest("Send the two temperatures, or their difference.")
	case t.Difference != nil:
	case t.Inside == nil:
		return sdk.Missing("inside", "inside is needed: without the difference both temperatures are")
	case t.Outside == nil:
		return sdk.Missing("outside", "outside is needed: without the difference both temperatures are")
	default:
		t.Difference = new(*t.Inside - *t.Outside)
	}
	return nil
}

// Layer is an item of a list. Its ranges are enforced, too. An end of a range can be another field of the struct.
type Layer struct {
	Thickness    float64 `name:"thickness" alias:"t" unit:"m" range:"(0,10]" doc:"Thickness of the layer."`
	Conductivity float64 `name:"conductivity" alias:"k" unit:"W/(m K)" range:"[1e-3,1e4]" presets:"data.materials.metals#thermal_conductivity" doc:"Thermal conductivity of its material."`
	Gap          float64 `name:"gap" unit:"m" range:"[0,thickness]" code:"GAP_WIDER_THAN_ITS_LAYER" doc:"How much of the thickness is still air."`
}

// Input has the inputs that callers send.
type Input struct {
	Temperatures

	Layers []Layer `name:"layers" doc:"Layers from the inside to the outside."`
	Area   float64 `name:"area" alias:"A" unit:"m2" symbol:"A" range:"[1e-3,1e5]" label:"Area of the wall" doc:"Area of one wall." example:"12 for a wall of 5 m"`

	// The default is filled in before Complete, so the engine does not see whether the input was sent. A name is
	// replaced by its number: "dozen" is 12.
	Count int `name:"count" alias:"n" symbol:"n" default:"1" names:"pair=2,dozen=12" range:"[1,1000]" doc:"How many walls of this kind there are."`

	// The engine sees only values, not the aliases vertical and w. Forms do not offer the value after ~, but callers can
	// send it.
	Face string `name:"face" enum:"wall=vertical|w,roof,~ceiling" default:"wall" doc:"Which way the heat flows: sideways through a wall, upwards through a roof."`

	Ventilated bool `name:"ventilated" default:"false" advanced:"true" doc:"Whether air flows between the cladding and the wall, as slowly as inside."`

	// Complete fills in this input, and the answer lists the value as an assumption.
	Duration *float64 `name:"duration" alias:"t" unit:"s" strict:"true" symbol:"t" range:"[0,31622400]" advanced:"true" doc:"How long it stays so. A day if nothing is sent."`

	// A decimal arrives exactly, as text or as a number.
	Price *sdk.Decimal `name:"price" unit:"1/kWh" symbol:"p" range:"[0,1000]" doc:"Price of heat, in any currency."`

	Report string `name:"report" enum:"watts,kilowatts" default:"watts" doc:"Unit of the amount."`
}

// Complete runs in place of the method of the embedded struct, and calls it.
func (in *Input) Complete(ctx context.Context) error {
	if err := in.Temperatures.Complete(ctx); err != nil {
		return err
	}
	if in.Duration == nil {
		in.Duration = new(86400.0)
		sdk.Assume(ctx, "duration is not given: the heat flows for a day.")
	}
	return nil
}

// Output has the results. The answer leaves out a pointer that is nil.
type Output struct {
	Resistance float64  `name:"resistance" unit:"m2 K/W" symbol:"R" doc:"Thermal resistance from air to air."`
	HeatFlow   float64  `name:"heat_flow" headline:"true" unit:"W" symbol:"\\dot Q" doc:"Heat that all walls lose."`
	Amount     float64  `name:"amount" unit_by:"report:watts=W,kilowatts=kW" symbol:"Y" doc:"The same heat, in the unit that report names."`
	Surface    *float64 `name:"surface" unit:"K" symbol:"T_{s}" doc:"Temperature of the inner surface, in tenths of a kelvin."`
	Cost       *float64 `name:"cost" money:"true" symbol:"C" doc:"Cost of the heat."`
	Sheets     int      `name:"sheets" symbol:"N" doc:"Sheets of board for one side of all walls."`
	Face       string   `name:"face" enum:"wall,roof" doc:"The side that was computed."`
}

// Codes, ids and constants of this engine. Ranges have further codes.
const (
	noLayers   = "WALL_WITHOUT_LAYERS"
	poor       = "POORLY_INSULATED"
	wallID     = "wall_v1"
	roofID     = "roof_v1"
	stillAir   = 0.025 // W/(m K)
	outdoor    = 0.04  // m2 K/W
	sideways   = 0.13
	upwards    = 0.10
	fairEnough = 0.5
	sheet      = 3.125 // m2
)

// Engine returns the engine of examples.building.wall_heat_loss 1.0.0.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "examples.building.wall_heat_loss",
		Version:    "1.0.0",
		Tool:       "wall-heat-loss",
		Group:      "examples",
		Title:      "Heat loss of a wall",
		Summary:    "Heat that a wall or a roof of several layers loses, and what it costs.",
		Changes:    "The first version.", // from the second version on: the changes, with reasons
		Keywords:   []string{"insulation", "U-value", "heating costs", "thermal bridge"},

		// docs/reference/formula-language.md describes the language. Each constant has a source, and each case has a vector.
		Definition: `R_w := 0.13 m2 K/W  # ISO 6946, surface resistance, horizontal flow
R_r := 0.10 m2 K/W  # ISO 6946, surface resistance, upward flow
R_o := 0.04 m2 K/W  # ISO 6946, surface resistance, outside
k_a := 0.025 W/(m K)  # still air at 10 degC, ISO 10456, table 3
R_i = R_w  if face == "wall"  @wall_v1
R_i = R_r  otherwise          @roof_v1
R_e = R_i  if ventilated
R_e = R_o  otherwise
R = R_i + sum(l in layers: (l.thickness - l.gap)/l.conductivity + l.gap/k_a) + R_e
DeltaT = T_1 - T_2
q = DeltaT/R
Qdot = q*A*n
t = {24 h}
Y = Qdot       if report == "watts"
Y = Qdot/1000  otherwise
T_s = T_1 - q*R_i
C = Qdot*t/3600000*p
taken N  # whole sheets of 1.25 m by 2.5 m`,

		// An answer without an id has the first formula.
		Formulas: []sdk.Formula{{ID: wallID, Label: "Through a wall"}, {ID: roofID, Label: "Through a roof"}},

		Tolerances:  []sdk.Tolerance{{Output: "surface", Relative: 3e-4, Reason: "rounded to a tenth of a kelvin, as thermometers show it"}},
		Typesetting: map[string]string{"R_w": `R_{\mathrm{wall}}`, "R_r": `R_{\mathrm{roof}}`},

		Assumptions:    []string{"The heat flows steadily, and straight through the layers."},
		SignConvention: "Heat that leaves the house is positive.",
		References: []sdk.Reference{
			{Title: "ISO 6946, Building components and building elements: thermal resistance and thermal transmittance", Where: "surface resistances"},
			{Title: "ISO 10456, Building materials and products: hygrothermal properties", Where: "table 3, air"},
		},

		// Beyond a limit the answer has a result and the warning. A value outside of a range is rejected.
		Limits: []sdk.Limit{{Quantity: "R", Min: new(fairEnough), Unit: "m2 K/W", Warning: poor, Doc: "Thinner walls have parts that conduct better than the layers."}},

		Plots: []sdk.Plot{
			{
				ID: "profile", Title: "Temperature through the wall", Summary: "How much warmer than outside it is, over the depth of the wall.",
				X: sdk.Axis{Label: "depth", Symbol: "x", Unit: "m"}, Y: sdk.Axis{Label: "warmer than outside", Symbol: `\vartheta`, Unit: "K"},
			},
			{
				ID: "insulation", Title: "Savings by more insulation", Summary: "Heat over the thickness of a further layer of mineral wool.",
				X: sdk.Axis{Label: "further thickness", Symbol: "s", Unit: "m", Log: true}, Y: sdk.Axis{Label: "heat", Symbol: `\dot Q`, Unit: "W"},
			},
			{
				ID: "section", Title: "The layers", Summary: "A piece of the wall, with the heat that passes.", ToScale: true,
				X: sdk.Axis{Label: "depth", Unit: "m"}, Y: sdk.Axis{Label: "height", Unit: "m"},
			},
		},

		Errors:   []string{noLayers},
		Warnings: []string{poor},
	}, calculate)
}

// innerSurface returns the resistance of the inner surface.
func (in *Input) innerSurface() float64 {
	if in.Face == "wall" {
		return sideways
	}
	return upwards
}

// resistances returns the resistances of the inner surface, of each layer, and of the outer surface.
func (in *Input) resistances() []float64 {
	list := []float64{in.innerSurface()}
	for _, l := range in.Layers {
		list = append(list, (l.Thickness-l.Gap)/l.Conductivity+l.Gap/stillAir)
	}
	if in.Ventilated {
		return append(list, in.innerSurface())
	}
	return append(list, outdoor)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	if len(in.Layers) == 0 {
		return Output{}, sdk.Reject(noLayers, "layers", "layers is empty").Suggest("Send at least one layer.")
	}
	out := Output{Face: "wall", Sheets: int(math.Ceil(in.Area / sheet * float64(in.Count)))}
	if in.Face != "wall" {
		sdk.UseFormula(ctx, roofID)
		out.Face = "roof"
	}
	for _, r := range in.resistances() {
		out.Resistance += r
	}
	if out.Resistance < fairEnough {
		sdk.Warn(ctx, sdk.Warning{
			Code: poor, Severity: sdk.Caution,
			Detail: "The wall is so thin that frames and joints count.", Suggestion: "Compute these apart, and add their heat.",
		})
	}
	flux := *in.Difference / out.Resistance
	out.HeatFlow = flux * in.Area * float64(in.Count)
	out.Amount = out.HeatFlow
	if in.Report == "kilowatts" {
		out.Amount = out.HeatFlow / 1000
	}
	if in.Inside != nil {
		// The conversion rounds the product. Otherwise some processors would fuse it with the difference.
		out.Surface = new(math.Round(10*(*in.Inside-float64(flux*in.innerSurface()))) / 10)
	}
	if in.Price != nil {
		price, _ := in.Price.Rat().Float64()
		out.Cost = new(out.HeatFlow * *in.Duration / 3600000 * price)
	}
	return out, nil
}

// Draw returns the picture with the id. The inputs are complete and within their ranges.
func (in *Input) Draw(_ context.Context, plot string) (*sdk.Figure, error) {
	if len(in.Layers) == 0 {
		return nil, sdk.Reject(noLayers, "layers", "layers is empty").Suggest("Send at least one layer.")
	}
	switch plot {
	case "profile":
		return in.profile(), nil
	case "insulation":
		return in.insulation(), nil
	}
	return in.section(), nil
}

func (in *Input) profile() *sdk.Figure {
	rs := in.resistances()
	total := 0.0
	for _, r := range rs {
		total += r
	}
	depth, passed := 0.0, rs[0]
	xs, ys := []float64{0}, []float64{*in.Difference * (1 - passed/total)}
	for i, l := range in.Layers {
		depth += l.Thickness
		passed += rs[i+1]
		xs, ys = append(xs, depth), append(ys, *in.Difference*(1-passed/total))
	}
	return &sdk.Figure{
		Curves: []sdk.Curve{{Label: "temperature", X: xs, Y: ys}},
		Points: []sdk.Point{{Label: "inner surface", X: 0, Y: ys[0]}},
	}
}

// insulation has its points in equal parts of decades, because its axis is logarithmic.
func (in *Input) insulation() *sdk.Figure {
	const wool = 0.035 // W/(m K)
	total := 0.0
	for _, r := range in.resistances() {
		total += r
	}
	var xs, ys []float64
	for i := range 61 {
		s := math.Pow(10, float64(i)/20-3) // drawn
		xs, ys = append(xs, s), append(ys, *in.Difference/(total+s/wool)*in.Area*float64(in.Count))
	}
	return &sdk.Figure{Curves: []sdk.Curve{{Label: "heat", X: xs, Y: ys}}}
}

func (in *Input) section() *sdk.Figure {
	const height = 0.4
	depth := 0.0
	var curves []sdk.Curve
	for _, l := range in.Layers {
		curves = append(curves, sdk.Curve{
			Label: "layer", Style: sdk.Member,
			X: []float64{depth, depth + l.Thickness, depth + l.Thickness, depth, depth},
			Y: []float64{0, 0, height, height, 0},
		})
		depth += l.Thickness
	}
	return &sdk.Figure{Curves: curves, Arrows: []sdk.Arrow{{Label: "heat", X: -depth / 2, Y: height / 2, ToX: 0, ToY: height / 2}}}
}
