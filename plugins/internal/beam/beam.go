// Package beam is what the engines of beams have in common: the rigidity and how it is
// sent, what the theory assumes and where it ends, and the figures of a loaded beam.
//
// A beam lies along x, from its left end at 0 to its right end at its length. Loads and
// deflections are positive downwards, reactions upwards.
package beam

import (
	"slices"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
)

// Value is a quantity of a beam, as a formula.
type Value func(x *adaptive.X) adaptive.Num

// Function is a quantity along a beam, as a formula of the distance from its left end.
type Function func(x *adaptive.X, at float64) adaptive.Num

// At returns the value of f at one place.
func At(f Function, at float64) Value {
	return func(x *adaptive.X) adaptive.Num { return f(x, at) }
}

// Assumptions returns what the theory of slender beams assumes, with what is said of
// the supports.
func Assumptions(supports ...string) []string {
	return slices.Concat([]string{
		"The material is linear elastic, homogeneous and isotropic.",
		"The member is prismatic: EI is constant.",
		"Bending is in one plane, about a principal axis, without torsion.",
		"Displacements and rotations are small; equilibrium is taken on the undeformed shape.",
	}, supports, []string{
		"The loads are static, transverse and keep their direction.",
		"Self-weight counts only if it is included in the loads.",
	})
}

// NoShear is the assumption of the theory of Euler and Bernoulli.
const NoShear = "Shear deformation is neglected."
