// Command cantilever_wall_triangle_outer_moment_at_deflection is the engine of the
// deflection of a cantilever under three loads. See [Engine].
package main

import (
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/slipstick/slipstick/plugins/internal/exact"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// The models of the deflection.
const (
	eulerBernoulli = "euler_bernoulli"
	timoshenko     = "timoshenko"
)

// The codes of this engine's warnings.
const (
	largeDeflection  = "LARGE_DEFLECTION"
	shearNotIncluded = "SHEAR_DEFORMATION_NOT_INCLUDED"
	illConditioned   = "ILL_CONDITIONED"
	noLoad           = "NO_LOAD_APPLIED"
	signReversal     = "SIGN_REVERSAL_ALONG_SPAN"
)

// Input is the beam, its loads and the place to look at.
type Input struct {
	Length             float64  `name:"length" alias:"L,span,beam_length" unit:"m" range:"(0,)" doc:"Length of the beam, from the wall to the free end."`
	ElasticModulus     *float64 `name:"elastic_modulus" alias:"E,youngs_modulus,young_modulus,modulus_of_elasticity" unit:"Pa" range:"(0,)" doc:"Young's modulus. Needed unless flexural_rigidity is sent."`
	SecondMomentOfArea *float64 `name:"second_moment_of_area" alias:"I,moment_of_inertia,area_moment_of_inertia,second_moment" unit:"m4" range:"(0,)" code:"SECOND_MOMENT_MUST_BE_POSITIVE" doc:"Second moment of area about the axis of bending. Needed unless flexural_rigidity is sent."`
	FlexuralRigidity   *float64 `name:"flexural_rigidity" alias:"EI" unit:"N m2" range:"(0,)" doc:"Flexural rigidity, in place of elastic_modulus and second_moment_of_area."`
	TrianglePeakLoad   float64  `name:"triangle_peak_load" alias:"w0,q0,wall_load,triangular_load_peak,peak_load" unit:"N/m" default:"0" doc:"Triangular load: its peak, which is at the wall."`
	TriangleLength     *float64 `name:"triangle_length" alias:"b,triangle_extent" unit:"m" range:"(0,)" code:"TRIANGLE_LENGTH_OUT_OF_RANGE" doc:"Distance from the wall at which the triangular load has fallen to zero; at most length, and length when not sent."`
	OuterUniformLoad   float64  `name:"outer_uniform_load" alias:"w,q,uniform_load,outer_load" unit:"N/m" default:"0" doc:"Uniform load on the outer part of the beam, from outer_start to the free end."`
	OuterStart         *float64 `name:"outer_start" alias:"a,outer_load_start" unit:"m" range:"[0,)" code:"OUTER_START_OUT_OF_RANGE" doc:"Distance from the wall at which the uniform load begins; at most length. Needed with a uniform load unless outer_length is sent."`
	OuterLength        *float64 `name:"outer_length" alias:"c,outer_loaded_length" unit:"m" range:"[0,)" code:"OUTER_LENGTH_OUT_OF_RANGE" doc:"Length under the uniform load, measured from the free end, in place of outer_start; at most length."`
	TipMoment          float64  `name:"tip_moment" alias:"M0,M_tip,end_moment,end_couple" unit:"N m" default:"0" doc:"Couple at the free end."`
	Position           *float64 `name:"position" alias:"x,at,evaluation_point" unit:"m" range:"[0,)" code:"POSITION_OUT_OF_RANGE" doc:"Distance from the wall at which the deflection is wanted; at most length, and length when not sent."`
	Model              string   `name:"model" alias:"theory" enum:"euler_bernoulli,timoshenko" default:"euler_bernoulli" doc:"Beam theory: without or with shear deformation."`
	ShearRigidity      *float64 `name:"shear_rigidity" alias:"kAG,kappa_A_G,GAs" unit:"N" range:"(0,)" doc:"Shear rigidity, with the shear correction factor. Needed by the timoshenko model, unused by the other."`
	SectionDepth       *float64 `name:"section_depth" alias:"h,depth" unit:"m" range:"(0,)" doc:"Depth of the section. Used for a warning only."`
}

// Output is the deflection and the theory that gave it.
type Output struct {
	Delta float64 `name:"delta" unit:"m" doc:"Transverse displacement at position."`
	Model string  `name:"model" enum:"euler_bernoulli,timoshenko" doc:"Beam theory that was used."`
}

// Engine returns the engine of
// mechanical.statics.cantilever_wall_triangle_outer_moment_at_deflection 1.0.0.
//
// A prismatic beam is clamped at x = 0 and free at x = L. It carries a triangular
// load w0 (1 - x/b) on [0, b], a uniform load w on [a, L] and a couple M0 at the
// free end. With u = (b - x)/b, c = L - a and <z> = max(z, 0):
//
//	EI delta = w0 T + w U + M0 x^2/2
//	T = b^2 x^2 (4 + 3u + 2u^2 + u^3)/120 for x <= b,  b^3 (5x - b)/120 beyond
//	U = c x^2 (3(L + a) - 2x)/12 + <x - a>^4/24
//
// and in the timoshenko model EI (w0 ST + w SU)/kAG more, with
//
//	ST = b x (1 + u + u^2)/6 for x <= b,  b^2/6 beyond
//	SU = c x for x <= a,  c a + (x - a)((L - a) + (L - x))/2 beyond
//
// Units are SI. Delta and the distributed loads are positive the same way; a
// positive M0 bends the tip that way. Loads of any sign are legal.
//
// Error: none but the final rounding. delta is one fraction of exact sums and
// products, rounded to binary64 once, so it is the binary64 nearest to the true
// value for the given inputs, and cancelling loads give exactly 0.
//
// Source: the formulas are those of the references in the Spec, proved equal to
// the differential equation of the beam; the books were not opened for this.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "mechanical.statics.cantilever_wall_triangle_outer_moment_at_deflection",
		Version:    "1.0.0",
		Tool:       "cantilever-deflection",
		Group:      "statics",
		Title:      "Cantilever deflection: triangular wall load, outer uniform load, tip moment",
		Summary:    "Deflection at any point of a clamped beam under a triangular load that peaks at the wall, a uniform load on its outer part and a couple at its tip.",
		Formulas: []sdk.Formula{{
			ID:         "cantilever_eb_superposition_v1",
			Expression: "EI*delta = w0*T(x;b) + w*U(x;a,L) + M0*x^2/2",
			Label:      "Superposition of wall-peaked triangle, outer uniform load and tip couple",
			LaTeX:      `\begin{aligned}EI\,\delta(x)&=w_0\,T(x)+w\,U(x)+\tfrac12 M_0x^2\\ T(x)&=\begin{cases}\dfrac{x^2(10b^3-10b^2x+5bx^2-x^3)}{120\,b}&x\le b\\[1ex]\dfrac{b^3(5x-b)}{120}&x\ge b\end{cases}\\ U(x)&=\frac{(L-a)\,x^2\,(3(L+a)-2x)}{12}+\frac{\langle x-a\rangle^4}{24}\end{aligned}`,
		}, {
			ID:         "cantilever_timoshenko_superposition_v1",
			Expression: "EI*delta = w0*T(x;b) + w*U(x;a,L) + M0*x^2/2 + EI*(w0*ST(x;b) + w*SU(x;a,L))/kAG",
			Label:      "Superposition of wall-peaked triangle, outer uniform load and tip couple, with shear deformation",
			LaTeX:      `\begin{aligned}\delta(x)&=\frac{w_0\,T(x)+w\,U(x)+\tfrac12 M_0x^2}{EI}+\frac{w_0\,S_T(x)+w\,S_U(x)}{\kappa AG}\\ S_T(x)&=\begin{cases}\dfrac{x(3b^2-3bx+x^2)}{6\,b}&x\le b\\[1ex]\dfrac{b^2}{6}&x\ge b\end{cases}\\ S_U(x)&=\begin{cases}(L-a)\,x&x\le a\\[.5ex]Lx-\dfrac{a^2+x^2}{2}&x\ge a\end{cases}\end{aligned}`,
		}},
		Assumptions: []string{
			"The material is linear elastic, homogeneous and isotropic.",
			"The member is prismatic: EI is constant.",
			"Bending is in one plane, about a principal axis, without torsion.",
			"Displacements and rotations are small; equilibrium is taken on the undeformed shape.",
			"The clamped support is rigid: the wall does not rotate.",
			"The loads are static, transverse and keep their direction.",
			"Self-weight counts only if it is included in the loads.",
			"The effects of the loads are superposed.",
		},
		SignConvention: "x runs from the wall (0) to the free end (length). delta is positive in the direction of positive distributed load. A positive tip_moment bends the tip that way: alone it gives M0*L^2/(2*EI).",
		References: []sdk.Reference{
			{Title: "AISC Steel Construction Manual", Where: "16th edition, Table 3-23, cases 18 (load increasing uniformly to fixed end) and 19"},
			{Title: "Gere and Goodno, Mechanics of Materials", Where: "table of deflections of cantilevers, cases 3, 6 and 8"},
			{Title: "Roark's Formulas for Stress and Strain", Where: "Table 8.1, cases 2a (a there is measured from the free end) and 3a"},
		},
		Warnings: []string{largeDeflection, shearNotIncluded, illConditioned, noLoad, signReversal},
	}, calculate)
}

