package customary

import (
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
)

func TestInFormula(t *testing.T) {
	inches, _ := units.Lookup("in")
	for _, tt := range []struct {
		system     System
		capability string
		unit       string
		difference bool
		preferred  units.Unit
		x          float64
		want       string
	}{
		{US, "mechanical.statics.beam", "m", false, units.Unit{}, 6.096, "20 ft"},
		{US, "mechanical.statics.beam", "m", false, inches, 6.096, "240 in"},
		{US, "mechanical.statics.beam", "Pa", false, inches, 344737864.65, "50 ksi"},
		{Metric, "mechanical.statics.beam", "Pa", false, units.Unit{}, 2.1e11, "210 GPa"},
		{US, "thermo.heat.wall", "K", false, units.Unit{}, 300, "540 degR"},
		{US, "thermo.heat.wall", "K", true, units.Unit{}, 10, "18 degF"},
		{Metric, "thermo.heat.wall", "K", false, units.Unit{}, 300, "300 K"},
		{SI, "thermo.heat.wall", "K", false, units.Unit{}, 300, "300 K"},
		{US, "mechanical.sections.beam", "N m3", false, units.Unit{}, 4.4482216152605 * 0.0254 * 0.0254 * 0.0254, "1 lbf in3"},
		{US, "thermo.heat.wall", "1/(kg K)", false, units.Unit{}, 1, "0.25199576 1/(lb degR)"},
		{Metric, "mechanical.statics.beam", "N m3", false, units.Unit{}, 5, "5 N m3"},
		{US, "mechanical.statics.beam", "%", false, units.Unit{}, 5, "5 "},
		{US, "mechanical.statics.beam", "money", false, units.Unit{}, 5, "5 "},
		{US, "thermo.heat.wall", "degC", false, units.Unit{}, 5, "5 "},
	} {
		spec := &sdk.Spec{Capability: tt.capability}
		y, in := NewReader(tt.system).InFormula(spec, tt.unit, tt.difference, tt.preferred, tt.x)
		if got := formula.Rounded(y, 8) + " " + in; got != tt.want {
			t.Errorf("%s %v %s: %q, want %q", tt.system, tt.x, tt.unit, got, tt.want)
		}
	}
}

func TestStepValues(t *testing.T) {
	spec := &sdk.Spec{Capability: "thermo.heat.wall"}
	s := Steps{Reader: NewReader(US), Digits: 6}
	for _, tt := range []struct {
		field sdk.Field
		x     float64
		want  string
	}{
		{sdk.Field{Name: "t", Unit: "K"}, 293.15, "68 degF"},
		{sdk.Field{Name: "rise", Unit: "K", Difference: true}, 10, "18 degF"},
		{sdk.Field{Name: "payment", Money: true}, 2212.23808, "2212.24 "},
		{sdk.Field{Name: "drop", Unit: "%"}, 5.082600960000001, "5.0826 %"},
		{sdk.Field{Name: "converted", Unit: "m", UnitBy: &sdk.UnitBy{}}, 2, "2 m"},
	} {
		number, unit := s.Value(spec, &tt.field, tt.x)
		if got := number + " " + unit; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.field.Name, got, tt.want)
		}
	}
}

func TestInText(t *testing.T) {
	spec := &sdk.Spec{Capability: "thermo.heat.wall"}
	for _, tt := range []struct {
		system System
		unit   string
		x      float64
		want   string
	}{
		{US, "degC", 293.15, "68 degF"}, {US, "mm", 0.0254, "1 in"}, {US, "in", 0.0254, "0.0254 "}, {US, "K", 300, "300 "}, {US, "K difference", 5, "9 degF"}, {Metric, "K difference", 5, "5 "}, {US, "parsnip", 1, "1 "},
		{Metric, "in", 0.0254, "25.4 mm"}, {Metric, "mm", 0.0254, "0.0254 "}, {AsEntered, "mm", 0.0254, "0.0254 "}, {US, "V", 12, "12 V"},
	} {
		y, in := NewReader(tt.system).InText(spec, tt.unit, tt.x)
		if got := formula.Rounded(y, 6) + " " + in; got != tt.want {
			t.Errorf("%s %v %s: %q, want %q", tt.system, tt.x, tt.unit, got, tt.want)
		}
	}
}
