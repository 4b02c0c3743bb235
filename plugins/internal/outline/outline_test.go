package outline_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/plugins/internal/outline"
	"github.com/slipstick/slipstick/sdk"
)

func TestRectangle(t *testing.T) {
	got := outline.Rectangle("outline", sdk.Member, 4, 2)
	want := sdk.Curve{Label: "outline", Style: sdk.Member, X: []float64{-2, 2, 2, -2, -2}, Y: []float64{-1, -1, 1, 1, -1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// enclosed returns the area that the line runs around counterclockwise.
func enclosed(c sdk.Curve) float64 {
	area := 0.0
	for i := range len(c.X) - 1 {
		area += (c.X[i]*c.Y[i+1] - c.X[i+1]*c.Y[i]) / 2
	}
	return area
}

func TestCircle(t *testing.T) {
	c := outline.Circle("tube", sdk.Guide, 3, -1, 2)
	last := len(c.X) - 1
	if c.X[0] != 5 || c.Y[0] != -1 || c.X[last] != c.X[0] || c.Y[last] != c.Y[0] {
		t.Errorf("from (%v, %v) to (%v, %v)", c.X[0], c.Y[0], c.X[last], c.Y[last])
	}
	for i := range c.X {
		if r := math.Hypot(c.X[i]-3, c.Y[i]+1); math.Abs(r-2) > 1e-15 {
			t.Errorf("point %d is %v from the centre", i, r)
		}
	}
	if got, want := enclosed(c), 4*math.Pi; got > want || got < 0.998*want {
		t.Errorf("the line encloses %v, the circle %v", got, want)
	}
}

func TestBounded(t *testing.T) {
	good := &sdk.Figure{Curves: []sdk.Curve{outline.Rectangle("", sdk.Member, 1, 1)}}
	if f, err := outline.Bounded(good); f != good || err != nil {
		t.Errorf("%v, %v, want the figure", f, err)
	}
	bad := &sdk.Figure{Curves: good.Curves, Points: []sdk.Point{{X: math.Inf(1)}}}
	_, err := outline.Bounded(bad)
	if rejection, ok := err.(*sdk.Error); !ok || rejection.Code != sdk.CodeNonFiniteResult {
		t.Errorf("error %v, want %s", err, sdk.CodeNonFiniteResult)
	}
}
