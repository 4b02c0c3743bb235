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

// described returns a schema of a type. A description of "" is left out.
func described(kind, description string) property {
	p := property{"type": kind}
	if description != "" {
		p["description"] = description
	}
	return p
}

// Schemas of the types.
func text(description string) property   { return described("string", description) }
func number(description string) property { return described("number", description) }
func whole(description string) property  { return described("integer", description) }
func flag(description string) property   { return described("boolean", description) }
func object(description string) property { return described("object", description) }

// list is the schema of an array.
func list(description string, items property) property {
	p := described("array", description)
	p["items"] = items
	return p
}

// either is the schema of values of several types.
func either(description string, types ...property) property {
	p := property{"anyOf": types}
	if description != "" {
		p["description"] = description
	}
	return p
}

// quantity is the schema of a number, which can have a unit.
func quantity(description string) property {
	return either(description, number(""), text(""), object(""))
}

// anyObject is the schema of an object without further detail.
var anyObject = object("")

// names returns the names of the members in alphabetical order.
func (s shape) names() []string { return slices.Sorted(maps.Keys(s.members)) }

// arguments returns the input schema of a tool with this shape.
func (s shape) arguments() property {
	return property{"type": "object", "properties": s.members, "required": s.required, "additionalProperties": false}
}

// answer returns the output schema of a tool with this success shape. The output is a success or an error body of the
// interface; the member status distinguishes them. Errors conform too, because some clients validate the structured
// content of failed calls. The root names the type because some clients accept only objects as output schemas.
func (s shape) answer() property {
	all := maps.Clone(s.members)
	all["status"] = property{"type": "string", "description": "success or error."}
	return property{"type": "object", "properties": all, "anyOf": []property{
		{"required": s.required}, {"required": []string{"code", "detail"}},
	}}
}