// Complete demands what the other inputs make necessary, and derives
// triangle_length, outer_start and position where they were not sent.
func (in *Input) Complete(context.Context) error {
	if err := in.checkPresence(); err != nil {
		return err
	}
	if in.Length <= 0 {
		return nil // its own range rejects it
	}
	if in.TriangleLength == nil {
		in.TriangleLength = new(in.Length)
	}
	if in.Position == nil {
		in.Position = new(in.Length)
	}
	if c := in.OuterLength; c != nil && *c >= 0 && *c <= in.Length {
		in.OuterStart = new(in.Length - *c)
	}
	return nil
}

func (in *Input) checkPresence() error {
	const orRigidity = " is needed, or flexural_rigidity in place of elastic_modulus and second_moment_of_area"
	switch {
	case in.FlexuralRigidity == nil && in.ElasticModulus == nil:
		return sdk.Missing("elastic_modulus", "elastic_modulus (Pa)"+orRigidity)
	case in.FlexuralRigidity == nil && in.SecondMomentOfArea == nil:
		return sdk.Missing("second_moment_of_area", "second_moment_of_area (m4)"+orRigidity)
	case in.OuterUniformLoad != 0 && in.OuterStart == nil && in.OuterLength == nil:
		return sdk.Missing("outer_start", "outer_uniform_load is not zero, so outer_start (m) or outer_length (m) must say where it acts")
	case in.Model == timoshenko && in.ShearRigidity == nil:
		return sdk.Missing("shear_rigidity", "the timoshenko model needs shear_rigidity (N)")
	case in.FlexuralRigidity != nil && (in.ElasticModulus != nil || in.SecondMomentOfArea != nil):
		return sdk.Conflict("flexural_rigidity", "flexural_rigidity stands in place of elastic_modulus and second_moment_of_area").
			Suggest("Send either flexural_rigidity or the other two.")
	case in.OuterStart != nil && in.OuterLength != nil:
		return sdk.Conflict("outer_length", "outer_length stands in place of outer_start").Suggest("Send one of them.")
	}
	return nil
}

