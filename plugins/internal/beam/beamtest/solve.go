// Package beamtest holds an engine of a beam against the differential equation of the
// beam, solved in rational numbers, and against what physics says of any beam.
package beamtest

import (
	"math/big"

	"github.com/slipstick/slipstick/sdk"
)

// Rat returns the value of a binary64 number.
func Rat(f float64) *big.Rat { return new(big.Rat).SetFloat64(f) }

func add(a *big.Rat, bs ...*big.Rat) *big.Rat {
	sum := new(big.Rat).Set(a)
	for _, b := range bs {
		sum.Add(sum, b)
	}
	return sum
}

func mul(a *big.Rat, bs ...*big.Rat) *big.Rat {
	product := new(big.Rat).Set(a)
	for _, b := range bs {
		product.Mul(product, b)
	}
	return product
}

func neg(a *big.Rat) *big.Rat { return new(big.Rat).Neg(a) }

// over returns x^n/n!.
func over(x *big.Rat, n int64) *big.Rat {
	power := big.NewRat(1, 1)
	for i := int64(1); i <= n; i++ {
		power = mul(power, x, big.NewRat(1, i))
	}
	return power
}

// Loading is what acts on a beam downwards: a force, and a load whose intensity runs
// straight from the left end to the right.
type Loading struct {
	Force, At  *big.Rat
	Start, End *big.Rat
}

func (l Loading) orZero() Loading {
	for _, p := range []**big.Rat{&l.Force, &l.At, &l.Start, &l.End} {
		if *p == nil {
			*p = new(big.Rat)
		}
	}
	return l
}

// Solution is a beam in equilibrium. It solves EI delta”” = q by the values at x = 0
// of delta, the slope, the bending moment and the shear force, which the supports at
// both ends decide.
type Solution struct {
	Length, Rigidity *big.Rat
	load             Loading
	start            [4]*big.Rat // EI delta, EI slope, M, V
	largest          *big.Rat    // its place, once it was asked for
}

// Solve returns the beam on its supports, where "" is a free end.
func Solve(left, right sdk.SupportKind, length, rigidity *big.Rat, load Loading) *Solution {
	s := &Solution{Length: length, Rigidity: rigidity, load: load.orZero()}
	var rows [][]*big.Rat // of four unknowns and a right-hand side
	for _, q := range prescribed(left) {
		s.start = [4]*big.Rat{new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat)}
		row := []*big.Rat{new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat)}
		row[q] = big.NewRat(1, 1)
		rows = append(rows, row)
	}
	for _, q := range prescribed(right) {
		rows = append(rows, s.influence(q))
	}
	s.start = eliminate(rows)
	return s
}

// prescribed are the quantities that are zero at an end.
func prescribed(end sdk.SupportKind) [2]int {
	switch end {
	case sdk.WallLeft, sdk.WallRight:
		return [2]int{0, 1}
	case sdk.Pin, sdk.Roller:
		return [2]int{0, 2}
	}
	return [2]int{2, 3}
}

// influence is the equation that makes quantity q zero at the right end.
func (s *Solution) influence(q int) []*big.Rat {
	none := func() [4]*big.Rat { return [4]*big.Rat{new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat)} }
	s.start = none()
	constant := s.quantity(q, s.Length, true)
	row := make([]*big.Rat, 5)
	for i := range 4 {
		s.start = none()
		s.start[i] = big.NewRat(1, 1)
		row[i] = add(s.quantity(q, s.Length, true), neg(constant))
	}
	row[4] = neg(constant)
	return row
}

// eliminate solves four linear equations.
func eliminate(rows [][]*big.Rat) (solution [4]*big.Rat) {
	for i := range 4 {
		for j := i; j < 4; j++ {
			if rows[j][i].Sign() != 0 {
				rows[i], rows[j] = rows[j], rows[i]
				break
			}
		}
		if rows[i][i].Sign() == 0 {
			panic("beamtest: the beam is not held")
		}
		for j := range 4 {
			if j == i {
				continue
			}
			factor := new(big.Rat).Quo(rows[j][i], rows[i][i])
			for k := range 5 {
				rows[j][k] = add(rows[j][k], neg(mul(factor, rows[i][k])))
			}
		}
	}
	for i := range 4 {
		solution[i] = new(big.Rat).Quo(rows[i][4], rows[i][i])
	}
	return solution
}

