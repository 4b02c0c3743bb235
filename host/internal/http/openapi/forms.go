package openapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
)

// This file rewrites schemas into forms that client generators understand. The rewritten
// schemas accept the same values, but have no defaults.

// numberForms maps the schemas that response.InputSchema makes for numbers with several forms to their
// component names.
var numberForms = func() map[string]string {
	names := map[string]string{}
	for _, f := range []struct {
		name    string
		kind    sdk.Type
		unit    string
		decimal bool
		presets []string
	}{
		{"NumberOrQuantity", sdk.TypeNumber, "m", false, nil},
		{"IntegerOrQuantity", sdk.TypeInteger, "m", false, nil},
		{"NumberOrDecimal", sdk.TypeNumber, "", true, nil},
		{"IntegerOrDecimal", sdk.TypeInteger, "", true, nil},
		{"NumberOrDecimalOrQuantity", sdk.TypeNumber, "m", true, nil},
		{"IntegerOrDecimalOrQuantity", sdk.TypeInteger, "m", true, nil},
		{"NumberOrPreset", sdk.TypeNumber, "", false, []string{"data.any#column"}},
		{"NumberOrQuantityOrPreset", sdk.TypeNumber, "m", false, []string{"data.any#column"}},
	} {
		schema := response.InputSchema(&sdk.Spec{Inputs: []sdk.Field{{Name: "x", Type: f.kind, Unit: f.unit, Decimal: f.decimal, Presets: f.presets}}})
		var s struct{ Properties struct{ X object } }
		if err := json.Unmarshal(schema, &s); err != nil {
			panic(err) // a test of the package checks this
		}
		names[shapeOf(s.Properties.X)] = f.name
	}
	return names
}()

var numberDescriptions = map[string]string{
	"NumberOrQuantity":           "A number in the SI unit, or a number with its unit.",
	"IntegerOrQuantity":          "An integer in the SI unit, or a number with its unit.",
	"NumberOrDecimal":            "A number, or an exact decimal literal as a string.",
	"IntegerOrDecimal":           "An integer, or an exact decimal literal as a string.",
	"NumberOrDecimalOrQuantity":  "A number in the SI unit, an exact decimal literal as a string, or one of these with its unit.",
	"NumberOrPreset":             "A number, or a value of a published table.",
	"NumberOrQuantityOrPreset":   "A number in the SI unit, a number with its unit, or a value of a published table.",
	"IntegerOrDecimalOrQuantity": "An integer in the SI unit, an exact decimal literal as a string, or a number with its unit.",
}

// shapeOf returns the schema as text, without the parts that differ between fields.
func shapeOf(schema object) string {
	bare := maps.Clone(schema)
	delete(bare, "description")
	delete(bare, "default")
	return string(mustJSON(bare))
}

func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // decoded JSON always marshals
	}
	return text
}

// withForms returns the schema in these forms, and adds the schemas that it references to the components. Input
// schemas lose their defaults. Generators assume that a member with a default is always present, so callers
// would have to send every input. Descriptions name the defaults.
func (d *document) withForms(schema object) object {
	if name := numberForms[shapeOf(schema)]; name != "" {
		out := schemaRef(name)
		if d.schemas[name] == nil {
			bare := maps.Clone(schema)
			delete(bare, "default")
			bare["description"] = numberDescriptions[name]
			d.schemas[name] = d.inForms(bare)
		}
		if text, ok := withDefault(schema); ok {
			out["description"] = text
		}
		return out
	}
	return d.inForms(schema)
}

// withDefault returns the description of a schema with its default added.
func withDefault(schema object) (text string, ok bool) {
	text, ok = schema["description"].(string)
	value, has := schema["default"]
	if !has {
		return text, ok
	}
	if text != "" {
		text += " "
	}
	return text + "Default: " + string(mustJSON(value)) + ".", true
}

// inForms is withForms for a schema that is not a number with several forms.
func (d *document) inForms(schema object) object {
	out := maps.Clone(schema)
	if text, ok := withDefault(schema); ok {
		out["description"] = text
		delete(out, "default")
	}
	typed(out)
	for _, key := range []string{"items", "additionalProperties", "if", "then"} {
		if inner, ok := out[key].(object); ok {
			out[key] = d.withForms(inner)
		}
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		if several, ok := out[key].(list); ok {
			inner := make(list, len(several))
			for i := range several {
				inner[i] = d.withForms(several[i].(object))
			}
			out[key] = inner
		}
	}
	if properties, ok := out["properties"].(object); ok {
		inner := object{}
		for name, property := range properties {
			inner[name] = d.withForms(property.(object))
		}
		disambiguate(inner)
		out["properties"] = inner
	}
	return out
}

// typed adds the types that a schema implies: numbers are binary64, and a constant has a type. An object
// without a description of its members can have any.
func typed(schema object) {
	if _, ok := schema["const"].(string); ok && schema["type"] == nil {
		schema["type"] = "string"
	}
	switch kind := schema["type"].(type) {
	case string:
		if kind == "number" && schema["format"] == nil {
			schema["format"] = "double"
		}
		if kind == "object" && schema["properties"] == nil && schema["additionalProperties"] == nil {
			schema["additionalProperties"] = true
		}
	case list:
		splitTypes(schema, kind)
	}
}

// splitTypes turns a schema with three or more types, such as object, string and null, into one schema per type.
func splitTypes(schema object, kinds list) {
	if len(kinds) < 3 {
		return // generators understand a type and null
	}
	var several list
	for _, kind := range kinds {
		one := object{"type": kind}
		if kind == "object" && schema["properties"] != nil {
			one["properties"] = schema["properties"]
		}
		several = append(several, one)
	}
	delete(schema, "type")
	delete(schema, "properties")
	schema["anyOf"] = several
}

// disambiguate gives Go names to properties that would otherwise have the same name in Go, such as D and d. The
// first one in byte order keeps its name.
func disambiguate(properties object) {
	taken := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		goName := exported(name)
		for taken[goName] {
			goName = "Lower" + goName
			properties[name].(object)["x-go-name"] = goName
		}
		taken[goName] = true
	}
}

// exported returns the name of a property in Go, with a capital letter at the start of each word.
func exported(name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}