// checkWithin rejects the places that lie beyond the end of the beam.
func (in *Input) checkWithin() error {
	var first *sdk.Error
	for _, place := range []struct {
		name, code string
		value      *float64
	}{
		{"triangle_length", "TRIANGLE_LENGTH_OUT_OF_RANGE", in.TriangleLength},
		{"outer_start", "OUTER_START_OUT_OF_RANGE", in.OuterStart},
		{"outer_length", "OUTER_LENGTH_OUT_OF_RANGE", in.OuterLength},
		{"position", "POSITION_OUT_OF_RANGE", in.Position},
	} {
		if place.value == nil || *place.value <= in.Length {
			continue
		}
		if first == nil {
			first = sdk.Reject(place.code, place.name, "%s is %v m, and the length of the beam only %v m", place.name, *place.value, in.Length).
				Suggest("Send a " + place.name + " of at most length.")
		}
		first.Invalid = append(first.Invalid, sdk.InvalidParameter{Name: place.name, Constraint: "must not exceed length"})
	}
	if first == nil {
		return nil
	}
	return first
}

func calculate(ctx context.Context, in Input) (Output, error) {
	if err := in.checkWithin(); err != nil {
		return Output{}, err
	}
	if in.Model == timoshenko {
		sdk.UseFormula(ctx, "cantilever_timoshenko_superposition_v1")
		sdk.Assume(ctx, "Shear deformation is included, with a constant shear correction.")
	} else {
		sdk.Assume(ctx, "Shear deformation is neglected.")
		if in.ShearRigidity != nil {
			sdk.Assume(ctx, "shear_rigidity was sent and is not used by the euler_bernoulli model.")
		}
	}
	s := spanOf(&in)
	x := exact.Of(*in.Position)
	sum, magnitude := s.at(x)
	tip := sum
	if x.Cmp(s.length) != 0 {
		tip, _ = s.at(s.length)
	}
	delta := exact.Round(ctx, "delta", sum, s.divisor)
	s.warnOfLoads(ctx, sum, magnitude)
	s.warnOfTheory(ctx, &in, tip)
	return Output{Delta: delta, Model: in.Model}, nil
}

