// Command euler_johnson is the engine of the buckling of columns. See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/pi"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// The regimes of the critical load.
const (
	euler   = "euler"
	johnson = "johnson"
)

// lengthFactors are the effective length factors of the end conditions.
var lengthFactors = map[string]float64{"pinned_pinned": 1, "fixed_free": 2, "fixed_pinned": 0.7, "fixed_fixed": 0.5}

// Input is the column.
type Input struct {
	Length                float64  `name:"length" alias:"L" unit:"m" symbol:"L" range:"(0,)" doc:"Length between the ends."`
	ElasticModulus        float64  `name:"elastic_modulus" alias:"E,youngs_modulus,young_modulus,modulus_of_elasticity" unit:"Pa" symbol:"E" range:"(0,)" presets:"data.materials.metals#elastic_modulus,data.materials.concrete#elastic_modulus,data.materials.timber#elastic_modulus" doc:"Young's modulus."`
	Area                  float64  `name:"area" alias:"A" unit:"m2" symbol:"A" range:"(0,)" presets:"data.sections.european_i#area,data.sections.american_w#area" doc:"Area of the section."`
	SecondMomentOfArea    float64  `name:"second_moment_of_area" alias:"I,moment_of_inertia,area_moment_of_inertia,second_moment" unit:"m4" symbol:"I" range:"(0,)" code:"SECOND_MOMENT_MUST_BE_POSITIVE" presets:"data.sections.european_i#second_moment_z,data.sections.american_w#second_moment_z" doc:"Least second moment of area of the section."`
	YieldStrength         *float64 `name:"yield_strength" alias:"Sy" unit:"Pa" symbol:"S_y" range:"(0,)" presets:"data.materials.metals#yield_strength" doc:"Yield strength in compression. Without it Euler's formula is used for any column."`
	EndCondition          *string  `name:"end_condition" enum:"pinned_pinned,fixed_free,fixed_pinned,fixed_fixed" doc:"How both ends are held; pinned_pinned if neither this nor effective_length_factor is given."`
	EffectiveLengthFactor *float64 `name:"effective_length_factor" alias:"K" symbol:"K" range:"(0,)" advanced:"true" doc:"Effective length over length, in place of the factor of end_condition."`
}

// Output is the loads and stresses at which the column fails.
type Output struct {
	SlendernessRatio      float64  `name:"slenderness_ratio" symbol:"\\lambda" doc:"Effective length over radius of gyration."`
	RadiusOfGyration      float64  `name:"radius_of_gyration" unit:"m" symbol:"r" doc:"Least radius of gyration."`
	EulerLoad             float64  `name:"euler_load" unit:"N" symbol:"P_E" label:"Euler load" doc:"Load at which an elastic column buckles."`
	TransitionSlenderness *float64 `name:"transition_slenderness" symbol:"C_c" doc:"Slenderness at which the formulas of Euler and Johnson meet. Given with a yield strength only."`
	CriticalLoad          float64  `name:"critical_load" headline:"true" unit:"N" symbol:"P_{cr}" doc:"Load at which the column fails, by the formula of its regime."`
	CriticalStress        float64  `name:"critical_stress" unit:"Pa" symbol:"\\sigma_{cr}" doc:"Critical load over area."`
	Regime                string   `name:"regime" enum:"euler,johnson" doc:"Formula that gave the critical load."`
}

// Engine returns the engine of mechanical.columns.euler_johnson 1.0.0. A straight column
// of length L, with ends that make its effective length K L, fails under the Euler load
// where it is at least as slender as Cc, or Sy is not known, and else at Johnson's critical
// stress. The formula is the Definition.
//
// Both give Sy/2 at Cc. For fixed_pinned theory has K = 0.699156. Units are SI, loads are
// compressive and positive.
//
// Errors: those of the ranges of the inputs.
//
// Precision: each result is the binary64 nearest to the true value for the given inputs,
// unless that lies within 1e-64 of its size of the middle between two: so far pi is known
// here.
//
// Source: the references. They were not opened for this; the continuity of both formulas
// at Cc is tested.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "mechanical.columns.euler_johnson",
		Version:    "1.0.0",
		Tool:       "euler-johnson-column",
		Group:      "columns",
		Title:      "Column buckling by Euler and Johnson",
		Summary:    "Critical load and stress of a straight column in compression, by Euler's formula for slender and Johnson's parabola for stocky ones.",
		Keywords:   []string{"buckling", "strut", "post", "pillar", "slenderness", "effective length", "J.B. Johnson", "crippling", "compression member"},
		Definition: `K = 2    if end_condition == "fixed_free"
K = 0.7  if end_condition == "fixed_pinned"
K = 0.5  if end_condition == "fixed_fixed"
K = 1    otherwise
r = sqrt(I/A)
lambda = K*L/r
P_E = pi^2*E*I/(K*L)^2
C_c = sqrt(2*pi^2*E/S_y)
sigma_cr = S_y*(1 - S_y*lambda^2/(4*pi^2*E))  if given(S_y) and lambda < C_c  @johnson_column_v1
sigma_cr = P_E/A                              otherwise                       @euler_column_v1
P_cr = sigma_cr*A`,
		Formulas: []sdk.Formula{{
			ID:    "euler_column_v1",
			Label: "Euler: elastic buckling of a slender column",
		}, {
			ID:    "johnson_column_v1",
			Label: "Johnson: parabola for a column that yields before it buckles elastically",
		}},
		Assumptions: []string{
			"The column is straight and prismatic, and the load acts through the centroid.",
			"The material is linear elastic up to yielding, homogeneous and isotropic.",
			"The section does not buckle locally, and the column does not twist.",
			"There is no safety factor: the critical load is a load of failure.",
		},
		SignConvention: "Loads and stresses are compressive and positive.",
		References: []sdk.Reference{
			{Title: "Shigley's Mechanical Engineering Design", Where: "chapter 4, long columns and intermediate-length columns with central loading"},
			{Title: "Gere and Goodno, Mechanics of Materials", Where: "chapter 11, columns"},
		},
		Plots: []sdk.Plot{{
			ID: "curve", Title: "Critical stress over slenderness",
			Summary: "Johnson's parabola up to the transition slenderness and Euler's hyperbola beyond it, with this column.",
			X:       sdk.Axis{Label: "Slenderness ratio", Symbol: `\lambda`},
			Y:       sdk.Axis{Label: "Critical stress", Symbol: `\sigma_{cr}`, Unit: "Pa"},
		}},
	}, calculate)
}

