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

// description is everything an agent needs to use one capability at one version.
type description struct {
	Status       string              `json:"status"`
	ID           string              `json:"capability_id"`
	Tool         string              `json:"tool"`
	Title        string              `json:"title"`
	Summary      string              `json:"summary"`
	Version      string              `json:"calculation_version"`
	Current      string              `json:"current_version,omitempty"`
	Versions     []string            `json:"available_versions"`
	EngineDigest string              `json:"engine_digest"`
	InputSchema  json.RawMessage     `json:"input_schema"`
	Inputs       []inputNames        `json:"inputs"`
	Outputs      []sdk.Field         `json:"outputs"`
	Formulas     []sdk.Formula       `json:"formulas,omitempty"`
	Assumptions  []string            `json:"assumptions,omitempty"`
	Signs        string              `json:"sign_convention,omitempty"`
	References   []sdk.Reference     `json:"references,omitempty"`
	Errors       []string            `json:"errors,omitempty"`
	Warnings     []string            `json:"warnings,omitempty"`
	Verification verification.Record `json:"verification"`
	Example      *example            `json:"example,omitempty"`
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

// inputNames describes an input beyond its schema.
type inputNames struct {
	Name    string   `json:"name"`
	Aliases []string `json:"aliases,omitempty"`
	Unit    string   `json:"unit,omitempty"`
	Range   string   `json:"range,omitempty"`
	Code    string   `json:"code,omitempty"`    // error code of values outside the range
	Presets []string `json:"presets,omitempty"` // table columns that contain values for it
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
	return json.Marshal(s.describeRelease(e, r))
}

func (s *Server) describeRelease(e *catalog.Entry, r *catalog.Release) description {
	spec := &r.Spec
	out := description{
		Status: "success", ID: e.ID, Tool: spec.Tool, Title: spec.Title, Summary: spec.Summary,
		Version: r.Version, Current: e.Current, Versions: s.summarize(e).Versions, EngineDigest: r.EngineDigest,
		InputSchema: inputSchema(spec), Outputs: spec.Outputs, Formulas: slices.Clone(spec.Formulas), Assumptions: spec.Assumptions,
		Signs: spec.SignConvention, References: spec.References, Errors: spec.Codes(), Warnings: spec.Warnings,
		Verification: r.Verification, Example: exampleOf(r),
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
	for i := range spec.Inputs {
		f := &spec.Inputs[i]
		names := inputNames{Name: f.Name, Aliases: f.Aliases, Unit: f.Unit, Presets: f.Presets}
		if f.UnitBy != nil {
			names.Unit = f.UnitBy.String()
		}
		if f.Range != nil {
			names.Range, names.Code = f.Range.String(), f.Range.Code
		}
		out.Inputs = append(out.Inputs, names)
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
