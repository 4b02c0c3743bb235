// Command standard_1976 is the engine of the standard atmosphere. See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// Where the model ends, in m.
const (
	lowest  = -5000
	highest = 86_000
)

// Input is the height.
type Input struct {
	GeometricAltitude float64 `name:"geometric_altitude" alias:"Z,altitude,height,elevation" symbol:"Z" unit:"m" range:"[-5000,86000]" code:"ALTITUDE_OUT_OF_RANGE" doc:"Height above mean sea level."`
}

// Output is the state of the air.
type Output struct {
	Temperature          float64 `name:"temperature" symbol:"T" unit:"K" doc:"Temperature of the air."`
	Pressure             float64 `name:"pressure" symbol:"p" unit:"Pa" doc:"Pressure of the air."`
	Density              float64 `name:"density" symbol:"\\rho" unit:"kg/m3" doc:"Density of the air."`
	SpeedOfSound         float64 `name:"speed_of_sound" symbol:"a" unit:"m/s" doc:"Speed of sound."`
	DynamicViscosity     float64 `name:"dynamic_viscosity" symbol:"\\mu" unit:"Pa s" doc:"Dynamic viscosity of the air."`
	GeopotentialAltitude float64 `name:"geopotential_altitude" symbol:"H" unit:"m" doc:"Height at which gravity that did not weaken would give the same potential."`
}

