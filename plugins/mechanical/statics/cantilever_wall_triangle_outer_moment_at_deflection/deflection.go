package main

import (
	"context"
	"math"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
)

// deflection returns delta at the position.
func (in *Input) deflection(ctx context.Context) float64 {
	return adaptive.Round(ctx, "delta", func(x *adaptive.X) adaptive.Num {
		return in.terms(x, *in.Position).sum().Div(in.divisor(x))
	})
}

// terms are what the loads contribute to a deflection, times the divisor.
type terms struct{ triangle, outer, moment adaptive.Num }

func (t terms) sum() adaptive.Num { return t.triangle.Add(t.outer).Add(t.moment) }

func (t terms) magnitude() adaptive.Num {
	return t.triangle.Abs().Add(t.outer.Abs()).Add(t.moment.Abs())
}

// divisor is 120 EI, or 120 EI kAG in the timoshenko model.
func (in *Input) divisor(x *adaptive.X) adaptive.Num {
	divisor := x.Int(120).Times(in.rigidity(x))
	if in.Model == timoshenko {
		return divisor.Times(x.Of(*in.ShearRigidity))
	}
	return divisor
}

func (in *Input) rigidity(x *adaptive.X) adaptive.Num {
	if in.FlexuralRigidity != nil {
		return x.Of(*in.FlexuralRigidity)
	}
	return x.Of(*in.ElasticModulus).Times(x.Of(*in.SecondMomentOfArea))
}

// terms evaluates the loads that are not zero. No part of a term cancels another.
func (in *Input) terms(x *adaptive.X, at float64) (t terms) {
	if w0 := in.TrianglePeakLoad; w0 != 0 {
		t.triangle = x.Of(w0).Times(in.deflected(x, at, (*Input).bentByTriangle, (*Input).shearedByTriangle))
	}
	if w := in.OuterUniformLoad; w != 0 {
		t.outer = x.Of(w).Times(in.deflected(x, at, (*Input).bentByOuter, (*Input).shearedByOuter))
	}
	if m := in.TipMoment; m != 0 {
		t.moment = x.Of(m).Times(in.deflected(x, at, (*Input).bentByMoment, nil))
	}
	return t
}

// shape is the deflection under a load of 1, times 120 EI or 120 kAG.
type shape func(in *Input, x *adaptive.X, at float64) adaptive.Num

// deflected returns the deflection under a load of 1, times the divisor.
func (in *Input) deflected(x *adaptive.X, at float64, bent, sheared shape) adaptive.Num {
	bending := bent(in, x, at)
	if in.Model != timoshenko {
		return bending
	}
	bending = bending.Times(x.Of(*in.ShearRigidity))
	if sheared == nil {
		return bending
	}
	return bending.Add(sheared(in, x, at).Times(in.rigidity(x)))
}

// bentByTriangle is 120 T. The polynomial in d = b - x is that in u = d/b of the comment
// of [Engine].
func (in *Input) bentByTriangle(x *adaptive.X, at float64) adaptive.Num {
	p, b := x.Of(at), x.Of(*in.TriangleLength)
	b2 := b.Times(b)
	if at >= *in.TriangleLength {
		return b2.Times(b).Times(x.Int(5).Times(p).Sub(b))
	}
	d := b.Sub(p)
	sum := d.Add(x.Int(2).Times(b)).Times(d).Add(x.Int(3).Times(b2)).Times(d).Add(x.Int(4).Times(b2).Times(b))
	return sum.Times(p).Times(p).Div(b)
}

// shearedByTriangle is 120 ST.
func (in *Input) shearedByTriangle(x *adaptive.X, at float64) adaptive.Num {
	p, b := x.Of(at), x.Of(*in.TriangleLength)
	if at >= *in.TriangleLength {
		return x.Int(20).Times(b).Times(b)
	}
	d := b.Sub(p)
	return x.Int(20).Times(p).Times(d.Add(b).Times(d).Add(b.Times(b))).Div(b)
}

// outerLoad returns the start and the length of the outer load.
func (in *Input) outerLoad(x *adaptive.X) (a, c adaptive.Num) {
	l := x.Of(in.Length)
	if in.OuterLength != nil { // the start in the echo is rounded; this is not
		c = x.Of(*in.OuterLength)
		return l.Sub(c), c
	}
	a = x.Of(*in.OuterStart)
	return a, l.Sub(a)
}

// bentByOuter is 120 U.
func (in *Input) bentByOuter(x *adaptive.X, at float64) adaptive.Num {
	l, p := x.Of(in.Length), x.Of(at)
	a, c := in.outerLoad(x)
	u := x.Int(10).Times(c).Times(p).Times(p).Times(x.Int(3).Times(l.Add(a)).Sub(p.Add(p)))
	if !in.underOuterLoad(at) {
		return u
	}
	beyond := p.Sub(a)
	square := beyond.Times(beyond)
	return u.Add(x.Int(5).Times(square).Times(square))
}

