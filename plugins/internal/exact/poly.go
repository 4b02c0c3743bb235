package exact

import "math/big"

// Poly is a polynomial: the coefficient of x^i has the index i.
type Poly []Num

// Add returns p + q.
func (p Poly) Add(q Poly) Poly {
	if len(p) < len(q) {
		p, q = q, p
	}
	sum := append(Poly(nil), p...)
	for i, c := range q {
		sum[i] = sum[i].Add(c)
	}
	return sum
}

// Scale returns k * p.
func (p Poly) Scale(k Num) Poly {
	scaled := make(Poly, len(p))
	for i, c := range p {
		scaled[i] = c.Mul(k)
	}
	return scaled
}

// Signs returns how the sign of p changes in the open interval from lo to hi. It
// returns the sign just above lo, and the number of places where the sign changes.
// A root that p touches without crossing is not a change. The zero polynomial gives
// 0, 0.
//
// The answer is exact. The interval is mapped onto the positive numbers, where
// Descartes' rule of signs decides 0 and 1 changes. For more changes, Sturm's
// theorem counts the roots. Counting again in the greatest common divisor of p and
// its derivative excludes roots of even multiplicity.
func (p Poly) Signs(lo, hi Num) (first, changes int) {
	q := p.onPositive(lo, hi)
	for len(q) > 0 && q[0].Sign() == 0 { // a root at lo
		q = q[1:]
	}
	q = q.trim() // a root at hi loses degree
	if len(q) == 0 {
		return 0, 0
	}
	changes = variations(q)
	if changes > 1 {
		changes = q.crossings()
	}
	return q[0].Sign(), changes
}

// onPositive returns (1+t)^n p((lo + hi t)/(1+t)), which has at t > 0 the sign that
// p has at the x between lo and hi.
func (p Poly) onPositive(lo, hi Num) Poly {
	if len(p) == 0 {
		return nil
	}
	q := Poly{p[len(p)-1]}
	power := Poly{Int(1)} // (1+t)^k
	for i := len(p) - 2; i >= 0; i-- {
		power = power.timesLinear(Int(1), Int(1))
		q = q.timesLinear(lo, hi).Add(power.Scale(p[i]))
	}
	return q
}

// timesLinear returns (c + d x) p.
func (p Poly) timesLinear(c, d Num) Poly {
	product := make(Poly, len(p)+1)
	for i, a := range p {
		product[i] = product[i].Add(a.Mul(c))
		product[i+1] = a.Mul(d)
	}
	return product
}

// trim cuts leading coefficients that are zero.
func (p Poly) trim() Poly {
	for len(p) > 0 && p[len(p)-1].Sign() == 0 {
		p = p[:len(p)-1]
	}
	return p
}

// variations counts the changes of sign in a sequence, zeros left out.
func variations(p []Num) int {
	n, last := 0, 0
	for _, c := range p {
		if s := c.Sign(); s != 0 {
			if s == -last {
				n++
			}
			last = s
		}
	}
	return n
}

// crossings counts the positive roots of odd multiplicity. The first and last
// coefficient are not zero. Roots of even multiplicity are left out: they are the
// roots of odd multiplicity of the last polynomial of Sturm's chain.
func (p Poly) crossings() int {
	if len(p) <= 1 {
		return 0
	}
	chain := p.sturm()
	var atZero, atInfinity []Num
	for _, q := range chain {
		atZero, atInfinity = append(atZero, q[0]), append(atInfinity, q[len(q)-1])
	}
	distinct := variations(atZero) - variations(atInfinity)
	return distinct - chain[len(chain)-1].crossings()
}

// sturm returns Sturm's chain of p, each polynomial up to a positive factor. It has
// p, its derivative, and remainders with the sign turned, to the last that is not
// zero. The multiplier of the previous remainder divides each remainder, which
// keeps its size linear (Collins 1967, reduced remainder sequence).
func (p Poly) sturm() []Poly {
	chain := []Poly{p, p.derivative()}
	before := Int(1)
	for {
		a, b := chain[len(chain)-2], chain[len(chain)-1]
		if len(b) == 1 {
			return chain
		}
		rest, multiplier := a.pseudoRemainder(b)
		if len(rest) == 0 {
			return chain
		}
		for i := range rest {
			rest[i] = rest[i].divide(before)
		}
		if multiplier.Sign() > 0 {
			rest = rest.Scale(Int(-1))
		}
		chain, before = append(chain, rest), multiplier.Abs()
	}
}

func (p Poly) derivative() Poly {
	d := make(Poly, len(p)-1)
	for i := range d {
		d[i] = p[i+1].Mul(Int(int64(i + 1)))
	}
	return d
}

// pseudoRemainder returns the remainder of multiplier * p divided by d, without
// any division, and the multiplier.
func (p Poly) pseudoRemainder(d Poly) (rest Poly, multiplier Num) {
	lead := d[len(d)-1]
	rest, multiplier = append(Poly(nil), p...), Int(1)
	for len(rest) >= len(d) {
		top, from := rest[len(rest)-1], len(rest)-len(d)
		rest = rest[:len(rest)-1].Scale(lead)
		for i, c := range d[:len(d)-1] {
			rest[from+i] = rest[from+i].Sub(top.Mul(c))
		}
		multiplier = multiplier.Mul(lead)
	}
	return rest.trim(), multiplier
}

// divide returns x/y where y is known to divide x.
func (x Num) divide(y Num) Num {
	if x.m == nil {
		return x
	}
	q, rest := new(big.Int).QuoRem(x.m, y.m, new(big.Int))
	if rest.Sign() != 0 {
		panic("exact: a division that must be exact is not")
	}
	return Num{q, x.e - y.e}
}
