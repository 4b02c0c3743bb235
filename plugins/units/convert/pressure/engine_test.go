package main

import (
	"testing"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/conversion/conversiontest"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

func TestConversion(t *testing.T) { conversiontest.Run(t, engine, "pressure") }

func TestDefinitions(t *testing.T) {
	for _, c := range []struct {
		a, from string
		want    float64
		to      string
	}{
		{"760", "torr", 1, "atm"},
		{"1", "atm", 101325, "Pa"},
		{"1", "bar", 100, "kPa"},
		{"1000", "psi", 1, "ksi"},
		{"144", "psf", 1, "psi"},
		{"1", "N/mm2", 1, "MPa"},
	} {
		conversiontest.Equal(t, engine, c.a, c.from, c.want, c.to)
	}
}
