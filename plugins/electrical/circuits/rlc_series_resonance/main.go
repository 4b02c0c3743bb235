// Command rlc_series_resonance is the engine of the resonance of a series circuit. See
// [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/plugins/internal/pi"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// Input is the circuit.
type Input struct {
	Resistance  float64 `name:"resistance" symbol:"R" alias:"R" unit:"ohm" range:"[0,)" doc:"Resistance in series; with 0 there is no quality factor and no bandwidth."`
	Inductance  float64 `name:"inductance" symbol:"L" alias:"L" unit:"H" range:"(0,)" doc:"Inductance."`
	Capacitance float64 `name:"capacitance" symbol:"C" alias:"C" unit:"F" range:"(0,)" doc:"Capacitance."`
}

// Output is the resonance and, where there is a resistance, how sharp it is.
type Output struct {
	ResonantFrequency        float64  `name:"resonant_frequency" headline:"true" symbol:"f_0" unit:"Hz" doc:"Frequency at which the reactances cancel."`
	ResonantAngularFrequency float64  `name:"resonant_angular_frequency" symbol:"\\omega_0" unit:"rad/s" doc:"The same as angular frequency."`
	CharacteristicImpedance  float64  `name:"characteristic_impedance" symbol:"Z_0" unit:"ohm" doc:"Magnitude of either reactance at resonance."`
	QualityFactor            *float64 `name:"quality_factor" symbol:"Q" doc:"Quality factor."`
	Bandwidth                *float64 `name:"bandwidth" symbol:"B" unit:"Hz" doc:"Distance of the half-power frequencies."`
	LowerHalfPowerFrequency  *float64 `name:"lower_half_power_frequency" symbol:"f_1" unit:"Hz" doc:"Frequency below resonance at which a source of constant voltage gives half as much power."`
	UpperHalfPowerFrequency  *float64 `name:"upper_half_power_frequency" symbol:"f_2" unit:"Hz" doc:"Frequency above resonance at which it does."`
	DampingRatio             float64  `name:"damping_ratio" symbol:"\\zeta" doc:"Damping ratio; the circuit rings where it is below 1."`
}

