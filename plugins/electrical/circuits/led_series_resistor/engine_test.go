package main

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

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

func resistor(t ask.Tester, r float64) float64 {
	t.Helper()
	return ask.For(t, engine, ask.In{"source_voltage": 2 * r, "forward_voltage": r, "current": 1}).Number["standard_resistance_e24"]
}

// TestSeries compares with the definition of the series, powers of the 24th root of 10:
// the values, which were rounded before there were computers, are within 5 % of it. Every other one belongs to E12.
func TestSeries(t *testing.T) {
	for i, value := range e24 {
		if ideal := 10 * math.Pow(10, float64(i)/24); math.Abs(float64(value)-ideal) > 0.05*ideal {
			t.Errorf("value %d is %d, want about %.3g", i, value, ideal)
		}
	}
	for i, value := range []int{10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82} { // E12
		if e24[2*i] != value {
			t.Errorf("value %d is %d, and in E12 %d", 2*i, e24[2*i], value)
		}
	}
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
