package response

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/verification"
)

const dialect = "https://json-schema.org/draft/2020-12/schema"

type object = map[string]any

// InputSchema returns the JSON Schema 2020-12 of the inputs object, with names and aliases,
// types, required fields and enums only. Domain rules are enforced through error codes (spec
// 7.3 rule 2). So an input that the schema accepts can still be rejected. An input that it
// refuses is always rejected.
func InputSchema(s *sdk.Spec) []byte {
	schema := object{"$schema": dialect, "title": s.Title + ": inputs", "description": s.Summary, "type": "object"}
	addInputs(schema, s.Inputs)
	return marshal(schema)
}

// addInputs makes schema a schema for objects with the fields, each under its name or one of
// its aliases. Only the canonical name has the default: a client that fills in defaults from
// the schema would otherwise send an input several times.
func addInputs(schema object, fields []sdk.Field) {
	properties, required := object{}, []any{}
	for i := range fields {
		f := &fields[i]
		for _, alias := range f.Aliases {
			properties[alias] = inputSchema(f)
		}
		one := inputSchema(f)
		if f.Default != "" {
			one["default"] = defaultOf(f)
		}
		properties[f.Name] = one
		if f.Required {
			required = append(required, requireAny(f))
		}
	}
	schema["properties"], schema["additionalProperties"] = properties, false
	if len(required) > 0 {
		schema["allOf"] = required
	}
}

// requireAny demands a field under its canonical name or one of its aliases.
func requireAny(f *sdk.Field) object {
	if len(f.Aliases) == 0 {
		return object{"required": []string{f.Name}}
	}
	var names []object
	for _, name := range append([]string{f.Name}, f.Aliases...) {
		names = append(names, object{"required": []string{name}})
	}
	return object{"anyOf": names}
}

func inputSchema(f *sdk.Field) object {
	schema := fieldSchema(f, inputSchema)
	switch f.Type {
	case sdk.TypeNumber, sdk.TypeInteger:
		schema = quantitySchema(f, schema)
	case sdk.TypeObject:
		delete(schema, "required") // of canonical names
		addInputs(schema, f.Fields)
	}
	if len(f.EnumAliases) > 0 {
		values := slices.Clone(f.Enum)
		for _, a := range f.EnumAliases {
			values = append(values, a.Alias)
		}
		schema["enum"] = values
	}
	return schema
}

// decimalPattern matches a JSON number.
const decimalPattern = `^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`

// quantitySchema allows a number with a unit, and a decimal string if the field declares that.
// An integer in another unit can be a fraction.
func quantitySchema(f *sdk.Field, bare object) object {
	description := bare["description"]
	delete(bare, "description")
	value := object{"type": "number"}
	if f.Decimal {
		exact := object{"type": "string", "pattern": decimalPattern, "description": "A number as a string is taken exactly, digit by digit; a bare number is the nearest binary64."}
		bare, value = object{"anyOf": []object{bare, exact}}, object{"anyOf": []object{value, exact}}
	}
	forms := []object{bare}
	if f.Unit != "" || f.UnitBy != nil {
		forms = append(forms, object{
			"type": "object", "required": []string{"value", "unit"}, "additionalProperties": false,
			"properties": object{"value": value, "unit": object{"type": "string"}},
		})
	}
	if len(f.Presets) > 0 {
		forms = append(forms, presetSchema)
		tables := "Can be a table value of " + strings.Join(f.Presets, ", ") + "."
		if text, ok := description.(string); ok && text != "" {
			tables = text + " " + tables
		}
		description = tables
	}
	if len(f.Names) > 0 {
		names := make([]string, len(f.Names))
		for i, n := range f.Names {
			names[i] = n.Name
		}
		forms = append(forms, object{"type": "string", "enum": names})
	}
	if (f.Unit != "" || f.UnitBy != nil) && !f.Strict {
		forms = append(forms, quantityText)
	}
	schema := bare
	if len(forms) > 1 {
		schema = object{"anyOf": forms}
	}
	if description != nil {
		schema["description"] = description
	}
	return schema
}

// unitPattern matches the start of a unit: not a digit, a sign or an exponent of the number
// before it.
const unitPattern = `([^\s0-9.,+*/()%'"eE-]|[eE]([^0-9+-]|$))`

// quantityText is a number and its unit in one text.
var quantityText = object{
	"type": "string", "pattern": strings.TrimSuffix(decimalPattern, "$") + `(\s+1/|\s*)` + unitPattern,
	"description": "A number and its unit, such as 200 GPa or 20 °C.",
}

// presetSchema is a number from a published table. It is the same for all fields, so that
// clients have one type for it.
var presetSchema = object{
	"type": "object", "required": []string{"preset"}, "additionalProperties": false,
	"description": "A table value, as TABLE/ROW.",
	"properties": object{"preset": object{"type": "string"}, "version": object{"type": "string"}, "at": object{"anyOf": []object{{"type": "number"}, {
		"type": "object", "required": []string{"value", "unit"}, "additionalProperties": false,
		"properties": object{"value": object{"type": "number"}, "unit": object{"type": "string"}},
	}}}},
}

func defaultOf(f *sdk.Field) any {
	v, err := f.DefaultValue()
	if err != nil {
		return nil
	}
	return json.RawMessage(AppendValue(nil, f, v))
}

