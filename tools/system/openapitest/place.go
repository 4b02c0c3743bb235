package openapitest

import "strings"

const resource = "openapi.json"

type object = map[string]any

// place is an object of the document and its JSON pointer.
type place struct {
	pointer string
	value   object
}

// at returns the place at the end of the steps, and follows references.
func (c *Checker) at(steps ...string) (place, bool) {
	return c.follow(place{value: c.document}.to(steps...))
}

// follow resolves the reference that a place may be.
func (c *Checker) follow(p place) (place, bool) {
	target, ok := p.value["$ref"].(string)
	if !ok {
		return p, p.value != nil
	}
	p = place{value: c.document}
	for step := range strings.SplitSeq(strings.TrimPrefix(target, "#/"), "/") {
		p = p.to(unescape.Replace(step))
	}
	return c.follow(p)
}

// to follows the steps. A missing step leads to an empty place.
func (p place) to(steps ...string) place {
	for _, step := range steps {
		next, _ := p.value[step].(object)
		p = place{p.pointer + "/" + escape.Replace(step), next}
	}
	return p
}

func (p place) has(step string) bool { return p.value[step] != nil }

func (p place) object(step string) object {
	o, _ := p.value[step].(object)
	return o
}

// The escapes of RFC 6901.
var (
	escape   = strings.NewReplacer("~", "~0", "/", "~1")
	unescape = strings.NewReplacer("~1", "/", "~0", "~")
)
