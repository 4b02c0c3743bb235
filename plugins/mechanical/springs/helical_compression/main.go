// Command helical_compression is the engine of helical compression springs. See [Engine].
package main

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/pi"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

const springIndexUnusual = "SPRING_INDEX_UNUSUAL"

// The spring indexes beyond which springs are hard to wind or to handle.
const (
	leastIndex    = 4
	greatestIndex = 12
)

// Input is the spring and its load.
type Input struct {
	WireDiameter     float64 `name:"wire_diameter" alias:"d" unit:"m" symbol:"d" range:"(0,)" doc:"Diameter of the round wire."`
	MeanCoilDiameter float64 `name:"mean_coil_diameter" alias:"D" unit:"m" symbol:"D" range:"(wire_diameter,)" doc:"Diameter of the coils, to the middle of the wire; greater than wire_diameter."`
	ActiveCoils      float64 `name:"active_coils" alias:"n" symbol:"n" range:"(0,)" doc:"Number of coils that deflect, which need not be whole."`
	ShearModulus     float64 `name:"shear_modulus" alias:"G" unit:"Pa" symbol:"G" range:"(0,)" presets:"data.materials.metals#shear_modulus" doc:"Shear modulus of the wire."`
	Force            float64 `name:"force" alias:"F" unit:"N" symbol:"F" doc:"Axial force: compression is positive."`
}

// Output is the stiffness, the deflection and the stress.
type Output struct {
	SpringRate  float64 `name:"spring_rate" unit:"N/m" symbol:"k" doc:"Force per deflection."`
	SpringIndex float64 `name:"spring_index" symbol:"C" doc:"Coil diameter over wire diameter."`
	WahlFactor  float64 `name:"wahl_factor" symbol:"K_w" label:"Wahl's factor" doc:"Factor of the greatest shear stress, for curvature and direct shear."`
	Deflection  float64 `name:"deflection" unit:"m" symbol:"\\delta" doc:"Deflection under the force: shorter is positive."`
	ShearStress float64 `name:"shear_stress" headline:"true" unit:"Pa" symbol:"\\tau" doc:"Greatest shear stress, on the inside of the coils, with the sign of the force."`
}

// Engine returns the engine of mechanical.springs.helical_compression 1.1.0. A spring of
// round wire d, mean coil diameter D and n active coils of shear modulus G bears an axial
// force F. The formula is the Definition.
//
// Units are SI. Compression is positive.
//
// Errors: those of the ranges of the inputs. Warning SPRING_INDEX_UNUSUAL for C outside
// 4 to 12.
//
// Precision: each result is the binary64 nearest to the true value for the given inputs;
// the shear stress is, unless the true value lies within 1e-64 of its size of the middle
// between two: so far pi is known here.
//
// Source: the references, which were not opened for this.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "mechanical.springs.helical_compression",
		Version:    "1.1.0",
		Tool:       "helical-compression-spring",
		Group:      "springs",
		Title:      "Helical compression spring",
		Summary:    "Rate, deflection and shear stress with Wahl's factor of a coil spring of round wire.",
		Changes:    "A plot shows Wahl's factor over the spring index. Results are as they were.",
		Keywords:   []string{"coil spring", "spring rate", "spring constant", "stiffness", "Wahl correction", "spring index", "wire"},
		Definition: `C = D/d
k = G*d^4/(8*D^3*n)
delta = F/k
K_w = (4*C - 1)/(4*C - 4) + 0.615/C
tau = K_w*8*F*D/(pi*d^3)`,
		Formulas: []sdk.Formula{{
			ID:    "helical_compression_wahl_v1",
			Label: "Torsion of the wire with Wahl's factor",
		}},
		Assumptions: []string{
			"The wire is round, linear elastic and isotropic, and the coils are close to circles: the pitch angle is small.",
			"The force is static and axial, the coils do not touch and the spring does not buckle.",
			"Wahl's factor counts curvature and direct shear; residual stresses of winding and setting are not included.",
		},
		SignConvention: "Force and deflection are positive in compression; the shear stress has the sign of the force.",
		References: []sdk.Reference{
			{Title: "Shigley's Mechanical Engineering Design", Where: "chapter 10, helical springs"},
			{Title: "EN 13906-1", Where: "cylindrical helical compression springs made from round wire"},
		},
		Limits: []sdk.Limit{{
			Quantity: "mean_coil_diameter/wire_diameter", Min: new(float64(leastIndex)), Max: new(float64(greatestIndex)), Warning: springIndexUnusual,
			Doc: "Springs of a smaller index are hard to wind, those of a larger one tangle and buckle.",
		}},
		Plots:    plots(),
		Warnings: []string{springIndexUnusual},
	}, calculate)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	in.warnOfIndex(ctx)
	return Output{
		SpringRate: adaptive.Round(ctx, "spring_rate", in.rate),
		SpringIndex: adaptive.Round(ctx, "spring_index", func(x *adaptive.X) adaptive.Num {
			return x.Of(in.MeanCoilDiameter).Div(x.Of(in.WireDiameter))
		}),
		WahlFactor: adaptive.Round(ctx, "wahl_factor", in.wahl),
		Deflection: adaptive.Round(ctx, "deflection", func(x *adaptive.X) adaptive.Num {
			return x.Of(in.Force).Div(in.rate(x))
		}),
		ShearStress: adaptive.Round(ctx, "shear_stress", func(x *adaptive.X) adaptive.Num {
			torsion := x.Of(in.Force).Mul(x.Of(in.MeanCoilDiameter), x.Int(8)).Div(pi.Of(x).Mul(x.Of(in.WireDiameter).Pow(3)))
			return in.wahl(x).Mul(torsion)
		}),
	}, nil
}

// rate is G d^4/(8 D^3 n).
func (in *Input) rate(x *adaptive.X) adaptive.Num {
	coils := x.Of(in.MeanCoilDiameter).Pow(3).Mul(x.Of(in.ActiveCoils), x.Int(8))
	return x.Of(in.ShearModulus).Mul(x.Of(in.WireDiameter).Pow(4)).Div(coils)
}

// wahl is (4 C - 1)/(4 C - 4) + 0.615/C.
func (in *Input) wahl(x *adaptive.X) adaptive.Num {
	wire, coil := x.Of(in.WireDiameter), x.Of(in.MeanCoilDiameter)
	curvature := coil.Mul(x.Int(4)).Sub(wire).Div(coil.Sub(wire).Mul(x.Int(4)))
	return curvature.Add(x.Literal("0.615").Mul(wire).Div(coil))
}

func (in *Input) warnOfIndex(ctx context.Context) {
	beyond := func(index int64) int { // the sign of C - index
		return adaptive.Sign(func(x *adaptive.X) adaptive.Num {
			return x.Of(in.MeanCoilDiameter).Sub(x.Of(in.WireDiameter).Mul(x.Int(index)))
		})
	}
	w := sdk.Warning{Code: springIndexUnusual, Severity: sdk.Caution}
	switch {
	case beyond(leastIndex) < 0:
		w.Detail = fmt.Sprintf("The spring index is below %d: such springs are hard to wind, and the stress is concentrated on the inside.", leastIndex)
		w.Suggestion = "Use a thinner wire or larger coils."
	case beyond(greatestIndex) > 0:
		w.Detail = fmt.Sprintf("The spring index is above %d: such springs tangle, buckle and vary in diameter.", greatestIndex)
		w.Suggestion = "Use a thicker wire or smaller coils."
	default:
		return
	}
	sdk.Warn(ctx, w)
}
