package main

import "github.com/slipstick/slipstick/sdk"

// formulas are the formulas of each circuit, from the resistance per length, and from the resistivity and the area.
func formulas() []sdk.Formula {
	var list []sdk.Formula
	for _, c := range []struct{ name, label string }{
		{"dc", "Two conductors with direct current"},
		{"single_phase", "Two conductors of a single phase"},
		{"line_to_line", "Three phases, voltages between lines"},
		{"line_to_neutral", "Three phases, voltages to neutral"},
	} {
		list = append(list,
			sdk.Formula{ID: formulaID(c.name, false), Label: c.label},
			sdk.Formula{ID: formulaID(c.name, true), Label: c.label + ", from resistivity and area"})
	}
	return list
}

func formulaID(circuit string, byResistivity bool) string {
	if byResistivity {
		return "voltage_drop_" + circuit + "_by_resistivity_v2"
	}
	return "voltage_drop_" + circuit + "_v2"
}
