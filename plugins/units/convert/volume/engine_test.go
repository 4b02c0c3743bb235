package main

import (
	"testing"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/conversion/conversiontest"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

func TestConversion(t *testing.T) { conversiontest.Run(t, engine, "volume") }

func TestDefinitions(t *testing.T) {
	for _, c := range []struct {
		a, from string
		want    float64
		to      string
	}{
		{"231", "in3", 1, "gal_us"},
		{"27", "ft3", 1, "yd3"},
		{"1", "m3", 1000, "L"},
		{"1", "cm3", 1, "mL"},
		{"1", "gal_imp", 4.54609, "L"},
	} {
		conversiontest.Equal(t, engine, c.a, c.from, c.want, c.to)
	}
}
