// Command plane_stress is the engine of plane states of stress. See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/plugins/internal/outline"
	"github.com/slipstick/slipstick/plugins/internal/principal"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// Input is the stresses on the faces of an element.
type Input struct {
	SigmaX float64 `name:"sigma_x" alias:"sx" unit:"Pa" symbol:"\\sigma_x" label:"Normal stress in x" doc:"Normal stress on the x face: tension positive."`
	SigmaY float64 `name:"sigma_y" alias:"sy" unit:"Pa" symbol:"\\sigma_y" label:"Normal stress in y" doc:"Normal stress on the y face: tension positive."`
	TauXY  float64 `name:"tau_xy" alias:"tau" unit:"Pa" symbol:"\\tau_{xy}" label:"Shear stress" doc:"Shear stress: positive in the direction of +y on the face towards +x."`
}

// Output is the principal stresses and equivalent stresses.
type Output struct {
	Sigma1         float64 `name:"sigma_1" headline:"true" unit:"Pa" symbol:"\\sigma_1" label:"Greater principal stress" doc:"Greater principal stress in the plane."`
	Sigma2         float64 `name:"sigma_2" unit:"Pa" symbol:"\\sigma_2" label:"Lesser principal stress" doc:"Lesser principal stress in the plane."`
	TauMaxInPlane  float64 `name:"tau_max_in_plane" unit:"Pa" symbol:"R" label:"Greatest shear stress in the plane" doc:"Greatest shear stress on faces at right angles to the plane, the radius of Mohr's circle."`
	TauMaxAbsolute float64 `name:"tau_max_absolute" unit:"Pa" symbol:"\\tau_{max}" label:"Greatest shear stress" doc:"Greatest shear stress on any face, with the third principal stress zero."`
	PrincipalAngle float64 `name:"principal_angle" unit:"rad" symbol:"\\theta_p" doc:"Angle from the x axis to the direction of sigma_1, counterclockwise, in (-pi/2, pi/2]. Zero where every direction is principal."`
	VonMises       float64 `name:"von_mises" unit:"Pa" symbol:"\\sigma_v" label:"Equivalent stress of von Mises" doc:"Equivalent stress of von Mises."`
	Tresca         float64 `name:"tresca" unit:"Pa" symbol:"\\sigma_T" label:"Equivalent stress of Tresca" doc:"Equivalent stress of Tresca, twice the greatest shear stress."`
}

