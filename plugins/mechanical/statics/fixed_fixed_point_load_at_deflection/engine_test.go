package main

import (
	"math/big"
	"testing"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/beam/beamtest"
	"github.com/slipstick/slipstick/sdk"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

func TestBeam(t *testing.T) {
	beamtest.Run(t, beamtest.Case{
		Engine: engine, Left: sdk.WallLeft, Right: sdk.WallRight, Load: beamtest.PointLoad,
		Outputs: map[string]func(*beamtest.Solution) *big.Rat{
			"reaction_left":         (*beamtest.Solution).Left,
			"reaction_right":        (*beamtest.Solution).Right,
			"moment_left":           (*beamtest.Solution).HoggingLeft,
			"moment_right":          (*beamtest.Solution).HoggingRight,
			"moment_at_load":        (*beamtest.Solution).MomentAtForce,
			"delta_max":             (*beamtest.Solution).Largest,
			"position_of_delta_max": (*beamtest.Solution).PlaceOfLargest,
		},
	})
}
