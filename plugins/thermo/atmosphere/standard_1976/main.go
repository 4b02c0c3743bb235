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
	Pressure             float64 `name:"pressure" headline:"true" symbol:"p" unit:"Pa" doc:"Pressure of the air."`
	Density              float64 `name:"density" symbol:"\\rho" unit:"kg/m3" doc:"Density of the air."`
	SpeedOfSound         float64 `name:"speed_of_sound" symbol:"a" unit:"m/s" doc:"Speed of sound."`
	DynamicViscosity     float64 `name:"dynamic_viscosity" symbol:"\\mu" unit:"Pa s" doc:"Dynamic viscosity of the air."`
	GeopotentialAltitude float64 `name:"geopotential_altitude" symbol:"H" unit:"m" doc:"Height at which gravity that did not weaken would give the same potential."`
}

// Engine returns the engine of thermo.atmosphere.standard_1976 1.0.0: the U.S. Standard
// Atmosphere 1976 at a geometric altitude Z from -5 km to 86 km. The formula is the
// Definition: layers that begin at the geopotential altitudes Hb with the temperatures Tb,
// the gradients Lb and the pressures pb. Below sea level the first layer goes on.
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
		Definition: `r_0 := 6356766 m                  # radius of the earth in U.S. Standard Atmosphere, 1976
g_0 := 9.80665 m/s2               # gravity at sea level in U.S. Standard Atmosphere, 1976
M := 0.0289644 kg/mol             # molar mass of air in U.S. Standard Atmosphere, 1976
R := 8.31432 J/(mol K)            # gas constant in U.S. Standard Atmosphere, 1976
gamma := 1.4                      # ratio of specific heats in U.S. Standard Atmosphere, 1976
beta := 1.458e-6 kg/(m s K(1/2))  # of Sutherland's equation in U.S. Standard Atmosphere, 1976
S := 110.4 K                      # Sutherland's constant in U.S. Standard Atmosphere, 1976
p_0 := 101325 Pa                  # pressure at sea level in U.S. Standard Atmosphere, 1976
H = r_0*Z/(r_0 + Z)
# altitude, temperature and gradient at the bases of the layers of the same source
H_b = 0          if H < {11000 m}
H_b = {11000 m}  if H < {20000 m}
H_b = {20000 m}  if H < {32000 m}
H_b = {32000 m}  if H < {47000 m}
H_b = {47000 m}  if H < {51000 m}
H_b = {51000 m}  if H < {71000 m}
H_b = {71000 m}  otherwise
T_b = {288.15 K}  if H < {11000 m}
T_b = {216.65 K}  if H < {32000 m}
T_b = {228.65 K}  if H < {47000 m}
T_b = {270.65 K}  if H < {71000 m}
T_b = {214.65 K}  otherwise
L_b = {-0.0065 K/m}  if H < {11000 m}
L_b = 0              if H < {20000 m}
L_b = {0.001 K/m}    if H < {32000 m}
L_b = {0.0028 K/m}   if H < {47000 m}
L_b = 0              if H < {51000 m}
L_b = {-0.0028 K/m}  if H < {71000 m}
L_b = {-0.002 K/m}   otherwise
T = T_b + L_b*(H - H_b)
# pressure at the bases: by what it falls in each layer
K_h = g_0*M/R
gradient(t_b, t, l) = (t_b/t)^(K_h/l)
constant(t, h) = exp(-K_h*h/t)
p_1 = p_0*gradient({288.15 K}, {216.65 K}, {-0.0065 K/m})
p_2 = p_1*constant({216.65 K}, {9000 m})
p_3 = p_2*gradient({216.65 K}, {228.65 K}, {0.001 K/m})
p_4 = p_3*gradient({228.65 K}, {270.65 K}, {0.0028 K/m})
p_5 = p_4*constant({270.65 K}, {4000 m})
p_6 = p_5*gradient({270.65 K}, {214.65 K}, {-0.0028 K/m})
p_b = p_0  if H < {11000 m}
p_b = p_1  if H < {20000 m}
p_b = p_2  if H < {32000 m}
p_b = p_3  if H < {47000 m}
p_b = p_4  if H < {51000 m}
p_b = p_5  if H < {71000 m}
p_b = p_6  otherwise
p = p_b*gradient(T_b, T, L_b)   if L_b != 0  @atmosphere_gradient_v1
p = p_b*constant(T_b, H - H_b)  otherwise    @atmosphere_isothermal_v1
rho = p*M/(R*T)
a = sqrt(gamma*R*T/M)
mu = beta*T^1.5/(T + S)`,
		Formulas: []sdk.Formula{
			{ID: "atmosphere_gradient_v1", Label: "Layer with a temperature gradient"},
			{ID: "atmosphere_isothermal_v1", Label: "Layer of constant temperature"},
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