// Engine returns the engine of electrical.circuits.rlc_series_resonance 1.0.1. A
// resistance R, an inductance L and a capacitance C in series have at f0 the impedance R
// alone. Their current is down to 1/sqrt(2), and their power to half, at f1 and f2. The
// formula is the Definition.
//
// Units are SI; nothing is negative.
//
// Error: none but the final rounding; each result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the impedance R + j(2 pi f L - 1/(2 pi f C)), whose magnitude is R at f0 and
// sqrt(2) R at the half-power frequencies.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "electrical.circuits.rlc_series_resonance",
		Version:    "1.0.1",
		Tool:       "rlc-series-resonance",
		Group:      "circuits",
		Title:      "RLC series circuit: resonance, quality factor, bandwidth",
		Summary:    "Resonant frequency, quality factor, bandwidth and half-power frequencies of a series circuit of resistance, inductance and capacitance.",
		Changes:    "The formula says what the damping ratio of a circuit without resistance is, which the text before left out. Numbers are as they were.",
		Keywords:   []string{"LC circuit", "tank circuit", "resonant frequency", "Q factor", "band-pass filter", "tuned circuit", "cutoff frequency", "-3 dB"},
		Definition: `omega_0 = 1/sqrt(L*C)
f_0 = omega_0/(2*pi)
Z_0 = sqrt(L/C)
zeta = R/(2*Z_0)                     if R > 0   @rlc_series_resonance_v1
zeta = 0                             otherwise  @lc_series_resonance_v1
Q = Z_0/R                            if R > 0   @rlc_series_resonance_v1
B = R/(2*pi*L)                       if R > 0   @rlc_series_resonance_v1
f_2 = f_0*(sqrt(1 + zeta^2) + zeta)  if R > 0   @rlc_series_resonance_v1
f_1 = f_0^2/f_2                      if R > 0   @rlc_series_resonance_v1`,
		Formulas: []sdk.Formula{{
			ID:    "rlc_series_resonance_v1",
			Label: "Resonance of a series circuit with resistance",
		}, {
			ID:    "lc_series_resonance_v1",
			Label: "Resonance of a series circuit without resistance",
		}},
		Assumptions:    []string{"Resistance, inductance and capacitance are constant, at all frequencies.", "All resistance of the circuit, that of coil and source included, is in resistance."},
		SignConvention: "All quantities are magnitudes: none is negative.",
		References:     []sdk.Reference{{Title: "Impedance of a series circuit", Where: "Z = R + j*(w*L - 1/(w*C)); half power where abs(Z) = sqrt(2)*R"}},
		Plots: []sdk.Plot{{
			ID: "impedance", Title: "Impedance around resonance",
			Summary: "The magnitude of the impedance falls to its minimum, the resistance, at the resonant frequency and rises on both sides of it.",
			X:       sdk.Axis{Label: "Frequency", Symbol: "f", Unit: "Hz"},
			Y:       sdk.Axis{Label: "Magnitude of the impedance", Symbol: "|Z|", Unit: "ohm"},
		}},
	}, calculate)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	out := Output{
		ResonantFrequency: adaptive.RoundSqrt(ctx, "resonant_frequency", func(x *adaptive.X) adaptive.Num {
			return x.Int(1).Div(x.Int(2).Mul(pi.Of(x)).Pow(2).Mul(in.product(x)))
		}),
		ResonantAngularFrequency: adaptive.RoundSqrt(ctx, "resonant_angular_frequency", func(x *adaptive.X) adaptive.Num {
			return x.Int(1).Div(in.product(x))
		}),
		CharacteristicImpedance: adaptive.RoundSqrt(ctx, "characteristic_impedance", func(x *adaptive.X) adaptive.Num {
			return x.Of(in.Inductance).Div(x.Of(in.Capacitance))
		}),
		DampingRatio: adaptive.RoundSqrt(ctx, "damping_ratio", func(x *adaptive.X) adaptive.Num {
			return x.Of(in.Resistance).Pow(2).Mul(x.Of(in.Capacitance)).Div(x.Int(4).Mul(x.Of(in.Inductance)))
		}),
	}
	if in.Resistance == 0 {
		sdk.UseFormula(ctx, "lc_series_resonance_v1")
		return out, nil
	}
	out.QualityFactor = new(adaptive.RoundSqrt(ctx, "quality_factor", func(x *adaptive.X) adaptive.Num {
		return x.Of(in.Inductance).Div(x.Of(in.Capacitance).Mul(x.Of(in.Resistance).Pow(2)))
	}))
	out.Bandwidth = new(adaptive.Round(ctx, "bandwidth", func(x *adaptive.X) adaptive.Num {
		return x.Of(in.Resistance).Div(x.Int(2).Mul(pi.Of(x), x.Of(in.Inductance)))
	}))
	lower, upper := in.halfPower()
	out.LowerHalfPowerFrequency = new(elementary.Round(ctx, "lower_half_power_frequency", lower))
	out.UpperHalfPowerFrequency = new(elementary.Round(ctx, "upper_half_power_frequency", upper))
	return out, nil
}

// product returns L C.
func (in *Input) product(x *adaptive.X) adaptive.Num {
	return x.Of(in.Inductance).Mul(x.Of(in.Capacitance))
}

// halfPower returns the half-power frequencies, the lower one by division, since their
// difference cancels where the damping is strong.
func (in *Input) halfPower() (lower, upper elementary.Num) {
	r, l, c := elementary.Of(in.Resistance), elementary.Of(in.Inductance), elementary.Of(in.Capacitance)
	half := r.Div(elementary.Int(2).Mul(l))
	square := elementary.Int(1).Div(l.Mul(c)) // w0^2
	w := square.Add(half.Mul(half)).Sqrt().Add(half)
	twoPi := elementary.Int(2).Mul(elementary.Pi)
	return square.Div(w.Mul(twoPi)), w.Div(twoPi)
}
