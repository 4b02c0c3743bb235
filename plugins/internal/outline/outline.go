// Package outline draws closed lines, centre lines and dimensions for figures, and refuses figures without bounds.
package outline

import "github.com/slipstick/slipstick/sdk"

// Bounded returns the figure, or the rejection of inputs that lead it beyond the range of
// binary64. Package sdk takes such a figure for a fault of the engine.
func Bounded(f *sdk.Figure) (*sdk.Figure, error) {
	if err := f.Check(); err != nil {
		return nil, sdk.Reject(sdk.CodeNonFiniteResult, "", "the figure is beyond the range of binary64 numbers for these inputs").
			Suggest("Use inputs of smaller magnitude.")
	}
	return f, nil
}

// Closed returns the line through the points and back to the first.
func Closed(label string, style sdk.CurveStyle, points ...[2]float64) sdk.Curve {
	c := sdk.Curve{Label: label, Style: style}
	for i := range len(points) + 1 {
		p := points[i%len(points)]
		c.X, c.Y = append(c.X, p[0]), append(c.Y, p[1])
	}
	return c
}

// Rectangle returns the outline of a rectangle around the origin.
func Rectangle(label string, style sdk.CurveStyle, width, height float64) sdk.Curve {
	x, y := width/2, height/2
	return Closed(label, style, [2]float64{-x, -y}, [2]float64{x, -y}, [2]float64{x, y}, [2]float64{-x, y})
}

// perQuarter is how many points a quarter of a circle has.
const perQuarter = 24

// Circle returns the circle around (x, y).
func Circle(label string, style sdk.CurveStyle, x, y, radius float64) sdk.Curve {
	var points [][2]float64
	for quarter := range 4 {
		for i := range perQuarter {
			c, s := direction(float64(i) / perQuarter)
			for range quarter { // turn by a right angle
				c, s = -s, c
			}
			points = append(points, [2]float64{x + float64(radius*c), y + float64(radius*s)})
		}
	}
	return Closed(label, style, points...)
}

// direction returns a point of the quarter circle, the first for t = 0 and the last for
// t = 1. It needs no function that differs between processors.
func direction(t float64) (x, y float64) {
	square := float64(t * t)
	return (1 - square) / (1 + square), 2 * t / (1 + square)
}

// overhang is how far centre lines reach beyond the outline, in parts of its larger size.
const overhang = 0.08

// CentreLines returns the centroidal axes x and y of a section of that width and height around the
// origin.
func CentreLines(width, height float64) []sdk.Curve {
	beyond := float64(overhang * max(width, height))
	x, y := float64(width/2)+beyond, float64(height/2)+beyond
	return []sdk.Curve{
		{Label: "x", Style: sdk.Centre, X: []float64{-x, x}, Y: []float64{0, 0}},
		{Label: "y", Style: sdk.Centre, X: []float64{0, 0}, Y: []float64{-y, y}},
	}
}

// Width returns the dimension of a width from x to toX at the height y.
func Width(label, symbol string, length, x, toX, y float64, side sdk.Side) sdk.Dimension {
	return sdk.Dimension{Label: label, Symbol: symbol, Length: length, X: x, ToX: toX, Y: y, ToY: y, Side: side}
}

// Height returns the dimension of a height from y to toY at the place x.
func Height(label, symbol string, length, y, toY, x float64, side sdk.Side) sdk.Dimension {
	return sdk.Dimension{Label: label, Symbol: symbol, Length: length, Y: y, ToY: toY, X: x, ToX: x, Side: side}
}
