// Package beam is what the engines of beams have in common: the rigidity and how it is
// sent, what the theory assumes and where it ends, and the figures of a loaded beam.
//
// A beam lies along x, from its left end at 0 to its right end at its length. Loads and
// deflections are positive downwards, reactions upwards.
package beam

import (
	"context"
	"slices"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/sdk"
)

// Value is a quantity of a beam, as a formula.
type Value func(x *adaptive.X) adaptive.Num

// Function is a quantity along a beam, as a formula of the distance from its left end.
type Function func(x *adaptive.X, at float64) adaptive.Num

// At returns the value of f at one place.
func At(f Function, at float64) Value {
	return func(x *adaptive.X) adaptive.Num { return f(x, at) }
}

// Or returns p, or otherwise where nothing was sent.
func Or(p *float64, otherwise float64) *float64 {
	if p == nil {
		return &otherwise
	}
	return p
}

// PlaceLoad returns where a load acts: at p, or where nothing was sent at otherwise,
// which is then said in words.
func PlaceLoad(ctx context.Context, p *float64, otherwise float64, words string) *float64 {
	if p == nil {
		sdk.Assume(ctx, "load_position is not given: the load acts "+words+".")
	}
	return Or(p, otherwise)
}

// PlaceAtMidspan is PlaceLoad for the middle of a beam. It rejects a length whose half is no
// binary64 number, below 4.5e-308 m: rounded, it would be another place, or a support.
func PlaceAtMidspan(ctx context.Context, p *float64, length float64) (*float64, error) {
	half := float64(length / 2)
	if p == nil && length > 0 && float64(half+half) != length { // its own range rejects others
		return nil, sdk.Reject("LOAD_POSITION_OUT_OF_RANGE", "load_position", "half of length, %v m, is no binary64 number, and no other place is given", length).
			Suggest("Give load_position, or a longer beam.")
	}
	return PlaceLoad(ctx, p, half, "at midspan"), nil
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

// References returns the sources of the formulas of a beam: its case in AISC's table, in
// the words of that and of AWC, and its case in Roark's.
func References(aisc, words, roark string) []sdk.Reference {
	return []sdk.Reference{
		{Title: "AISC Steel Construction Manual", Where: "16th edition, Table 3-23, case " + aisc + " (" + words + ")"},
		{Title: "AWC Design Aid No. 6: Beam Design Formulas with Shear and Moment Diagrams", Where: words},
		{Title: "Roark's Formulas for Stress and Strain", Where: "Table 8.1, case " + roark},
	}
}

// NoShear is the assumption of the theory of Euler and Bernoulli.
const NoShear = "Shear deformation is neglected."
