package openapi

import (
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/versions"
)

// headers returns the reusable response headers. Headers that are not always sent are not
// required.
var headers = object{
	versions.HeaderName:       required(header("The version that computed the answer, or that is described.", text)),
	"Slipstick-Engine-Digest": required(header("Digest of the engine of that version.", digest)),
	"RateLimit-Policy":        header("Calls in a window, in seconds (draft-ietf-httpapi-ratelimit-headers-11).", object{"type": "string", "examples": list{`"calc";q=60;w=60`}}),
	"RateLimit":               header("Calls that are left, and seconds until the next becomes free.", object{"type": "string", "examples": list{`"calc";r=59;t=12`}}),
	"Retry-After":             required(header("Seconds to wait.", object{"type": "integer", "minimum": 1})),
	"ETag":                    required(header("Tag of the body, for `If-None-Match`.", object{"type": "string", "pattern": `^(W/)?"[^"]+"$`})),
	"ETagOfData":              header("Tag of the body, for `If-None-Match`; a page has none.", object{"type": "string", "pattern": `^(W/)?"[^"]+"$`}),
	"Vary":                    header("Request headers that the answer depends on.", text),
	"Link":                    header("The version to use instead of a deprecated one, as `successor-version`; the next page of a list, as `next`.", text),
	"Deprecation":             header("When the version was deprecated (RFC 9745).", text),
	"Sunset":                  header("When a deprecated version may be withdrawn (RFC 8594).", text),
	"Allow":                   required(header("Methods of this address.", object{"type": "string", "examples": list{"GET, HEAD, OPTIONS, POST"}})),
	"Location":                required(header("Where it is, relative to the address.", path)),
	"X-Request-Id":            header("Id of the request in the log of the service: the caller's own, if it sent a plain word.", text),
}

func header(description string, schema object) object {
	return object{"description": description, "schema": schema}
}

func required(o object) object {
	o["required"] = true
	return o
}

// headerRefs returns references to the headers of a response.
func headerRefs(names ...string) object {
	out := object{}
	for _, name := range names {
		out[name] = ref("headers", name)
	}
	return out
}

// pinParameters returns the parameters for a version pin outside the body, the header first.
func pinParameters(version object) list {
	return list{
		parameter("header", versions.HeaderName, "Version pin. Every line counts.", version),
		parameter("query", "calculation_version", "Version pin.", version),
	}
}

// parameters returns the reusable request parameters.
func (d *document) parameters() object {
	ids := object{}
	for _, c := range d.capabilities[:min(1, len(d.capabilities))] {
		ids["capability"] = object{"summary": "Capability id", "value": c.ID}
		ids["tool"] = object{"summary": "Tool id", "value": c.shown.Spec.Tool}
	}
	id := parameter("path", "id", "Capability id or tool id.", text)
	if len(ids) > 0 {
		id["examples"] = ids
	}
	pin := pinParameters(schemaRef("VersionPin"))
	verbose := parameter("query", "verbose", "Say so of every release. The value does not matter.", text)
	verbose["allowEmptyValue"] = true
	return object{
		"ServiceSpecVersion": pin[0],
		"CalculationVersion": pin[1],
		"CapabilityID":       id,
		"TableID":            parameter("path", "id", "Id of a table, such as `data.materials.metals`.", text),
		"SnapshotID":         parameter("path", "id", "Id of a snapshot.", text),
		"Limit":              parameter("query", "limit", "How many to answer at most. More than that are published: the rest is behind `next`.", object{"type": "integer", "minimum": 1, "maximum": calc.MaxPage}),
		"Cursor":             parameter("query", "cursor", "Where to go on: that of `next` in the page before.", text),
		"Slug":               parameter("path", "slug", "A code in kebab case, such as `invalid-number`.", text),
		"IfNoneMatch":        parameter("header", "If-None-Match", "Tags of bodies that the caller has.", text),
		"Verbose":            verbose,
		"Steps":              stepsParameter(),
		"BatchOutput":        parameter("query", "output", "What a line is answered by: the whole answer, or the result alone. Errors are always whole.", object{"type": "string", "enum": list{"full", "result"}, "default": "full"}),
	}
}

func stepsParameter() object {
	return parameter("query", "steps", "Whether the answer also has the worked steps. They count as another call.", object{"type": "boolean", "default": false})
}

func parameter(in, name, description string, schema object) object {
	p := object{"in": in, "name": name, "description": description, "schema": schema}
	if in == "path" {
		return required(p)
	}
	return p
}
