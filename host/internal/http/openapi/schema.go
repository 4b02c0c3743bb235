package openapi

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/verification"
)

// Schemas that many others use.
var (
	text     = object{"type": "string"}
	texts    = object{"type": "array", "items": text}
	flag     = object{"type": "boolean"}
	number   = object{"type": "number", "format": "double"}
	uri      = object{"type": "string", "format": "uri"}
	path     = object{"type": "string", "format": "uri-reference"}
	digest   = object{"type": "string", "pattern": digestPattern}
	instant  = object{"type": "string", "format": "date-time"}
	base64   = object{"type": "string", "contentEncoding": "base64"}
	anything = object{"type": "object", "additionalProperties": true}
)

const digestPattern = "^sha256:[0-9a-f]{64}$"

// closed returns the schema of an object with exactly these properties. The optional ones can be absent.
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

// described returns a schema with a description.
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

// generated reads a schema from package response. It removes the dialect, because the document declares it
// once.
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
	success, err := generated(response.OutputSchema(&sdk.Spec{}))
	if err != nil {
		return err
	}
	d.schemas = object{}
	success = d.withForms(success)
	properties := success["properties"].(object)
	maps.Copy(d.schemas, object{
		"VersionPin":  described(object{"type": "string", "pattern": `\S`, "examples": list{"1.0.0"}}, "A published version, compared byte for byte. Such as `v1.0.0`, `1.0` or `latest` are not published."),
		"Moment":      described(object{"type": "string", "examples": list{"2026-03-01", "2026-03-01T12:00:00Z"}}, "A date, which means its beginning in UTC, or a time of RFC 3339. The log of the registry tells which version was current then; the answer names it."),
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
		"Step":         step(),
		"Called":       called(properties["warnings"].(object)),
		"Snapshot":     snapshot(properties["warnings"].(object)),
		"BatchAnswer": object{
			"description": "What one line is answered by: a result, the quantities alone with `output=result`, a result and its engine with `output=attributed`, or an error.",
			"anyOf": list{
				schemaRef("Success"), closed("The quantities alone.", object{"result": described(anything, "The quantities that the capability answers.")}),
				closed("A result, its engine and its receipt.", object{
					"engine_digest": described(digest, "Digest of the engine that computed the answer."), "answer": schemaRef("Success"),
					"receipt": described(text, "Names the record of the row, where the host keeps a ledger and the row has a record of its own: one of the first 1000."),
				}, "receipt"),
				schemaRef("Error"),
			},
		},

		"JSONSchema": described(object{"type": "object", "required": list{"$schema", "type"}}, "A JSON Schema, draft 2020-12."),

		"Liveness": closed("The process runs.", object{"status": constant("live")}),
	})
	d.addDocuments()
	maps.Copy(d.schemas, d.errorSchemas())
	return nil
}

// anySuccess returns the schema of a success of any capability. It describes the common members and leaves the
// others open.
func anySuccess(one object) object {
	properties := one["properties"].(object)
	properties["capability_id"], properties["calculation_version"] = text, text
	properties["result"] = described(anything, "The quantities that the capability answers.")
	detail := properties["result_detail"].(object)["properties"].(object)
	detail["value"] = anything
	properties["verification"] = schemaRef("Verification")
	properties["steps"] = described(arrayOf(schemaRef("Step")), "The worked steps, where `steps=true` asks for them. The last ones are the engine's own numbers. A snapshot of a sheet always has the steps of kind `called`.")
	one["title"] = "Success result"
	one["description"] = "The answer to a calculation. The schema of one release, `<capability id>-<version>.result`, has its quantities too."
	return one
}

// step returns the schema of one line of a calculation with worked steps.
func step() object {
	kinds := list{"given", "default", "constant", "computed", "solved", "taken", "called", "result"}
	return closed("One line of the calculation, worked for people to check.", object{
		"kind":    object{"type": "string", "enum": kinds},
		"field":   described(text, "Of an input or a result: its name."),
		"name":    described(text, "What the formula calls the quantity, or a call of a function of the formula."),
		"rule":    described(text, "How it is computed, in symbols. Of an input, the number and unit that were sent; of a root, its equation."),
		"with":    described(text, "The rule with numbers, which are of SI units."),
		"value":   described(text, "With 8 digits, or more where a later difference cancels them; of a result, the literal of the engine's number."),
		"unit":    text,
		"because": described(text, "Why this case of the definition counts."),
		"note":    described(text, "The source of a constant, or why a quantity is taken from the engine."),
		"text":    described(text, "The whole line."),
		"called":  schemaRef("Called"),
	}, "field", "rule", "with", "unit", "because", "note", "called")
}

// called returns the schema of the calculation of a step that calls one.
func called(warnings object) object {
	return closed("A published calculation that the document calls, with the inputs and the result of this call.", object{
		"capability_id":       text,
		"calculation_version": text,
		"title":               text,
		"digest":              described(digest, "Digest of its document, as the document that calls it has it."),
		"inputs":              described(anything, "The inputs of the call, with their defaults."),
		"result":              described(anything, "The result, which is bit-identical to the result of the calculation alone."),
		"assumptions":         texts,
		"warnings":            warnings,
		"steps":               described(arrayOf(schemaRef("Step")), "Its worked steps. In a snapshot without `steps=true`, only its calls."),
	}, "steps")
}

func snapshot(warnings object) object {
	return closed("A frozen calculation. It never changes.", object{
		"status":              constant("success"),
		"id":                  described(object{"type": "string", "pattern": "^cx_"}, "`cx_…` lives for 180 days; `cx_e1_…` carries the record in itself and does not expire."),
		"tool_id":             text,
		"capability_id":       text,
		"inputs":              described(anything, "The normalized inputs."),
		"calculation_version": text,
		"result":              object{"description": "What was answered: a result, or what a study has found.", "anyOf": list{schemaRef("Success"), schemaRef("StudyResult")}},
		"created_at":          instant,
		"expires_at":          object{"type": list{"string", "null"}, "format": "date-time", "description": "null if it does not expire."},
		"engine_digest":       digest,
		"links":               closed("Paths on this service.", object{"snapshot": path, "api": path}),
		"warnings":            described(warnings, "About the way it was created; not part of the snapshot."),
		"signature": closed("Only in a signed copy: who froze it, as `/.well-known/slipstick-keys.json` tells.", object{
			"key":   described(text, "Id of the public key."),
			"value": described(base64, "Signature by Ed25519 of a line `slipstick snapshot record` and, after its line end, the record without this member."),
		}),
	}, "warnings", "signature")
}

func tiers() list {
	var out list
	for _, t := range verification.Tiers {
		out = append(out, string(t))
	}
	return out
}

// enveloped returns the schema of a request body with the inputs in their own member.
func enveloped(inputs, version, id object) object {
	return closed("The inputs, and beside them what the request says about itself.", object{
		"inputs":              inputs,
		"calculation_version": version, "as_of": schemaRef("Moment"),
		"id": id, "tool": id, "tool_id": id, "capability_id": id,
	}, "calculation_version", "as_of", "id", "tool", "tool_id", "capability_id")
}

// namedInputs returns the schema of an envelope that names its capability.
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
