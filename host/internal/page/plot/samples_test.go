package plot_test

import (
	"fmt"
	"math"

	"github.com/slipstick/slipstick/sdk"
)

// sample is a plot as an engine draws it.
type sample struct {
	name   string
	plot   sdk.Plot
	figure sdk.Figure
}

// The cantilever of the samples: steel, 4 m, with all of its loads.
const (
	length = 4.0
	ei     = 210e9 * 8.356e-5
	w0, b  = 12000.0, 3.0
	w, a   = 5000.0, 2.5
	m0     = -8000.0
)

func ramp(z float64) float64 { return max(0, z) }

func deflection(x float64) float64 {
	t := b * b * b * (5*x - b) / 120
	if x < b {
		t = x * x * (10*b*b*b - 10*b*b*x + 5*b*x*x - x*x*x) / (120 * b)
	}
	u := (length-a)*x*x*(3*(length+a)-2*x)/12 + math.Pow(ramp(x-a), 4)/24
	return (w0*t + w*u + m0*x*x/2) / ei
}

func shear(x float64) float64 {
	return w0*math.Pow(ramp(b-x), 2)/(2*b) + w*(length-max(x, a))
}

func moment(x float64) float64 {
	c := length - max(x, a)
	return -(w0*math.Pow(ramp(b-x), 3)/(6*b) + w*c*((length+max(x, a))/2-x) + m0)
}

func sampled(label string, style sdk.CurveStyle, low, high float64, f func(float64) float64, others ...float64) sdk.Curve {
	xs, ys := sdk.Sample(low, high, 101, f, others...)
	return sdk.Curve{Label: label, Style: style, X: xs, Y: ys}
}

// decades samples with the same number of points in each decade.
func decades(label string, style sdk.CurveStyle, low, high float64, f func(float64) float64) sdk.Curve {
	xs, _ := sdk.Sample(math.Log(low), math.Log(high), 121, math.Exp)
	c := sdk.Curve{Label: label, Style: style}
	for _, x := range xs {
		c.X, c.Y = append(c.X, math.Exp(x)), append(c.Y, f(math.Exp(x)))
	}
	return c
}

func transmissibility(zeta float64) func(f float64) float64 {
	return func(f float64) float64 {
		r := f / 50
		return math.Sqrt((1 + 4*zeta*zeta*r*r) / ((1-r*r)*(1-r*r) + 4*zeta*zeta*r*r))
	}
}

func circle(label string, style sdk.CurveStyle, cx, cy, r float64) sdk.Curve {
	c := sdk.Curve{Label: label, Style: style}
	for i := range 121 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 60)
		c.X, c.Y = append(c.X, cx+r*cos), append(c.Y, cy+r*sin)
	}
	c.X[120], c.Y[120] = c.X[0], c.Y[0]
	return c
}

var along = sdk.Axis{Label: "distance from the wall", Symbol: "x", Unit: "m"}

