package amps_volts

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk"
)

var engine = ask.Document("../amps_volts.calc.md")

func TestThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.SampledFrom([]string{"watts", "ohms"}).Draw(t, "mode")
		known := map[string]string{"watts": "W", "ohms": "R"}[mode]
		k := rapid.Float64Range(1e-3, 1e3).Draw(t, known)
		amps := rapid.Float64Range(1e-3, 1e3).Draw(t, "I")
		volts := ask.For(t, engine, ask.In{"mode": mode, known: k, "I": amps}).Number["volts"]
		back := ask.For(t, engine, ask.In{"mode": mode, "dir": "volts_to_amps", known: k, "V": volts}).Number["amps"]
		if math.Abs(back-amps) > 4e-16*amps {
			t.Fatalf("%v A is %v V is %v A", amps, volts, back)
		}
	})
}

func TestMoreCurrent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, amps := rapid.Float64Range(1e-3, 1e3).Draw(t, "k"), rapid.Float64Range(1e-3, 1e3).Draw(t, "I")
		volts := func(mode, known string, i float64) float64 {
			return ask.For(t, engine, ask.In{"mode": mode, known: k, "I": i}).Number["volts"]
		}
		if once, twice := volts("watts", "W", amps), volts("watts", "W", 2*amps); twice != once/2 {
			t.Fatalf("of one power, twice the current has %v V, not half of %v V", twice, once)
		}
		if once, twice := volts("ohms", "R", amps), volts("ohms", "R", 2*amps); twice != 2*once {
			t.Fatalf("through one resistance, twice the current has %v V, not twice %v V", twice, once)
		}
	})
}

func TestAPathTakesItsTwoQuantities(t *testing.T) {
	for _, c := range []struct{ mode, dir, known, given, result string }{
		{"watts", "amps_to_volts", "W", "I", "volts"},
		{"watts", "volts_to_amps", "W", "V", "amps"},
		{"ohms", "amps_to_volts", "R", "I", "volts"},
		{"ohms", "volts_to_amps", "R", "V", "amps"},
	} {
		in := func() ask.In { return ask.In{"mode": c.mode, "dir": c.dir, c.known: 6, c.given: 3} }
		a := ask.For(t, engine, in())
		if _, ok := a.Number[c.result]; !ok || len(a.Number) != 1 || a.Formula != c.dir+"_"+c.mode+"_v1" {
			t.Errorf("%s %s: %v by %s, want only %s", c.mode, c.dir, a.Number, a.Formula, c.result)
		}
		for _, name := range []string{"W", "I", "V", "R"} {
			needed := name == c.known || name == c.given
			other, want := in(), sdk.CodeConflictingInputs
			if needed {
				delete(other, name)
				want = sdk.CodeMissingRequiredInput
			} else {
				other[name] = 2
			}
			if code, field := ask.Code(t, engine, other); code != want || field != name {
				t.Errorf("%v: %s (%s), want %s (%s)", other, code, field, want, name)
			}
		}
	}
}