// span is the beam in exact numbers. Deflections are numerators over one common
// divisor, 120 b EI or in the timoshenko model 120 b EI kAG, and polynomials in x
// between the wall, the ends of the loads and the tip.
type span struct {
	length, b, a, c exact.Num
	triangle, outer exact.Num // w0, w
	moment          exact.Num // M0
	bending, shear  exact.Num // 1 and 0, or kAG and EI
	divisor         exact.Num
}

func spanOf(in *Input) *span {
	s := &span{
		length: exact.Of(in.Length), b: exact.Of(*in.TriangleLength),
		triangle: exact.Of(in.TrianglePeakLoad), outer: exact.Of(in.OuterUniformLoad), moment: exact.Of(in.TipMoment),
		bending: exact.Int(1),
	}
	s.a = s.length // no uniform load
	switch {
	case in.OuterLength != nil: // the start in the echo is rounded; this is not
		s.a = s.length.Sub(exact.Of(*in.OuterLength))
	case in.OuterStart != nil:
		s.a = exact.Of(*in.OuterStart)
	}
	s.c = s.length.Sub(s.a)
	var rigidity exact.Num
	if in.FlexuralRigidity != nil {
		rigidity = exact.Of(*in.FlexuralRigidity)
	} else {
		rigidity = exact.Of(*in.ElasticModulus).Mul(exact.Of(*in.SecondMomentOfArea))
	}
	s.divisor = exact.Int(120).Mul(s.b, rigidity)
	if in.Model == timoshenko {
		s.bending, s.shear = exact.Of(*in.ShearRigidity), rigidity
		s.divisor = s.divisor.Mul(s.bending)
	}
	return s
}

// triangleTerm is the deflection under a triangular load of 1: 120 b T, and shear.
func (s *span) triangleTerm(beyond bool) exact.Poly {
	b, b2, zero := s.b, s.b.Pow(2), exact.Num{}
	var bend, shear exact.Poly
	if beyond {
		bend = exact.Poly{b2.Mul(b2, b).Neg(), exact.Int(5).Mul(b2, b2)}
		shear = exact.Poly{exact.Int(20).Mul(b2, b)}
	} else {
		bend = exact.Poly{zero, zero, exact.Int(10).Mul(b2, b), exact.Int(-10).Mul(b2), exact.Int(5).Mul(b), exact.Int(-1)}
		shear = exact.Poly{zero, exact.Int(60).Mul(b2), exact.Int(-60).Mul(b), exact.Int(20)}
	}
	return s.combine(bend, shear)
}

