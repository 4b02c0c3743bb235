package grey_surface

import (
	"math"
	"math/big"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../grey_surface.calc.md")

func flux(t ask.Tester, emissivity, hot, cold float64) float64 {
	t.Helper()
	return ask.For(t, engine, ask.In{"emissivity": emissivity, "temperature": hot, "surroundings_temperature": cold}).Number["heat_flux"]
}

// decimal returns the decimal that the document computes with.
func decimal(x float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	return r
}

// TestExchangeIsSymmetric uses temperatures with few digits, so that twice a temperature is an exact decimal.
func TestExchangeIsSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eps := rapid.Float64Range(0.01, 1).Draw(t, "emissivity")
		kelvin := rapid.Map(rapid.IntRange(1024, 6000*1024), func(n int) float64 { return float64(n) / 1024 })
		a, b := kelvin.Draw(t, "a"), kelvin.Draw(t, "b")
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
		difference, _ := new(big.Rat).Sub(decimal(hot), decimal(cold)).Float64()
		got, want := flux(t, 1, hot, cold), 4*5.6703744191844295e-8*cold*cold*cold*difference
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

// TestBlackBody rounds the law once, with the constants of the SI and another pi in 500 bits.
func TestBlackBody(t *testing.T) {
	number := func(literal string) *big.Float {
		f, _, err := big.ParseFloat(literal, 10, 500, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	product := func(factors ...*big.Float) *big.Float {
		result := number("1")
		for _, f := range factors {
			result.Mul(result, f)
		}
		return result
	}
	pi := number("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798")
	k, h, c := number("1.380649e-23"), number("6.62607015e-34"), number("299792458")
	sigma := product(number("2"), pi, pi, pi, pi, pi, k, k, k, k)
	sigma.Quo(sigma, product(number("15"), h, h, h, c, c))
	rapid.Check(t, func(t *rapid.T) {
		temperature := rapid.Float64Range(1, 6000).Draw(t, "T")
		body := new(big.Float).SetPrec(500).SetRat(decimal(temperature))
		want, _ := product(sigma, body, body, body, body).Float64()
		if got := flux(t, 1, temperature, 0); got != want {
			t.Fatalf("black body at %v K: %v W/m2, want %v", temperature, got, want)
		}
	})
}
