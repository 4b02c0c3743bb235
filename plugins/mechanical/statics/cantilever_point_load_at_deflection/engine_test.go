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
		Engine: engine, Left: sdk.WallLeft, Load: beamtest.PointLoad,
		Outputs: map[string]func(*beamtest.Solution) *big.Rat{
			"wall_shear":  (*beamtest.Solution).Left,
			"wall_moment": (*beamtest.Solution).HoggingLeft,
			"slope_tip":   func(s *beamtest.Solution) *big.Rat { return s.Slope(s.Length) },
		},
	})
}
