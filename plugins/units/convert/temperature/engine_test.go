package main

import (
	"testing"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/conversion/conversiontest"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

func TestConversion(t *testing.T) { conversiontest.Run(t, engine, "temperature") }

func TestDefinitions(t *testing.T) {
	for _, c := range []struct {
		a, from string
		want    float64
		to      string
	}{
		{"72", "degF", 22.22222222222222, "degC"},
		{"0", "degC", 32, "degF"},
		{"100", "degC", 212, "degF"},
		{"-273.15", "degC", 0, "K"},
		{"-459.67", "degF", 0, "K"},
		{"-40", "degC", -40, "degF"},
		{"9", "degR", 5, "K"},
	} {
		conversiontest.Equal(t, engine, c.a, c.from, c.want, c.to)
	}
}