// Complete fills in the effective length factor of the end condition.
func (in *Input) Complete(ctx context.Context) error {
	if in.EffectiveLengthFactor != nil {
		if in.EndCondition != nil && lengthFactors[*in.EndCondition] != *in.EffectiveLengthFactor {
			sdk.Assume(ctx, "effective_length_factor was used in place of the factor of end_condition.")
		}
		return nil
	}
	if in.EndCondition == nil {
		in.EndCondition = new("pinned_pinned")
	}
	in.EffectiveLengthFactor = new(lengthFactors[*in.EndCondition])
	return nil
}

func calculate(ctx context.Context, in Input) (Output, error) {
	out := Output{
		SlendernessRatio: adaptive.RoundSqrt(ctx, "slenderness_ratio", in.slendernessSquared),
		RadiusOfGyration: adaptive.RoundSqrt(ctx, "radius_of_gyration", func(x *adaptive.X) adaptive.Num {
			return x.Of(in.SecondMomentOfArea).Div(x.Of(in.Area))
		}),
		EulerLoad: adaptive.Round(ctx, "euler_load", in.eulerLoad),
		Regime:    euler,
	}
	if in.YieldStrength == nil {
		sdk.Assume(ctx, "yield_strength is not given: the column is taken to buckle before it yields.")
	} else {
		out.TransitionSlenderness = new(adaptive.RoundSqrt(ctx, "transition_slenderness", in.transitionSquared))
	}
	if in.stocky() {
		out.Regime = johnson
		sdk.UseFormula(ctx, "johnson_column_v1")
		out.CriticalStress = adaptive.Round(ctx, "critical_stress", in.johnsonStress)
		out.CriticalLoad = adaptive.Round(ctx, "critical_load", func(x *adaptive.X) adaptive.Num {
			return in.johnsonStress(x).Mul(x.Of(in.Area))
		})
		return out, nil
	}
	out.CriticalLoad = out.EulerLoad
	out.CriticalStress = adaptive.Round(ctx, "critical_stress", func(x *adaptive.X) adaptive.Num {
		return in.eulerLoad(x).Div(x.Of(in.Area))
	})
	return out, nil
}

// stocky reports whether the column is less slender than the transition.
func (in *Input) stocky() bool {
	return in.YieldStrength != nil && adaptive.Sign(func(x *adaptive.X) adaptive.Num {
		return in.transitionSquared(x).Sub(in.slendernessSquared(x))
	}) > 0
}

func (in *Input) effectiveLength(x *adaptive.X) adaptive.Num {
	return x.Of(*in.EffectiveLengthFactor).Mul(x.Of(in.Length))
}

func (in *Input) slendernessSquared(x *adaptive.X) adaptive.Num {
	return in.effectiveLength(x).Pow(2).Mul(x.Of(in.Area)).Div(x.Of(in.SecondMomentOfArea))
}

func (in *Input) eulerLoad(x *adaptive.X) adaptive.Num {
	pi2 := pi.Of(x).Pow(2)
	return pi2.Mul(x.Of(in.ElasticModulus), x.Of(in.SecondMomentOfArea)).Div(in.effectiveLength(x).Pow(2))
}

func (in *Input) transitionSquared(x *adaptive.X) adaptive.Num {
	pi2 := pi.Of(x).Pow(2)
	return pi2.Mul(x.Of(in.ElasticModulus), x.Int(2)).Div(x.Of(*in.YieldStrength))
}

// johnsonStress is Sy (1 - slenderness^2/(2 Cc^2)).
func (in *Input) johnsonStress(x *adaptive.X) adaptive.Num {
	share := in.slendernessSquared(x).Div(in.transitionSquared(x)).Div(x.Int(2))
	return x.Of(*in.YieldStrength).Mul(x.Int(1).Sub(share))
}
