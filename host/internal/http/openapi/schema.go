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
		"VersionPin":  described(object{"type": "string", "pattern": `\S`, "examples": list{"1.0.0"}}, "An exact published version. Other forms, such as `v1.0.0`, `1.0` or `latest`, do not match."),
		"Moment":      described(object{"type": "string", "examples": list{"2026-03-01", "2026-03-01T12:00:00Z"}}, "A date, which means its start in UTC, or an RFC 3339 time. The transparency log determines the version that was current at that time. The response has this version."),
		"Envelope":    enveloped(schemaRef("Inputs"), schemaRef("VersionPin"), text),
		"Request":     object{"description": "The inputs, or an envelope with the inputs.", "anyOf": list{schemaRef("Inputs"), schemaRef("Envelope")}},
		"NamedInputs": namedInputs("An envelope with at least one id. All ids in it must mean the same capability.", "id", "tool", "tool_id", "capability_id"),
		"Inputs": object{
			"type":        "object",
			"description": "Inputs by name, as in the input schema of the capability. The member `calculation_version` is a version pin.",
			"properties":  object{"calculation_version": schemaRef("VersionPin")}, "additionalProperties": true,
		},
		"Verification": described(properties["verification"].(object), "How far a release has been checked, according to its published evidence."),
		"Success":      anySuccess(success),
		"Step":         step(),
		"Called":       called(properties["warnings"].(object)),
		"Snapshot":     snapshot(properties["warnings"].(object)),
		"BatchAnswer": object{
			"description": "The response to one line. It is a result, only the outputs (`output=result`), a result with its engine digest (`output=attributed`), or an error.",
			"anyOf": list{
				schemaRef("Success"), closed("Only the outputs.", object{"result": described(anything, "Outputs by name.")}),
				closed("A result with its engine digest and receipt.", object{
					"engine_digest": described(digest, "Digest of the engine that computed the result."), "answer": schemaRef("Success"),
					"receipt": described(text, "Receipt of the ledger record of this row, if the server keeps a ledger. Only the first 1,000 rows have a receipt."),
				}, "receipt"),
				schemaRef("Error"),
			},
		},

		"JSONSchema": described(object{"type": "object", "required": list{"$schema", "type"}}, "A JSON Schema (draft 2020-12)."),

		"Liveness": closed("The process is running.", object{"status": constant("live")}),
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
	properties["result"] = described(anything, "Outputs by name.")
	detail := properties["result_detail"].(object)["properties"].(object)
	detail["value"] = anything
	properties["verification"] = schemaRef("Verification")
	properties["steps"] = described(arrayOf(schemaRef("Step")), "The worked steps; present with `steps=true`. The last steps have the numbers of the engine. A snapshot of a sheet always has its steps of the kind `called`.")
	one["title"] = "Success result"
	one["description"] = "The result of a calculation. The schema `<capability id>-<version>.result` of a release also has its outputs."
	return one
}

// step returns the schema of one line of a calculation with worked steps.
func step() object {
	kinds := list{"given", "default", "constant", "computed", "solved", "taken", "called", "result"}
	return closed("One line of the worked calculation, for people to check.", object{
		"kind":    object{"type": "string", "enum": kinds},
		"field":   described(text, "Name of the input or the result."),
		"name":    described(text, "Name of the quantity in the formula, or a call of a function of the formula."),
		"rule":    described(text, "The formula in symbols. For an input, the number and unit as sent. For a root, its equation."),
		"with":    described(text, "The formula with numbers in SI units."),
		"value":   described(text, "Value with 8 digits, or more if a later difference cancels digits. For a result, the exact number from the engine."),
		"unit":    text,
		"because": described(text, "Why this case of the definition applies."),
		"note":    described(text, "The source of a constant, or why the quantity comes from the engine."),
		"text":    described(text, "The complete line as text."),
		"called":  schemaRef("Called"),
	}, "field", "rule", "with", "unit", "because", "note", "called")
}

// called returns the schema of the calculation of a step that calls one.
func called(warnings object) object {
	return closed("A call of another published calculation, with its inputs and its result.", object{
		"capability_id":       text,
		"calculation_version": text,
		"title":               text,
		"digest":              described(digest, "Digest of the document of the called calculation, as pinned by the caller."),
		"inputs":              described(anything, "Inputs of the call, including defaults."),
		"result":              described(anything, "The result; bit-identical to a direct call."),
		"assumptions":         texts,
		"warnings":            warnings,
		"steps":               described(arrayOf(schemaRef("Step")), "Worked steps of the call. A snapshot without `steps=true` has only its calls."),
	}, "steps")
}

func snapshot(warnings object) object {
	return closed("A stored calculation or study with its result. It never changes.", object{
		"status":              constant("success"),
		"id":                  described(object{"type": "string", "pattern": "^cx_"}, "Snapshots with ids `cx_…` expire after 180 days. Ids `cx_e1_…` contain the record and do not expire."),
		"tool_id":             text,
		"capability_id":       text,
		"inputs":              described(anything, "The normalized inputs."),
		"calculation_version": text,
		"result":              object{"description": "The result of the calculation or of the study.", "anyOf": list{schemaRef("Success"), schemaRef("StudyResult")}},
		"created_at":          instant,
		"expires_at":          object{"type": list{"string", "null"}, "format": "date-time", "description": "null if the snapshot does not expire."},
		"engine_digest":       digest,
		"links":               closed("Paths on this service.", object{"snapshot": path, "api": path}),
		"warnings":            described(warnings, "Warnings about the request; not part of the snapshot."),
		"signature": closed("Only in a signed copy: the signature by a key in `/.well-known/slipstick-keys.json`.", object{
			"key":   described(text, "Id of the public key."),
			"value": described(base64, "Ed25519 signature of the line `slipstick snapshot record` and, after its line end, the record without this member."),
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
	return closed("The inputs with an optional pin and optional ids.", object{
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
