// Command sdof is the engine of the vibration of one mass on a spring. See [Engine].
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

// The regimes of free vibration.
const (
	undamped    = "undamped"
	underdamped = "underdamped"
	critical    = "critical"
	overdamped  = "overdamped"
)

// Input is the system.
type Input struct {
	Stiffness float64 `name:"stiffness" alias:"k" unit:"N/m" symbol:"k" range:"(0,)" doc:"Stiffness of the spring."`
	Mass      float64 `name:"mass" alias:"m" unit:"kg" symbol:"m" range:"(0,)" doc:"Mass."`
	Damping   float64 `name:"damping" alias:"c" unit:"N s/m" symbol:"c" default:"0" range:"[0,)" label:"Damping coefficient" doc:"Coefficient of viscous damping; 0 for none."`
}

// Output is the frequencies and the damping.
type Output struct {
	NaturalAngularFrequency float64  `name:"natural_angular_frequency" unit:"rad/s" symbol:"\\omega_n" doc:"Angular frequency of free vibration without damping."`
	NaturalFrequency        float64  `name:"natural_frequency" headline:"true" unit:"Hz" symbol:"f_n" doc:"Frequency of free vibration without damping."`
	DampingRatio            float64  `name:"damping_ratio" symbol:"\\zeta" doc:"Damping over critical damping."`
	CriticalDamping         float64  `name:"critical_damping" unit:"N s/m" symbol:"c_c" doc:"Least damping with which the mass returns without swinging through."`
	Regime                  string   `name:"regime" enum:"undamped,underdamped,critical,overdamped" doc:"Kind of free motion."`
	DampedAngularFrequency  *float64 `name:"damped_angular_frequency" unit:"rad/s" symbol:"\\omega_d" doc:"Angular frequency of free vibration with the damping. Given where the mass vibrates, below critical damping."`
}

// Engine returns the engine of mechanical.vibration.sdof 1.1.0. A mass m on a spring k
// with a viscous damper c moves by m a + c v + k x = 0, with the speed v and the
// acceleration a. The formula is the Definition.
//
// The regime is judged by the exact sign of c^2 - 4 k m. Units are SI, angular
// frequencies in rad/s.
//
// Errors: those of the ranges of the inputs.
//
// Precision: each result is the binary64 nearest to the true value for the given inputs,
// also close to critical damping; the natural frequency is, unless the true value lies
// within 1e-64 of its size of the middle between two: so far pi is known here.
//
// Source: the equation of motion; tabulated in the references, which were not opened for
// this.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "mechanical.vibration.sdof",
		Version:    "1.1.0",
		Tool:       "spring-mass-damper",
		Group:      "vibration",
		Title:      "Spring, mass and damper: natural frequency and damping ratio",
		Summary:    "Natural frequency, damping ratio and damped frequency of a mass on a spring with viscous damping.",
		Changes:    "The damping coefficient has a unit now, N s/m, so that it can be entered in others of its kind. Numbers are as they were.",
		Keywords:   []string{"single degree of freedom", "SDOF", "harmonic oscillator", "resonance", "eigenfrequency", "natural frequency", "critical damping", "oscillation", "suspension"},
		Definition: `omega_n = sqrt(k/m)
f_n = omega_n/(2*pi)
c_c = 2*sqrt(k*m)
zeta = c/c_c
omega_d = omega_n*sqrt(1 - zeta^2)  if zeta < 1`,
		Formulas: []sdk.Formula{{
			ID:    "sdof_free_vibration_v1",
			Label: "Free vibration with viscous damping",
		}},
		Assumptions: []string{
			"The mass moves along one line; the spring is linear and without mass.",
			"The damping is viscous: its force is proportional to the speed.",
		},
		References: []sdk.Reference{
			{Title: "Rao, Mechanical Vibrations", Where: "chapter 2, free vibration of single-degree-of-freedom systems"},
		},
		Plots: []sdk.Plot{{
			ID: "response", Title: "Free vibration",
			Summary: "Displacement over time, as a share of the first one, after the mass is let go at rest: over four periods of the vibration without damping, longer where strong damping slows the return, between the envelopes of light damping.",
			X:       sdk.Axis{Label: "Time", Symbol: "t", Unit: "s"},
			Y:       sdk.Axis{Label: "Displacement over initial displacement", Symbol: "x/x_0"},
		}},
	}, calculate)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	out := Output{
		NaturalAngularFrequency: adaptive.RoundSqrt(ctx, "natural_angular_frequency", in.ratio),
		NaturalFrequency: adaptive.RoundSqrt(ctx, "natural_frequency", func(x *adaptive.X) adaptive.Num {
			return in.ratio(x).Div(pi.Of(x).Pow(2).Mul(x.Int(4)))
		}),
		DampingRatio: adaptive.RoundSqrt(ctx, "damping_ratio", func(x *adaptive.X) adaptive.Num {
			return x.Of(in.Damping).Pow(2).Div(in.criticalSquared(x))
		}),
		CriticalDamping: adaptive.RoundSqrt(ctx, "critical_damping", in.criticalSquared),
		Regime:          in.regime(),
	}
	if out.Regime == undamped || out.Regime == underdamped {
		out.DampedAngularFrequency = new(adaptive.RoundSqrt(ctx, "damped_angular_frequency", func(x *adaptive.X) adaptive.Num {
			return in.shortOfCritical(x).Div(x.Of(in.Mass).Mul(x.Int(2)).Pow(2))
		}))
	}
	return out, nil
}

// ratio is k/m.
func (in *Input) ratio(x *adaptive.X) adaptive.Num {
	return x.Of(in.Stiffness).Div(x.Of(in.Mass))
}

// criticalSquared is 4 k m, the square of the critical damping.
func (in *Input) criticalSquared(x *adaptive.X) adaptive.Num {
	return x.Of(in.Stiffness).Mul(x.Of(in.Mass), x.Int(4))
}

// shortOfCritical is 4 k m - c^2.
func (in *Input) shortOfCritical(x *adaptive.X) adaptive.Num {
	return in.criticalSquared(x).Sub(x.Of(in.Damping).Pow(2))
}

func (in *Input) regime() string {
	switch sign := adaptive.Sign(in.shortOfCritical); {
	case in.Damping == 0:
		return undamped
	case sign > 0:
		return underdamped
	case sign < 0:
		return overdamped
	}
	return critical
}