// quantity returns EI delta (0), EI slope (1), M (2) or V (3) at x. Each is the integral
// of the next, down to the sign; a force counts at its own place if beyond.
func (s *Solution) quantity(q int, x *big.Rat, beyond bool) *big.Rat {
	n := int64(3 - q) // so often V was integrated
	sign := big.NewRat(1, 1)
	if q < 2 {
		sign.SetInt64(-1) // EI delta'' = -M
	}
	sum := new(big.Rat)
	for i := q; i < 4; i++ {
		term := mul(s.start[i], over(x, int64(i-q)))
		if q < 2 && i >= 2 {
			term = neg(term)
		}
		sum = add(sum, term)
	}
	l := s.load
	if past := add(x, neg(l.At)); past.Sign() > 0 || past.Sign() == 0 && beyond {
		sum = add(sum, neg(mul(sign, l.Force, over(past, n))))
	}
	slope := new(big.Rat).Quo(add(l.End, neg(l.Start)), s.Length)
	return add(sum, neg(mul(sign, l.Start, over(x, n+1))), neg(mul(sign, slope, over(x, n+2))))
}

// Deflection returns delta at x.
func (s *Solution) Deflection(x *big.Rat) *big.Rat {
	return new(big.Rat).Quo(s.quantity(0, x, true), s.Rigidity)
}

// Slope returns the slope of the deflection at x.
func (s *Solution) Slope(x *big.Rat) *big.Rat {
	return new(big.Rat).Quo(s.quantity(1, x, true), s.Rigidity)
}

// Moment returns the bending moment at x, positive where it sags.
func (s *Solution) Moment(x *big.Rat) *big.Rat { return s.quantity(2, x, true) }

// HoggingLeft returns the bending moment at the left end, positive where it hogs.
func (s *Solution) HoggingLeft() *big.Rat { return neg(s.Moment(new(big.Rat))) }

// HoggingRight returns the bending moment at the right end, positive where it hogs.
func (s *Solution) HoggingRight() *big.Rat { return neg(s.Moment(s.Length)) }

// MomentAtForce returns the bending moment at the force, positive where it sags.
func (s *Solution) MomentAtForce() *big.Rat { return s.Moment(s.load.At) }

// Part returns the place at a fraction of the length.
func (s *Solution) Part(n, d int64) *big.Rat { return mul(s.Length, big.NewRat(n, d)) }

// PlaceOfLargest returns where the deflection between two supports is largest, to 100
// bits.
func (s *Solution) PlaceOfLargest() *big.Rat {
	if s.largest == nil {
		s.largest = s.Zero(s.Slope)
	}
	return s.largest
}

// Largest returns the largest deflection between two supports, to 100 bits.
func (s *Solution) Largest() *big.Rat { return s.Deflection(s.PlaceOfLargest()) }

// Zero returns where f changes its sign about midspan, to 100 bits: by bisection at
// first, then by the secants of f.
func (s *Solution) Zero(f func(x *big.Rat) *big.Rat) *big.Rat {
	from, x := s.Part(3, 10), s.Part(7, 10)
	atFrom, at := f(from), f(x)
	if atFrom.Sign()*at.Sign() >= 0 {
		panic("beamtest: no change of sign about midspan")
	}
	for range 8 {
		middle := mul(add(from, x), big.NewRat(1, 2))
		if value := f(middle); value.Sign() == atFrom.Sign() {
			from, atFrom = middle, value
		} else {
			x, at = middle, value
		}
	}
	for range 40 {
		rise := add(at, neg(atFrom))
		if at.Sign() == 0 || rise.Sign() == 0 {
			return x
		}
		step := new(big.Rat).Quo(mul(at, add(x, neg(from))), rise)
		next, _ := new(big.Float).SetPrec(200).SetRat(add(x, neg(step))).Rat(nil)
		from, atFrom, x, at = x, at, next, f(next)
		if new(big.Rat).Abs(step).Cmp(s.Part(1, 1<<62)) < 0 { // the next one squares it, about
			return x
		}
	}
	panic("beamtest: the secants do not come to an end")
}

// Left returns the reaction of the left end, upwards.
func (s *Solution) Left() *big.Rat { return s.quantity(3, new(big.Rat), false) }

// Right returns the reaction of the right end, upwards.
func (s *Solution) Right() *big.Rat { return neg(s.quantity(3, s.Length, false)) }

// Shear returns the shear force at x, just beyond a force that acts there.
func (s *Solution) Shear(x *big.Rat) *big.Rat { return s.quantity(3, x, true) }

// Nearest returns the binary64 number nearest to r.
func Nearest(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}
