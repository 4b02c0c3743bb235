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
		Engine: engine, Left: sdk.WallLeft, Right: sdk.Roller, Load: beamtest.PointLoad,
		Outputs: map[string]func(*beamtest.Solution) *big.Rat{
			"reaction_wall":   (*beamtest.Solution).Left,
			"reaction_roller": (*beamtest.Solution).Right,
			"moment_wall":     (*beamtest.Solution).HoggingLeft,
			"moment_at_load":  (*beamtest.Solution).MomentAtForce,
		},
	})
}