// Engine returns the engine of thermo.atmosphere.standard_1976 1.0.0: the U.S. Standard
// Atmosphere 1976 at a geometric altitude Z from -5 km to 86 km. In layers that begin
// at the geopotential altitudes Hb with the temperatures Tb and the gradients Lb
//
//	H = r0 Z/(r0 + Z),  T = Tb + Lb (H - Hb)
//	p = pb (Tb/T)^(g0 M/(R Lb)),  or pb exp(-g0 M (H - Hb)/(R Tb)) where Lb = 0
//	rho = p M/(R T),  a = sqrt(gamma R T/M),  mu = beta T^1.5/(T + S)
//
// with r0 = 6356766 m, g0 = 9.80665 m/s2, M = 28.9644 kg/kmol, R = 8314.32 J/(kmol K),
// gamma = 1.4, beta = 1.458e-6, S = 110.4 K, and 288.15 K and 101325 Pa at sea level.
// Below sea level the first layer goes on.
//
// Units are SI; altitudes are positive upwards.
//
// Error: none but the final rounding; each result is the binary64 nearest to that of
// the model. From 80 km the temperature is that on the molecular scale, of which the
// kinetic one is 0.04 % less at 86 km.
//
// Source: see the Spec.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "thermo.atmosphere.standard_1976",
		Version:    "1.0.0",
		Tool:       "standard-atmosphere",
		Group:      "thermo",
		Title:      "Standard atmosphere 1976",
		Summary:    "Temperature, pressure, density, speed of sound and viscosity of the air at an altitude of the U.S. Standard Atmosphere 1976.",
		Keywords:   []string{"air pressure at altitude", "air density", "barometric formula", "ISA", "international standard atmosphere", "speed of sound", "aviation", "mach", "lapse rate", "stratosphere"},
		Formulas: []sdk.Formula{
			{ID: "atmosphere_gradient_v1", Expression: "H = r0*Z/(r0 + Z); T = Tb + Lb*(H - Hb); p = pb*(Tb/T)^(g0*M/(R*Lb)); rho = p*M/(R*T); a = sqrt(gamma*R*T/M); mu = beta*T^1.5/(T + S)", Label: "Layer with a temperature gradient", LaTeX: `\begin{aligned}H&=\frac{r_0\,Z}{r_0+Z},\quad T=T_b+L_b\,(H-H_b),\quad p=p_b\left(\frac{T_b}{T}\right)^{g_0 M/(R^* L_b)}\\ \rho&=\frac{p\,M}{R^*\,T},\quad a=\sqrt{\frac{\gamma R^*\,T}{M}},\quad \mu=\frac{\beta\,T^{3/2}}{T+S}\end{aligned}`},
			{ID: "atmosphere_isothermal_v1", Expression: "H = r0*Z/(r0 + Z); T = Tb; p = pb*exp(-g0*M*(H - Hb)/(R*Tb)); rho = p*M/(R*T); a = sqrt(gamma*R*T/M); mu = beta*T^1.5/(T + S)", Label: "Layer of constant temperature", LaTeX: `\begin{aligned}H&=\frac{r_0\,Z}{r_0+Z},\quad T=T_b,\quad p=p_b\exp\left(-\frac{g_0 M\,(H-H_b)}{R^* T_b}\right)\\ \rho&=\frac{p\,M}{R^*\,T},\quad a=\sqrt{\frac{\gamma R^*\,T}{M}},\quad \mu=\frac{\beta\,T^{3/2}}{T+S}\end{aligned}`},
		},
		Assumptions: []string{
			"The air is dry, well mixed and an ideal gas at rest, in hydrostatic equilibrium.",
			"The model is a mean of middle latitudes; the weather of a day differs.",
			"From 80 km the temperature is that on the molecular scale.",
		},
		SignConvention: "Altitudes are positive upwards from mean sea level.",
		References: []sdk.Reference{
			{Title: "U.S. Standard Atmosphere, 1976", Where: "NOAA, NASA and USAF, tables and equations below 86 km"},
			{Title: "ISO 2533, Standard atmosphere", Where: "identical up to 32 km"},
		},
		Limits: []sdk.Limit{{Quantity: "geometric_altitude", Min: new(float64(lowest)), Max: new(float64(highest)), Unit: "m", Doc: "Other altitudes are rejected: above, the air is no longer well mixed."}},
		Plots: []sdk.Plot{{
			ID: "profile", Title: "Temperature of the atmosphere",
			Summary: "Geometric altitude over temperature from 5 km below sea level to 86 km, with the point of this altitude. Straight pieces are the layers of the model.",
			X:       sdk.Axis{Label: "temperature", Symbol: "T", Unit: "K"},
			Y:       sdk.Axis{Label: "geometric altitude", Symbol: "Z", Unit: "m"},
		}},
	}, calculate)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	h := geopotential(in.GeometricAltitude)
	l := layerOf(h)
	if l.gradient.Sign() == 0 {
		sdk.UseFormula(ctx, "atmosphere_isothermal_v1")
	}
	t, p := l.temperatureAt(h), l.pressureAt(h)
	return Output{
		Temperature:          elementary.Round(ctx, "temperature", t),
		Pressure:             elementary.Round(ctx, "pressure", p),
		Density:              elementary.Round(ctx, "density", p.Mul(molarMass).Div(gasConstant.Mul(t))),
		SpeedOfSound:         elementary.Round(ctx, "speed_of_sound", gamma.Mul(gasConstant, t).Div(molarMass).Sqrt()),
		DynamicViscosity:     elementary.Round(ctx, "dynamic_viscosity", beta.Mul(t, t.Sqrt()).Div(t.Add(sutherland))),
		GeopotentialAltitude: elementary.Round(ctx, "geopotential_altitude", h),
	}, nil
}

// Draw draws the temperature from bottom to top.
func (in *Input) Draw(context.Context, string) (*sdk.Figure, error) {
	temperature := func(z float64) float64 {
		h := geopotential(z)
		return layerOf(h).temperatureAt(h).Float()
	}
	var bends []float64
	for _, l := range table[1:] {
		bends = append(bends, geometric(l.base).Float())
	}
	zs, ts := sdk.Sample(lowest, highest, 92, temperature, bends...)
	here := in.GeometricAltitude
	return &sdk.Figure{
		Curves: []sdk.Curve{{Label: "temperature", X: ts, Y: zs}},
		Points: []sdk.Point{{Label: "this altitude", X: temperature(here), Y: here}},
	}, nil
}
