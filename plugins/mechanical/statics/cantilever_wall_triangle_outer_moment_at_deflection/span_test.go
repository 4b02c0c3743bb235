package main

import (
	"slices"

	"github.com/slipstick/slipstick/plugins/internal/exact"
)

// reversesExactly is reverses by another statement of the same polynomials, all in exact
// arithmetic.
func (in *Input) reversesExactly() bool {
	s := spanOf(in)
	cuts := []exact.Num{{}, s.a, s.b, s.length}
	slices.SortFunc(cuts, exact.Num.Cmp)
	side := 0
	for i, from := range cuts[:len(cuts)-1] {
		to := cuts[i+1]
		if from.Cmp(to) == 0 {
			continue
		}
		first, changes := s.piece(from).Signs(from, to)
		if changes > 0 || first*side < 0 {
			return true
		}
		if first != 0 {
			side = first
		}
	}
	return false
}

// exactSpan is the beam in exact numbers. Its deflection is a polynomial in x between the
// wall, the ends of the loads and the tip. Here it is multiplied by 120 b EI, and in the
// timoshenko model by kAG too.
type exactSpan struct {
	length, b, a, c exact.Num
	triangle, outer exact.Num // w0, w
	moment          exact.Num // M0
	bending, shear  exact.Num // 1 and 0, or kAG and EI
}

func spanOf(in *Input) *exactSpan {
	s := &exactSpan{
		length: exact.Of(in.Length), b: exact.Of(*in.TriangleLength),
		triangle: exact.Of(in.TrianglePeakLoad), outer: exact.Of(in.OuterUniformLoad), moment: exact.Of(in.TipMoment),
		bending: exact.Int(1),
	}
	s.a = s.length // no uniform load
	switch {
	case in.OuterLength != nil:
		s.a = s.length.Sub(exact.Of(*in.OuterLength))
	case in.OuterStart != nil:
		s.a = exact.Of(*in.OuterStart)
	}
	s.c = s.length.Sub(s.a)
	if in.Model == timoshenko {
		s.bending = exact.Of(*in.ShearRigidity)
		if in.FlexuralRigidity != nil {
			s.shear = exact.Of(*in.FlexuralRigidity)
		} else {
			s.shear = exact.Of(*in.ElasticModulus).Mul(exact.Of(*in.SecondMomentOfArea))
		}
	}
	return s
}

// piece returns the deflection on the piece of the beam that starts at from.
func (s *exactSpan) piece(from exact.Num) exact.Poly {
	var sum exact.Poly
	if s.triangle.Sign() != 0 {
		sum = sum.Add(s.triangleTerm(from.Cmp(s.b) >= 0).Scale(s.triangle))
	}
	if s.outer.Sign() != 0 {
		sum = sum.Add(s.outerTerm(from.Cmp(s.a) >= 0).Scale(s.outer))
	}
	if s.moment.Sign() != 0 {
		sum = sum.Add(s.momentTerm().Scale(s.moment))
	}
	return sum
}

// triangleTerm is the deflection under a triangular load of 1.
func (s *exactSpan) triangleTerm(beyond bool) exact.Poly {
	b, b2, zero := s.b, s.b.Pow(2), exact.Num{}
	var bend, shear exact.Poly
	if beyond {
		bend = exact.Poly{b2.Mul(b2, b).Neg(), exact.Int(5).Mul(b2, b2)}
		shear = exact.Poly{exact.Int(20).Mul(b2, b)}
	} else {
		bend = exact.Poly{zero, zero, exact.Int(10).Mul(b2, b), exact.Int(-10).Mul(b2), exact.Int(5).Mul(b), exact.Int(-1)}
		shear = exact.Poly{zero, exact.Int(60).Mul(b2), exact.Int(-60).Mul(b), exact.Int(20)}
	}
	return s.combine(bend, shear)
}

// outerTerm is the deflection under an outer load of 1.
func (s *exactSpan) outerTerm(beyond bool) exact.Poly {
	a, a2, zero, bc := s.a, s.a.Pow(2), exact.Num{}, s.b.Mul(s.c)
	bend := exact.Poly{zero, zero, exact.Int(30).Mul(bc, s.length.Add(a)), exact.Int(-20).Mul(bc)}
	shear := exact.Poly{zero, exact.Int(120).Mul(bc)}
	if beyond {
		fourth := exact.Poly{a2.Mul(a2), exact.Int(-4).Mul(a2, a), exact.Int(6).Mul(a2), exact.Int(-4).Mul(a), exact.Int(1)}
		bend = bend.Add(fourth.Scale(exact.Int(5).Mul(s.b)))
		shear = exact.Poly{a2.Neg(), exact.Int(2).Mul(s.length), exact.Int(-1)}.Scale(exact.Int(60).Mul(s.b))
	}
	return s.combine(bend, shear)
}

// momentTerm is the deflection under a tip couple of 1, which causes no shear.
func (s *exactSpan) momentTerm() exact.Poly {
	return s.combine(exact.Poly{{}, {}, exact.Int(60).Mul(s.b)}, nil)
}

func (s *exactSpan) combine(bend, shear exact.Poly) exact.Poly {
	if s.shear.Sign() == 0 {
		return bend
	}
	return bend.Scale(s.bending).Add(shear.Scale(s.shear))
}
