package doubled_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/doubled"
)

// known is a number and its exact value.
type known struct {
	ball  doubled.Ball
	value *big.Rat
}

func knownOf(f float64) known { return known{doubled.BallOf(f), new(big.Rat).SetFloat64(f)} }

// TestBalls computes sums and products that may cancel, and compares what is said of them.
func TestBalls(t *testing.T) {
	signs := 0
	rapid.Check(t, func(t *rapid.T) {
		parts := []known{knownOf(1)}
		pick := func() known { return parts[rapid.IntRange(0, len(parts)-1).Draw(t, "part")] }
		for range rapid.IntRange(1, 12).Draw(t, "operations") {
			a, b := pick(), pick()
			var c known
			switch rapid.IntRange(0, 4).Draw(t, "operation") {
			case 0:
				c = knownOf(rapid.SampledFrom([]float64{0.1, 0.3, -0.1, 3, 1e-160, 1 + 0x1p-50}).Draw(t, "number"))
			case 1:
				c = known{a.ball.Add(b.ball), new(big.Rat).Add(a.value, b.value)}
			case 2:
				c = known{a.ball.Sub(b.ball), new(big.Rat).Sub(a.value, b.value)}
			case 3:
				c = known{a.ball.Mul(b.ball), new(big.Rat).Mul(a.value, b.value)}
			case 4:
				c = known{a.ball.Halved(), new(big.Rat).Quo(a.value, big.NewRat(2, 1))}
			}
			if f, _ := c.value.Float64(); math.Abs(f) > 1e60 || c.value.Denom().BitLen() > 1<<14 {
				return
			}
			parts = append(parts, c)
			if sign, ok := c.ball.Sign(); ok {
				signs++
				if sign != c.value.Sign() {
					t.Fatalf("the sign of %v is said to be %d", c.value, sign)
				}
			}
			if f, ok := c.ball.Num().Round(); ok {
				if want, _ := c.value.Float64(); f != want {
					t.Fatalf("%v is rounded to %v, want %v", c.value, f, want)
				}
			}
		}
	})
	if signs == 0 {
		t.Error("no sign was known")
	}
}

// TestNothingThatIsLostIsForgotten multiplies a square that is lost altogether by a small
// number, so that its bound is lost, too.
func TestNothingThatIsLostIsForgotten(t *testing.T) {
	tiny, small := doubled.BallOf(1e-290), doubled.BallOf(1e-160)
	for name, b := range map[string]doubled.Ball{"product": tiny.Mul(tiny).Mul(small), "other way": small.Mul(tiny.Mul(tiny))} {
		if sign, ok := b.Sign(); ok {
			t.Errorf("%s: its sign is said to be %d", name, sign)
		}
		if f, ok := b.Num().Round(); ok {
			t.Errorf("%s: it is rounded to %v", name, f)
		}
	}
}
