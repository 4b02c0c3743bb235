package text

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// Texts show the binary64 number that is nearest to the converted number.
func TestHoleUnits(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, quantity := range units.Quantities() {
		for _, u := range units.Of(quantity) {
			h := hole{unit: u.ID}
			h.prepare()
			if h.unit == "%" {
				continue
			}
			for range 200 {
				x := random.NormFloat64() * math.Pow(10, float64(random.IntN(12)-6))
				if random.IntN(20) == 0 {
					x = math.Ldexp(x, random.IntN(2000)-1000)
				}
				want, _ := units.Convert(new(big.Rat).SetFloat64(x), units.SI(quantity), u).Float64()
				if got := h.shown.of(x); got != want {
					t.Fatalf("%v in %s is %v, want %v", x, u.ID, got, want)
				}
			}
		}
	}
}

// Texts with values are written into memory that the next answer uses again.
func TestHoleMemory(t *testing.T) {
	h := hole{unit: "kN", lead: "N is "}
	h.prepare()
	b := make([]byte, 0, 64)
	var text []byte
	n := testing.AllocsPerRun(100, func() { text = h.append(append(b, h.lead...), value.NumberOf(-123456.7), nil) })
	if string(text) != "N is -123.5 kN" || n != 0 {
		t.Errorf("%q with %v allocations", text, n)
	}
}

// A reader sees the number of a text in another unit, or in the unit of the text.
func TestHoleShown(t *testing.T) {
	h := hole{unit: "kN"}
	h.prepare()
	for in, want := range map[string]string{"lbf": "2 lbf", "": "1 kN"} {
		shown := func(unit string, x float64) (float64, string) {
			if unit != "kN" || x != 1000 {
				t.Errorf("asked for %v %s", x, unit)
			}
			return 2, in
		}
		if got := string(h.append(nil, value.NumberOf(1000), shown)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
