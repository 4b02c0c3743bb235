package main

import (
	"context"
	"fmt"

	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/plugins/internal/powerfactor"
	"github.com/slipstick/slipstick/sdk"
)

// Draw draws the triangles before and after.
func (in *Input) Draw(ctx context.Context, _ string) (*sdk.Figure, error) {
	q, err := in.reactivePower()
	if err != nil {
		return nil, err
	}
	p, before, after := in.ActivePower, in.reactive(in.PFInitial), in.reactive(in.PFTarget)
	s1, s2 := p/in.PFInitial, p/in.PFTarget
	if err := powerfactor.Drawable(before, s1); err != nil {
		return nil, err
	}
	return &sdk.Figure{
		Curves: []sdk.Curve{
			powerfactor.Side("S after", "V A", s2, 0, 0, p, after),
			powerfactor.Side("S before", "V A", s1, 0, 0, p, before),
			powerfactor.Side("P", "W", p, 0, 0, p, 0),
			powerfactor.Side("Q after", "var", after, p, 0, p, after),
			powerfactor.Side("capacitors", "var", q.Float(), p, after, p, before),
			powerfactor.Arc("angle before", s2/3, powerfactor.Angle(in.PFInitial).Float()),
			powerfactor.Arc("angle after", s2/4, powerfactor.Angle(in.PFTarget).Float()),
		},
		Points: []sdk.Point{
			{Label: fmt.Sprintf("before: power factor %.4g", in.PFInitial), X: p, Y: before},
			{Label: fmt.Sprintf("after: power factor %.4g", in.PFTarget), X: p, Y: after},
		},
	}, nil
}

// reactive returns the reactive power at a power factor.
func (in *Input) reactive(pf float64) float64 {
	return elementary.Of(in.ActivePower).Mul(powerfactor.Tan(pf)).Float()
}