// outerTerm is the deflection under an outer load of 1: 120 b U, and shear.
func (s *span) outerTerm(beyond bool) exact.Poly {
	a, a2, zero, bc := s.a, s.a.Pow(2), exact.Num{}, s.b.Mul(s.c)
	bend := exact.Poly{zero, zero, exact.Int(30).Mul(bc, s.length.Add(a)), exact.Int(-20).Mul(bc)}
	shear := exact.Poly{zero, exact.Int(120).Mul(bc)}
	if beyond {
		fourth := exact.Poly{a2.Mul(a2), exact.Int(-4).Mul(a2, a), exact.Int(6).Mul(a2), exact.Int(-4).Mul(a), exact.Int(1)}
		bend = bend.Add(fourth.Scale(exact.Int(5).Mul(s.b)))
		shear = exact.Poly{a2.Neg(), exact.Int(2).Mul(s.length), exact.Int(-1)}.Scale(exact.Int(60).Mul(s.b))
	}
	return s.combine(bend, shear)
}

// momentTerm is the deflection under a tip couple of 1, which causes no shear.
func (s *span) momentTerm() exact.Poly {
	return s.combine(exact.Poly{{}, {}, exact.Int(60).Mul(s.b)}, nil)
}

func (s *span) combine(bend, shear exact.Poly) exact.Poly {
	if s.shear.Sign() == 0 {
		return bend
	}
	return bend.Scale(s.bending).Add(shear.Scale(s.shear))
}

// term is a load and the deflection under a load of 1.
type term struct {
	load exact.Num
	unit exact.Poly
}

// terms returns the terms that are not zero on the piece of the beam that begins at
// x, or ends there if x is the tip.
func (s *span) terms(x exact.Num) []term {
	terms := make([]term, 0, 3)
	if s.triangle.Sign() != 0 {
		terms = append(terms, term{s.triangle, s.triangleTerm(x.Cmp(s.b) >= 0)})
	}
	if s.outer.Sign() != 0 {
		terms = append(terms, term{s.outer, s.outerTerm(x.Cmp(s.a) >= 0)})
	}
	if s.moment.Sign() != 0 {
		terms = append(terms, term{s.moment, s.momentTerm()})
	}
	return terms
}

// at returns the deflection at x and the sum of the magnitudes of its terms.
func (s *span) at(x exact.Num) (sum, magnitude exact.Num) {
	for _, t := range s.terms(x) {
		value := t.unit.At(x).Mul(t.load)
		sum, magnitude = sum.Add(value), magnitude.Add(value.Abs())
	}
	return sum, magnitude
}

// reverses reports whether the deflection changes sign between wall and tip. Loads
// of one sign cannot do that, since each deflects the whole beam one way. For
// others the exact polynomial of each piece says how its sign runs; no point of the
// beam is sampled.
func (s *span) reverses() bool {
	if s.triangle.Sign() >= 0 && s.outer.Sign() >= 0 && s.moment.Sign() >= 0 ||
		s.triangle.Sign() <= 0 && s.outer.Sign() <= 0 && s.moment.Sign() <= 0 {
		return false
	}
	cuts := []exact.Num{{}, s.a, s.b, s.length}
	slices.SortFunc(cuts, exact.Num.Cmp)
	side := 0
	for i, from := range cuts[:len(cuts)-1] {
		to := cuts[i+1]
		if from.Cmp(to) == 0 {
			continue
		}
		var sum exact.Poly
		for _, t := range s.terms(from) {
			sum = sum.Add(t.unit.Scale(t.load))
		}
		first, changes := sum.Signs(from, to)
		if changes > 0 || first*side < 0 {
			return true
		}
		if first != 0 {
			side = first
		}
	}
	return false
}

