package main

import (
	"testing"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/conversion/conversiontest"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

func TestConversion(t *testing.T) { conversiontest.Run(t, engine, "angle") }

func TestDefinitions(t *testing.T) {
	for _, c := range []struct {
		a, from string
		want    float64
		to      string
	}{
		{"90", "deg", 100, "grad"},
		{"1", "rev", 360, "deg"},
		{"1", "deg", 60, "arcmin"},
		{"1", "arcmin", 60, "arcsec"},
		{"1", "rad", 1000, "mrad"},
		{"180", "deg", 3.141592653589793, "rad"},
	} {
		conversiontest.Equal(t, engine, c.a, c.from, c.want, c.to)
	}
}
