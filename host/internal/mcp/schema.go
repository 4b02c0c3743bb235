package mcp

import (
	"maps"
	"slices"
)

// property is the JSON Schema of one member.
type property map[string]any

// schema is the members of a JSON object. The names under the key "" are required; no
// member has that name.
type schema map[string]property

// text is the schema of a string.
func text(description string) property {
	p := property{"type": "string"}
	if description != "" {
		p["description"] = description
	}
	return p
}

// list is the schema of an array.
func list[T property | schema](items T) property {
	if s, ok := any(items).(schema); ok {
		return property{"type": "array", "items": s.object()}
	}
	return property{"type": "array", "items": items}
}

func (s schema) require(names ...string) schema {
	s[""] = property{"required": names}
	return s
}

func (s schema) required() []string {
	names, _ := s[""]["required"].([]string)
	return names
}

// names are the members in alphabetical order.
func (s schema) names() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s)), func(name string) bool { return name == "" })
}

func (s schema) object() property {
	properties := map[string]property{}
	for _, name := range s.names() {
		properties[name] = s[name]
	}
	p := property{"type": "object", "properties": properties}
	if required := s.required(); len(required) > 0 {
		p["required"] = required
	}
	return p
}

// arguments is the input schema of a tool.
func (s schema) arguments() property {
	p := s.object()
	p["additionalProperties"] = false
	return p
}

// answer is the output schema of a tool whose success has the members: a success, or an
// error body of the interface, told apart by status. An error must conform too: there are
// clients that hold structured content against the schema also where the call failed. The
// root names the type for clients that know no other output schemas than objects.
func (s schema) answer() property {
	success := s.object()
	delete(success, "type")
	success["properties"].(map[string]property)["status"] = property{"const": "success"}
	success["required"] = append([]string{"status"}, s.required()...)
	return property{"type": "object", "oneOf": []property{success, {
		"properties": map[string]property{"status": {"const": "error"}, "code": text(""), "field": text(""), "suggestion": text("")},
		"required":   []string{"status", "http_status", "code", "detail", "recoverable"},
	}}}
}
