package conversion_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/plugins/internal/conversion"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

func engine(quantity string) sdk.Engine {
	return conversion.Engine(quantity, conversion.About{Title: "t", Summary: "s", Assumptions: []string{"a"}})
}

func TestUnitsOfTheQuantityOnly(t *testing.T) {
	spec := engine("torque").Spec()
	from := spec.Inputs[spec.Input("from")]
	for text, want := range map[string]string{"lbf.ft": "lbf.ft", "lbf ft": "lbf.ft", "N m": "N.m", "N": "", "lbf-ft": ""} {
		if got, ok := from.EnumValue(text); got != want || ok != (want != "") {
			t.Errorf("%q is the unit %q, %t, want %q", text, got, ok, want)
		}
	}
	if spec.Tool != "torque" || engine("line_load").Spec().Tool != "line-load" {
		t.Errorf("tool %q", spec.Tool)
	}
}

// A host that sends what the Spec does not allow is told so, and nothing is computed.
func TestForeignUnits(t *testing.T) {
	_, err := engine("torque").Calculate(t.Context(), value.Values{value.NumberOf(1), value.TextOf("N.m"), value.TextOf("kg")})
	var rejection *sdk.Error
	if err == nil || errors.As(err, &rejection) {
		t.Errorf("error %v, want one that is not the caller's", err)
	}
}

func TestDefinitionsAreStated(t *testing.T) {
	for quantity, c := range map[string]struct {
		from, to string
		want     []string
	}{
		"pressure":    {"psi", "Pa", []string{"1 psi is 4.4482216152605/0.00064516 Pa, exactly."}},
		"angle":       {"deg", "grad", []string{"1 deg is pi/180 rad, exactly.", "1 grad is pi/200 rad, exactly."}},
		"temperature": {"degF", "degC", []string{"x degF is (x + 459.67)*5/9 K, exactly.", "x degC is (x + 273.15)*1 K, exactly."}},
		"torque":      {"N.m", "N.m", nil},
	} {
		if got := ask.For(t, engine(quantity), ask.In{"a": 1, "from": c.from, "to": c.to}).Assumptions; !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", quantity, got, c.want)
		}
	}
}

func TestUnknownQuantityPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	engine("taste")
}

func BenchmarkCalculate(b *testing.B) {
	for quantity, units := range map[string][2]string{"pressure": {"psi", "kPa"}, "temperature": {"degF", "degC"}, "angle": {"deg", "rad"}} {
		e := engine(quantity)
		b.Run(quantity, func(b *testing.B) {
			in := value.Values{value.NumberOf(30.1), value.TextOf(units[0]), value.TextOf(units[1])}
			for b.Loop() {
				if _, err := e.Calculate(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
