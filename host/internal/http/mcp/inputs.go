package mcp

import (
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
)

// field describes an input or an output to an agent, once and briefly. The schema of inputs is much longer, and has
// their aliases.
type field struct {
	Name     string   `json:"name,omitempty"`
	Required bool     `json:"required,omitempty"` // inputs only
	Headline bool     `json:"headline,omitempty"` // outputs only
	Type     sdk.Type `json:"type,omitempty"`     // "" for a number
	Unit     string   `json:"unit,omitempty"`
	Doc      string   `json:"description,omitempty"`
	Range    string   `json:"range,omitempty"`
	Choices  []string `json:"choices,omitempty"`
	Default  string   `json:"default,omitempty"`
	Presets  []string `json:"presets,omitempty"` // tables with values for it
	Fields   []field  `json:"fields,omitempty"`  // of an object, or of the objects in a list
}

// inputsOf describes the inputs of a capability.
func inputsOf(spec *sdk.Spec) []field {
	out := describeFields(spec.Inputs)
	for i := range spec.Inputs {
		out[i].Required = spec.Inputs[i].Required
	}
	return out
}

// outputsOf describes the outputs of a capability.
func outputsOf(spec *sdk.Spec) []field {
	out := describeFields(spec.Outputs)
	for i := range spec.Outputs {
		out[i].Headline = spec.Outputs[i].Headline
	}
	return out
}

func describeFields(fields []sdk.Field) []field {
	out := make([]field, len(fields))
	for i := range fields {
		out[i] = describeField(&fields[i])
	}
	return out
}

func describeField(f *sdk.Field) field {
	out := field{Name: f.Name, Unit: f.Unit, Doc: f.Doc, Default: f.Default, Presets: tablesOf(f.Presets), Fields: describeFields(f.Fields)}
	if f.Type != sdk.TypeNumber {
		out.Type = f.Type
	}
	for i := range out.Fields {
		out.Fields[i].Required = f.Fields[i].Required
	}
	for _, choice := range f.Enum {
		if !slices.Contains(f.Unlisted, choice) {
			out.Choices = append(out.Choices, choice)
		}
	}
	if f.UnitBy != nil {
		out.Unit = f.UnitBy.String()
	}
	if f.Range != nil {
		out.Range = f.Range.String()
	}
	if f.Items != nil {
		item := describeField(f.Items)
		out.Fields = item.Fields
		out.Choices = append(out.Choices, item.Choices...)
		out.Presets = append(out.Presets, item.Presets...)
		if out.Unit == "" {
			out.Unit = item.Unit
		}
		if out.Range == "" {
			out.Range = item.Range
		}
	}
	return out
}

// tablesOf returns the tables of columns, each once. A preset names a table and a row; the column follows from the
// input.
func tablesOf(columns []string) (tables []string) {
	for _, column := range columns {
		table, _, _ := strings.Cut(column, "#")
		if !slices.Contains(tables, table) {
			tables = append(tables, table)
		}
	}
	return tables
}

// brief returns the fields without what an agent needs only for a closer look: names, units, choices and tables
// remain.
func brief(fields []field) []field {
	out := make([]field, len(fields))
	for i, f := range fields {
		out[i] = field{Name: f.Name, Required: f.Required, Type: f.Type, Unit: f.Unit, Choices: f.Choices, Presets: f.Presets, Fields: brief(f.Fields)}
	}
	return out
}
