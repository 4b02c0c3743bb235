// Package outline draws closed lines for figures, and refuses figures without bounds.
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
