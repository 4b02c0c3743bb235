package adaptive

import "github.com/slipstick/slipstick/plugins/internal/exact"

// fraction is the exact quotient n/d. It is immutable.
type fraction struct{ n, d exact.Num }

func whole(n exact.Num) Num { return Num{exact: &fraction{n, exact.Int(1)}} }

// fraction returns the value of a, which must be known without any error: of an
// exact evaluation, or a constant such as the zero Num.
func (a Num) fraction() *fraction {
	if a.exact != nil {
		return a.exact
	}
	hi, lo, bound := a.fast.Parts()
	if bound != 0 || a.scale != 0 {
		panic("adaptive: a number of another evaluation: make all numbers of the formula from its x")
	}
	return whole(exact.Of(hi).Add(exact.Of(lo))).exact
}

func ofExactly(f float64) Num { return whole(exact.Of(f)) }

func intExactly(i int64) Num { return whole(exact.Int(i)) }

func addExactly(a, b Num) Num {
	p, q := a.fraction(), b.fraction()
	if p.n.Sign() == 0 {
		return Num{exact: q}
	}
	return Num{exact: &fraction{p.n.Mul(q.d).Add(q.n.Mul(p.d)), p.d.Mul(q.d)}}
}

func subExactly(a, b Num) Num {
	p, q := a.fraction(), b.fraction()
	if q.n.Sign() == 0 {
		return Num{exact: p}
	}
	return Num{exact: &fraction{p.n.Mul(q.d).Sub(q.n.Mul(p.d)), p.d.Mul(q.d)}}
}

func mulExactly(a, b Num) Num {
	p, q := a.fraction(), b.fraction()
	return Num{exact: &fraction{p.n.Mul(q.n), p.d.Mul(q.d)}}
}

func divExactly(a, b Num) Num {
	p, q := a.fraction(), b.fraction()
	if q.n.Sign() == 0 {
		panic("adaptive: division by zero")
	}
	return Num{exact: &fraction{p.n.Mul(q.d), p.d.Mul(q.n)}}
}

func negExactly(a Num) Num { return Num{exact: &fraction{a.exact.n.Neg(), a.exact.d}} }

func absExactly(a Num) Num { return Num{exact: &fraction{a.exact.n.Abs(), a.exact.d.Abs()}} }
