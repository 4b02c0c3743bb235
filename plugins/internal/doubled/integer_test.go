package doubled_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/doubled"
)

// TestIntegers holds integers of any length to the bound that they come with.
func TestIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes"))
		m.Lsh(m, uint(rapid.IntRange(0, 60).Draw(t, "zeros")))
		if rapid.Bool().Draw(t, "negative") {
			m.Neg(m)
		}
		e := rapid.IntRange(-300, 300).Draw(t, "e")
		hi, lo, rel, scale := doubled.Integer(m, e).Parts()
		got := new(big.Float).SetPrec(2000).SetFloat64(hi)
		got.Add(got, new(big.Float).SetFloat64(lo)).SetMantExp(got, scale-e)
		off := new(big.Float).SetPrec(2000).SetInt(m)
		off.Abs(off.Sub(off, got))
		bound := new(big.Float).SetPrec(2000).SetFloat64(rel)
		if bound.Mul(bound, got.Abs(got)); off.Cmp(bound) > 0 || rel > 0x1p-104 {
			t.Fatalf("%v 2^%d is %v + %v, scale %d, within %v", m, e, hi, lo, scale, rel)
		}
		if m.BitLen()-int(m.TrailingZeroBits()) <= 106 && rel != 0 {
			t.Fatalf("%v fits and has an error of %v", m, rel)
		}
	})
}

// TestRootsOfSquares have no error where the square has none.
func TestRootsOfSquares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64Range(1e-100, 1e100).Draw(t, "f")
		square := doubled.Of(f).Mul(doubled.Of(f))
		if hi, lo, ok := square.Sqrt().Exact(); hi != f || lo != 0 || !ok {
			t.Fatalf("the root of %v squared is %v + %v, exact: %v", f, hi, lo, ok)
		}
		beside := square.Add(doubled.Of(0x1p-105 * f * f))
		if _, _, ok := beside.Sqrt().Exact(); ok {
			t.Fatalf("the root of a little more than %v squared has no error", f)
		}
	})
}
