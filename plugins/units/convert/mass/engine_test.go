package main

import (
	"testing"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/conversion/conversiontest"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

func TestConversion(t *testing.T) { conversiontest.Run(t, engine, "mass") }

func TestDefinitions(t *testing.T) {
	for _, c := range []struct {
		a, from string
		want    float64
		to      string
	}{
		{"16", "oz", 1, "lb"},
		{"1", "lb", 0.45359237, "kg"},
		{"2000", "lb", 1, "ton_us"},
		{"2240", "lb", 1, "ton_imp"},
	} {
		conversiontest.Equal(t, engine, c.a, c.from, c.want, c.to)
	}
}
