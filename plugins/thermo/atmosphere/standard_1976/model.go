package main

import "github.com/slipstick/slipstick/plugins/internal/elementary"

// The constants of the model.
var (
	earthRadius = elementary.Int(6_356_766)         // m
	gravity     = elementary.Literal("9.80665")     // m/s2
	gasConstant = elementary.Literal("8314.32")     // J/(kmol K)
	molarMass   = elementary.Literal("28.9644")     // kg/kmol
	gamma       = elementary.Literal("1.4")         //
	beta        = elementary.Literal("0.000001458") // kg/(s m sqrt K)
	sutherland  = elementary.Literal("110.4")       // K
	hydrostatic = gravity.Mul(molarMass).Div(gasConstant)
)

// layer is one with a constant gradient of the temperature.
type layer struct {
	base, temperature, pressure, gradient elementary.Num
}

// table holds the layers from sea level upwards.
var table = func() []layer {
	below := layer{temperature: elementary.Literal("288.15"), pressure: elementary.Int(101_325)}
	var layers []layer
	for _, l := range []struct {
		base     int64  // m, geopotential
		gradient string // K/m
	}{
		{0, "-0.0065"}, {11_000, "0"}, {20_000, "0.001"}, {32_000, "0.0028"}, {47_000, "0"}, {51_000, "-0.0028"}, {71_000, "-0.002"},
	} {
		base := elementary.Int(l.base)
		below = layer{base, below.temperatureAt(base), below.pressureAt(base), elementary.Literal(l.gradient)}
		layers = append(layers, below)
	}
	return layers
}()

// layerOf returns the layer that the geopotential altitude lies in. The first goes on
// below sea level and the last above its end.
func layerOf(h elementary.Num) layer {
	i := len(table) - 1
	for i > 0 && h.Cmp(table[i].base) < 0 {
		i--
	}
	return table[i]
}

func (l layer) temperatureAt(h elementary.Num) elementary.Num {
	return l.temperature.Add(l.gradient.Mul(h.Sub(l.base)))
}

func (l layer) pressureAt(h elementary.Num) elementary.Num {
	if l.gradient.Sign() == 0 {
		return l.pressure.Mul(hydrostatic.Mul(h.Sub(l.base)).Div(l.temperature).Neg().Exp())
	}
	return l.pressure.Mul(l.temperature.Div(l.temperatureAt(h)).Pow(hydrostatic.Div(l.gradient)))
}

// geopotential returns the geopotential altitude of a geometric one.
func geopotential(geometric float64) elementary.Num {
	z := elementary.Of(geometric)
	return earthRadius.Mul(z).Div(earthRadius.Add(z))
}

// geometric returns the geometric altitude of a geopotential one.
func geometric(h elementary.Num) elementary.Num {
	return earthRadius.Mul(h).Div(earthRadius.Sub(h))
}
