package pipe

import (
	"math"
	"slices"
	"strconv"

	"github.com/slipstick/slipstick/sdk"
)

// MoodyPlot is the plot of [Flow.Moody].
func MoodyPlot() sdk.Plot {
	return sdk.Plot{
		ID: "moody", Title: "Moody chart",
		Summary: "Darcy friction factor over Reynolds number, both in decades: the laminar law 64/Re, the Colebrook equation for this relative roughness and, thin, for others, and the point of this flow. " +
			"Between Reynolds numbers of 2300 and 4000 the flow may be laminar or turbulent, and no line is sure.",
		X: sdk.Axis{Label: "Reynolds number", Symbol: `\mathrm{Re}`, Log: true},
		Y: sdk.Axis{Label: "Darcy friction factor", Symbol: "f", Log: true},
	}
}

// Flow is a flow as the Moody chart shows it.
type Flow struct {
	Reynolds, Roughness float64 // relative
	Factor              float64 // after Darcy; 0 for a fluid at rest
	Laminar             bool    // by which law the factor was computed
}

// The chart shows Reynolds numbers from the least, where the laminar factor is 0.1.
const leastDrawn, mostDrawn = 640, 1e8

// roughnesses are those of which the chart has curves.
var roughnesses = []float64{0.05, 0.03, 0.015, 0.008, 0.004, 0.002, 0.001, 0.0004, 0.0001, 0.00003, 0.00001, 0}

// Moody draws the chart around the flow. A fluid at rest has no place in it.
func (w *Flow) Moody() *sdk.Figure {
	f, at := &sdk.Figure{Family: "relative roughness"}, 3.0*leastDrawn
	if w.Factor > 0 {
		f.Points, at = []sdk.Point{{Label: "this flow", X: w.Reynolds, Y: w.Factor}}, w.Reynolds
	}
	low, high := min(leastDrawn, at/3), max(mostDrawn, min(3*at, math.MaxFloat64))
	turbulent := func(label string, style sdk.CurveStyle, from, roughness float64, n int) {
		c := sdk.Curve{Label: label, Style: style}
		c.X, c.Y = sdk.SampleDecades(from, high, n, func(reynolds float64) float64 {
			root := ApproximateRoot(reynolds, roughness)
			return 1 / float64(root*root)
		}, at)
		f.Curves = append(f.Curves, c)
	}
	for _, roughness := range roughnesses {
		label := "smooth"
		if roughness > 0 {
			label = strconv.FormatFloat(roughness, 'f', -1, 64)
		}
		turbulent(label, sdk.Context, TransitionalEnd, roughness, 33)
	}
	end, from := float64(TransitionalEnd), float64(LaminarEnd)
	if w.Laminar {
		end = max(end, at)
	} else {
		from = min(from, at)
	}
	turbulent("Colebrook, this roughness", sdk.Line, from, w.Roughness, 121)
	f.Curves = append(f.Curves, sdk.Curve{Label: "laminar, 64/Re", X: []float64{low, end}, Y: []float64{64 / low, 64 / end}})
	least, most := math.Inf(1), 0.0
	for _, c := range f.Curves {
		least, most = min(least, slices.Min(c.Y)), max(most, slices.Max(c.Y))
	}
	f.Curves = append(f.Curves, sdk.Curve{Label: "transition, uncertain", Style: sdk.Zone,
		X: []float64{LaminarEnd, TransitionalEnd, TransitionalEnd, LaminarEnd, LaminarEnd}, Y: []float64{least, least, most, most, least}})
	return f
}