// Engine returns the engine of mechanical.stress.plane_stress 1.0.0, for the stresses sx,
// sy and txy on the faces of an element, with nothing on the third. The formula is the
// Definition.
//
// Units are SI, angles in rad. Tension is positive, txy is positive in the direction of +y
// on the face towards +x, angles counterclockwise.
//
// Errors: none of its own.
//
// Precision: each result is the binary64 nearest to the true value for the given inputs, so
// a principal stress that is zero is exactly 0. The angle is, unless the true value lies
// within 1e-50 of its size of the middle between two.
//
// Source: Mohr's circle and the criteria of the references, which were not opened for
// this.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "mechanical.stress.plane_stress",
		Version:    "1.0.0",
		Tool:       "plane-stress",
		Group:      "stress",
		Title:      "Plane stress: principal stresses, Mohr's circle, von Mises and Tresca",
		Summary:    "Principal stresses and their direction, greatest shear stresses and the equivalent stresses of von Mises and Tresca of a plane state of stress.",
		Keywords:   []string{"Mohr circle", "stress transformation", "biaxial stress", "equivalent stress", "yield criterion", "maximum shear", "strain gauge"},
		Definition: `R = sqrt(((sigma_x - sigma_y)/2)^2 + tau_xy^2)
sigma_1 = (sigma_x + sigma_y)/2 + R
sigma_2 = (sigma_x + sigma_y)/2 - R
theta_p = atan2(2*tau_xy, sigma_x - sigma_y)/2
tau_max = max(R, abs(sigma_1)/2, abs(sigma_2)/2)
sigma_v = sqrt(sigma_x^2 - sigma_x*sigma_y + sigma_y^2 + 3*tau_xy^2)
sigma_T = 2*tau_max`,
		Formulas: []sdk.Formula{{
			ID:    "plane_stress_mohr_v1",
			Label: "Mohr's circle; von Mises; Tresca with a third principal stress of zero",
		}},
		Assumptions: []string{
			"The state of stress is plane: no stress acts on the faces parallel to the plane.",
			"The equivalent stresses are those of an isotropic, ductile material.",
		},
		SignConvention: "Tension is positive. tau_xy is positive where it acts in the direction of +y on the face towards +x. principal_angle is positive counterclockwise.",
		References: []sdk.Reference{
			{Title: "Gere and Goodno, Mechanics of Materials", Where: "chapter 7, plane stress, principal stresses and Mohr's circle"},
			{Title: "Shigley's Mechanical Engineering Design", Where: "chapter 5, maximum shear stress and distortion energy theories"},
		},
		Plots: []sdk.Plot{{
			ID: "mohr", Title: "Mohr's circle", ToScale: true, Down: true,
			Summary: "The circle of the stresses on all faces, with the given faces and the principal stresses. Shear grows downwards, so that angles turn as they do in the element, twice as far.",
			X:       sdk.Axis{Label: "Normal stress", Symbol: `\sigma`, Unit: "Pa"},
			Y:       sdk.Axis{Label: "Shear stress", Symbol: `\tau`, Unit: "Pa"},
		}},
	}, calculate)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	of := func(f float64) principal.Formula { return func(x *adaptive.X) adaptive.Num { return x.Of(f) } }
	stress := principal.Tensor{XX: of(in.SigmaX), YY: of(in.SigmaY), XY: of(in.TauXY)}
	s1, s2 := stress.Values(ctx, principal.Components{XX: in.SigmaX, YY: in.SigmaY, XY: in.TauXY}, "sigma_1", "sigma_2")
	out := Output{
		Sigma1: s1, Sigma2: s2,
		TauMaxInPlane:  stress.Radius(ctx, "tau_max_in_plane"),
		PrincipalAngle: in.principalAngle(ctx),
		VonMises: adaptive.RoundSqrt(ctx, "von_mises", func(x *adaptive.X) adaptive.Num {
			xx, yy, xy := x.Of(in.SigmaX), x.Of(in.SigmaY), x.Of(in.TauXY)
			return xx.Pow(2).Sub(xx.Mul(yy)).Add(yy.Pow(2)).Add(xy.Pow(2).Mul(x.Int(3)))
		}),
	}
	switch {
	case s2 > 0:
		out.TauMaxAbsolute, out.Tresca = s1/2, s1
	case s1 < 0:
		out.TauMaxAbsolute, out.Tresca = -s2/2, -s2
	default: // the third principal stress, zero, lies between both
		out.TauMaxAbsolute, out.Tresca = out.TauMaxInPlane, 2*out.TauMaxInPlane
	}
	return out, nil
}

func (in *Input) principalAngle(ctx context.Context) float64 {
	across := elementary.Of(in.TauXY).Mul(elementary.Int(2))
	along := elementary.Of(in.SigmaX).Sub(elementary.Of(in.SigmaY))
	return elementary.Round(ctx, "principal_angle", elementary.Atan2(across, along).Div(elementary.Int(2)))
}

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, _ string) (*sdk.Figure, error) {
	out, err := calculate(ctx, *in)
	if err != nil {
		return nil, err
	}
	centre := float64(in.SigmaX/2) + float64(in.SigmaY/2)
	return outline.Bounded(&sdk.Figure{
		Curves: []sdk.Curve{
			outline.Circle("all faces", sdk.Line, centre, 0, out.TauMaxInPlane),
			{Label: "diameter of the given faces", Style: sdk.Guide, X: []float64{in.SigmaX, in.SigmaY}, Y: []float64{in.TauXY, -in.TauXY}},
		},
		Points: []sdk.Point{
			{Label: "x face", X: in.SigmaX, Y: in.TauXY},
			{Label: "y face", X: in.SigmaY, Y: -in.TauXY},
			{Label: "sigma_1", X: out.Sigma1},
			{Label: "sigma_2", X: out.Sigma2},
			{Label: "centre", X: centre},
		},
	})
}
