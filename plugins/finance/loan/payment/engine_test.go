package main

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

// loans draws a loan in decimals, as people have them.
func loans(t *rapid.T) ask.In {
	return ask.In{
		"principal":       fmt.Sprintf("%d.%02d", rapid.IntRange(1, 1_000_000).Draw(t, "P"), rapid.IntRange(0, 99).Draw(t, "cents")),
		"rate_per_period": fmt.Sprintf("%de-%d", rapid.IntRange(-2000, 30_000).Draw(t, "r"), rapid.SampledFrom([]int{6, 6, 9, 40}).Draw(t, "small")),
		"periods":         rapid.IntRange(1, 480).Draw(t, "n"),
		"future_value":    fmt.Sprintf("%d", rapid.IntRange(-1000, 100_000).Draw(t, "F")),
		"timing":          rapid.SampledFrom([]string{"end", begin}).Draw(t, "timing"),
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

// TestRateAbove100Percent: each digit of a decimal counts.
func TestRateAbove100Percent(t *testing.T) {
	for rate, want := range map[string]map[string]sdk.Severity{
		"0.99999999999999999999": {}, "1": {}, "1.00000000000000000001": {rateAbove100: sdk.Caution}, "5.6": {rateAbove100: sdk.Caution},
	} {
		if a := ask.For(t, engine, ask.In{"principal": 1000, "rate_per_period": rate, "periods": 12}); !maps.Equal(a.Warnings, want) {
			t.Errorf("rate %s: warnings %v, want %v", rate, a.Warnings, want)
		}
	}
}

// TestAmortizationCloses pays the loan off period by period, in exact fractions. What
// remains is the future value, but for the rounding of the payment to binary64.
func TestAmortizationCloses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := ask.With(loans(t), ask.In{"periods": rapid.IntRange(1, 60).Draw(t, "few")})
		a := ask.For(t, engine, in).Number
		payment, rate := new(big.Rat).SetFloat64(a["payment"]), rat(in["rate_per_period"])
		owed, interest, growth := rat(in["principal"]), new(big.Rat), big.NewRat(1, 1)
		for range in["periods"].(int) {
			if in["timing"] == begin {
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

// TestNearestBinary64 computes the payment anew in exact fractions.
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
			if in["timing"] == begin {
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
		late, early := ask.With(in, ask.In{"timing": "end"}), ask.With(in, ask.In{"timing": begin})
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
	in := ask.In{"principal": 12000, "rate_per_period": 0, "periods": 36}
	if got := ask.For(t, engine, in); got.Number["payment"] != 12000.0/36 || got.Number["total_interest"] != 0 || got.Formula != "annuity_without_interest_v1" {
		t.Errorf("without interest %v by %s", got.Number, got.Formula)
	}
	for _, rate := range []float64{1e-10, -1e-10, 1e-17, 1e-200, -1e-200} {
		in["rate_per_period"] = rate
		a := ask.For(t, engine, in).Number
		// of the mean balance, which is (n + 1)/2n of the principal
		if want := rate * 12000 * 37 / 2; !near(a["total_interest"], want, 1e-7) || !near(a["payment"], 12000.0/36, 1e-7) {
			t.Errorf("rate %v: %v, want an interest of %v", rate, a, want)
		}
	}
}

func TestNothingIsLostInDecimals(t *testing.T) {
	in := ask.In{"principal": "0.30", "rate_per_period": "0.1", "periods": 1}
	if got := ask.For(t, engine, in).Number["payment"]; got != 0.33 {
		t.Errorf("0.30 and a tenth are %v, want 0.33", got)
	}
	in = ask.In{"principal": 0.30, "rate_per_period": 0.1, "periods": 1}
	if got := ask.For(t, engine, in).Number["total_interest"]; got != 0.03 {
		t.Errorf("the nearest binary64 numbers give an interest of %v, want 0.03", got)
	}
}

func TestBalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := Input{
			Principal: sdk.Decimal{Float: rapid.Float64Range(-1e6, 1e6).Draw(t, "P")}, FutureValue: sdk.Decimal{Float: rapid.Float64Range(-1e6, 1e6).Draw(t, "F")},
			RatePerPeriod: sdk.Decimal{Float: rapid.SampledFrom([]float64{0, 1e-300, 0.004, -0.01, 0.3, 1e6, -0.999}).Draw(t, "r")},
			Periods:       rapid.IntRange(1, 3000).Draw(t, "n"),
		}
		f, err := in.Draw(t.Context(), "balance")
		if err != nil || f.Check() != nil {
			t.Fatal(err, f.Check())
		}
		c := f.Curves[0]
		last := len(c.X) - 1
		if c.Y[0] != in.Principal.Float || !near(c.Y[last], in.FutureValue.Float, 1e-9) || c.X[last] != float64(in.Periods) {
			t.Fatalf("from %v at %v to %v at %v, want %+v", c.Y[0], c.X[0], c.Y[last], c.X[last], in)
		}
		g := 1 + in.RatePerPeriod.Float
		if in.Periods > 400 || g > 2 || g < 0.9 {
			return
		}
		payment := ask.For(t, engine, ask.In{"principal": in.Principal.Float, "future_value": in.FutureValue.Float, "rate_per_period": in.RatePerPeriod.Float, "periods": in.Periods}).Number["payment"]
		for k := range c.Y[1:] {
			size := math.Abs(payment) + math.Abs(in.Principal.Float) + math.Abs(in.FutureValue.Float)
			if want := c.Y[k]*g - payment; math.Abs(c.Y[k+1]-want) > 1e-9*size {
				t.Fatalf("after period %d %v is owed, want %v", k+1, c.Y[k+1], want)
			}
		}
	})
}

func benchmark(b *testing.B, principal, rate value.Value, periods float64) {
	values := value.Values{principal, rate, value.NumberOf(periods), value.NumberOf(0), value.TextOf("end")}
	for b.Loop() {
		if _, err := engine.Calculate(b.Context(), values); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMortgage(b *testing.B) {
	benchmark(b, value.ExactOf("250000"), value.ExactOf("0.004"), 360)
}

func BenchmarkMostDigits(b *testing.B) {
	digits := strings.Repeat("7", 390)
	benchmark(b, value.ExactOf("0."+digits+"e300"), value.ExactOf("0."+digits+"e-300"), 100_000)
}

// TestExcessIsWithinItsBound compares the series with powers of 800 bits, up to where it is used and
// with as many terms as it has.
func TestExcessIsWithinItsBound(t *testing.T) {
	number := func(f float64) *big.Float { return new(big.Float).SetPrec(800).SetFloat64(f) }
	for _, n := range []int{2, 3, 7, 8, 9, 10, 60, 360, 1200} {
		for _, nr := range []float64{1.9 * 0x1p-14, -1.9 * 0x1p-14, 1e-6, 1e-30} {
			r := nr / float64(n)
			s, ok := boundedLoanOf(&Input{Periods: n, RatePerPeriod: sdk.Decimal{Float: r}}).excess()
			if !ok {
				t.Errorf("n = %d, n r = %v: the series is not used", n, nr)
				continue
			}
			want, growth := number(1), number(r)
			growth.Add(growth, number(1))
			for range n {
				want.Mul(want, growth)
			}
			want.Sub(want, number(1)).Quo(want, growth.Mul(number(r), number(float64(n)))).Sub(want, number(1))
			hi, lo, rel, scale := s.Parts()
			off := number(math.Ldexp(hi, scale))
			off.Add(off, number(math.Ldexp(lo, scale))).Sub(off, want)
			if bound := number(math.Ldexp(rel*math.Abs(hi), scale)); off.Abs(off).Cmp(bound) > 0 {
				t.Errorf("n = %d, n r = %v: s is off by %.3g, and its bound is %.3g", n, nr, off, bound)
			}
		}
	}
	if _, ok := boundedLoanOf(&Input{Periods: 4, RatePerPeriod: sdk.Decimal{Float: 1.5 * 0x1p-15}}).excess(); ok {
		t.Error("the series is used for n r above 2^-13")
	}
}
