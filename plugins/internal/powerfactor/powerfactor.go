// Package powerfactor has the trigonometry of power factors: of the triangle of active,
// reactive and apparent power, whose angle has the power factor as its cosine.
package powerfactor

import "github.com/slipstick/slipstick/plugins/internal/elementary"

// Sin returns the sine of the angle, without losing digits where pf is close to 1. pf
// lies in [0, 1].
func Sin(pf float64) elementary.Num {
	one, cos := elementary.Int(1), elementary.Of(pf)
	return one.Sub(cos).Mul(one.Add(cos)).Sqrt()
}

// Tan returns the tangent of the angle. pf lies in (0, 1].
func Tan(pf float64) elementary.Num { return Sin(pf).Div(elementary.Of(pf)) }

// Angle returns the angle in rad. pf lies in [0, 1].
func Angle(pf float64) elementary.Num { return elementary.Atan2(Sin(pf), elementary.Of(pf)) }
