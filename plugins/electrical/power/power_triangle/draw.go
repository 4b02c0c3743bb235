package main

import (
	"context"
	"fmt"

	"github.com/slipstick/slipstick/plugins/internal/powerfactor"
	"github.com/slipstick/slipstick/sdk"
)

// Draw draws the triangle.
func (in *Input) Draw(ctx context.Context, _ string) (*sdk.Figure, error) {
	t, err := in.solve(ctx)
	if err != nil {
		return nil, err
	}
	p, q, s := t.ActivePower, t.ReactivePower, t.ApparentPower
	if err := powerfactor.Drawable(p, q, s); err != nil {
		return nil, err
	}
	return &sdk.Figure{
		Curves: []sdk.Curve{
			powerfactor.Side("S", "V A", s, 0, 0, p, q),
			powerfactor.Side("P", "W", p, 0, 0, p, 0),
			powerfactor.Side("Q", "var", q, p, 0, p, q),
			powerfactor.Arc("phase angle", s/4, t.PhaseAngle),
		},
		Points: []sdk.Point{{Label: fmt.Sprintf("power factor %.4g", t.PF), X: p, Y: q}},
	}, nil
}
