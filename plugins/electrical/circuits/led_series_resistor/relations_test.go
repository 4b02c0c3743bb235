package led_series_resistor

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../led_series_resistor.calc.md")

// near allows for the rounding of some results that are combined.
func near(a, b float64) bool { return math.Abs(a-b) <= 4e-15*max(math.Abs(a), math.Abs(b)) }

func TestKirchhoffAndEnergy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, vf := rapid.IntRange(1, 10).Draw(t, "n"), rapid.Float64Range(0.1, 4).Draw(t, "Vf")
		left, i := rapid.Float64Range(0.1, 200).Draw(t, "left"), rapid.Float64Range(1e-4, 1).Draw(t, "I")
		vs := float64(n)*vf + left
		a := ask.For(t, engine, ask.In{"source_voltage": vs, "forward_voltage": vf, "series_count": n, "current": i}).Number
		if got := float64(n)*vf + a["resistance"]*i; !near(got, vs) {
			t.Fatalf("%v: diodes and resistor take %v V of %v V", a, got, vs)
		}
		if got := a["resistor_power"] + a["led_power"]; !near(got, vs*i) {
			t.Fatalf("%v: %v W of %v W", a, got, vs*i)
		}
		if got := a["current_with_standard"] * a["standard_resistance_e24"]; !near(got, a["resistance"]*i) {
			t.Fatalf("%v: the standard resistance takes %v V, want %v V", a, got, a["resistance"]*i)
		}
		if a["current_with_standard"] > i*(1+1e-12) || a["current_with_standard"] < i/1.2 {
			t.Fatalf("%v: with the standard resistance %v A flow, not somewhat less than %v A", a, a["current_with_standard"], i)
		}
	})
}

// e24 repeats series E24 of IEC 60063. The document also has a table of it.
var e24 = []int{10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91}

func resistor(t ask.Tester, r float64) float64 {
	t.Helper()
	return ask.For(t, engine, ask.In{"source_voltage": 2 * r, "forward_voltage": r, "current": 1}).Number["standard_resistance_e24"]
}

func TestNextStandardResistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at, decade := rapid.IntRange(0, 23).Draw(t, "value"), rapid.IntRange(-6, 9).Draw(t, "decade")
		read := func(value, decade int) float64 {
			r, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", value, decade), 64)
			return r
		}
		r := read(e24[at], decade)
		next := read(100, decade)
		if at < 23 {
			next = read(e24[at+1], decade)
		}
		within := rapid.Float64Range(1e-9, 1).Draw(t, "within")
		for wanted, want := range map[float64]float64{r: r, math.Nextafter(r, 0): r, math.Nextafter(r, math.Inf(1)): r, r + within*(next-r): next} {
			if got := resistor(t, wanted); got != want {
				t.Fatalf("%v ohm: %v ohm, want %v ohm", wanted, got, want)
			}
		}
	})
}
