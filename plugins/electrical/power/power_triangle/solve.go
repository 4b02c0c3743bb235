package main

import (
	"context"
	"math"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/plugins/internal/powerfactor"
	"github.com/slipstick/slipstick/sdk"
)

// angle returns the angle of a triangle with these legs, of whatever size.
func angle(ctx context.Context, across, along elementary.Num) float64 {
	return elementary.Round(ctx, "phase_angle", elementary.Atan2(across, along))
}

// squares returns the formula a^2 - b^2 as a product, which loses nothing.
func squares(x *adaptive.X, a, b float64) adaptive.Num {
	return x.Of(a).Sub(x.Of(b)).Mul(x.Of(a).Add(x.Of(b)))
}

func fromActiveReactive(ctx context.Context, p, q float64) (Output, error) {
	sdk.UseFormula(ctx, "power_triangle_active_reactive_v1")
	if p == 0 && q == 0 {
		return Output{}, sdk.Reject(sdk.CodeUndefined, "reactive_power", "active and reactive power are both zero, so there is no power factor").
			Suggest("Give a power that is not zero.")
	}
	squareOfS := func(x *adaptive.X) adaptive.Num { return x.Of(p).Pow(2).Add(x.Of(q).Pow(2)) }
	return Output{
		ActivePower: p, ReactivePower: q,
		ApparentPower: adaptive.RoundSqrt(ctx, "apparent_power", squareOfS),
		PF:            adaptive.RoundSqrt(ctx, "pf", func(x *adaptive.X) adaptive.Num { return x.Of(p).Pow(2).Div(squareOfS(x)) }),
		PhaseAngle:    angle(ctx, elementary.Of(q), elementary.Of(p)),
	}, nil
}

func fromActiveApparent(ctx context.Context, p, s float64) (Output, error) {
	sdk.UseFormula(ctx, "power_triangle_active_apparent_v1")
	if p > s {
		return Output{}, sdk.Reject(activeExceeds, "active_power", "active_power is %v W, and apparent_power only %v V A", p, s).
			Suggest("Give an active_power of at most apparent_power.")
	}
	q := elementary.Of(s).Sub(elementary.Of(p)).Mul(elementary.Of(s).Add(elementary.Of(p))).Sqrt()
	return Output{
		ActivePower: p, ApparentPower: s,
		ReactivePower: adaptive.RoundSqrt(ctx, "reactive_power", func(x *adaptive.X) adaptive.Num { return squares(x, s, p) }),
		PF:            adaptive.Round(ctx, "pf", func(x *adaptive.X) adaptive.Num { return x.Of(p).Div(x.Of(s)) }),
		PhaseAngle:    angle(ctx, q, elementary.Of(p)),
	}, nil
}

func fromActiveFactor(ctx context.Context, p, pf float64) Output {
	sdk.UseFormula(ctx, "power_triangle_active_pf_v1")
	return Output{
		ActivePower: p, PF: pf,
		ApparentPower: adaptive.Round(ctx, "apparent_power", func(x *adaptive.X) adaptive.Num { return x.Of(p).Div(x.Of(pf)) }),
		ReactivePower: adaptive.RoundSqrt(ctx, "reactive_power", func(x *adaptive.X) adaptive.Num {
			return x.Of(p).Div(x.Of(pf)).Pow(2).Mul(squares(x, 1, pf))
		}),
		PhaseAngle: angle(ctx, powerfactor.Sin(pf), elementary.Of(pf)),
	}
}

func fromReactiveApparent(ctx context.Context, q, s float64) (Output, error) {
	sdk.UseFormula(ctx, "power_triangle_reactive_apparent_v1")
	if math.Abs(q) > s {
		return Output{}, sdk.Reject(reactiveExceeds, "reactive_power", "reactive_power is %v var, and apparent_power only %v V A", q, s).
			Suggest("Give a reactive_power whose magnitude is at most apparent_power.")
	}
	p := elementary.Of(s).Sub(elementary.Of(q)).Mul(elementary.Of(s).Add(elementary.Of(q))).Sqrt()
	return Output{
		ReactivePower: q, ApparentPower: s,
		ActivePower: adaptive.RoundSqrt(ctx, "active_power", func(x *adaptive.X) adaptive.Num { return squares(x, s, q) }),
		PF:          adaptive.RoundSqrt(ctx, "pf", func(x *adaptive.X) adaptive.Num { return squares(x, s, q).Div(x.Of(s).Pow(2)) }),
		PhaseAngle:  angle(ctx, elementary.Of(q), p),
	}, nil
}

func fromReactiveFactor(ctx context.Context, q, pf float64) (Output, error) {
	sdk.UseFormula(ctx, "power_triangle_reactive_pf_v1")
	switch {
	case pf == 1 && q == 0:
		return Output{}, sdk.Reject(sdk.CodeUndefined, "pf", "with power factor 1 there is no reactive power, so any active power would do").
			Suggest("Give active_power or apparent_power in place of one of them.")
	case pf == 1:
		return Output{}, sdk.Reject(reactiveIsNotZero, "reactive_power", "reactive_power is %v var, and with power factor 1 there is none", q).
			Suggest("Give a pf below 1, or active_power in place of reactive_power.")
	}
	sin := powerfactor.Sin(pf)
	if q < 0 {
		sin = sin.Neg()
	}
	return Output{
		ReactivePower: q, PF: pf,
		ActivePower: adaptive.RoundSqrt(ctx, "active_power", func(x *adaptive.X) adaptive.Num {
			return x.Of(q).Mul(x.Of(pf)).Pow(2).Div(squares(x, 1, pf))
		}),
		ApparentPower: adaptive.RoundSqrt(ctx, "apparent_power", func(x *adaptive.X) adaptive.Num {
			return x.Of(q).Pow(2).Div(squares(x, 1, pf))
		}),
		PhaseAngle: angle(ctx, sin, elementary.Of(pf)),
	}, nil
}

func fromApparentFactor(ctx context.Context, s, pf float64) Output {
	sdk.UseFormula(ctx, "power_triangle_apparent_pf_v1")
	return Output{
		ApparentPower: s, PF: pf,
		ActivePower: adaptive.Round(ctx, "active_power", func(x *adaptive.X) adaptive.Num { return x.Of(s).Mul(x.Of(pf)) }),
		ReactivePower: adaptive.RoundSqrt(ctx, "reactive_power", func(x *adaptive.X) adaptive.Num {
			return x.Of(s).Pow(2).Mul(squares(x, 1, pf))
		}),
		PhaseAngle: angle(ctx, powerfactor.Sin(pf), elementary.Of(pf)),
	}
}
