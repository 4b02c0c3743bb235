package openapi

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/sdk"
)

// Schemas that many others are made of.
var (
	text     = object{"type": "string"}
	texts    = object{"type": "array", "items": text}
	flag     = object{"type": "boolean"}
	number   = object{"type": "number", "format": "double"}
	uri      = object{"type": "string", "format": "uri"}
	path     = object{"type": "string", "format": "uri-reference"}
	digest   = object{"type": "string", "pattern": digestPattern}
	instant  = object{"type": "string", "format": "date-time"}
	anything = object{"type": "object", "additionalProperties": true}
)

const digestPattern = "^sha256:[0-9a-f]{64}$"

// closed is an object with exactly these properties, of which some are optional.
func closed(description string, properties object, optional ...string) object {
	always := list{}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !slices.Contains(optional, name) {
			always = append(always, name)
		}
	}
	return object{
		"type": "object", "description": description,
		"properties": properties, "required": always, "additionalProperties": false,
	}
}

// described is a schema with a description.
func described(schema object, description string) object {
	schema = maps.Clone(schema)
	schema["description"] = description
	return schema
}

func mapOf(schema object) object { return object{"type": "object", "additionalProperties": schema} }

func arrayOf(schema object) object { return object{"type": "array", "items": schema} }

func constant(value any) object {
	if _, ok := value.(string); ok {
		return object{"type": "string", "const": value}
	}
	return object{"type": "integer", "const": value}
}

// generated reads a schema that package sdk generated. The dialect is that of the
// whole document and is not repeated.
func generated(schema []byte) (object, error) {
	var o object
	if err := json.Unmarshal(schema, &o); err != nil {
		return nil, err
	}
	delete(o, "$schema")
	return o, nil
}

// addSchemas adds the component schemas that belong to no single capability.
func (d *document) addSchemas() error {
	success, err := generated(sdk.OutputSchema(&sdk.Spec{}))
	if err != nil {
		return err
	}
	d.schemas = object{}
	success = d.withForms(success)
	properties := success["properties"].(object)
	maps.Copy(d.schemas, object{
		"VersionPin":  described(object{"type": "string", "pattern": `\S`, "examples": list{"1.0.0"}}, "A published version, compared byte for byte. Such as `v1.0.0`, `1.0` or `latest` are not published."),
		"Envelope":    enveloped(schemaRef("Inputs"), schemaRef("VersionPin"), text),
		"Request":     object{"description": "The inputs themselves, or an envelope around them.", "anyOf": list{schemaRef("Inputs"), schemaRef("Envelope")}},
		"NamedInputs": namedInputs("One of the ids names the capability; where there are more, they mean the same.", "id", "tool", "tool_id", "capability_id"),
		"Inputs": object{
			"type":        "object",
			"description": "Inputs by name, as the input schema of the capability has them. A `calculation_version` among them is a version pin.",
			"properties":  object{"calculation_version": schemaRef("VersionPin")}, "additionalProperties": true,
		},
		"Verification": described(properties["verification"].(object), "How far a release has been checked, from the evidence that was published with it."),
		"Success":      anySuccess(success),
		"Snapshot":     snapshot(properties["warnings"].(object)),
		"BatchAnswer": object{
			"description": "What one line is answered by: a result, the quantities alone with `output=result`, or an error.",
			"anyOf":       list{schemaRef("Success"), closed("The quantities alone.", object{"result": described(anything, "The quantities that the capability answers.")}), schemaRef("Error")},
		},

		"Catalog":           closed("Everything that is published.", object{"capabilities": arrayOf(schemaRef("CapabilitySummary")), "count": object{"type": "integer", "minimum": 0}}),
		"CapabilitySummary": closed("A capability in the catalog.", summary(), "tool", "title", "summary", "current_version"),
		"Capability":        closed("A capability at one version, with all that is needed to use it.", capabilityProperties(), "tool", "title", "summary", "current_version"),
		"PublishedVersion": closed("A version of a capability.", object{
			"calculation_version": text, "tier": object{"type": "string", "enum": tiers()}, "engine_digest": digest,
			"available": described(flag, "Whether it can be used at the moment."),
			"state":     object{"type": "string", "enum": list{"active", "deprecated", "yanked", "revoked"}},
			"reason":    described(text, "Why it is not active."),
			"sunset":    described(text, "Date after which a deprecated version may be withdrawn."),
			"successor": described(text, "Version to use instead."),
		}, "tier", "engine_digest", "reason", "sunset", "successor"),
		"Evidence": closed("What the verification record of a release rests on.", object{
			"capability_id": text, "calculation_version": text, "release_digest": text, "engine_digest": digest, "source_revision": text,
			"engine_digests":     described(mapOf(text), "The engine of every platform, such as `linux/amd64`."),
			"verification":       schemaRef("Verification"),
			"standing":           standingSchema(),
			"statements":         described(arrayOf(schemaRef("Statement")), "What is said of the release, by whom, and whether it counts: signatures, reports, reviews, where it is in its life."),
			"conformance_report": object{"type": list{"object", "null"}, "description": "Every rule of the conformance suite, with what was found."},
			"vectors":            object{"type": list{"array", "null"}, "description": "The reference calculations that the engine was judged by.", "items": anything},
		}, "source_revision"),
		"Statement":  statementSchema(),
		"JSONSchema": described(object{"type": "object", "required": list{"$schema", "type"}}, "A JSON Schema, draft 2020-12."),

		"ProblemType": closed("What a code means.", object{
			"code":  described(object{"type": "string", "anyOf": list{schemaRef("ErrorCode"), text}}, "The code of an error, one that only MCP answers among them, or that of a warning."),
			"kind":  described(object{"type": "string", "enum": list{calc.KindError, calc.KindWarning}}, "Whether it is the code of a problem, or of a warning beside a result."),
			"title": text, "http_status": object{"type": "integer"}, "recoverable": flag,
			"cause": text, "remedy": text, "declared_by": described(texts, "Capabilities whose engines answer the code; absent if it is of the service."),
		}, "declared_by"),
		"Liveness": closed("The process runs.", object{"status": constant("live")}),
		"Readiness": closed("Whether requests should be sent here; all but the status only with `?verbose`.", object{
			"status":     object{"type": "string", "enum": list{"ready", "degraded", "unready"}},
			"releases":   described(mapOf(text), "By `<capability id>@<version>`: `ok`, or what is wrong."),
			"registry":   described(text, "`ok`, or what is wrong: it cannot be read, has not been read for long, is not what it was, or what was seen of it cannot be written down."),
			"checkpoint": described(text, "The checkpoint of the registry: `ok`, or what is wrong; absent if there is none."),
			"store":      described(text, "The store of snapshots: `ok`, or what is wrong."),
			"limits":     described(text, "Whether limits are counted in a shared place or per process."),
		}, "releases", "registry", "checkpoint", "store", "limits"),
	})
	maps.Copy(d.schemas, specSchemas())
	maps.Copy(d.schemas, d.errorSchemas())
	return nil
}

