package main

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"sync"

	"github.com/slipstick/slipstick/plugins/internal/doubled"
	"github.com/slipstick/slipstick/plugins/internal/rational"
	"github.com/slipstick/slipstick/sdk"
)

func calculate(ctx context.Context, in Input) (Output, error) {
	exactly := sync.OnceValue(func() *exactLoan { return exactLoanOf(&in) })
	decide := func(name string, fast doubled.Num, slow func(*exactLoan, context.Context, string) float64) float64 {
		return rational.Decide(ctx, name, fast, func() float64 { return slow(exactly(), ctx, name) })
	}
	l := boundedLoanOf(&in)
	if in.hasNoInterest() {
		sdk.UseFormula(ctx, "annuity_without_interest_v1")
		return Output{
			Payment:   decide("payment", l.repaid.Div(l.n), (*exactLoan).part),
			TotalPaid: decide("total_paid", l.repaid, (*exactLoan).all),
		}, nil
	}
	sdk.UseFormula(ctx, formulas[in.Timing])
	fast := l.results
	if excess, ok := l.excess(); ok {
		fast = func() (payment, total, interest doubled.Num) { return l.resultsOfSlowGrowth(excess) }
	}
	payment, total, interest := fast()
	in.warn(ctx)
	return Output{
		Payment:       decide("payment", payment, (*exactLoan).payment),
		TotalPaid:     decide("total_paid", total, (*exactLoan).totalPaid),
		TotalInterest: decide("total_interest", interest, (*exactLoan).totalInterest),
	}, nil
}

var formulas = map[string]string{"end": "annuity_end_v1", begin: "annuity_begin_v1"}

// warn warns of a rate above 100 % a period.
func (in *Input) warn(ctx context.Context) {
	if in.RatePerPeriod.Float < 1 || in.RatePerPeriod.Float == 1 && in.RatePerPeriod.Rat().Cmp(big.NewRat(1, 1)) <= 0 {
		return
	}
	sdk.Warn(ctx, sdk.Warning{
		Code: rateAbove100, Severity: sdk.Caution,
		Detail:     fmt.Sprintf("rate_per_period is %v, which is %.6g %% a period.", in.RatePerPeriod.Float, 100*in.RatePerPeriod.Float),
		Suggestion: "Divide a rate in percent by 100, and an annual rate by the number of periods in a year.",
	})
}

func (in *Input) hasNoInterest() bool {
	if sign, ok := rational.Of(in.RatePerPeriod).Sign(); ok {
		return sign == 0
	}
	return in.RatePerPeriod.Rat().Sign() == 0
}

// exactLoan is the loan in exact numbers.
type exactLoan struct {
	n, repaid    *big.Rat
	u, v, nu, nv *big.Rat
	quotient     *quotient // nil without interest
}

func exactLoanOf(in *Input) *exactLoan {
	rate, principal, rest := in.RatePerPeriod.Rat(), in.Principal.Rat(), in.FutureValue.Rat()
	l := &exactLoan{n: new(big.Rat).SetInt64(int64(in.Periods)), repaid: new(big.Rat).Sub(principal, rest)}
	if rate.Sign() == 0 {
		return l
	}
	growth := new(big.Rat).Add(rate, big.NewRat(1, 1))
	if in.Timing == begin {
		rate = new(big.Rat).Quo(rate, growth)
	}
	l.quotient = quotientOf(growth, in.Periods, rate, principal, rest)
	l.u, l.v = new(big.Rat).Mul(rate, principal), new(big.Rat).Mul(rate, rest)
	l.nu, l.nv = new(big.Rat).Mul(l.n, l.u), new(big.Rat).Mul(l.n, l.v)
	return l
}

// part is the payment without interest, and all what is then paid.
func (l *exactLoan) part(ctx context.Context, name string) float64 {
	return rational.Round(ctx, name, new(big.Rat).Quo(l.repaid, l.n))
}

func (l *exactLoan) all(ctx context.Context, name string) float64 {
	return rational.Round(ctx, name, l.repaid)
}

func (l *exactLoan) payment(ctx context.Context, name string) float64 {
	return l.quotient.round(ctx, name, l.u, l.v)
}

func (l *exactLoan) totalPaid(ctx context.Context, name string) float64 {
	return l.quotient.round(ctx, name, l.nu, l.nv)
}

