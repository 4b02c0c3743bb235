// Package pi has pi for the formulas of package adaptive.
package pi

import "github.com/slipstick/slipstick/plugins/internal/adaptive"

// parts are pi as a sum. What is left is 6e-66.
var parts = [...]float64{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, -0x1.f1976b7ed8fbcp-109, 0x1.4cf98e804177dp-163}

// Of returns pi, to a relative error of 2e-66: small enough that only a value so near to
// the middle between two binary64 could be rounded to the wrong one.
//
// It is a sum of binary64 numbers, and not a literal, because package adaptive is fast
// with them.
func Of(x *adaptive.X) adaptive.Num {
	sum := x.Of(parts[0])
	for _, part := range parts[1:] {
		sum = sum.Add(x.Of(part))
	}
	return sum
}