// anySuccess is the success result of any capability: that of one, with what differs
// between them left open.
func anySuccess(one object) object {
	properties := one["properties"].(object)
	properties["capability_id"], properties["calculation_version"] = text, text
	properties["result"] = described(anything, "The quantities that the capability answers.")
	detail := properties["result_detail"].(object)["properties"].(object)
	detail["value"] = anything
	properties["verification"] = schemaRef("Verification")
	one["title"] = "Success result"
	one["description"] = "The answer to a calculation. The schema of one release, `<capability id>-<version>.result`, has its quantities too."
	return one
}

func snapshot(warnings object) object {
	return closed("A frozen calculation. It never changes.", object{
		"status":              constant("success"),
		"id":                  described(object{"type": "string", "pattern": "^cx_"}, "`cx_…` lives for 180 days; `cx_e1_…` carries the record in itself and does not expire."),
		"tool_id":             text,
		"capability_id":       text,
		"inputs":              described(anything, "The normalized inputs."),
		"calculation_version": text,
		"result":              schemaRef("Success"),
		"created_at":          instant,
		"expires_at":          object{"type": list{"string", "null"}, "format": "date-time", "description": "null if it does not expire."},
		"engine_digest":       digest,
		"links":               closed("Paths on this service.", object{"snapshot": path, "api": path}),
		"warnings":            described(warnings, "About the way it was created; not part of the snapshot."),
	}, "warnings")
}

func summary() object {
	return object{
		"capability_id": text, "tool": text, "title": text, "summary": text, "current_version": text,
		"available": described(flag, "Whether the current version can be used at the moment."),
		"versions":  described(arrayOf(schemaRef("PublishedVersion")), "Newest first."),
		"links":     mapOf(uri),
	}
}

func capabilityProperties() object {
	properties := summary()
	properties["calculation_version"], properties["engine_digest"] = text, digest
	properties["verification"], properties["spec"] = schemaRef("Verification"), schemaRef("Spec")
	return properties
}

func tiers() list {
	var out list
	for _, t := range sdk.Tiers {
		out = append(out, string(t))
	}
	return out
}

// enveloped is a request body with the inputs in a member of their own.
func enveloped(inputs, version, id object) object {
	return closed("The inputs, and beside them what the request says about itself.", object{
		"inputs":              inputs,
		"calculation_version": version,
		"id":                  id, "tool": id, "tool_id": id, "capability_id": id,
	}, "calculation_version", "id", "tool", "tool_id", "capability_id")
}

// namedInputs is an envelope that says which capability is meant.
func namedInputs(description string, ids ...string) object {
	schema := enveloped(schemaRef("Inputs"), schemaRef("VersionPin"), text)
	schema["description"] = description
	var one list
	for _, id := range ids {
		one = append(one, object{"required": list{id}})
	}
	schema["anyOf"] = one
	return schema
}
