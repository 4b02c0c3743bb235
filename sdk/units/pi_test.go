package units_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/slipstick/slipstick/sdk/units"
)

const precision = 2000

// gaussLegendre computes pi by the arithmetic-geometric mean, which the package does not use.
func gaussLegendre() *big.Float {
	number := func(f float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(f) }
	a, t, p := number(1), number(0.25), number(1)
	b := number(0.5)
	b.Sqrt(b)
	for range 11 { // twice the digits at each step
		mean := number(0).Add(a, b)
		mean.Quo(mean, number(2))
		b.Sqrt(number(0).Mul(a, b))
		step := number(0).Sub(a, mean)
		t.Sub(t, step.Mul(p, step.Mul(step, step)))
		p.Mul(p, number(2))
		a = mean
	}
	sum := number(0).Add(a, b)
	return sum.Quo(sum.Mul(sum, sum), t.Mul(t, number(4)))
}

func TestAnglesAreRoundedOnce(t *testing.T) {
	pi, random := gaussLegendre(), rand.New(rand.NewPCG(7, 8))
	if got, _ := pi.Float64(); got != math.Pi {
		t.Fatalf("pi is %v", got)
	}
	rad := lookup(t, "rad")
	for _, u := range units.Of("angle") {
		for range 300 {
			v := math.Float64frombits(random.Uint64())
			if v-v != 0 {
				continue
			}
			factor := new(big.Float).SetPrec(precision).SetRat(u.Factor)
			if u.Pi {
				factor.Mul(factor, pi)
			}
			x := new(big.Float).SetPrec(precision).SetFloat64(v)
			toward, _ := new(big.Float).SetPrec(precision).Mul(x, factor).Float64()
			away, _ := x.Quo(x, factor).Float64()
			if got, _ := units.Convert(new(big.Rat).SetFloat64(v), u, rad).Float64(); got != toward {
				t.Errorf("%v %s = %v rad, want %v", v, u.ID, got, toward)
			}
			if got, _ := units.Convert(new(big.Rat).SetFloat64(v), rad, u).Float64(); got != away {
				t.Errorf("%v rad = %v %s, want %v", v, got, u.ID, away)
			}
		}
	}
}

// TestAnglesHalfWay converts decimals of 400 digits next to the middle between two numbers.
// The first precision of pi cannot decide the side, so more digits are needed.
func TestAnglesHalfWay(t *testing.T) {
	pi, random := gaussLegendre(), rand.New(rand.NewPCG(9, 10))
	deg, rad := lookup(t, "deg"), lookup(t, "rad")
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(400), nil)
	for range 50 {
		below := random.Float64() * 7
		above := math.Nextafter(below, 8)
		middle := new(big.Float).SetPrec(precision).SetFloat64(below)
		middle.Add(middle, big.NewFloat(above)).Quo(middle, big.NewFloat(2))
		middle.Mul(middle, big.NewFloat(180)).Quo(middle, pi).Mul(middle, new(big.Float).SetInt(scale))
		digits, _ := middle.Int(nil) // cut off
		for want, numerator := range map[float64]*big.Int{below: digits, above: new(big.Int).Add(digits, big.NewInt(1))} {
			if got, _ := units.Convert(new(big.Rat).SetFrac(numerator, scale), deg, rad).Float64(); got != want {
				t.Errorf("between %v and %v: %v, want %v", below, above, got, want)
			}
		}
	}
}

func TestAnglesWithoutPi(t *testing.T) {
	for _, c := range []struct{ a, from, want, to string }{
		{"90", "deg", "100", "grad"},
		{"1", "rev", "360", "deg"},
		{"1/3", "deg", "20", "arcmin"},
		{"1", "arcmin", "60", "arcsec"},
		{"1000", "mrad", "1", "rad"},
		{"0", "deg", "0", "rad"},
	} {
		from, to := lookup(t, c.from), lookup(t, c.to)
		if got := units.Convert(rat(c.a), from, to); got.Cmp(rat(c.want)) != 0 {
			t.Errorf("%s %s = %s %s, want %s", c.a, c.from, got, c.to, c.want)
		}
		if c.a != "0" && !units.Commensurable(from, to) {
			t.Errorf("%s and %s are not commensurable", c.from, c.to)
		}
	}
	if units.Commensurable(lookup(t, "deg"), lookup(t, "rad")) {
		t.Error("a degree and a radian are commensurable")
	}
}

func BenchmarkConvert(b *testing.B) {
	v := new(big.Rat).SetFloat64(30.1)
	for _, ids := range [][2]string{{"psi", "kPa"}, {"degF", "degC"}, {"deg", "grad"}, {"deg", "rad"}} {
		from, _ := units.Lookup(ids[0])
		to, _ := units.Lookup(ids[1])
		b.Run(ids[0], func(b *testing.B) {
			for b.Loop() {
				units.Convert(v, from, to).Float64()
			}
		})
	}
}
