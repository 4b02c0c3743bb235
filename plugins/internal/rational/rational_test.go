package rational_test

import (
	"math"
	"math/big"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/exact"
	"github.com/slipstick/slipstick/plugins/internal/rational"
	"github.com/slipstick/slipstick/sdk"
)

func decimals(t *rapid.T) []sdk.Decimal {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) sdk.Decimal {
		if rapid.Bool().Draw(t, "number") {
			return sdk.Decimal{Float: rapid.Float64().Draw(t, "float")}
		}
		literal := rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?(e-?[0-9]{1,2})?`).Draw(t, "literal")
		f, _ := strconv.ParseFloat(literal, 64)
		return sdk.Decimal{Literal: literal, Float: f}
	}), 1, 20).Draw(t, "data")
}

func TestIntegersAreTheData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := decimals(t)
		ints, unit := rational.Integers(data)
		sum, squares := new(big.Rat), new(big.Rat)
		for i, d := range data {
			if got := new(big.Rat).Mul(new(big.Rat).SetInt(ints[i]), unit); got.Cmp(d.Rat()) != 0 {
				t.Fatalf("%v is %v, want %v", d, got, d.Rat())
			}
			sum.Add(sum, d.Rat())
			squares.Add(squares, new(big.Rat).Mul(d.Rat(), d.Rat()))
		}
		if got := new(big.Rat).Mul(new(big.Rat).SetInt(rational.Sum(ints)), unit); got.Cmp(sum) != 0 {
			t.Fatalf("sum %v, want %v", got, sum)
		}
		if got := new(big.Rat).Mul(new(big.Rat).SetInt(rational.Dot(ints, ints)), new(big.Rat).Mul(unit, unit)); got.Cmp(squares) != 0 {
			t.Fatalf("sum of squares %v, want %v", got, squares)
		}
	})
}

// TestRoundsAsPackageExact compares with the house's own rounding of dyadic fractions.
func TestRoundsAsPackageExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.Float64().Draw(t, "n"), rapid.Float64().Draw(t, "d")
		if d == 0 {
			return
		}
		x := new(big.Rat).Quo(new(big.Rat).SetFloat64(n), new(big.Rat).SetFloat64(d))
		if got, want := rational.Round(t.Context(), "x", x), exact.Quo(exact.Of(n), exact.Of(d)); got != want {
			t.Fatalf("%v/%v = %v, want %v", n, d, got, want)
		}
		x.Abs(x)
		if got, want := rational.RoundSqrt(t.Context(), "x", x), exact.SqrtQuo(exact.Of(n).Abs(), exact.Of(d).Abs()); got != want {
			t.Fatalf("sqrt(%v/%v) = %v, want %v", n, d, got, want)
		}
	})
}

// TestRootOfTheMiddle squares the middle between two binary64, and moves beside it by
// less than any fixed number of digits would notice.
func TestRootOfTheMiddle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(1, 2).Draw(t, "low")
		high := math.Nextafter(low, 3)
		middle := new(big.Rat).Add(new(big.Rat).SetFloat64(low), new(big.Rat).SetFloat64(high))
		middle.Quo(middle, big.NewRat(2, 1))
		square := new(big.Rat).Mul(middle, middle)
		little := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 2000))
		if got := rational.RoundSqrt(t.Context(), "x", new(big.Rat).Sub(square, little)); got != low {
			t.Fatalf("below the middle: %v, want %v", got, low)
		}
		if got := rational.RoundSqrt(t.Context(), "x", new(big.Rat).Add(square, little)); got != high {
			t.Fatalf("above the middle: %v, want %v", got, high)
		}
		if got := rational.RoundSqrt(t.Context(), "x", square); math.Float64bits(got)&1 != 0 || got != low && got != high {
			t.Fatalf("in the middle: %v, want the even one of %v and %v", got, low, high)
		}
	})
}
