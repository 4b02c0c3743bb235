// Command engine is the engine that the bench measures. See [Engine].
package main

import (
	"context"
	_ "embed"
	"math"

	"github.com/slipstick/slipstick/host/tools/bench/internal/beam"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

// Package fleet creates other engines from the executable by overwriting these digits. So they are
// variables, and each must occur only once in the executable.
var (
	capability = "bench.spread.n000"
	tool       = "bench-spread-n000"
	version    = "1.0.1001"
)

func main() { wire.Serve(Engine(), vectors) }

// Input is a [beam.Input].
type Input struct {
	Span    float64 `name:"span" alias:"L" unit:"m" symbol:"L" range:"(0,)" doc:"Distance of the supports."`
	Width   float64 `name:"width" alias:"b" unit:"m" symbol:"b" range:"(0,)" doc:"Width of the section."`
	Depth   float64 `name:"depth" alias:"h" unit:"m" symbol:"h" range:"(0,)" doc:"Depth of the section, in the plane of bending."`
	Modulus float64 `name:"modulus" alias:"E" unit:"Pa" symbol:"E" range:"(0,)" doc:"Young's modulus."`
	Load    float64 `name:"load" alias:"w" unit:"N/m" symbol:"w" doc:"Uniform load over the span, positive downwards."`
	Force   float64 `name:"force" alias:"P" unit:"N" symbol:"P" doc:"Force in the middle, positive downwards."`
	Couple  float64 `name:"couple" alias:"M0" unit:"N m" symbol:"M_0" doc:"Couple at each end, positive if it sags the beam."`
	Axial   float64 `name:"axial" alias:"N" unit:"N" symbol:"N" doc:"Axial force, positive in tension."`
}

// Output is a [beam.Output].
type Output struct {
	Deflection float64 `name:"deflection" unit:"m" symbol:"\\delta" doc:"Deflection of the middle, positive downwards."`
	Moment     float64 `name:"moment" unit:"N m" symbol:"M" doc:"Bending moment in the middle, positive if sagging."`
	Reaction   float64 `name:"reaction" unit:"N" symbol:"R" doc:"Reaction of each support, positive upwards."`
	Stress     float64 `name:"stress" unit:"Pa" symbol:"\\sigma" doc:"Stress of the lower fibre in the middle, positive in tension."`
}

// Engine returns the engine for the middle of a simply supported rectangular beam. Its loads are
// a uniform load, a force in the middle, end couples and an axial force.
//
// Units are SI; the signs are the signs of the fields.
//
// Error: rounding, a few units in the last place of the largest term.
//
// Source: superposition of the elementary cases.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: capability,
		Version:    version,
		Tool:       tool,
		Group:      "bench",
		Title:      "Simply supported beam at midspan",
		Summary:    "Deflection, moment, reaction and stress in the middle of a rectangular beam.",
		Keywords:   []string{"girder"},
		Definition: `A = b*h
I = A*h^2/12
delta = (5*w*L^4/384 + P*L^3/48 + M_0*L^2/8)/(E*I)
M = w*L^2/8 + P*L/4 + M_0
R = w*L/2 + P/2
sigma = N/A + M*h/(2*I)`,
		Formulas: []sdk.Formula{{ID: "midspan_v1", Label: "Superposition"}},
		Assumptions: []string{
			"The material is linear elastic.",
			"Plane sections stay plane; displacements are small.",
		},
		References: []sdk.Reference{{Title: "Gere, Mechanics of Materials", Where: "appendix G"}},
	}, func(_ context.Context, in Input) (Output, error) {
		if stiffness := in.Modulus * in.Width * in.Depth * in.Depth * in.Depth; stiffness > math.MaxFloat64 {
			return Output{}, sdk.Reject(sdk.CodeNonFiniteResult, "", "the stiffness is beyond the range of binary64 numbers for these inputs").
				Suggest("Use less extreme inputs.")
		}
		return Output(beam.Middle(beam.Input(in))), nil
	})
}
