package main

import (
	"testing"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/conversion/conversiontest"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

func TestConversion(t *testing.T) { conversiontest.Run(t, engine, "energy") }

func TestDefinitions(t *testing.T) {
	for _, c := range []struct {
		a, from string
		want    float64
		to      string
	}{
		{"1", "kWh", 3.6, "MJ"},
		{"1000", "Wh", 1, "kWh"},
		{"1", "cal_th", 4.184, "J"},
		{"1", "kcal_it", 4186.8, "J"},
		{"1", "Btu_it", 1055.05585262, "J"},
	} {
		conversiontest.Equal(t, engine, c.a, c.from, c.want, c.to)
	}
}