// warnOfLoads warns of what the loads do to the number.
func (s *span) warnOfLoads(ctx context.Context, sum, magnitude exact.Num) {
	if s.triangle.Sign() == 0 && s.outer.Sign() == 0 && s.moment.Sign() == 0 {
		sdk.Warn(ctx, sdk.Warning{
			Code: noLoad, Severity: sdk.Info,
			Detail:     "All three loads are zero, so the beam stays straight.",
			Suggestion: "Send triangle_peak_load, outer_uniform_load or tip_moment.",
		})
	}
	if magnitude.Cmp(sum.Abs().Mul(exact.Int(1e6))) > 0 {
		detail := "At this position the loads cancel exactly: the condition number K is unbounded, and any change of an input decides the sign of delta."
		if sum.Sign() != 0 {
			detail = fmt.Sprintf("At this position the loads nearly cancel: the condition number is K = %.3g. The digits are right for these inputs, but rounding an input moves delta by about K times 1.1e-16 of itself.", exact.Quo(magnitude, sum.Abs()))
		}
		sdk.Warn(ctx, sdk.Warning{
			Code: illConditioned, Severity: sdk.Info, Detail: detail,
			Suggestion: "Judge delta against the deflection of each load alone.",
		})
	}
	if s.reverses() {
		sdk.Warn(ctx, sdk.Warning{
			Code: signReversal, Severity: sdk.Info,
			Detail:     "The deflection changes sign between the wall and the tip, so its largest magnitude need not be at the tip.",
			Suggestion: "Evaluate delta at several positions.",
		})
	}
}

// warnOfTheory warns where the theory leaves its range. tip is the numerator of the
// deflection at the tip, where large deflection is always judged.
func (s *span) warnOfTheory(ctx context.Context, in *Input, tip exact.Num) {
	exceeds := func(tenths int64) bool {
		return tip.Abs().Mul(exact.Int(10)).Cmp(s.divisor.Mul(s.length, exact.Int(tenths))) > 0
	}
	if exceeds(1) {
		severity := sdk.Caution
		if exceeds(3) {
			severity = sdk.Critical
		}
		sdk.Warn(ctx, sdk.Warning{
			Code: largeDeflection, Severity: severity,
			Detail: fmt.Sprintf("The tip deflects by %.3g of the length. Linear theory then gives too much: where it says 0.05 / 0.1 / 0.2 / 0.3 / 0.5 of the length, by 0.18 / 0.70 / 2.8 / 6.1 / 15.8 %% for a triangle on the full length, ",
				exact.Quo(tip.Abs(), s.divisor.Mul(s.length))) +
				"0.20 / 0.80 / 3.1 / 6.8 / 17.6 % for a uniform load on the full length, 0.21 / 0.86 / 3.4 / 7.3 / 18.8 % for one on the outer half, and 0.08 / 0.33 / 1.3 / 3.1 / 8.8 % for a couple, compared with the elastica of an inextensible beam under dead loads.",
			Suggestion: "Use a theory of large deflections, or a stiffer beam.",
		})
	}
	if h := in.SectionDepth; h != nil && in.Model == eulerBernoulli && s.length.Cmp(exact.Int(10).Mul(exact.Of(*h))) < 0 {
		sdk.Warn(ctx, sdk.Warning{
			Code: shearNotIncluded, Severity: sdk.Caution,
			Detail: fmt.Sprintf("The beam is only %.3g times as long as deep, and shear deformation is left out. For a rectangle with Poisson's ratio 0.3 and shear correction 5/6 it adds to the bending deflection 1.04 (h/L)^2 of it for a full uniform load, 1.30 (h/L)^2 for a full triangle and nothing for a couple: about 1 %% at L/h = 10, 4 to 5 %% at L/h = 5. ",
				exact.Quo(s.length, exact.Of(*h))) +
				"In general the ratio is 4 EI/(kAG L^2) for the uniform load and 5 EI/(kAG L^2) for the triangle.",
			Suggestion: "Send model timoshenko with shear_rigidity.",
		})
	}
}
