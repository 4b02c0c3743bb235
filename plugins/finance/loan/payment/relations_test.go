package payment

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../payment.calc.md")

// loans draws a loan of decimals.
func loans(t *rapid.T) ask.In {
	return ask.In{
		"principal":       fmt.Sprintf("%d.%02d", rapid.IntRange(1, 1_000_000).Draw(t, "P"), rapid.IntRange(0, 99).Draw(t, "cents")),
		"rate_per_period": fmt.Sprintf("%de-%d", rapid.IntRange(-2000, 30_000).Draw(t, "r"), rapid.SampledFrom([]int{6, 6, 9, 40}).Draw(t, "small")),
		"periods":         rapid.IntRange(1, 480).Draw(t, "n"),
		"future_value":    fmt.Sprintf("%d", rapid.IntRange(-1000, 100_000).Draw(t, "F")),
		"timing":          rapid.SampledFrom([]string{"end", "begin"}).Draw(t, "timing"),
	}
}

func rat(v any) *big.Rat {
	r, ok := new(big.Rat).SetString(fmt.Sprint(v))
	if !ok {
		panic(v)
	}
	return r
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// TestAmortizationCloses pays the loan off period by period in exact fractions. The future value remains,
// up to the rounding of the payment to binary64.
func TestAmortizationCloses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := ask.With(loans(t), ask.In{"periods": rapid.IntRange(1, 60).Draw(t, "few")})
		a := ask.For(t, engine, in).Number
		payment, rate := new(big.Rat).SetFloat64(a["payment"]), rat(in["rate_per_period"])
		owed, interest, growth := rat(in["principal"]), new(big.Rat), big.NewRat(1, 1)
		for range in["periods"].(int) {
			if in["timing"] == "begin" {
				owed.Sub(owed, payment)
			}
			due := new(big.Rat).Mul(owed, rate)
			interest.Add(interest, due)
			if owed.Add(owed, due); in["timing"] == "end" {
				owed.Sub(owed, payment)
			}
			growth.Mul(growth, new(big.Rat).Add(big.NewRat(1, 1), rate))
		}
		rest, _ := owed.Sub(owed, rat(in["future_value"])).Float64()
		scale, _ := growth.Float64()
		n := float64(in["periods"].(int))
		if math.Abs(rest) > n*max(scale, 1)*1.2e-16*math.Abs(a["payment"]) {
			t.Fatalf("%v: %v remains", in, rest)
		}
		if got, _ := interest.Float64(); math.Abs(got-a["total_interest"]) > 1e-13*n*max(scale, 1)*math.Abs(a["payment"]) {
			t.Fatalf("%v: interest %v, want %v", in, a["total_interest"], got)
		}
	})
}

// TestNearestBinary64 computes the results in exact fractions.
func TestNearestBinary64(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := loans(t)
		n, rate, principal, rest := in["periods"].(int), rat(in["rate_per_period"]), rat(in["principal"]), rat(in["future_value"])
		want := new(big.Rat).Sub(principal, rest)
		if rate.Sign() == 0 {
			want.Quo(want, new(big.Rat).SetInt64(int64(n)))
		} else {
			one := big.NewRat(1, 1)
			growth := new(big.Rat).Add(one, rate)
			power := new(big.Rat).SetFrac(
				new(big.Int).Exp(growth.Num(), big.NewInt(int64(n)), nil), new(big.Int).Exp(growth.Denom(), big.NewInt(int64(n)), nil))
			want.Mul(principal, power).Sub(want, rest).Mul(want, rate).Quo(want, power.Sub(power, one))
			if in["timing"] == "begin" {
				want.Quo(want, growth)
			}
		}
		total := new(big.Rat).Mul(want, new(big.Rat).SetInt64(int64(n)))
		interest := new(big.Rat).Sub(total, new(big.Rat).Sub(principal, rest))
		got := ask.For(t, engine, in).Number
		for name, exact := range map[string]*big.Rat{"payment": want, "total_paid": total, "total_interest": interest} {
			if f, _ := exact.Float64(); f != got[name] {
				t.Fatalf("%v: %s = %v, want %v", in, name, got[name], f)
			}
		}
	})
}

func TestLawsOfLoans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := ask.With(loans(t), ask.In{"rate_per_period": fmt.Sprintf("%de-6", rapid.IntRange(1, 30_000).Draw(t, "r+"))})
		a := ask.For(t, engine, in).Number
		if dearer := ask.For(t, engine, ask.With(in, ask.In{"principal": in["principal"].(string) + "1"})).Number; dearer["payment"] <= a["payment"] {
			t.Fatalf("a larger loan is paid by %v, not more than %v", dearer["payment"], a["payment"])
		}
		late, early := ask.With(in, ask.In{"timing": "end"}), ask.With(in, ask.In{"timing": "begin"})
		g, _ := new(big.Rat).Add(big.NewRat(1, 1), rat(in["rate_per_period"])).Float64()
		if x, y := ask.For(t, engine, late).Number["payment"], ask.For(t, engine, early).Number["payment"]; !near(x, y*g, 1e-15) {
			t.Fatalf("%v at the end, %v at the beginning", x, y)
		}
		interestOnly := ask.For(t, engine, ask.With(in, ask.In{"future_value": in["principal"], "timing": "end"})).Number
		want, _ := new(big.Rat).Mul(rat(in["principal"]), rat(in["rate_per_period"])).Float64()
		if interestOnly["payment"] != want || interestOnly["total_paid"] != interestOnly["total_interest"] {
			t.Fatalf("interest only: %v, want %v each period", interestOnly, want)
		}
	})
}

func TestRateToZero(t *testing.T) {
	for _, rate := range []float64{1e-10, -1e-10, 1e-17, 1e-200, -1e-200} {
		a := ask.For(t, engine, ask.In{"principal": 12000, "rate_per_period": rate, "periods": 36}).Number
		// The mean balance is (n + 1)/2n of the principal.
		if want := rate * 12000 * 37 / 2; !near(a["total_interest"], want, 1e-7) || !near(a["payment"], 12000.0/36, 1e-7) {
			t.Errorf("rate %v: %v, want an interest of %v", rate, a, want)
		}
	}
}
