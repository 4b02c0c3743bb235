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
		Engine: engine, Left: sdk.WallLeft, Right: sdk.Roller, Load: beamtest.UniformLoad,
		Outputs: map[string]func(*beamtest.Solution) *big.Rat{
			"reaction_wall":         (*beamtest.Solution).Left,
			"reaction_roller":       (*beamtest.Solution).Right,
			"moment_wall":           (*beamtest.Solution).HoggingLeft,
			"moment_span_max":       func(s *beamtest.Solution) *big.Rat { return s.Moment(s.Part(5, 8)) },
			"delta_max":             (*beamtest.Solution).Largest,
			"position_of_delta_max": (*beamtest.Solution).PlaceOfLargest,
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
	root33 := root(number(33))
	x := quo(sub(number(15), root33), number(16))
	part := quo(sub(number(39), mul(number(-55), root33)), number(65536))
	for literal, want := range map[string]*big.Float{placeOfLargest: x, partOfLargest: part} {
		if got := want.Text('f', len(literal)-2); got != literal {
			t.Errorf("constant %s, want %s", literal, got)
		}
	}
}