func (l *exactLoan) totalInterest(ctx context.Context, name string) float64 {
	return l.quotient.round(ctx, name, new(big.Rat).Sub(l.nu, l.repaid), new(big.Rat).Sub(l.nv, l.repaid))
}

// quotient is what all results have the form of: (a u - b v)/(a - b), where a/b in
// lowest terms is the n-th power of the growth 1 + r.
type quotient struct{ a, b *big.Float }

// quotientOf makes the powers, with so many bits that a quotient keeps 192.
//
// For small r the differences cancel, each as many bits as 1/r has. They may cancel
// altogether, but then a and b are factors of the numbers u and v are made of, and all
// products fit without rounding: zero is zero.
func quotientOf(growth *big.Rat, n int, numbers ...*big.Rat) *quotient {
	bits := 192 + 4*big.NewInt(int64(n)).BitLen()
	for _, r := range append(numbers, growth) {
		bits += 2 * (r.Num().BitLen() + r.Denom().BitLen())
	}
	integer := func(i *big.Int) *big.Float { return new(big.Float).SetPrec(uint(bits)).SetInt(i) }
	return &quotient{power(integer(growth.Num()), n), power(integer(growth.Denom()), n)}
}

func blank(like *big.Float) *big.Float { return new(big.Float).SetPrec(like.Prec()) }

// power returns x^n.
func power(x *big.Float, n int) *big.Float {
	result := blank(x).SetInt64(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result.Mul(result, x)
		}
		if n > 1 {
			x = blank(x).Mul(x, x)
		}
	}
	return result
}

// round returns the quotient for u and v as a result.
func (q *quotient) round(ctx context.Context, name string, u, v *big.Rat) float64 {
	integer := func(i *big.Int) *big.Float { return blank(q.a).SetInt(i) }
	over := integer(new(big.Int).Mul(u.Num(), v.Denom()))
	over.Mul(over, q.a)
	less := integer(new(big.Int).Mul(v.Num(), u.Denom()))
	over = difference(over, less.Mul(less, q.b))
	under := integer(new(big.Int).Mul(u.Denom(), v.Denom()))
	f, _ := over.Quo(over, under.Mul(under, difference(q.a, q.b))).Float64()
	if f == 0 && over.Sign() != 0 {
		sdk.WarnUnderflow(ctx, name)
	}
	return f
}

// difference returns x - y. Where one is too small to change the other it says so at
// once, for big.Float would first write out the millions of bits between them.
func difference(x, y *big.Float) *big.Float {
	gap, most := x.MantExp(nil)-y.MantExp(nil), int(x.Prec())+2
	switch {
	case x.Sign() == 0 || y.Sign() == 0 || -most <= gap && gap <= most:
		return blank(x).Sub(x, y)
	case gap > 0:
		return blank(x).Set(x)
	}
	return blank(x).Neg(y)
}

// mostPeriods is how many periods a figure shows one by one.
const mostPeriods = 1000

// Draw draws the remaining principal.
func (in *Input) Draw(context.Context, string) (*sdk.Figure, error) {
	n := float64(in.Periods)
	shown := min(in.Periods, mostPeriods)
	balance := sdk.Curve{Label: "remaining principal", Style: sdk.Area}
	for i := range shown + 1 {
		k := math.Round(n * float64(i) / float64(shown))
		balance.X, balance.Y = append(balance.X, k), append(balance.Y, in.balance(k))
	}
	return &sdk.Figure{Curves: []sdk.Curve{balance}, Points: []sdk.Point{
		{Label: "principal", X: 0, Y: in.Principal.Float}, {Label: "end", X: n, Y: in.FutureValue.Float},
	}}, nil
}

// balance returns what is owed after period k, to the digits of a figure: of P and F
// the parts that their weights give, 1 to 0 and 0 to 1 over the periods. Written with
// falling powers, nothing in it overflows.
func (in *Input) balance(k float64) float64 {
	n, growth := float64(in.Periods), math.Log1p(in.RatePerPeriod.Float) // drawn
	passed := k / n
	switch {
	case growth > 0: // (g^k - 1)/(g^n - 1)
		passed = math.Exp((k-n)*growth) * math.Expm1(-k*growth) / math.Expm1(-n*growth) // drawn
	case growth < 0:
		passed = math.Expm1(k*growth) / math.Expm1(n*growth) // drawn
	}
	return float64(in.Principal.Float*(1-passed)) + float64(in.FutureValue.Float*passed)
}
