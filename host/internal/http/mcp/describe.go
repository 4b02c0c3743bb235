package mcp

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/verification"
)

// description describes one capability at one version, with or without details.
type description struct {
	outline
	*details
}

// outline has the facts that an agent needs to use a capability.
type outline struct {
	Status      string            `json:"status"`
	ID          string            `json:"capability_id"`
	Tool        string            `json:"tool"`
	Title       string            `json:"title"`
	Summary     string            `json:"summary"`
	Version     string            `json:"calculation_version"`
	Current     string            `json:"current_version,omitempty"` // if it is another one
	Versions    []string          `json:"available_versions"`
	Tier        verification.Tier `json:"tier"`
	Inputs      []field           `json:"inputs"`
	Outputs     []field           `json:"outputs"`
	Assumptions []string          `json:"assumptions,omitempty"`
	Signs       string            `json:"sign_convention,omitempty"`
	Example     *example          `json:"example,omitempty"`
}

// details are the rest of a description, for a closer look. An agent can calculate without it.
type details struct {
	EngineDigest string              `json:"engine_digest"`
	InputSchema  json.RawMessage     `json:"input_schema"`
	Formulas     []sdk.Formula       `json:"formulas,omitempty"`
	References   []sdk.Reference     `json:"references,omitempty"`
	Limits       []sdk.Limit         `json:"limits,omitempty"`
	Errors       []string            `json:"errors,omitempty"`
	Warnings     []string            `json:"warnings,omitempty"`
	Verification verification.Record `json:"verification"`
	Text         string              `json:"text,omitempty"` // URL of the document of a text engine
	Uses         []use               `json:"uses,omitempty"` // published tables and calculations that the document uses
}

// use is a published table or calculation that a document uses.
type use struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	Title   string `json:"title"`
	Digest  string `json:"digest"`
	Table   bool   `json:"table"` // otherwise it is a calculation
}

// example holds arguments of execute_calculation that give a result.
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
	detailed, err := args.flag(schemaArgument)
	if err != nil {
		return nil, err
	}
	return json.Marshal(s.describeRelease(e, r, detailed))
}

// describeRelease describes a release, with all details if they are wanted.
func (s *Server) describeRelease(e *catalog.Entry, r *catalog.Release, detailed bool) description {
	spec := &r.Spec
	out := description{outline: outline{
		Status: "success", ID: e.ID, Tool: spec.Tool, Title: spec.Title, Summary: spec.Summary,
		Version: r.Version, Versions: s.summarize(e).Versions, Tier: r.Verification.Tier,
		Inputs: inputsOf(spec), Outputs: outputsOf(spec), Assumptions: spec.Assumptions, Signs: spec.SignConvention, Example: exampleOf(r),
	}}
	if e.Current != r.Version {
		out.Current = e.Current
	}
	if detailed {
		out.details = s.detail(e, r)
	}
	return out
}

// detail returns the details of a release.
func (s *Server) detail(e *catalog.Entry, r *catalog.Release) *details {
	spec := &r.Spec
	out := &details{
		EngineDigest: r.EngineDigest, InputSchema: inputSchema(spec), Formulas: slices.Clone(spec.Formulas), References: spec.References,
		Limits: spec.Limits, Errors: spec.Codes(), Warnings: spec.Warnings, Verification: r.Verification,
	}
	if spec.Document != "" {
		out.Text = s.service.View().Describe(e, r).Links["text"]
	}
	for _, u := range spec.Uses {
		out.Uses = append(out.Uses, use{u.ID, u.Version, u.Title, u.Digest, u.Spec == nil})
	}
	for i := range out.Formulas {
		out.Formulas[i].LaTeX = "" // longer than the expression, with the same meaning
	}
	return out
}

// inputSchema returns the published schema of the inputs, but each alias refers to its input. Repeating the
// schema of the input would cost an agent many times as many tokens.
func inputSchema(spec *sdk.Spec) json.RawMessage {
	var schema map[string]any
	if err := json.Unmarshal(response.InputSchema(spec), &schema); err != nil {
		return json.RawMessage("{}") // the SDK writes valid JSON
	}
	properties, _ := schema["properties"].(map[string]any)
	for i := range spec.Inputs {
		for _, alias := range spec.Inputs[i].Aliases {
			properties[alias] = property{"$ref": "#/properties/" + spec.Inputs[i].Name} // a name needs no escaping
		}
	}
	compact, err := json.Marshal(schema)
	if err != nil {
		return json.RawMessage("{}")
	}
	return compact
}

// exampleOf returns the first reference vector of the release that gives a result.
func exampleOf(r *catalog.Release) *example {
	content, err := r.Content()
	if err != nil {
		return nil // the vectors cannot be read now
	}
	vectors, err := vector.ParsePublished(content.Vectors)
	if err != nil {
		return nil // there are none, or they have a later format
	}
	for _, v := range vectors {
		inputs, err := strictjson.ParseObject([]byte(v.Inputs))
		if err != nil || v.Rejection != nil {
			continue
		}
		if _, _, err := request.Read(&r.Spec, inputs); err == nil {
			return &example{r.Capability, json.RawMessage(v.Inputs), r.Version}
		}
	}
	return nil
}
