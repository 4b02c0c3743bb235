package conversion_test

import (
	"errors"
	"slices"
	"strings"
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

// TestUnitsAreExplainedOnce: also one that is both that from and that to.
func TestUnitsAreExplainedOnce(t *testing.T) {
	for to, want := range map[string]int{"ft": 1, "m": 1, "yd": 2} {
		a := ask.For(t, engine("length"), ask.In{"a": 3, "from": "ft", "to": to})
		if len(a.Assumptions) != want {
			t.Errorf("ft to %s: %q, want %d", to, a.Assumptions, want)
		}
	}
}

// TestBelowAbsoluteZero says what was sent, as it was, and what may be.
func TestBelowAbsoluteZero(t *testing.T) {
	for sent, want := range map[any][3]string{-1: {"K", "-1 K", "at least 0 K"}, "-300.50": {"degC", "-300.50 degC", "at least -273.15 degC"}} {
		_, err := ask.Try(t, engine("temperature"), ask.In{"a": sent, "from": want[0], "to": "degF"})
		if e, ok := err.(*sdk.Error); !ok || !strings.Contains(e.Detail, want[1]) || !strings.Contains(e.Suggestion, want[2]) {
			t.Errorf("%v %s: %+v", sent, want[0], err)
		}
	}
}
