package adaptive

import (
	"math"

	"github.com/slipstick/slipstick/sdk/doubled"
)

// bernstein are the coefficients of a polynomial in Bernstein's form on an interval, up to
// a positive factor. Its value at t, in parts of the interval, is the sum of b[k] C(5,k)
// t^k (1-t)^(5-k). So it is a mean of the coefficients, with weights that are positive
// between the ends. At either end it is the coefficient of that end.
type bernstein [degree + 1]doubled.Ball

// weights are 10/C(5,j).
var weights = [degree + 1]doubled.Ball{doubled.Of(10), doubled.Of(2), doubled.Of(1), doubled.Of(1), doubled.Of(2), doubled.Of(10)}

var half = doubled.Of(0.5)

// bernstein returns 10 times the form of the piece. With the coefficients c[j] of
// z = From + t (To - From) in powers of t, b[k] is the sum of C(k,j)/C(5,j) c[j] over j.
//
// First, a power of two divides the lengths, so that they are at most 1. Another one divides
// the coefficients, so that they are less than 1. So nothing overflows.
func (p *Piece) bernstein() (b bernstein) {
	end, largest := p.To.exponent(), math.MinInt
	for _, term := range p.Terms {
		for i, c := range term {
			if !c.fast.IsZero() {
				largest = max(largest, c.exponent()+i*end)
			}
		}
	}
	for _, term := range p.Terms {
		for i, c := range term {
			b[i] = b[i].Add(c.below1(i*end - largest))
		}
	}
	from, length := p.From.below1(-end), p.To.Sub(p.From).below1(-end)
	for i := range degree { // Taylor's series about From, by Horner's scheme
		for j := degree - 1; j >= i; j-- {
			b[j] = b[j].Add(from.Mul(b[j+1]))
		}
	}
	power := doubled.Of(1)
	for j := range b {
		b[j] = b[j].Mul(weights[j]).Mul(power)
		power = power.Mul(length)
	}
	for i := 1; i <= degree; i++ { // Pascal's triangle
		for j := degree; j >= i; j-- {
			b[j] = b[j].Add(b[j-1])
		}
	}
	return b
}

// below1 returns a 2^by, which is less than 1. Next to nothing, it is only an error.
func (a Num) below1(by int) doubled.Ball {
	const least = -200
	switch {
	case a.fast.IsZero():
		return doubled.Ball{}
	case a.fast.IsKnown() && a.exponent()+by < least:
		return doubled.Ball{}.Widen(math.Ldexp(1, least))
	}
	return shifted(a.fast, a.scale+by)
}

// mostHalvings is how often an interval is halved before exact numbers decide. Roots that
// are nearer to each other than about 2^-24 of the interval are not separated before
// that.
const mostHalvings = 24

// signs are the signs that a function was seen to have.
type signs struct{ positive, negative bool }

func (s *signs) see(sign int) {
	s.positive = s.positive || sign > 0
	s.negative = s.negative || sign < 0
}

// look sees the signs that a polynomial has between the ends of its interval, and reports
// whether the bounds decide them. Seeing both is enough.
//
// Every claim follows from b being a mean: where no coefficient is negative and some are
// positive, all values between the ends are positive. A value at an end that is not zero
// has its sign nearby, too. Descartes' rule, with t/(1-t) for its variable, bounds the
// number of roots between the ends. It is the number of changes of sign in b, or less by
// an even number. So one change is one root, with both signs about it. More changes are
// looked at in halves.
func (s *signs) look(b *bernstein, halvings int) (known bool) {
	var found [degree + 1]int
	changes, last := 0, 0
	for k, c := range b {
		sign, ok := c.Sign()
		if !ok {
			return false
		}
		found[k] = sign
		if sign != 0 {
			if sign == -last {
				changes++
			}
			last = sign
		}
	}
	s.see(found[0])
	s.see(found[degree])
	switch {
	case changes == 0:
		s.see(last)
	case changes == 1:
		s.positive, s.negative = true, true
	}
	if changes < 2 || s.positive && s.negative {
		return true
	}
	if halvings == 0 {
		return false
	}
	left, right := b.halve()
	return s.look(&left, halvings-1) && (s.positive && s.negative || s.look(&right, halvings-1))
}

// halve returns the forms on both halves of the interval. By the algorithm of de
// Casteljau, they consist of means of neighbours, and of means of these means.
func (b *bernstein) halve() (left, right bernstein) {
	right = *b
	for i := range b {
		left[i] = right[0]
		for k := range degree - i {
			right[k] = right[k].Add(right[k+1]).Mul(half)
		}
	}
	return left, right
}
