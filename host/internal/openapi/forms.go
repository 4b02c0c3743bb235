package openapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
)

// Forms in which generators of clients read a schema as it is meant. None of them changes
// what the schema admits, but that they say nothing of defaults.

// numberForms are the schemas of numbers that several forms may take, by what
// response.InputSchema makes of them, and their component names.
var numberForms = func() map[string]string {
	names := map[string]string{}
	for _, f := range []struct {
		name    string
		kind    sdk.Type
		unit    string
		decimal bool
	}{
		{"NumberOrQuantity", sdk.TypeNumber, "m", false},
		{"IntegerOrQuantity", sdk.TypeInteger, "m", false},
		{"NumberOrDecimal", sdk.TypeNumber, "", true},
		{"IntegerOrDecimal", sdk.TypeInteger, "", true},
		{"NumberOrDecimalOrQuantity", sdk.TypeNumber, "m", true},
		{"IntegerOrDecimalOrQuantity", sdk.TypeInteger, "m", true},
	} {
		schema := response.InputSchema(&sdk.Spec{Inputs: []sdk.Field{{Name: "x", Type: f.kind, Unit: f.unit, Decimal: f.decimal}}})
		var s struct{ Properties struct{ X object } }
		if err := json.Unmarshal(schema, &s); err != nil {
			panic(err) // which the tests of the package would see
		}
		names[shapeOf(s.Properties.X)] = f.name
	}
	return names
}()

var numberDescriptions = map[string]string{
	"NumberOrQuantity":           "A number in the SI unit, or one with its unit.",
	"IntegerOrQuantity":          "An integer in the SI unit, or a number with its unit.",
	"NumberOrDecimal":            "A number, or an exact decimal literal as a string.",
	"IntegerOrDecimal":           "An integer, or an exact decimal literal as a string.",
	"NumberOrDecimalOrQuantity":  "A number in the SI unit, an exact decimal literal as a string, or one of these with its unit.",
	"IntegerOrDecimalOrQuantity": "An integer in the SI unit, an exact decimal literal as a string, or a number with its unit.",
}

// shapeOf is the schema as text, without what is said of a single field.
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

// withForms returns the schema in these forms, and adds to the components what it refers
// to. Input schemas lose their defaults: generators take what has one for always there,
// and would have callers send every input. They are told in words.
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

// withDefault is the description of a schema with the default in it.
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

// inForms does the same for a schema that is no number of several forms.
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

// typed says what a schema leaves to be guessed: that numbers are binary64, of what type a
// constant is, and that an object of which nothing is said may have any member.
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

// splitTypes turns a schema of several types besides null, where one is an object, into
// one schema for each.
func splitTypes(schema object, kinds list) {
	if len(kinds) < 3 {
		return // a type and null, which generators know
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

// tellApart gives properties another name in Go whose names differ in Go by nothing, such
// as D and d. The first in the order of bytes keeps its own.
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

// exported is the name of a property in Go: words begin with capitals.
func exported(name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}
