package powerfactor

import (
	"fmt"
	"math"

	"github.com/slipstick/slipstick/sdk"
)

// Plot is the plot of one or more triangles of powers.
func Plot(title, summary string) sdk.Plot {
	return sdk.Plot{
		ID: "triangle", Title: title, Summary: summary,
		X:       sdk.Axis{Label: "Active power", Symbol: "P", Unit: "W"},
		Y:       sdk.Axis{Label: "Reactive power", Symbol: "Q", Unit: "var"},
		ToScale: true,
	}
}

// Side is a side of a triangle of powers.
func Side(name, unit string, length, x, y, toX, toY float64) sdk.Curve {
	return sdk.Curve{Label: fmt.Sprintf("%s = %.6g %s", name, length, unit), X: []float64{x, toX}, Y: []float64{y, toY}}
}

// Arc is the angle of a triangle of powers, at a distance from the corner. The angle is
// in rad.
func Arc(name string, radius, angle float64) sdk.Curve {
	c := sdk.Curve{Label: fmt.Sprintf("%s = %.4g degrees", name, angle*180/math.Pi), Style: sdk.Guide}
	const steps = 32
	for i := range steps + 1 {
		sin, cos := math.Sincos(angle * float64(i) / steps)
		c.X, c.Y = append(c.X, radius*cos), append(c.Y, radius*sin)
	}
	return c
}

// Drawable rejects powers beyond the range of binary64, which have no place in a figure.
func Drawable(powers ...float64) error {
	for _, p := range powers {
		if math.IsInf(p, 0) {
			return sdk.Reject(sdk.CodeNonFiniteResult, "", "a power is beyond the range of binary64 numbers for these inputs").
				Suggest("Use inputs of smaller magnitude.")
		}
	}
	return nil
}
