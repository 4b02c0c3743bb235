package transient_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/plugins/internal/transient"
	"github.com/slipstick/slipstick/sdk"
)

func TestParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(0, 100).Draw(t, "elapsed")
		left, reached := transient.Parts(elementary.Of(x))
		if got := left.Add(reached).Sub(elementary.Int(1)).Float(); math.Abs(got) > 1e-60 {
			t.Fatalf("after %v time constants the parts miss 1 by %v", x, got)
		}
		if got, want := reached.Float(), -math.Expm1(-x); math.Abs(got-want) > 1e-15*want {
			t.Fatalf("after %v time constants %v is reached, want %v", x, got, want)
		}
	})
}

func TestPartsFarAndNear(t *testing.T) {
	left, reached := transient.Parts(elementary.Int(0))
	if left.Float() != 1 || reached.Sign() != 0 {
		t.Errorf("at the beginning %v is left and %v reached", left.Float(), reached.Float())
	}
	left, reached = transient.Parts(elementary.Int(5000))
	if left.Sign() != 1 || left.Float() != 0 || reached.Float() != 1 {
		t.Errorf("at the end %v (sign %d) is left and %v reached", left.Float(), left.Sign(), reached.Float())
	}
}

func TestFigure(t *testing.T) {
	for _, c := range []struct{ start, end, tau, time, last float64 }{
		{0, 5, 2, 0, 10},
		{3, 7, 2, 0, 10},
		{-3, -7, 20, 0, 100},
		{0, 5, 2, 3, 10},
		{5, -5, 2, 20, 24},
		{-3, 0, 0.25, 0.25, 1.25},
		{1, 2, 0, 1, 1.2}, // a time constant that rounded to zero
		{1, 1, 1, 1, 5},
		{0, 1, 1, math.MaxFloat64, math.MaxFloat64},
	} {
		r := transient.Response{Name: "voltage", Start: c.start, End: c.end, TimeConstant: c.tau, Time: c.time}
		f, err := r.Figure()
		if err != nil {
			t.Errorf("%+v: %v", r, err)
			continue
		}
		if err := f.Check(); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
		curve, end := f.Curves[0], len(f.Curves[0].X)-1
		if curve.X[0] != 0 || curve.Y[0] != c.start || curve.X[end] != c.last {
			t.Errorf("%+v: from (%v, %v) to %v, want (0, %v) and %v", r, curve.X[0], curve.Y[0], curve.X[end], c.start, c.last)
		}
		for n, y := range curve.Y {
			if y < min(c.start, c.end) || y > max(c.start, c.end) {
				t.Errorf("%+v: %v at %v", r, y, curve.X[n])
			}
		}
		want := c.start
		if c.time > 0 {
			want = c.end + (c.start-c.end)*math.Exp(-c.time/c.tau)
		}
		if guide := f.Curves[2].Y; guide[0] != min(0, c.start, c.end) || guide[1] != max(0, c.start, c.end) {
			t.Errorf("%+v: the time constant is marked from %v to %v", r, guide[0], guide[1])
		}
		if p := f.Points[0]; p.X != c.time || math.Abs(p.Y-want) > 1e-15*(math.Abs(c.start)+math.Abs(c.end)) {
			t.Errorf("%+v: marked (%v, %v), want (%v, %v)", r, p.X, p.Y, c.time, want)
		}
	}
}

func TestWhatCannotBeDrawn(t *testing.T) {
	for _, r := range []transient.Response{{End: math.Inf(1), TimeConstant: 1}, {End: math.Inf(-1), TimeConstant: 1}, {TimeConstant: math.Inf(1)}} {
		_, err := r.Figure()
		if rejection, ok := err.(*sdk.Error); !ok || rejection.Code != sdk.CodeNonFiniteResult || rejection.Suggestion == "" {
			t.Errorf("%+v: %v", r, err)
		}
	}
}
