package main

import (
	"testing"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/conversion/conversiontest"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

func TestConversion(t *testing.T) { conversiontest.Run(t, engine, "torque") }

func TestDefinitions(t *testing.T) {
	for _, c := range []struct {
		a, from string
		want    float64
		to      string
	}{
		{"12", "lbf.in", 1, "lbf.ft"},
		{"12", "lbf in", 1, "lbf ft"},
		{"1000", "lbf.ft", 1, "kip.ft"},
		{"1", "kgf.m", 9.80665, "N.m"},
	} {
		conversiontest.Equal(t, engine, c.a, c.from, c.want, c.to)
	}
}
