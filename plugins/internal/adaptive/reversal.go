package adaptive

import (
	"github.com/slipstick/slipstick/plugins/internal/doubled"
	"github.com/slipstick/slipstick/plugins/internal/exact"
)

// degree is the greatest of a Poly, which that of a beam under a linear load has.
const degree = 5

// Poly is a polynomial: the coefficient of z^i stands at i.
type Poly [degree + 1]Num

// Add returns p + q.
func (p Poly) Add(q Poly) Poly {
	for i := range p {
		p[i] = p[i].Add(q[i])
	}
	return p
}

// Scale returns k p.
func (p Poly) Scale(k Num) Poly {
	for i := range p {
		p[i] = p[i].times(k)
	}
	return p
}

// Piece is a function on a part of a line.
type Piece struct {
	From, To Num
	Poly     Poly // of the distance from the origin, up to a positive factor; made without a division
}

// Reverses reports whether a continuous function of so many pieces takes values of both
// signs. The pieces adjoin; an empty one, which ends where it begins, counts for nothing.
//
// As with [Round], the pieces may be made twice. They are first looked at in numbers of
// twice the precision, whose bounds mostly tell the sign of every coefficient that is
// asked for. Only where one stays open, as that of a value which cancels altogether, do
// exact numbers decide.
func Reverses(pieces int, piece func(x *X, i int) Piece) bool {
	if reverses, known := reversesFast(pieces, piece); known {
		return reverses
	}
	return reversesExactly(pieces, piece)
}

func reversesFast(pieces int, piece func(x *X, i int) Piece) (reverses, known bool) {
	var s signs
	for i := range pieces {
		p := piece(fast, i)
		switch length, ok := p.To.Sub(p.From).fast.Sign(); {
		case !ok:
			return false, false
		case length == 0:
			continue
		}
		b := p.bernstein()
		if !s.look(&b, mostHalvings) {
			return false, false
		}
		if s.positive && s.negative {
			return true, true
		}
	}
	return false, true
}

// bernstein are the coefficients of a polynomial in Bernstein's form on an interval, up to
// a positive factor. Its value at t, in parts of the interval, is the sum of
// b[k] C(5,k) t^k (1-t)^(5-k): a mean of the coefficients, with weights that are
// positive between the ends. At either end it is the coefficient of that end.
type bernstein [degree + 1]doubled.Num

// weights are 10/C(5,j).
var weights = [degree + 1]doubled.Num{
	doubled.Of(10), doubled.Of(2), doubled.Of(1), doubled.Of(1), doubled.Of(2), doubled.Of(10),
}

// bernstein returns 10 times the form of the piece. With the coefficients c[j] of
// z = From + t (To - From) in powers of t, b[k] is the sum of C(k,j)/C(5,j) c[j] over j.
// All steps are sums and products of numbers that know their bounds.
func (p *Piece) bernstein() (b bernstein) {
	for i, c := range p.Poly {
		b[i] = c.fast
	}
	from, length := p.From.fast, p.To.fast.Sub(p.From.fast)
	for i := range degree { // Taylor's series about From, by Horner's scheme
		for j := degree - 1; j >= i; j-- {
			b[j] = b[j].AddTight(from.Mul(b[j+1]))
		}
	}
	power := doubled.Of(1)
	for j := range b {
		b[j] = b[j].Mul(weights[j]).Mul(power)
		power = power.Mul(length)
	}
	for i := 1; i <= degree; i++ { // Pascal's triangle
		for j := degree; j >= i; j-- {
			b[j] = b[j].AddTight(b[j-1])
		}
	}
	return b
}

// mostHalvings is how often an interval is halved before its polynomial is left to exact
// numbers: roots that are nearer to each other than about 2^-24 of it are not told apart.
const mostHalvings = 24

// signs are those that a function was seen to have.
type signs struct{ positive, negative bool }

func (s *signs) see(sign int) {
	s.positive = s.positive || sign > 0
	s.negative = s.negative || sign < 0
}

// look sees the signs that a polynomial has between the ends of its interval, and reports
// whether the bounds tell them. Seeing both is enough.
//
// Every claim follows from b being a mean: where no coefficient is negative and some are
// positive, all values between the ends are positive. A value at an end that is not zero
// has its sign nearby, too. By Descartes' rule, with t/(1-t) for its variable, the number
// of roots between the ends is the number of changes of sign in b, or less by an even
// number; so one change is one root, with both signs about it. More changes are looked at
// in halves.
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

// halve returns the forms on both halves of the interval, by the algorithm of de
// Casteljau: each is made of means of neighbours, and of means of those.
func (b *bernstein) halve() (left, right bernstein) {
	half := doubled.Of(0.5)
	right = *b
	for i := range b {
		left[i] = right[0]
		for k := range degree - i {
			right[k] = right[k].AddTight(right[k+1]).Mul(half)
		}
	}
	return left, right
}

func reversesExactly(pieces int, piece func(x *X, i int) Piece) bool {
	side := 0
	for i := range pieces {
		p := piece(slow, i)
		from, to, poly := p.From.dyadic(), p.To.dyadic(), make(exact.Poly, len(p.Poly))
		if from.Cmp(to) == 0 {
			continue
		}
		for k, c := range p.Poly {
			poly[k] = c.dyadic()
		}
		first, changes := poly.Signs(from, to)
		if changes > 0 || first*side < 0 {
			return true
		}
		if first != 0 {
			side = first
		}
	}
	return false
}

// dyadic returns the value of a, which must be made without a division.
func (a Num) dyadic() exact.Num {
	v := a.fraction()
	if v.d.Cmp(exact.Int(1)) != 0 {
		panic("adaptive: a piece of a function is made with a division")
	}
	return v.n
}