// samples returns plots that engineers draw, and plots that are hard to draw.
func samples() []sample {
	wall := []sdk.Support{{Kind: sdk.WallLeft}}
	beam := func(l float64) sdk.Curve {
		return sdk.Curve{Label: "beam", Style: sdk.Member, X: []float64{0, l}, Y: []float64{0, 0}}
	}
	intensity := sdk.Axis{Label: "load", Symbol: "w", Unit: "N/m"}
	list := []sample{{
		"sketch", sdk.Plot{ID: "sketch", Title: "The loaded beam", Summary: "The beam at its wall, with its loads.", X: along, Y: intensity},
		sdk.Figure{
			Curves: []sdk.Curve{
				beam(length),
				{Label: "triangular load", Style: sdk.Load, X: []float64{0, b}, Y: []float64{w0, 0}},
				{Label: "uniform load", Style: sdk.Load, X: []float64{a, length}, Y: []float64{w, w}},
			},
			Couples: []sdk.Couple{{Label: "tip moment", X: length, Counterclockwise: true}}, Supports: wall,
		},
	}, {
		"sketch_both_sides", sdk.Plot{ID: "sketch", Title: "The loaded beam", X: along, Y: intensity},
		sdk.Figure{
			Curves: []sdk.Curve{
				beam(6),
				{Label: "wind", Style: sdk.Load, X: []float64{0, 2, 6}, Y: []float64{-800, -2000, -1200}},
				{Label: "snow", Style: sdk.Load, X: []float64{3, 6}, Y: []float64{1500, 1500}},
			},
			Couples: []sdk.Couple{{Label: "end couple"}}, Supports: []sdk.Support{{Kind: sdk.Pin}, {Kind: sdk.Roller, X: 6}},
		},
	}, {
		"sketch_force", sdk.Plot{ID: "sketch", Title: "The loaded beam", X: along, Y: sdk.Axis{Label: "force", Unit: "N"}},
		sdk.Figure{
			Curves:   []sdk.Curve{beam(5)},
			Arrows:   []sdk.Arrow{{Label: "point load", X: 3, Y: 18000, ToX: 3}},
			Supports: []sdk.Support{{Kind: sdk.WallLeft}, {Kind: sdk.WallRight, X: 5}},
		},
	}, {
		"deflection", sdk.Plot{ID: "deflection", Title: "Deflection", Summary: "Downwards as it is.", X: along, Y: sdk.Axis{Label: "deflection", Symbol: `\delta`, Unit: "m"}, Down: true},
		sdk.Figure{
			Curves:   []sdk.Curve{sampled("deflection", sdk.Line, 0, length, deflection, a, b)},
			Points:   []sdk.Point{{Label: "largest deflection", X: length, Y: deflection(length)}, {Label: "position", X: 2.5, Y: deflection(2.5)}},
			Supports: wall,
		},
	}, {
		"shear", sdk.Plot{ID: "shear", Title: "Shear force", X: along, Y: sdk.Axis{Label: "shear force", Symbol: "V", Unit: "N"}},
		sdk.Figure{
			Curves: []sdk.Curve{sampled("shear force", sdk.Area, 0, length, shear, a, b)},
			Points: []sdk.Point{{Label: "left end", Y: shear(0)}}, Supports: wall,
		},
	}, {
		"moment", sdk.Plot{ID: "moment", Title: "Bending moment", X: along, Y: sdk.Axis{Label: "bending moment (positive: sagging)", Symbol: "M", Unit: "N m"}, Down: true},
		sdk.Figure{
			Curves: []sdk.Curve{sampled("bending moment", sdk.Area, 0, length, moment, a, b)},
			Points: []sdk.Point{{Label: "left end", Y: moment(0)}, {Label: "right end", X: length, Y: moment(length)}}, Supports: wall,
		},
	}, {
		"shear_steps", sdk.Plot{ID: "shear", Title: "Shear force", X: along, Y: sdk.Axis{Label: "shear force", Symbol: "V", Unit: "N"}},
		sdk.Figure{
			Curves:   []sdk.Curve{{Label: "shear force", Style: sdk.Area, X: []float64{0, 2, 2, 6}, Y: []float64{12000, 12000, -6000, -6000}}},
			Points:   []sdk.Point{{Label: "left end", Y: 12000}, {Label: "right end", X: 6, Y: -6000}},
			Supports: []sdk.Support{{Kind: sdk.Pin}, {Kind: sdk.Roller, X: 6}},
		},
	}, {
		"mohr", sdk.Plot{ID: "mohr", Title: "Mohr's circle", X: sdk.Axis{Label: "normal stress", Symbol: `\sigma`, Unit: "Pa"}, Y: sdk.Axis{Label: "shear stress", Symbol: `\tau`, Unit: "Pa"}, ToScale: true, Down: true},
		sdk.Figure{
			Curves: []sdk.Curve{circle("all faces", sdk.Line, 30e6, 0, 64.03e6), {Label: "diameter of the given faces", Style: sdk.Guide, X: []float64{80e6, -20e6}, Y: []float64{40e6, -40e6}}},
			Points: []sdk.Point{{Label: "x face", X: 80e6, Y: 40e6}, {Label: "y face", X: -20e6, Y: -40e6}, {Label: "sigma_1", X: 94.03e6}, {Label: "sigma_2", X: -34.03e6}, {Label: "centre", X: 30e6}},
		},
	}, {
		"response", sdk.Plot{ID: "response", Title: "Charging", X: sdk.Axis{Label: "time", Symbol: "t", Unit: "s"}, Y: sdk.Axis{Label: "voltage", Symbol: "v_C", Unit: "V"}},
		sdk.Figure{
			Curves: []sdk.Curve{
				sampled("capacitor", sdk.Line, 0, 0.5, func(t float64) float64 { return 12 * -math.Expm1(-t/0.1) }),
				sampled("resistor", sdk.Line, 0, 0.5, func(t float64) float64 { return 12 * math.Exp(-t/0.1) }),
				{Label: "supply", Style: sdk.Guide, X: []float64{0, 0.5}, Y: []float64{12, 12}},
			},
			Points: []sdk.Point{{Label: "after one time constant", X: 0.1, Y: 12 * -math.Expm1(-1)}},
		},
	}, {
		"vibration", sdk.Plot{ID: "response", Title: "Free vibration", X: sdk.Axis{Label: "time", Symbol: "t", Unit: "s"}, Y: sdk.Axis{Label: "displacement over initial displacement", Symbol: "x/x_0"}},
		sdk.Figure{
			Curves: []sdk.Curve{
				sampled("displacement", sdk.Line, 0, 2, func(t float64) float64 { return math.Exp(-t) * math.Cos(12*t) }),
				sampled("envelope", sdk.Guide, 0, 2, func(t float64) float64 { return math.Exp(-t) }),
				sampled("envelope", sdk.Guide, 0, 2, func(t float64) float64 { return -math.Exp(-t) }),
			},
			Points: []sdk.Point{{Label: "after one period", X: math.Pi / 6, Y: math.Exp(-math.Pi / 6)}},
		},
	}, {
		"section", sdk.Plot{ID: "section", Title: "Section", X: sdk.Axis{Label: "x", Symbol: "x", Unit: "m"}, Y: sdk.Axis{Label: "y", Symbol: "y", Unit: "m"}, ToScale: true},
		sdk.Figure{
			Curves: []sdk.Curve{{Label: "outline", Style: sdk.Member, X: []float64{-.1, .1, .1, .006, .006, .1, .1, -.1, -.1, -.006, -.006, -.1, -.1}, Y: []float64{-.15, -.15, -.135, -.135, .135, .135, .15, .15, .135, .135, -.135, -.135, -.15}}},
			Points: []sdk.Point{{Label: "centroid"}},
		},
	}, {
		"tube", sdk.Plot{ID: "section", Title: "Section", X: sdk.Axis{Label: "x", Unit: "m"}, Y: sdk.Axis{Label: "y", Unit: "m"}, ToScale: true},
		sdk.Figure{Curves: []sdk.Curve{circle("outline", sdk.Member, 0, 0, 0.03), circle("hole", sdk.Member, 0, 0, 0.025)}},
	}, {
		"powers", sdk.Plot{ID: "triangle", Title: "Power triangles", X: sdk.Axis{Label: "Active power", Symbol: "P", Unit: "W"}, Y: sdk.Axis{Label: "Reactive power", Symbol: "Q", Unit: "var"}, ToScale: true},
		sdk.Figure{
			Curves: []sdk.Curve{
				{Label: "S after = 10526.3 V A", X: []float64{0, 10000}, Y: []float64{0, 3287}}, {Label: "S before = 14285.7 V A", X: []float64{0, 10000}, Y: []float64{0, 10202}},
				{Label: "P = 10000 W", X: []float64{0, 10000}, Y: []float64{0, 0}}, {Label: "Q after = 3287 var", X: []float64{10000, 10000}, Y: []float64{0, 3287}},
				{Label: "capacitors = 6915 var", X: []float64{10000, 10000}, Y: []float64{3287, 10202}},
			},
			Points: []sdk.Point{{Label: "before: power factor 0.7", X: 10000, Y: 10202}, {Label: "after: power factor 0.95", X: 10000, Y: 3287}},
		},
	}, {
		"stress", sdk.Plot{ID: "curve", Title: "Critical stress over slenderness", X: sdk.Axis{Label: "Slenderness ratio", Symbol: `\lambda`}, Y: sdk.Axis{Label: "Critical stress", Symbol: `\sigma_{cr}`, Unit: "Pa"}},
		sdk.Figure{
			Curves: []sdk.Curve{
				sampled("Johnson", sdk.Line, 0, 128, func(l float64) float64 { return 250e6 * (1 - l*l/(2*128*128)) }),
				sampled("Euler", sdk.Line, 128, 250, func(l float64) float64 { return 125e6 * 128 * 128 / (l * l) }),
				sampled("Euler, where it does not hold", sdk.Guide, 90, 128, func(l float64) float64 { return 125e6 * 128 * 128 / (l * l) }),
			},
			Points: []sdk.Point{{Label: "this column", X: 100, Y: 250e6 * (1 - 1e4/(2*128*128))}, {Label: "transition", X: 128, Y: 125e6}},
		},
	}, {
		"transmissibility", sdk.Plot{ID: "transmissibility", Title: "Transmissibility", X: sdk.Axis{Label: "frequency", Symbol: "f", Unit: "Hz", Log: true}, Y: sdk.Axis{Label: "transmissibility", Symbol: "T", Log: true}},
		sdk.Figure{
			Curves: []sdk.Curve{decades("damping 0.05", sdk.Line, 1, 1000, transmissibility(0.05)), decades("damping 0.3", sdk.Area, 1, 1000, transmissibility(0.3))},
			Points: []sdk.Point{{Label: "resonance", X: 50, Y: transmissibility(0.05)(50)}},
		},
	}, {
		"moody", sdk.Plot{ID: "moody", Title: "Friction factor", X: sdk.Axis{Label: "Reynolds number", Symbol: `\mathrm{Re}`, Log: true}, Y: sdk.Axis{Label: "Darcy friction factor", Symbol: "f", Log: true}},
		moody(),
	}, {
		"i_section", sdk.Plot{ID: "section", Title: "Section", X: sdk.Axis{Label: "x", Symbol: "x", Unit: "m"}, Y: sdk.Axis{Label: "y", Symbol: "y", Unit: "m"}, ToScale: true},
		sdk.Figure{
			Curves: []sdk.Curve{
				{Label: "outline", Style: sdk.Member, X: []float64{-.1, .1, .1, .006, .006, .1, .1, -.1, -.1, -.006, -.006, -.1, -.1}, Y: []float64{-.15, -.15, -.135, -.135, .135, .135, .15, .15, .135, .135, -.135, -.135, -.15}},
				{Label: "x", Style: sdk.Centre, X: []float64{-.12, .12}, Y: []float64{0, 0}}, {Label: "y", Style: sdk.Centre, X: []float64{0, 0}, Y: []float64{-.17, .17}},
			},
			Points: []sdk.Point{{Label: "centroid"}},
			Dimensions: []sdk.Dimension{
				{Label: "flange width", Symbol: "b_f", Length: .2, X: -.1, Y: -.15, ToX: .1, ToY: -.15, Side: sdk.Below},
				{Label: "depth", Symbol: "d", Length: .3, X: -.1, Y: -.15, ToX: -.1, ToY: .15, Side: sdk.OnLeft},
				{Label: "flange thickness", Symbol: "t_f", Length: .015, X: .1, Y: .135, ToX: .1, ToY: .15, Side: sdk.OnRight},
				{Label: "web thickness", Symbol: "t_w", Length: .012, X: -.006, Y: -.07, ToX: .006, ToY: -.07},
			},
		},
	}, {
		"levels", sdk.Plot{ID: "section", Title: "Section", X: sdk.Axis{Label: "x", Unit: "in"}, Y: sdk.Axis{Label: "y", Unit: "in"}, ToScale: true},
		sdk.Figure{
			Curves: []sdk.Curve{circle("outline", sdk.Member, 5, 5, 3), circle("hole", sdk.Member, 5, 5, 2)},
			Dimensions: []sdk.Dimension{
				{Label: "outer diameter", Length: 6, X: 2, Y: 5, ToX: 8, ToY: 5, Side: sdk.Above}, {Label: "inner diameter", Length: 4, X: 3, Y: 5, ToX: 7, ToY: 5, Side: sdk.Above},
				{Label: "upper half", Symbol: "c_1", Length: 3, X: 5, Y: 5, ToX: 5, ToY: 8, Side: sdk.OnRight}, {Label: "lower half", Symbol: "c_2", Length: 3, X: 5, Y: 2, ToX: 5, ToY: 5, Side: sdk.OnRight},
				{Label: "height", Symbol: "h", Length: 6, X: 5, Y: 2, ToX: 5, ToY: 8, Side: sdk.OnRight},
			},
		},
	}, {
		"sketch_shape", sdk.Plot{ID: "sketch", Title: "The loaded beam", X: along, Y: sdk.Axis{Label: "load", Unit: "N"}},
		sdk.Figure{
			Curves: []sdk.Curve{beam(4)}, Arrows: []sdk.Arrow{{Label: "point load", X: 2, Y: 18000, ToX: 2}}, Supports: []sdk.Support{{Kind: sdk.Pin}, {Kind: sdk.Roller, X: 4}},
			Shapes: []sdk.Shape{{Label: "deflected shape", X: []float64{0, 1, 2, 3, 4}, Y: []float64{0, -0.0055, -0.008, -0.0055, 0}}},
		},
	}}
	return append(list, hard()...)
}

