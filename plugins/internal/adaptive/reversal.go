package adaptive

import "github.com/slipstick/slipstick/plugins/internal/exact"

// degree is the largest degree of a Poly. The deflection of a beam under a linear load has it.
const degree = 5

// Poly is a polynomial: the coefficient of z^i has the index i.
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
		p[i] = p[i].Times(k)
	}
	return p
}

// Piece is a function on a part of a line: the sum of polynomials of the distance from the
// origin, up to a positive factor. Everything in it is made without a division.
// Polynomials that may cancel each other are separate terms.
type Piece struct {
	From, To Num
	Terms    [3]Poly
}

// Reverses reports whether a continuous function of so many pieces takes values of both
// signs. The pieces adjoin; an empty one, which ends where it starts, is ignored.
//
// As with [Round], the pieces may be made twice. They are first examined in numbers of
// twice the precision. Their bounds mostly decide the sign of every coefficient that is
// needed. If a sign stays open, such as the sign of a value that cancels completely,
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

func reversesExactly(pieces int, piece func(x *X, i int) Piece) bool {
	side := 0
	for i := range pieces {
		p := piece(slow, i)
		from, to, poly := p.From.dyadic(), p.To.dyadic(), make(exact.Poly, degree+1)
		if from.Cmp(to) == 0 {
			continue
		}
		for _, term := range p.Terms {
			for k, c := range term {
				poly[k] = poly[k].Add(c.dyadic())
			}
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