// fieldSchema returns the common part of the schemas of input and output fields. Nested
// returns the schema of a nested field.
func fieldSchema(f *sdk.Field, nested func(*sdk.Field) object) object {
	schema := object{"type": string(f.Type)}
	if d := describeField(f); d != "" {
		schema["description"] = d
	}
	if len(f.Enum) > 0 {
		schema["enum"] = f.Enum
	}
	if f.Items != nil {
		schema["items"] = nested(f.Items)
	}
	if f.Type == sdk.TypeObject {
		properties, required := object{}, []string{}
		for i := range f.Fields {
			properties[f.Fields[i].Name] = nested(&f.Fields[i])
			if f.Fields[i].Required {
				required = append(required, f.Fields[i].Name)
			}
		}
		schema["properties"], schema["required"] = properties, required
		schema["additionalProperties"] = false
	}
	return schema
}

func describeField(f *sdk.Field) string {
	text := "Unit: " + f.Unit + "."
	switch {
	case f.UnitBy != nil:
		text = "Unit: " + f.UnitBy.String() + "."
	case f.Unit == "":
		return f.Doc
	case f.Difference:
		text = "Unit: " + f.Unit + ", as a difference: zeros of temperature scales do not count."
	}
	if f.Doc == "" {
		return text
	}
	return f.Doc + " " + text
}

func outputField(f *sdk.Field) object { return fieldSchema(f, outputField) }

// OutputSchema returns the JSON Schema 2020-12 of the success result (spec 2.1). It fixes
// capability id and version as constants and allows only the properties of the interface.
func OutputSchema(s *sdk.Spec) []byte {
	text, texts, flag := object{"type": "string"}, object{"type": "array", "items": object{"type": "string"}}, object{"type": "boolean"}
	maybeText := object{"type": []string{"string", "null"}}
	result := fieldSchema(&sdk.Field{Type: sdk.TypeObject, Fields: s.Outputs}, outputField)
	tiers := make([]any, len(verification.Tiers))
	for i, t := range verification.Tiers {
		tiers[i] = string(t)
	}
	filled := object{"type": "string", "minLength": 1}
	yes := object{"const": true}
	uri := object{"type": "string", "format": "uri"}
	return marshal(closed(object{
		"$schema": dialect, "title": s.Title + ": success result", "description": s.Summary,
	}, object{
		"id":                   text,
		"status":               object{"const": "success"},
		"capability_id":        object{"const": s.Capability},
		"tool":                 text,
		"engine":               text,
		"inputs":               object{"type": "object"},
		"result":               result,
		"result_detail":        closed(object{}, object{"value": result, "unit": maybeText, "formatted": maybeText}, "value", "unit", "formatted"),
		"formula":              object{"type": []string{"null", "string", "object"}, "properties": object{"id": text, "expression": text, "label": text}},
		"assumptions":          texts,
		"warnings":             object{"type": "array", "items": closed(object{}, object{"code": text, "severity": text, "detail": text, "suggestion": text}, "code")},
		"calculation_version":  object{"const": s.Version},
		"api_version":          text,
		"api_contract_version": text,
		"spec_version":         text,
		"page":                 maybeText,
		"steps":                object{"type": "array", "items": object{"type": "object"}},
		"links": closed(object{}, object{
			"schema_input": uri, "schema_output": uri, "evidence": uri, "openapi": uri, "capabilities": uri, "mcp": uri,
		}),
		"verification": closed(object{"allOf": []object{
			when(verification.ExpertVerified, object{
				"engine_tested": yes, "expert_reviewed": yes, "source_checked": yes,
				"reviewed_by": filled, "reviewer_role": filled, "last_reviewed": filled,
			}),
			when(verification.InternallyReviewed, object{"engine_tested": yes, "internally_reviewed": yes, "source_checked": yes},
				"internally_reviewed"),
			when(verification.EngineTested, object{"engine_tested": yes}),
		}}, object{
			"tier": object{"enum": tiers}, "engine_tested": flag, "expert_reviewed": flag, "internally_reviewed": flag,
			"review_kind": maybeText, "source_checked": flag,
			"reviewed_by": maybeText, "reviewer_role": maybeText, "last_reviewed": maybeText,
		}, "tier", "engine_tested", "expert_reviewed", "source_checked", "reviewed_by", "reviewer_role", "last_reviewed"),
	}, "status", "capability_id", "engine", "inputs", "result", "result_detail", "verification", "calculation_version"))
}

// closed makes schema an object with exactly these properties.
func closed(schema, properties object, required ...string) object {
	schema["type"], schema["properties"], schema["additionalProperties"] = "object", properties, false
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

// when returns a consistency rule of the verification record: a tier demands values.
func when(t verification.Tier, demands object, required ...string) object {
	then := object{"properties": demands}
	if len(required) > 0 {
		then["required"] = required
	}
	return object{"if": object{"properties": object{"tier": object{"const": string(t)}}}, "then": then}
}

// marshal renders a schema; every map key is sorted, so the bytes are stable.
func marshal(v any) []byte {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // maps, strings and numbers always marshal
	}
	return append(b, '\n')
}
