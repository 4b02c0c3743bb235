package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/envelope"
	"github.com/slipstick/slipstick/sdk/strictjson"
)

// description is all that an agent needs to use one capability at one version.
type description struct {
	Status       string           `json:"status"`
	ID           string           `json:"capability_id"`
	Tool         string           `json:"tool"`
	Title        string           `json:"title"`
	Summary      string           `json:"summary"`
	Version      string           `json:"calculation_version"`
	Current      string           `json:"current_version,omitempty"`
	Versions     []string         `json:"available_versions"`
	EngineDigest string           `json:"engine_digest"`
	InputSchema  json.RawMessage  `json:"input_schema"` // of canonical names
	Inputs       []inputNames     `json:"inputs"`
	Outputs      []sdk.Field      `json:"outputs"`
	Formulas     []sdk.Formula    `json:"formulas,omitempty"`
	Assumptions  []string         `json:"assumptions,omitempty"`
	Signs        string           `json:"sign_convention,omitempty"`
	References   []sdk.Reference  `json:"references,omitempty"`
	Errors       []string         `json:"errors,omitempty"`
	Warnings     []string         `json:"warnings,omitempty"`
	Verification sdk.Verification `json:"verification"`
	Example      *example         `json:"example,omitempty"`
}

// inputNames are what the schema of an input does not tell.
type inputNames struct {
	Name    string   `json:"name"`
	Aliases []string `json:"aliases,omitempty"`
	Unit    string   `json:"unit,omitempty"`
	Range   string   `json:"range,omitempty"`
	Code    string   `json:"code,omitempty"` // of leaving the range
}

// example is arguments of execute_calculation that give a result.
type example struct {
	ID      string          `json:"capability_id"`
	Inputs  json.RawMessage `json:"inputs"`
	Version string          `json:"calculation_version"`
}

// describe answers describe_capability.
func (s *Server) describe(_ context.Context, c *call, args arguments) ([]byte, error) {
	e, err := s.find(args)
	if err != nil {
		return nil, err
	}
	pins, err := c.pinsOf(args)
	if err != nil {
		return nil, err
	}
	r, err := e.Release(pins)
	if err != nil {
		return nil, err
	}
	c.release = r
	return json.Marshal(describeRelease(e, r))
}

func describeRelease(e *calc.Entry, r *calc.Release) description {
	spec := &r.Spec
	out := description{
		Status: "success", ID: e.ID, Tool: spec.Tool, Title: spec.Title, Summary: spec.Summary,
		Version: r.Version, Current: e.Current, Versions: summarize(e).Versions, EngineDigest: r.EngineDigest,
		InputSchema: inputSchema(spec), Outputs: spec.Outputs, Formulas: slices.Clone(spec.Formulas), Assumptions: spec.Assumptions,
		Signs: spec.SignConvention, References: spec.References, Errors: spec.Codes(), Warnings: spec.Warnings,
		Verification: r.Verification, Example: exampleOf(r),
	}
	for i := range out.Formulas {
		out.Formulas[i].LaTeX = "" // says in many characters what the expression says
	}
	for i := range spec.Inputs {
		f := &spec.Inputs[i]
		names := inputNames{Name: f.Name, Aliases: f.Aliases, Unit: f.Unit}
		if f.Range != nil {
			names.Range, names.Code = f.Range.String(), f.Range.Code
		}
		out.Inputs = append(out.Inputs, names)
	}
	return out
}

// inputSchema is the schema of the inputs under their canonical names. The published one
// has every alias as a property of its own, which would cost an agent many times as much.
func inputSchema(spec *sdk.Spec) json.RawMessage {
	plain := *spec
	plain.Inputs = slices.Clone(spec.Inputs)
	for i := range plain.Inputs {
		plain.Inputs[i].Aliases = nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, sdk.InputSchema(&plain)); err != nil {
		return json.RawMessage("{}") // the SDK writes valid JSON
	}
	return compact.Bytes()
}

// exampleOf is the first reference vector of the release that gives a result.
func exampleOf(r *calc.Release) *example {
	vectors, err := conformance.ParseVectors(r.Vectors)
	if err != nil {
		return nil // there are none, or they could not be read
	}
	for _, v := range vectors {
		inputs, err := strictjson.ParseObject([]byte(v.Inputs))
		if err != nil || v.Rejection != nil {
			continue
		}
		if _, _, err := envelope.Read(&r.Spec, inputs); err == nil {
			return &example{r.Capability, json.RawMessage(v.Inputs), r.Version}
		}
	}
	return nil
}
