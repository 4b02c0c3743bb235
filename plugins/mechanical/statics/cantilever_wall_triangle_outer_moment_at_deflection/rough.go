package main

import "math"

// parts is how many parts of the beam [Input.reversesRoughly] looks at.
const parts = 8

// reversesRoughly reports whether the deflection changes sign between wall and tip, and
// whether binary64 decides that. It is for the model without shear: the deflection by
// shear, over x^2, is unbounded near the wall.
//
// A load of 1 at the distance s bends the beam to (3s - x) x^2/6 before s and to (3x - s)
// s^2/6 beyond. Divided by x^2 both fall as x grows, and so does the share of any load of
// one sign. So on a part of the beam, the share of each load is between its values at both
// ends. The deflection over x^2 is between the sum of the smaller values and the sum of the
// larger ones.
//
// Here lengths are fractions of the beam's length. No sum below cancels by more than a few
// times, so every share is right to 2^-46 of its greatest value. A sum that is nearer to zero
// than 2^-40 of all of them is left open. A term that underflows is less than 1e-160, and has
// no effect within the limits.
func (in *Input) reversesRoughly() (reverses, known bool) {
	l := in.Length
	if in.Model == timoshenko || l > 1e160 {
		return false, false
	}
	a, b, c := 1.0, *in.TriangleLength/l, 0.0
	switch {
	case in.OuterLength != nil:
		a, c = (l-*in.OuterLength)/l, *in.OuterLength/l
	case in.OuterStart != nil:
		a, c = *in.OuterStart/l, (l-*in.OuterStart)/l
	}
	w0, w, m := in.TrianglePeakLoad*l*l, in.OuterUniformLoad*l*l, in.TipMoment
	moment := float64(60 * m)
	triangle, outer := float64(w0*triangleShape(b, 0)), float64(w*outerShape(a, c, 0))
	scale := math.Abs(triangle) + math.Abs(outer) + math.Abs(moment)
	if !(scale > 1e-100 && max(w0, w, m) < 1e100 && min(w0, w, m) > -1e100) {
		return false, false
	}
	margin, open, positive, negative := 0x1p-40*scale, false, false, false
	for i := range parts {
		x := float64(float64(i+1) / parts) // rounded: not fused with what follows
		nextTriangle, nextOuter := float64(w0*triangleShape(b, x)), float64(w*outerShape(a, c, x))
		least := min(triangle, nextTriangle) + min(outer, nextOuter) + moment
		greatest := max(triangle, nextTriangle) + max(outer, nextOuter) + moment
		open = open || !(least > margin || greatest < -margin)
		triangle, outer = nextTriangle, nextOuter
		here := triangle + outer + moment
		positive, negative = positive || here > margin, negative || here < -margin
		if positive && negative {
			return true, true
		}
	}
	return false, !open
}

// triangleShape is 120 T/x^2, where b and x are parts of the length.
func triangleShape(b, x float64) float64 {
	if x >= b {
		return b * b * b * (float64(5*x) - b) / (x * x)
	}
	u := (b - x) / b
	return b * b * (4 + float64(u*(3+float64(u*(2+u)))))
}

// outerShape is 120 U/x^2, where a, c and x are parts of the length.
func outerShape(a, c, x float64) float64 {
	u := float64(10 * c * (float64(3*(1+a)) - float64(2*x)))
	if x <= a {
		return u
	}
	square := (x - a) * (x - a) / x
	return u + float64(5*square*square)
}
