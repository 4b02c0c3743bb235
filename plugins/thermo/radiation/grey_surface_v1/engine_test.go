package main

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

func flux(t ask.Tester, emissivity, hot, cold float64) float64 {
	t.Helper()
	return ask.For(t, engine, ask.In{"emissivity": emissivity, "temperature": hot, "surroundings_temperature": cold}).Number["heat_flux"]
}

func TestExchangeIsSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eps := rapid.Float64Range(0.01, 1).Draw(t, "emissivity")
		a, b := rapid.Float64Range(1, 6000).Draw(t, "a"), rapid.Float64Range(1, 6000).Draw(t, "b")
		q := flux(t, eps, a, b)
		if back := flux(t, eps, b, a); back != -q {
			t.Fatalf("%v W/m2 one way, %v the other", q, back)
		}
		if q > 0 && a <= b || q < 0 && a >= b || flux(t, eps, a, a) != 0 {
			t.Fatalf("%v W/m2 from %v K to %v K", q, a, b)
		}
		if hotter := flux(t, eps, a+1, b); hotter <= q {
			t.Fatalf("1 K more gives %v, not more than %v", hotter, q)
		}
		if doubled := flux(t, eps, 2*a, 2*b); doubled != 16*q {
			t.Fatalf("temperatures doubled: %v, want %v", doubled, 16*q)
		}
	})
}

func TestSmallDifferencesAreLinear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cold := rapid.Float64Range(100, 3000).Draw(t, "T2")
		hot := math.Nextafter(cold, math.Inf(1))
		got, want := flux(t, 1, hot, cold), 4*5.670367e-8*cold*cold*cold*(hot-cold)
		if math.Abs(got-want) > 1e-14*want {
			t.Fatalf("one ulp above %v K: %v W/m2, want %v", cold, got, want)
		}
	})
}

func TestFlowIsFluxTimesArea(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		area := rapid.Float64Range(1e-6, 1e6).Draw(t, "area")
		a := ask.For(t, engine, ask.In{"emissivity": 0.8, "temperature": 400, "surroundings_temperature": 300, "area": area}).Number
		if want := a["heat_flux"] * area; math.Abs(a["heat_flow"]-want) > 4e-16*want {
			t.Fatalf("%v W from %v W/m2 on %v m2", a["heat_flow"], a["heat_flux"], area)
		}
	})
}

// TestBlackBody has the value of this version's constant at a round temperature.
func TestBlackBody(t *testing.T) {
	if got := flux(t, 1, 1000, 0); got != 56703.67 {
		t.Errorf("black body at 1000 K: %v W/m2, want 56703.67", got)
	}
}
