package main

import "github.com/slipstick/slipstick/sdk"

// formulas are those of each circuit, with the resistance per length and with what
// stands in its place.
func formulas() []sdk.Formula {
	var list []sdk.Formula
	for _, c := range []struct {
		name, label   string
		k, conductors string
		latexK        string
	}{
		{"dc", "Two conductors with direct current", "2*", "2", `2\,`},
		{"single_phase", "Two conductors of a single phase", "2*", "2", `2\,`},
		{"line_to_line", "Three phases, voltages between lines", "sqrt(3)*", "3", `\sqrt3\,`},
		{"line_to_neutral", "Three phases, voltages to neutral", "", "3", ""},
	} {
		impedance, latexImpedance := "(r*pf + x*sqrt(1 - pf^2))", `\left(r\,\mathrm{pf}+x\sqrt{1-\mathrm{pf}^2}\right)`
		if c.name == "dc" {
			impedance, latexImpedance = "r", `\,r`
		}
		f := sdk.Formula{
			ID:         formulaID(c.name, false),
			Expression: "dV = " + c.k + "I*L*" + impedance + "; Pc = " + c.conductors + "*I^2*r*L",
			Label:      c.label,
			LaTeX: `\begin{aligned}\Delta V&=` + c.latexK + `I\,L` + latexImpedance + `\\ u&=100\,\frac{\Delta V}{V},\quad V_L=V-\Delta V\\ P_c&=` +
				c.conductors + `\,I^2\,r\,L\end{aligned}`,
		}
		list = append(list, f)
		f.ID = formulaID(c.name, true)
		f.Expression = "r = rho/A; " + f.Expression
		f.LaTeX = `r=\frac{\rho}{A},\quad` + f.LaTeX
		list = append(list, f)
	}
	return list
}

func formulaID(circuit string, byResistivity bool) string {
	if byResistivity {
		return "voltage_drop_" + circuit + "_by_resistivity_v1"
	}
	return "voltage_drop_" + circuit + "_v1"
}
