package forge

import (
	"context"
	"fmt"

	conformance "github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/sdk"
)

type input struct {
	Span    float64  `name:"span" alias:"L" unit:"m" range:"(0,)" doc:"Distance of the supports, from axis to axis." symbol:"L"`
	Width   float64  `name:"width" alias:"b" unit:"m" range:"(0,)" doc:"Width of the section."`
	Depth   float64  `name:"depth" alias:"h" unit:"m" range:"(0,)" doc:"Depth of the section, in the plane of bending."`
	Modulus float64  `name:"modulus" alias:"E" unit:"Pa" range:"(0,)" doc:"Young's modulus of the material, at the temperature of use."`
	Load    float64  `name:"load" alias:"w" unit:"N/m" default:"0" doc:"Uniform load over the whole span, positive downwards." symbol:"w"`
	Force   *float64 `name:"force" alias:"P" unit:"N" doc:"Force in the middle of the span, positive downwards." symbol:"P"`
	Ends    string   `name:"ends" enum:"simple=pinned|hinged,fixed=clamped" default:"simple" doc:"How both ends are supported."`
	Exact   bool     `name:"exact" default:"false" doc:"Whether shear deformation counts too."`
}

type output struct {
	Deflection float64  `name:"deflection" unit:"m" doc:"Deflection of the middle, positive downwards." symbol:"\\delta"`
	Moment     float64  `name:"moment" unit:"N m" doc:"Bending moment in the middle, positive if sagging." symbol:"M"`
	Reaction   float64  `name:"reaction" unit:"N" doc:"Reaction of each support, positive upwards."`
	Stress     *float64 `name:"stress" unit:"Pa" doc:"Stress of the lower fibre in the middle, positive in tension."`
}

// spec returns the Spec of a beam. Capabilities differ in their texts, and versions in one assumption.
func spec(number, n int) sdk.Spec {
	return sdk.New(sdk.Spec{
		Capability: ID(number), Version: Version(n), Tool: Tool(number), Group: Group(number),
		Title:    fmt.Sprintf("Forged beam %d with a load and a force", number),
		Summary:  fmt.Sprintf("Deflection, moment, reaction and stress in the middle of beam %d of a forged library.", number),
		Keywords: []string{"sag", "bending", fmt.Sprintf("forged%d", number)},
		Formulas: []sdk.Formula{
			{ID: "middle_v1", Expression: "delta = 5*w*L^4/(384*E*I) + P*L^3/(48*E*I)", Label: "Superposition", LaTeX: `\delta = \frac{5 w L^4}{384 E I} + \frac{P L^3}{48 E I}`},
			{ID: "moment_v1", Expression: "M = w*L^2/8 + P*L/4", Label: "Moment in the middle", LaTeX: `M = \frac{w L^2}{8} + \frac{P L}{4}`},
		},
		Assumptions: []string{
			"The material is linear elastic.", "Plane sections stay plane; displacements are small.",
			fmt.Sprintf("The tables are from revision %d.", n),
		},
		SignConvention: "Loads and deflections are positive downwards, moments if they sag the beam.",
		References:     []sdk.Reference{{Title: "Gere, Mechanics of Materials", Where: "appendix G"}, {Title: "Roark's Formulas for Stress and Strain", Where: "table 8.1"}},
		Errors:         []string{"NO_LOAD"}, Warnings: []string{"LARGE_DEFLECTION"},
	}, func(context.Context, input) (output, error) { return output{}, nil }).Spec()
}

// reference is a published vector.
type reference struct {
	ID       string             `json:"id"`
	Kind     string             `json:"kind"`
	Inputs   map[string]float64 `json:"inputs"`
	Expected map[string]float64 `json:"expected"`
	RTol     float64            `json:"rtol"`
	Source   string             `json:"source"`
}

// vectors returns some vectors, and one more for each version.
func vectors(number, n int) []reference {
	var list []reference
	for i := range 12 + n {
		span := 2 + float64(i)/4
		list = append(list, reference{
			ID: fmt.Sprintf("N%04d-%03d", number, i), Kind: "mpmath", RTol: 1e-12, Source: "a table of the forge",
			Inputs:   map[string]float64{"span": span, "width": 0.1, "depth": 0.2, "modulus": 2.1e11, "load": 1200, "force": 350},
			Expected: map[string]float64{"moment": 1200*span*span/8 + 350*span/4, "reaction": 600*span + 175},
		})
	}
	return list
}

// rules is the number of rules of a report.
const rules = 36

// report returns a conformance report that passed.
func report(s *sdk.Spec, engine string, vectors int) ([]byte, error) {
	r := conformance.Report{
		Suite: "1.0.0", Requirements: "2026-1", Capability: s.Capability, Version: s.Version, SpecDigest: conformance.DigestOf(s),
		EngineDigests: []string{engine}, Vectors: conformance.Count{Total: vectors, Passed: vectors},
		Generated: conformance.GeneratedCount{Count: conformance.Count{Total: 400, Passed: 400}}, Coverage: []conformance.Reach{},
	}
	for i := range rules {
		r.Rules = append(r.Rules, conformance.Result{
			ID: fmt.Sprintf("R%02d", i), Rule: "an engine must answer the same inputs with the same bytes, whatever it was asked before",
			Cites: "engine contract, section 4", Outcome: conformance.Pass, Passed: true, Checks: 40 + i, Findings: []conformance.Finding{},
		})
	}
	for _, f := range append(s.Inputs[:len(s.Inputs):len(s.Inputs)], s.Outputs...) {
		r.Coverage = append(r.Coverage, conformance.Reach{What: "input", Name: f.Name, Vectors: vectors, Generated: 400})
	}
	for i := range vectors {
		r.VectorResults = append(r.VectorResults, conformance.VectorResult{ID: fmt.Sprintf("V%03d", i), Kind: "mpmath", Expects: "result", Passed: true})
	}
	r.Conclude()
	return r.AppendJSON(nil)
}
