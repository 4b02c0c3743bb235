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
		Engine: engine, Left: sdk.Pin, Right: sdk.Roller, Load: beamtest.UniformLoad,
		Outputs: map[string]func(*beamtest.Solution) *big.Rat{
			"reaction_left":  (*beamtest.Solution).Left,
			"reaction_right": (*beamtest.Solution).Right,
			"moment_max":     func(s *beamtest.Solution) *big.Rat { return s.Moment(s.Part(1, 2)) },
			"delta_max":      func(s *beamtest.Solution) *big.Rat { return s.Deflection(s.Part(1, 2)) },
		},
	})
}
