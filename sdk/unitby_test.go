package sdk_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/internal/box"
	"github.com/slipstick/slipstick/sdk/value"
)

// currents converts between volts and amperes for a resistance of 2 ohm.
type currents struct {
	Dir     string   `name:"dir" enum:"to_amps=i,to_volts" default:"to_amps"`
	Primary float64  `name:"primary" unit_by:"dir:to_amps=V,to_volts=A"`
	In      *string  `name:"in"`
	Of      *float64 `name:"of" unit:"m"`
}

type converted struct {
	Value float64 `name:"value" unit_by:"dir:to_amps=A,to_volts=V"`
}

func converter() sdk.Engine {
	return sdk.New(box.Spec(), func(_ context.Context, in currents) (converted, error) {
		if in.Dir == "to_amps" {
			return converted{in.Primary / 2}, nil
		}
		return converted{in.Primary * 2}, nil
	})
}

func TestUnitBy(t *testing.T) {
	spec := converter().Spec()
	want := &sdk.UnitBy{Input: "dir", Units: map[string]string{"to_amps": "V", "to_volts": "A"}}
	if diff := cmp.Diff(want, spec.Inputs[1].UnitBy); diff != "" || spec.Inputs[1].Unit != "" {
		t.Errorf("unit %q, by (-want +got):\n%s", spec.Inputs[1].Unit, diff)
	}
	for dir, units := range map[string][2]string{"to_amps": {"V", "A"}, "to_volts": {"A", "V"}} {
		at := spec.At(value.Values{value.TextOf(dir), value.NumberOf(1), {}, {}})
		if got := [2]string{at.Inputs[1].Unit, at.Outputs[0].Unit}; got != units || at.Inputs[3].Unit != "m" {
			t.Errorf("%s: units %q, want %q", dir, got, units)
		}
	}
	if spec.Inputs[1].Unit != "" || spec.Outputs[0].Unit != "" {
		t.Error("At has changed the Spec")
	}
	if at := spec.At(make(value.Values, 4)); at.Inputs[1].Unit != "" {
		t.Errorf("without a direction the unit is %q", at.Inputs[1].Unit)
	}
	plain := box.Engine().Spec()
	if plain.At(nil) != &plain {
		t.Error("a Spec without such units was copied")
	}
	if got := spec.Inputs[1].Expects(); got != "a number in A or V, by dir" {
		t.Errorf("it expects %q", got)
	}
	from := sdk.UnitBy{Input: "from"}
	if from.Unit("kPa") != "kPa" || from.String() != "that of from" {
		t.Errorf("by from: %q, %q", from.Unit("kPa"), from.String())
	}
}

func TestUnitByMistakes(t *testing.T) {
	spec := func(by *sdk.UnitBy, change func(*sdk.Spec)) error {
		s := converter().Spec()
		s.Inputs = slices.Clone(s.Inputs)
		s.Inputs[1].UnitBy = by
		if change != nil {
			change(&s)
		}
		return s.Validate()
	}
	both := map[string]string{"to_amps": "V", "to_volts": "A"}
	for want, err := range map[string]error{
		`"nothing" is not an input`:    spec(&sdk.UnitBy{Input: "nothing", Units: both}, nil),
		`"in" is not an input`:         spec(&sdk.UnitBy{Input: "in", Units: both}, nil),
		"no unit for to_volts":         spec(&sdk.UnitBy{Input: "dir", Units: map[string]string{"to_amps": "V"}}, nil),
		`"ohms" is not a value of dir`: spec(&sdk.UnitBy{Input: "dir", Units: map[string]string{"to_amps": "V", "to_volts": "A", "ohms": "ohm"}}, nil),
		"no other unit":                spec(&sdk.UnitBy{Input: "dir", Units: both}, func(s *sdk.Spec) { s.Inputs[1].Unit = "V" }),
		"or has a default":             spec(&sdk.UnitBy{Input: "dir", Units: both}, func(s *sdk.Spec) { s.Inputs[0].Default = "" }),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	type in struct {
		X float64 `name:"x" unit_by:"dir:a"`
	}
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "in.X: unit_by \"dir:a\"") {
			t.Errorf("panic %q", text)
		}
	}()
	build[in, in](box.Spec())
}
