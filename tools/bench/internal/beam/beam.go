// Package beam is the calculation that the bench measures: the middle of a simply supported
// rectangular beam. It is cheap on purpose, so that the measurements show the cost of
// everything around it. [Inputs] returns inputs that differ in each request.
package beam

import "strings"

// Input is the beam and its loads, in SI units.
type Input struct {
	Span, Width, Depth, Modulus float64
	Load, Force, Couple, Axial  float64
}

// Output is the state of the middle, in SI units.
type Output struct {
	Deflection, Moment, Reaction, Stress float64
}

// Middle computes the middle of the beam. The conversions keep a compiler from fusing
// a product and a sum, so that all builds compute the same bits.
func Middle(in Input) Output {
	l := in.Span
	area := in.Width * in.Depth
	stiffness := in.Modulus * area * in.Depth * in.Depth / 12
	bent := float64(5*in.Load*l*l*l*l/384) + float64(in.Force*l*l*l/48)
	moment := float64(in.Load*l*l/8) + float64(in.Force*l/4)
	moment += in.Couple
	return Output{
		Deflection: (bent + float64(in.Couple*l*l/8)) / stiffness,
		Moment:     moment,
		Reaction:   float64(in.Load*l/2) + float64(in.Force/2),
		Stress:     float64(in.Axial/area) + float64(6*moment/(area*in.Depth)),
	}
}

// Valid reports whether the beam is possible: all lengths and moduli are positive.
func (in *Input) Valid() bool {
	return in.Span > 0 && in.Width > 0 && in.Depth > 0 && in.Modulus > 0
}

// Pattern is the JSON object of the inputs. Replacing each [Mark] by [Digits] digits gives a
// distinct object.
const Pattern = `{"span":4.#,"width":0.2#,"depth":0.4#,"modulus":2#,"load":4321.#,"force":2500.#,"couple":150.#,"axial":1700.#}`

// Mark is the place for digits in a [Pattern]. With that many Digits the modulus is about the modulus
// of steel.
const (
	Mark   = "#"
	Digits = 11
)

// Inputs returns the JSON object of the inputs with the digits in it.
func Inputs(digits string) string { return strings.ReplaceAll(Pattern, Mark, digits) }
