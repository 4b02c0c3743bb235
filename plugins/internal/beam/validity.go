package beam

import (
	"context"
	"fmt"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/sdk"
)

// The codes of warnings.
const (
	NoLoad          = "NO_LOAD_APPLIED"
	LargeDeflection = "LARGE_DEFLECTION"
)

// Small is the limit of small deflections. The quantity is the largest deflection, in
// the words of the Spec.
func Small(largest string) sdk.Limit {
	return sdk.Limit{
		Quantity: "abs(" + largest + ")/length", Max: new(0.1), Warning: LargeDeflection,
		Doc: "The theory takes slopes as small, and equilibrium on the straight beam.",
	}
}

// What becomes of linear theory where deflections are large, by the supports. The
// figures for a cantilever come from the elliptic integrals of its elastica; half of a
// beam that is loaded at midspan, and slides on its roller, is such a cantilever.
const (
	LargeCantilever = "Linear theory then gives too much: for a load at the tip, where it says 0.05 / 0.1 / 0.2 / 0.3 / 0.5 of the length, by 0.26 / 1.0 / 4.0 / 8.6 / 22 %, compared with the elastica of an inextensible beam under a dead load."
	LargeSimple     = "Linear theory then gives too much if the roller slides freely: for a load at midspan, where it says 0.05 / 0.1 / 0.15 / 0.25 of the length, by 1.0 / 4.0 / 8.6 / 22 %, compared with the elastica of an inextensible beam under a dead load. If the supports cannot move towards each other the beam is stretched, and gives way less."
	LargePropped    = "Linear theory takes slopes as small, and lets the roller slide. If it cannot, the beam is stretched, and gives way less."
	LargeFixed      = "Linear theory takes slopes as small, and leaves out that walls which cannot move towards each other stretch the beam: it then gives way less, and markedly so once the deflection is comparable to the depth of the section."
)

// Warn warns of a load that is zero, whose field is named, and of a deflection that is
// large. What is given of the largest deflection is its square, which is rational even
// where it is not.
func Warn(ctx context.Context, field string, load, length float64, square Value, large string) {
	if load == 0 {
		sdk.Warn(ctx, sdk.Warning{
			Code: NoLoad, Severity: sdk.Info,
			Detail:     "The load is zero, so the beam stays straight.",
			Suggestion: "Give a value of " + field + " that is not zero.",
		})
		return
	}
	exceeds := func(tenths int64) bool {
		return adaptive.Sign(func(x *adaptive.X) adaptive.Num {
			return square(x).Mul(x.Int(100)).Sub(x.Int(tenths).Mul(x.Of(length)).Pow(2))
		}) > 0
	}
	if !exceeds(1) {
		return
	}
	severity := sdk.Caution
	if exceeds(3) {
		severity = sdk.Critical
	}
	ratio := adaptive.RoundSqrt(ctx, "largest deflection", func(x *adaptive.X) adaptive.Num { return square(x).Div(x.Of(length).Pow(2)) })
	sdk.Warn(ctx, sdk.Warning{
		Code: LargeDeflection, Severity: severity,
		Detail:     fmt.Sprintf("The largest deflection is %.3g of the length. ", ratio) + large,
		Suggestion: "Use a theory of large deflections, or a stiffer beam.",
	})
}
