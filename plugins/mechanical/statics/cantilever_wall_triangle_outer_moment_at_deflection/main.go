// Command cantilever_wall_triangle_outer_moment_at_deflection is the engine of the
// deflection of a cantilever under three loads. See [Engine].
package main

import (
	"context"
	_ "embed"
	"fmt"

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

// The codes of this engine's own warnings.
const (
	shearNotIncluded = "SHEAR_DEFORMATION_NOT_INCLUDED"
	illConditioned   = "ILL_CONDITIONED"
	signReversal     = "SIGN_REVERSAL_ALONG_SPAN"
	noLoad           = "NO_LOAD_APPLIED"
	largeDeflection  = "LARGE_DEFLECTION"
)

// Input is the beam, its loads and the place to look at.
type Input struct {
	Length             float64  `name:"length" alias:"L,span,beam_length" unit:"m" range:"(0,)" symbol:"L" doc:"Length of the beam, from the wall to the free end."`
	ElasticModulus     *float64 `name:"elastic_modulus" alias:"E,youngs_modulus,young_modulus,modulus_of_elasticity" unit:"Pa" range:"(0,)" symbol:"E" presets:"data.materials.metals#elastic_modulus,data.materials.concrete#elastic_modulus,data.materials.timber#elastic_modulus" doc:"Young's modulus. Needed unless flexural_rigidity is given."`
	SecondMomentOfArea *float64 `name:"second_moment_of_area" alias:"I,moment_of_inertia,area_moment_of_inertia,second_moment" unit:"m4" range:"(0,)" code:"SECOND_MOMENT_MUST_BE_POSITIVE" symbol:"I" presets:"data.sections.european_i#second_moment_y,data.sections.american_w#second_moment_y" doc:"Second moment of area about the axis of bending. Needed unless flexural_rigidity is given."`
	FlexuralRigidity   *float64 `name:"flexural_rigidity" alias:"EI" unit:"N m2" range:"(0,)" symbol:"EI" advanced:"true" doc:"Flexural rigidity, in place of elastic_modulus and second_moment_of_area."`
	TrianglePeakLoad   float64  `name:"triangle_peak_load" alias:"w0,q0,wall_load,triangular_load_peak,peak_load" unit:"N/m" default:"0" label:"Triangular load: peak, at the wall" symbol:"w_0" doc:"Triangular load: its peak, which is at the wall."`
	TriangleLength     *float64 `name:"triangle_length" alias:"b,triangle_extent" unit:"m" range:"(0,length]" code:"TRIANGLE_LENGTH_OUT_OF_RANGE" label:"Triangular load: loaded length" symbol:"b" doc:"Distance from the wall at which the triangular load has fallen to zero; at most length, and length if left blank."`
	OuterUniformLoad   float64  `name:"outer_uniform_load" alias:"w,q,uniform_load,outer_load" unit:"N/m" default:"0" label:"Uniform load on the outer part" symbol:"w" doc:"Uniform load on the outer part of the beam, from outer_start to the free end."`
	OuterStart         *float64 `name:"outer_start" alias:"a,outer_load_start" unit:"m" range:"[0,length]" code:"OUTER_START_OUT_OF_RANGE" label:"Uniform load: where it starts" symbol:"a" doc:"Distance from the wall at which the uniform load starts; at most length. Needed with a uniform load unless outer_length is given."`
	OuterLength        *float64 `name:"outer_length" alias:"c,outer_loaded_length" unit:"m" range:"[0,length]" code:"OUTER_LENGTH_OUT_OF_RANGE" label:"Uniform load: loaded length" symbol:"c" advanced:"true" doc:"Length under the uniform load, measured from the free end, in place of outer_start; at most length."`
	TipMoment          float64  `name:"tip_moment" alias:"M0,M_tip,end_moment,end_couple" unit:"N m" default:"0" label:"Couple at the tip" symbol:"M_0" doc:"Couple at the free end."`
	Position           *float64 `name:"position" alias:"x,at,evaluation_point" unit:"m" range:"[0,length]" symbol:"x" doc:"Distance from the wall at which the deflection is wanted; at most length, and length if left blank."`
	Model              string   `name:"model" alias:"theory" enum:"euler_bernoulli,timoshenko" default:"euler_bernoulli" label:"Beam theory" advanced:"true" doc:"Beam theory: without or with shear deformation."`
	ShearRigidity      *float64 `name:"shear_rigidity" alias:"kAG,kappa_A_G,GAs" unit:"N" range:"(0,)" symbol:"\\kappa AG" advanced:"true" doc:"Shear rigidity, with the shear correction factor. Needed by the timoshenko model, unused by the other."`
	SectionDepth       *float64 `name:"section_depth" alias:"h,depth" unit:"m" range:"(0,)" symbol:"h" advanced:"true" doc:"Depth of the section. Used for a warning only."`
}

// Output is the deflection and the theory that gave it.
type Output struct {
	Delta float64 `name:"delta" headline:"true" unit:"m" label:"Deflection" symbol:"\\delta" doc:"Transverse displacement at position."`
	Model string  `name:"model" enum:"euler_bernoulli,timoshenko" label:"Beam theory" doc:"Beam theory that was used."`
}

// Engine returns the engine of
// mechanical.statics.cantilever_wall_triangle_outer_moment_at_deflection 1.0.0.
//
// A prismatic beam is clamped at x = 0 and free at x = L. Its triangular load is w0 (1
// - x/b) on [0, b], and its uniform load is w on [a, L]. A couple M0 acts at the free
// end. The formula is the Definition. The code writes it so that no part of a term
// cancels another. With u = (b - x)/b:
//
//	T = b^2 x^2 (4 + 3u + 2u^2 + u^3)/120,  ST = b x (1 + u + u^2)/6  for x <= b
//	SU = c a + (x - a)((L - a) + (L - x))/2  for x > a, with c = L - a
//
// Units are SI. Delta and the distributed loads are positive the same way; a
// positive M0 bends the tip that way. Loads of any sign are legal.
//
// The only error is the final rounding. Delta is one fraction of exact sums and
// products, rounded to binary64 once. So it is the binary64 nearest to the true
// value for the given inputs, and cancelling loads give exactly 0.
//
// The references in the Spec have the formulas. They were proved equal to the
// differential equation of the beam; the books were not opened for this.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "mechanical.statics.cantilever_wall_triangle_outer_moment_at_deflection",
		Version:    "1.0.0",
		Tool:       "cantilever-deflection",
		Group:      "statics",
		Title:      "Cantilever deflection: triangular wall load, outer uniform load, tip moment",
		Summary:    "Deflection at any point of a clamped beam under a triangular load that peaks at the wall, a uniform load on its outer part and a couple at its tip.",
		Keywords: []string{
			"bracket", "shelf", "balcony", "canopy", "awning", "diving board", "flagpole", "mast", "wing", "overhang", "fixed at one end", "built-in beam",
			"clamped beam", "load increasing to the wall", "hydrostatic load", "wind load", "snow load", "end couple", "sag", "bend", "droop",
		},
		Definition: `EI = E*I
a = L - c
b = L
x = L
T = x^2*(10*b^3 - 10*b^2*x + 5*b*x^2 - x^3)/(120*b)  if x <= b
T = b^3*(5*x - b)/120                                otherwise
# without a uniform load a and c need not be sent
U = 0                                                      if w == 0
U = (L - a)*x^2*(3*(L + a) - 2*x)/12 + max(x - a, 0)^4/24  otherwise
delta_b = (w_0*T + w*U + M_0*x^2/2)/EI
S_T = x*(3*b^2 - 3*b*x + x^2)/(6*b)  if x <= b
S_T = b^2/6                          otherwise
S_U = 0                    if w == 0
S_U = (L - a)*x            if x <= a
S_U = L*x - (a^2 + x^2)/2  otherwise
delta = delta_b                              if model == "euler_bernoulli"  @cantilever_eb_superposition_v1
delta = delta_b + (w_0*S_T + w*S_U)/kappaAG  otherwise                      @cantilever_timoshenko_superposition_v1`,
		Formulas: []sdk.Formula{{
			ID:    "cantilever_eb_superposition_v1",
			Label: "Superposition of wall-peaked triangle, outer uniform load and tip couple",
		}, {
			ID:    "cantilever_timoshenko_superposition_v1",
			Label: "Superposition of wall-peaked triangle, outer uniform load and tip couple, with shear deformation",
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
		Limits: []sdk.Limit{
			{Quantity: "abs(delta at the tip)/length", Max: new(0.1), Warning: largeDeflection, Doc: "The theory takes slopes as small, and equilibrium on the straight beam."},
			{Quantity: "length/section_depth", Min: new(10.0), Warning: shearNotIncluded, Doc: "In the euler_bernoulli model: below, shear deformation matters."},
			{Quantity: "condition number of the sum of the loads", Max: new(1e6), Warning: illConditioned, Doc: "Beyond, the loads cancel so far that the last digits of the inputs decide."},
		},
		Plots:    plots,
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
		return sdk.Conflict("flexural_rigidity", "flexural_rigidity replaces elastic_modulus and second_moment_of_area").
			Suggest("Give either flexural_rigidity or the other two.")
	case in.OuterStart != nil && in.OuterLength != nil:
		return sdk.Conflict("outer_length", "outer_length replaces outer_start").Suggest("Give one of them.")
	}
	return nil
}

func calculate(ctx context.Context, in Input) (Output, error) {
	if in.Model == timoshenko {
		sdk.UseFormula(ctx, "cantilever_timoshenko_superposition_v1")
		sdk.Assume(ctx, "Shear deformation is included, with a constant shear correction.")
	} else {
		sdk.Assume(ctx, "Shear deformation is neglected.")
		if in.ShearRigidity != nil {
			sdk.Assume(ctx, "shear_rigidity is given and is not used by the euler_bernoulli model.")
		}
	}
	delta := in.deflection(ctx)
	in.warnOfLoads(ctx, delta)
	in.warnOfTheory(ctx)
	return Output{Delta: delta, Model: in.Model}, nil
}

// warnOfLoads warns of what the loads do to delta.
func (in *Input) warnOfLoads(ctx context.Context, delta float64) {
	if in.TrianglePeakLoad == 0 && in.OuterUniformLoad == 0 && in.TipMoment == 0 {
		sdk.Warn(ctx, sdk.Warning{
			Code: noLoad, Severity: sdk.Info,
			Detail:     "All three loads are zero, so the beam stays straight.",
			Suggestion: "Give triangle_peak_load, outer_uniform_load or tip_moment.",
		})
	}
	if in.cancels(delta) {
		detail := "At this position the loads cancel exactly: the condition number K is unbounded, and any change of an input decides the sign of delta."
		if k, bounded := in.condition(ctx); bounded {
			detail = fmt.Sprintf("At this position the loads nearly cancel: the condition number is K = %.3g. The digits are right for these inputs, but rounding an input moves delta by about K times 1.1e-16 of itself.", k)
		}
		sdk.Warn(ctx, sdk.Warning{
			Code: illConditioned, Severity: sdk.Info, Detail: detail,
			Suggestion: "Judge delta against the deflection of each load alone.",
		})
	}
	if in.reverses() {
		sdk.Warn(ctx, sdk.Warning{
			Code: signReversal, Severity: sdk.Info,
			Detail:     "The deflection changes sign between the wall and the tip, so its largest magnitude need not be at the tip.",
			Suggestion: "Evaluate delta at several positions.",
		})
	}
}

// warnOfTheory warns where the theory leaves its range. Large deflection is always
// judged at the tip.
func (in *Input) warnOfTheory(ctx context.Context) {
	if in.isLarge() {
		severity := sdk.Caution
		if in.tipExceeds(3) {
			severity = sdk.Critical
		}
		sdk.Warn(ctx, sdk.Warning{
			Code: largeDeflection, Severity: severity,
			Detail: fmt.Sprintf("The tip deflects by %.3g of the length. Linear theory then gives too much. ", in.tipRatio(ctx)) +
				"The excess is given for 0.05 / 0.1 / 0.2 / 0.3 / 0.5 of the length, compared with the elastica of an inextensible beam under dead loads. " +
				"A triangle on the full length: 0.18 / 0.70 / 2.8 / 6.1 / 15.8 %. A uniform load on the full length: 0.20 / 0.80 / 3.1 / 6.8 / 17.6 %. " +
				"A uniform load on the outer half: 0.21 / 0.86 / 3.4 / 7.3 / 18.8 %. A couple: 0.08 / 0.33 / 1.3 / 3.1 / 8.8 %.",
			Suggestion: "Use a theory of large deflections, or a stiffer beam.",
		})
	}
	if h := in.SectionDepth; h != nil && in.Model == eulerBernoulli && in.isDeep(*h) {
		sdk.Warn(ctx, sdk.Warning{
			Code: shearNotIncluded, Severity: sdk.Caution,
			Detail: fmt.Sprintf("The beam is only %.3g times as long as deep, and shear deformation is left out. For a rectangle with Poisson's ratio 0.3 and shear correction 5/6 it adds to the bending deflection 1.04 (h/L)^2 of it for a full uniform load, 1.30 (h/L)^2 for a full triangle and nothing for a couple: about 1 %% at L/h = 10, 4 to 5 %% at L/h = 5. ",
				in.Length / *h) +
				"In general the ratio is 4 EI/(kAG L^2) for the uniform load and 5 EI/(kAG L^2) for the triangle.",
			Suggestion: "Give model timoshenko with shear_rigidity.",
		})
	}
}
