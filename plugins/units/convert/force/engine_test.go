package main

import (
	"testing"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/conversion/conversiontest"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

func TestConversion(t *testing.T) { conversiontest.Run(t, engine, "force") }

func TestDefinitions(t *testing.T) {
	for _, c := range []struct {
		a, from string
		want    float64
		to      string
	}{
		{"1000", "lbf", 1, "kip"},
		{"1", "kgf", 9.80665, "N"},
		{"1", "lbf", 4.4482216152605, "N"},
	} {
		conversiontest.Equal(t, engine, c.a, c.from, c.want, c.to)
	}
}