// moody is the chart of friction in pipes, with the explicit formula of Haaland.
func moody() sdk.Figure {
	haaland := func(roughness float64) func(re float64) float64 {
		return func(re float64) float64 {
			root := -1.8 * math.Log10(math.Pow(roughness/3.7, 1.11)+6.9/re)
			return 1 / (root * root)
		}
	}
	f := sdk.Figure{Family: "relative roughness"}
	for _, roughness := range []float64{0.05, 0.03, 0.02, 0.01, 0.005, 0.002, 0.001, 4e-4, 1e-4, 1e-5, 0} {
		f.Curves = append(f.Curves, decades(fmt.Sprint(roughness), sdk.Context, 4000, 1e8, haaland(roughness)))
	}
	f.Curves = append(f.Curves, decades("this roughness", sdk.Line, 2300, 1e8, haaland(0.0009)), decades("laminar", sdk.Line, 600, 4000, func(re float64) float64 { return 64 / re }),
		sdk.Curve{Label: "transition", Style: sdk.Zone, X: []float64{2300, 4000, 4000, 2300, 2300}, Y: []float64{0.008, 0.008, 0.1, 0.1, 0.008}})
	f.Points = []sdk.Point{{Label: "this flow", X: 1e5, Y: haaland(0.0009)(1e5)}}
	return f
}

