package main

import "github.com/slipstick/slipstick/plugins/internal/adaptive"

// reverses reports whether the deflection changes sign between wall and tip. Loads of
// one sign cannot do that, since each deflects the whole beam one way. For other loads,
// values at a few places decide, or else the polynomial of each piece.
func (in *Input) reverses() bool {
	if in.sameWay() {
		return false
	}
	if reverses, known := in.reversesRoughly(); known {
		return reverses
	}
	return adaptive.Reverses(3, (&span{in, in.outerLoadBeginsFirst()}).piece)
}

// outerLoadBeginsFirst reports whether the uniform load starts where the triangular one
// still acts.
func (in *Input) outerLoadBeginsFirst() bool {
	return adaptive.Sign(func(x *adaptive.X) adaptive.Num {
		return in.outerStart(x).Sub(x.Of(*in.TriangleLength))
	}) < 0
}

// outerStart returns the start of the uniform load, or the tip if there is none.
func (in *Input) outerStart(x *adaptive.X) adaptive.Num {
	if in.OuterLength == nil && in.OuterStart == nil {
		return x.Of(in.Length)
	}
	a, _ := in.outerLoad(x)
	return a
}

// span is the beam between its wall, the end of the triangular load, the start of the
// uniform one and the tip. On each piece its deflection is a polynomial, here multiplied by
// 120 b EI, and in the timoshenko model by kAG too.
type span struct {
	*Input
	outerFirst bool
}

// piece returns the i-th piece from the wall.
func (s *span) piece(x *adaptive.X, i int) adaptive.Piece {
	first, second := x.Of(*s.TriangleLength), s.outerStart(x)
	beyond, under := i > 0, i > 1 // of the triangular load, and the uniform one
	if s.outerFirst {
		first, second = second, first
		beyond, under = under, beyond
	}
	cuts := [...]adaptive.Num{x.Int(0), first, second, x.Of(s.Length)}
	return adaptive.Piece{From: cuts[i], To: cuts[i+1], Terms: s.deflection(x, beyond, under)}
}

// deflection returns the deflection within the triangular load or beyond it, and before
// the uniform load or under it.
func (s *span) deflection(x *adaptive.X, beyond, under bool) (terms [3]adaptive.Poly) {
	if w0 := s.TrianglePeakLoad; w0 != 0 {
		terms[0] = s.combine(x, s.triangleTerm(x, beyond)).Scale(x.Of(w0))
	}
	if w := s.OuterUniformLoad; w != 0 {
		terms[1] = s.combine(x, s.outerTerm(x, under)).Scale(x.Of(w))
	}
	if m := s.TipMoment; m != 0 {
		terms[2] = s.combine(x, s.momentTerm(x)).Scale(x.Of(m))
	}
	return terms
}

// term is the deflection under a load of 1.
type term struct{ bend, shear adaptive.Poly }

func (s *span) combine(x *adaptive.X, t term) adaptive.Poly {
	if s.Model != timoshenko {
		return t.bend
	}
	return t.bend.Scale(x.Of(*s.ShearRigidity)).Add(t.shear.Scale(s.rigidity(x)))
}

func (s *span) triangleTerm(x *adaptive.X, beyond bool) (t term) {
	b := x.Of(*s.TriangleLength)
	b2 := b.Mul(b)
	b3 := b2.Mul(b)
	if beyond {
		t.bend = adaptive.Poly{b2.Mul(b3).Neg(), x.Int(5).Mul(b, b3)}
		t.shear = adaptive.Poly{x.Int(20).Mul(b3)}
		return t
	}
	t.bend = adaptive.Poly{2: x.Int(10).Mul(b3), 3: x.Int(-10).Mul(b2), 4: x.Int(5).Mul(b), 5: x.Int(-1)}
	t.shear = adaptive.Poly{1: x.Int(60).Mul(b2), 2: x.Int(-60).Mul(b), 3: x.Int(20)}
	return t
}

func (s *span) outerTerm(x *adaptive.X, under bool) (t term) {
	a, c := s.outerLoad(x)
	b, l := x.Of(*s.TriangleLength), x.Of(s.Length)
	bc := b.Mul(c)
	t.bend = adaptive.Poly{2: x.Int(30).Mul(bc, l.Add(a)), 3: x.Int(-20).Mul(bc)}
	if !under {
		t.shear = adaptive.Poly{1: x.Int(120).Mul(bc)}
		return t
	}
	a2 := a.Mul(a)
	fourth := adaptive.Poly{a2.Mul(a2), x.Int(-4).Mul(a2, a), x.Int(6).Mul(a2), x.Int(-4).Mul(a), x.Int(1)}
	t.bend = t.bend.Add(fourth.Scale(x.Int(5).Mul(b)))
	t.shear = adaptive.Poly{a2.Neg(), x.Int(2).Mul(l), x.Int(-1)}.Scale(x.Int(60).Mul(b))
	return t
}

// momentTerm is the deflection under a tip couple, which causes no shear.
func (s *span) momentTerm(x *adaptive.X) term {
	return term{bend: adaptive.Poly{2: x.Int(60).Mul(x.Of(*s.TriangleLength))}}
}
