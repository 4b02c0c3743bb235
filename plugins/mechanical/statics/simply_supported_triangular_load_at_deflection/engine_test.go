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
		Engine: engine, Left: sdk.Pin, Right: sdk.Roller, Load: beamtest.TrianglePeak,
		Outputs: map[string]func(*beamtest.Solution) *big.Rat{
			"reaction_left":          (*beamtest.Solution).Left,
			"reaction_right":         (*beamtest.Solution).Right,
			"moment_max":             func(s *beamtest.Solution) *big.Rat { return s.Moment(s.Zero(s.Shear)) },
			"position_of_moment_max": func(s *beamtest.Solution) *big.Rat { return s.Zero(s.Shear) },
			"delta_max":              (*beamtest.Solution).Largest,
			"position_of_delta_max":  (*beamtest.Solution).PlaceOfLargest,
		},
	})
}

// TestConstants has every digit of the constants.
func TestConstants(t *testing.T) {
	number := func(i int64) *big.Float { return new(big.Float).SetPrec(400).SetInt64(i) }
	sub := func(a, b *big.Float) *big.Float { return number(0).Sub(a, b) }
	quo := func(a, b *big.Float) *big.Float { return number(0).Quo(a, b) }
	root := func(a *big.Float) *big.Float { return number(0).Sqrt(a) }
	mul := func(factors ...*big.Float) *big.Float {
		product := number(1)
		for _, f := range factors {
			product.Mul(product, f)
		}
		return product
	}
	x2 := sub(number(1), root(quo(number(8), number(15)))) // of the length, squared
	x := root(x2)
	// x (1 - x) (1 + x) (7 - 3 x^2)/360
	part := quo(mul(x, sub(number(1), x2), sub(number(7), mul(number(3), x2))), number(360))
	for literal, want := range map[string]*big.Float{placeOfLargest: x, partOfLargest: part} {
		if got := want.Text('f', len(literal)-2); got != literal {
			t.Errorf("constant %s, want %s", literal, got)
		}
	}
}
