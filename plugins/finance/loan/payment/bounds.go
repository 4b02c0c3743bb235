package main

import (
	"github.com/slipstick/slipstick/plugins/internal/doubled"
	"github.com/slipstick/slipstick/plugins/internal/rational"
)

var one = doubled.Of(1)

// boundedLoan is the loan as far as two numbers tell it.
type boundedLoan struct {
	rate, principal, rest doubled.Num
	n, repaid             doubled.Num
	periods               int
	begin                 bool // payments are made at the beginning of the periods
}

func boundedLoanOf(in *Input) *boundedLoan {
	l := &boundedLoan{
		rate: rational.Of(in.RatePerPeriod), principal: rational.Of(in.Principal), rest: rational.Of(in.FutureValue),
		n: doubled.Int(int64(in.Periods)), periods: in.Periods, begin: in.Timing == begin,
	}
	l.repaid = l.principal.Sub(l.rest)
	return l
}

// results are as those of exactLoan, with the power of the growth over 1.
func (l *boundedLoan) results() (payment, total, interest doubled.Num) {
	growth, rate := l.rate.Add(one), l.rate
	if l.begin {
		rate = rate.Div(growth)
	}
	a := growth.Pow(l.periods)
	quotient := func(u, v doubled.Num) doubled.Num { // that of type quotient, with 1 for b
		difference := a.Sub(one)
		if difference.IsZero() {
			return doubled.Unknown
		}
		return a.Mul(u).Sub(v).Div(difference)
	}
	u, v := rate.Mul(l.principal), rate.Mul(l.rest)
	nu, nv := l.n.Mul(u), l.n.Mul(v)
	return quotient(u, v), quotient(nu, nv), quotient(nu.Sub(l.repaid), nv.Sub(l.repaid))
}

// excess returns the s of (1 + r)^n - 1 = n r (1 + s), and whether n r is small enough: then
// a power near 1 would cancel, and the binomial series for s does not. Its terms are
// (n-1) r/2, that times (n-2) r/3, and so on. Those after the eighth are together less than
// (n r)^8 2/10! < 2^-116 of the first.
func (l *boundedLoan) excess() (s doubled.Num, ok bool) {
	const terms, small = 8, -12 // a power of two
	if e, known := l.n.Mul(l.rate).Exponent(); !known || e > small {
		return s, false
	}
	term := one
	for k := 1; k <= terms; k++ {
		term = term.Mul(doubled.Int(int64(l.periods - k))).Mul(l.rate).Div(doubled.Int(int64(k + 1)))
		if term.IsZero() { // after n - 1 terms, and all that follow are
			return s, true
		}
		s = s.Add(term)
	}
	return s.Widen(0x1p-106), true
}

// resultsOfSlowGrowth are the results with n r (1 + s) for the power less 1. What is paid
// back in all is then (P - F)/(1 + s), and the interest on top n r P.
func (l *boundedLoan) resultsOfSlowGrowth(s doubled.Num) (payment, total, interest doubled.Num) {
	back, due := l.repaid.Div(s.Add(one)), l.n.Mul(l.rate).Mul(l.principal)
	total, interest = due.Add(back), due.Sub(back.Mul(s))
	if l.begin {
		growth := l.rate.Add(one)
		total, interest = total.Div(growth), interest.Sub(l.repaid.Mul(l.rate)).Div(growth)
	}
	return total.Div(l.n), total, interest
}
