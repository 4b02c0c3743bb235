package wide

import "math/big"

var one, two = Int(1), Int(2)

// inverse holds 1/n for the series, which end long before it does.
var inverse = func() (list [80]Num) {
	for n := range int64(len(list) - 1) {
		list[n+1] = one.Div(Int(n + 1))
	}
	return list
}()

// Exp returns e^a.
func (a Num) Exp() Num {
	m, doublings := a.smallExpm1()
	e := m.Add(m, one.f)
	next := fresh()
	for range doublings {
		next.Mul(e, e)
		e, next = next, e
	}
	return Num{e}
}

// Expm1 returns e^a - 1, which loses nothing where a is small.
func (a Num) Expm1() Num {
	m, doublings := a.smallExpm1()
	next, more := fresh(), fresh()
	for range doublings { // (1 + m)^2 - 1 = m(m + 2)
		next.Mul(m, more.Add(m, two.f))
		m, next = next, m
	}
	return Num{m}
}

// cut is where exponents end: e^cut is beyond any product of binary64 numbers that
// formulas have, and e^-cut below.
var cut = Of(1e6)

// smallExpm1 returns e^r - 1 for r = a/2^doublings, which is so small that its series
// is short.
func (a Num) smallExpm1() (m *big.Float, doublings int) {
	switch {
	case a.Cmp(cut) > 0:
		a = cut
	case a.Cmp(cut.Neg()) < 0:
		a = cut.Neg()
	}
	doublings = max(0, a.f.MantExp(nil)+8)
	r := fresh().SetMantExp(a.f, -doublings)
	sum, term, next := fresh().Set(r), fresh().Set(r), fresh()
	for n := 2; !negligible(term, sum); n++ {
		next.Mul(term, r)
		term.Mul(next, inverse[n].f)
		sum.Add(sum, term)
	}
	return sum, doublings
}

// Atan2 returns the angle in (-pi, pi] from the x axis to the point (x, y), and zero
// for the origin.
func Atan2(y, x Num) Num {
	across, along := y.Abs(), x.Abs()
	var angle Num
	switch {
	case y.Sign() == 0 && x.Sign() == 0:
		return Int(0)
	case across.Cmp(along) <= 0:
		angle = across.Div(along).atan()
	default:
		angle = Pi.Div(two).Sub(along.Div(across).atan())
	}
	if x.Sign() < 0 {
		angle = Pi.Sub(angle)
	}
	if y.Sign() < 0 {
		return angle.Neg()
	}
	return angle
}

// atan returns the angle whose tangent is a, in [0, 1]. Halved a few times it has a
// short series.
func (a Num) atan() Num {
	const halvings = 4
	for range halvings {
		a = a.Div(one.Add(a.Mul(a)).Sqrt().Add(one))
	}
	square := a.Mul(a).Neg().f
	sum, power, next, term := fresh().Set(a.f), fresh().Set(a.f), fresh(), fresh()
	for n := 3; !negligible(power, sum); n += 2 {
		next.Mul(power, square)
		power, next = next, power
		sum.Add(sum, term.Mul(power, inverse[n].f))
	}
	return Num{sum.SetMantExp(sum, halvings)}
}

// negligible reports whether a term no longer changes the sum that it was added to.
func negligible(term, sum *big.Float) bool {
	return term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-precision
}
