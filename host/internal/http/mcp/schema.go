package mcp

import (
	"maps"
	"slices"
)

// property is a JSON Schema.
type property map[string]any

// members maps the names of an object's members to their schemas.
type members map[string]property

// shape describes an object: its members, and which of them are required.
type shape struct {
	members  members
	required []string
}

// with returns the shape of objects with the members. The members in required are required.
func with(m members, required ...string) shape { return shape{m, required} }

// text is the schema of a string.
func text(description string) property {
	p := property{"type": "string"}
	if description != "" {
		p["description"] = description
	}
	return p
}

// list is the schema of an array.
func list(items property) property { return property{"type": "array", "items": items} }

// Schemas without further detail.
var (
	anything  = property{}
	anyObject = property{"type": "object"}
	flag      = property{"type": "boolean"}
)

// names returns the names of the members in alphabetical order.
func (s shape) names() []string { return slices.Sorted(maps.Keys(s.members)) }

// object returns the schema of the object.
func (s shape) object() property {
	return property{"type": "object", "properties": s.members, "required": s.required}
}

// arguments returns the input schema of a tool with this shape.
func (s shape) arguments() property {
	p := s.object()
	p["additionalProperties"] = false
	return p
}

// answer returns the output schema of a tool with this success shape. The output is a success or an error body
// of the interface; the member status distinguishes them. Errors are included because some clients validate the
// structured content of failed calls, too. The root names the type because some clients accept only objects as
// output schemas.
func (s shape) answer() property {
	success := maps.Clone(s.members)
	success["status"] = property{"const": "success"}
	failure := members{"status": {"const": "error"}, "code": text(""), "field": text(""), "suggestion": text("")}
	return property{"type": "object", "oneOf": []property{
		{"properties": success, "required": append([]string{"status"}, s.required...)},
		{"properties": failure, "required": []string{"status", "http_status", "code", "detail", "recoverable"}},
	}}
}