// hard returns plots at the limits of binary64.
func hard() []sample {
	plain := sdk.Plot{ID: "plain", Title: "Plain", X: sdk.Axis{Label: "place", Unit: "m"}, Y: sdk.Axis{Label: "second moment of area", Symbol: "I", Unit: "m4"}}
	logarithmic := plain
	logarithmic.X.Log, logarithmic.Y.Log = true, true
	line := func(x, y []float64) sdk.Figure { return sdk.Figure{Curves: []sdk.Curve{{Label: "line", X: x, Y: y}}} }
	many := sdk.Figure{}
	for i := range 7 {
		many.Curves = append(many.Curves, sampled(fmt.Sprintf("curve number %d", i), sdk.Line, 0, 1, func(x float64) float64 { return math.Sin(9*x + float64(i)) }))
	}
	names := sdk.Figure{Curves: []sdk.Curve{sampled(`<script>alert("1")</script>`, sdk.Line, 0, 1, math.Sqrt)}, Points: []sdk.Point{{Label: "=cmd|' /C calc'!A0 \u202e\x00 & \"", X: 0.25, Y: 0.5}}}
	noise := sdk.Figure{}
	x, y := sdk.Sample(0, 1, sdk.MaxFigurePoints, func(x float64) float64 { return math.Sin(1e7 * x) })
	noise.Curves = []sdk.Curve{{Label: "noise", X: x, Y: y}}
	return []sample{
		{"one_point", plain, line([]float64{2}, []float64{3e-5})},
		{"all_zero", plain, line([]float64{0, 1, 2}, []float64{0, 0, 0})},
		{"constant", plain, line([]float64{0, 1, 2}, []float64{83, 83, 83})},
		{"tiny", plain, line([]float64{0, 1e-300, 2e-300}, []float64{0, 5e-324, 1e-323})},
		{"enormous", plain, line([]float64{-1.7e308, 0, 1.7e308}, []float64{-1.7e308, 1e308, 1.7e308})},
		{"far_from_zero", plain, line([]float64{1e6, 1e6 + 1, 1e6 + 2}, []float64{1e9, 1e9 + 1, 1e9 + 2})},
		{"all_decades", logarithmic, line([]float64{5e-324, 1, 1.7e308}, []float64{1e-300, 1e3, 1e300})},
		{"one_decade", logarithmic, line([]float64{10, 10, 10}, []float64{1000, 1000, 1000})},
		{"many_curves", plain, many},
		{"hostile_names", plain, names},
		{"noise", plain, noise},
	}
}