// shearedByOuter is 120 SU.
func (in *Input) shearedByOuter(x *adaptive.X, at float64) adaptive.Num {
	l, p := x.Of(in.Length), x.Of(at)
	a, c := in.outerLoad(x)
	if !in.underOuterLoad(at) {
		return x.Int(120).Times(c).Times(p)
	}
	return x.Int(60).Times(x.Int(2).Times(c).Times(a).Add(p.Sub(a).Times(c.Add(l.Sub(p)))))
}

// bentByMoment is 120 x^2/2. A couple causes no shear.
func (in *Input) bentByMoment(x *adaptive.X, at float64) adaptive.Num {
	p := x.Of(at)
	return x.Int(60).Times(p).Times(p)
}

// underOuterLoad reports whether a place is not nearer to the wall than the start of
// the outer load.
func (in *Input) underOuterLoad(at float64) bool {
	switch {
	case at == in.Length:
		return true
	case in.OuterLength == nil:
		return at >= *in.OuterStart
	}
	return adaptive.Sign(func(x *adaptive.X) adaptive.Num {
		return x.Of(at).Add(x.Of(*in.OuterLength)).Sub(x.Of(in.Length))
	}) >= 0
}

// sameWay reports whether all loads deflect the beam the same way.
func (in *Input) sameWay() bool {
	w0, w, m := in.TrianglePeakLoad, in.OuterUniformLoad, in.TipMoment
	return min(w0, w, m) >= 0 || max(w0, w, m) <= 0
}

// cancels reports whether the condition number exceeds a million, where the deflection is
// delta. Mostly a rough bound decides: alone, each load deflects the tip the most.
func (in *Input) cancels(delta float64) bool {
	if in.sameWay() || math.Abs(delta) > 1e-50 && in.boundOfTip()*in.Length < 1e5*math.Abs(delta) {
		return false
	}
	return adaptive.Sign(func(x *adaptive.X) adaptive.Num {
		t := in.terms(x, *in.Position)
		return t.magnitude().Sub(x.Int(1e6).Times(t.sum().Abs()))
	}) > 0
}

// condition returns the condition number, and whether it is bounded.
func (in *Input) condition(ctx context.Context) (k float64, bounded bool) {
	sum := func(x *adaptive.X) adaptive.Num { return in.terms(x, *in.Position).sum() }
	if adaptive.Sign(sum) == 0 {
		return 0, false
	}
	return adaptive.Round(ctx, "delta", func(x *adaptive.X) adaptive.Num {
		return in.terms(x, *in.Position).magnitude().Div(sum(x).Abs())
	}), true
}

// tipExceeds reports whether the tip deflects by more than so many tenths of the length.
func (in *Input) tipExceeds(tenths int64) bool {
	return adaptive.Sign(func(x *adaptive.X) adaptive.Num {
		tip, limit := in.terms(x, in.Length).sum().Abs(), in.divisor(x).Times(x.Of(in.Length)).Times(x.Int(tenths))
		return x.Int(10).Times(tip).Sub(limit)
	}) > 0
}

// isLarge is tipExceeds for one tenth. Mostly a rough bound decides.
func (in *Input) isLarge() bool { return !(in.boundOfTip() < 0.09) && in.tipExceeds(1) }

// boundOfTip returns a bound on the deflection of the tip over the length, except for
// rounding. It is the deflection under loads on the full length that all act one way.
// With the limits of length and stiffness, a term that underflows is less than 1e-100.
func (in *Input) boundOfTip() float64 {
	w0, w, m := math.Abs(in.TrianglePeakLoad), math.Abs(in.OuterUniformLoad), math.Abs(in.TipMoment)
	l, ei, kag := in.Length, 0.0, math.Inf(1)
	if in.FlexuralRigidity != nil {
		ei = *in.FlexuralRigidity
	} else {
		ei = *in.ElasticModulus * *in.SecondMomentOfArea
	}
	if in.Model == timoshenko {
		kag = *in.ShearRigidity
	}
	if l > 1e50 || ei < 1e-50 || ei > math.MaxFloat64 || kag < 1e-50 {
		return math.Inf(1)
	}
	moment := float64((w0/30+float64(w/8))*l*l) + float64(m/2)
	return float64(moment*l/ei) + float64((w0/6+float64(w/2))*l/kag)
}

// tipRatio returns the magnitude of the deflection of the tip over the length.
func (in *Input) tipRatio(ctx context.Context) float64 {
	return adaptive.Round(ctx, "delta", func(x *adaptive.X) adaptive.Num {
		return in.terms(x, in.Length).sum().Abs().Div(in.divisor(x).Times(x.Of(in.Length)))
	})
}

// isDeep reports whether the beam is less than ten times as long as deep.
func (in *Input) isDeep(depth float64) bool {
	return adaptive.Sign(func(x *adaptive.X) adaptive.Num {
		return x.Of(in.Length).Sub(x.Int(10).Times(x.Of(depth)))
	}) < 0
}
