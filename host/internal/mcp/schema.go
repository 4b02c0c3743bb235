package mcp

import (
	"maps"
	"slices"
)

// property is a JSON Schema.
type property map[string]any

// members are the schemas of an object's members.
type members map[string]property

// shape is what an object has, and what it must have.
type shape struct {
	members  members
	required []string
}

// with returns the shape of objects with the members, of which some are required.
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

// Schemas of what is told no more of.
var (
	anyObject = property{"type": "object"}
	flag      = property{"type": "boolean"}
)

// names are the members in alphabetical order.
func (s shape) names() []string { return slices.Sorted(maps.Keys(s.members)) }

// object is the schema of the object.
func (s shape) object() property {
	return property{"type": "object", "properties": s.members, "required": s.required}
}

// arguments is the input schema of a tool.
func (s shape) arguments() property {
	p := s.object()
	p["additionalProperties"] = false
	return p
}

// answer is the output schema of a tool whose success has the members: a success, or an
// error body of the interface, told apart by status. An error must conform too: there are
// clients that hold structured content against the schema also where the call failed. The
// root names the type for clients that know no other output schemas than objects.
func (s shape) answer() property {
	success := maps.Clone(s.members)
	success["status"] = property{"const": "success"}
	failure := members{"status": {"const": "error"}, "code": text(""), "field": text(""), "suggestion": text("")}
	return property{"type": "object", "oneOf": []property{
		{"properties": success, "required": append([]string{"status"}, s.required...)},
		{"properties": failure, "required": []string{"status", "http_status", "code", "detail", "recoverable"}},
	}}
}
