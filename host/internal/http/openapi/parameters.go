package openapi

import (
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/versions"
)

// headers are the reusable response headers. A header that is sometimes absent is not required.
var headers = object{
	versions.HeaderName:        required(header("Version that computed or describes this response.", text)),
	"Slipstick-Engine-Digest":  required(header("Digest of the engine of this version.", digest)),
	"RateLimit-Policy":         header("Quota of calls, and its window in seconds (draft-ietf-httpapi-ratelimit-headers-11).", object{"type": "string", "examples": list{`"calc";q=60;w=60`}}),
	"RateLimit":                header("Remaining calls, and seconds until another call is available.", object{"type": "string", "examples": list{`"calc";r=59;t=12`}}),
	"Retry-After":              required(header("Seconds to wait before the next attempt.", object{"type": "integer", "minimum": 1})),
	"ETag":                     required(header("Tag of the body, for `If-None-Match`.", object{"type": "string", "pattern": `^(W/)?"[^"]+"$`})),
	"ETagOfData":               header("Tag of the body, for `If-None-Match`; absent for HTML pages.", object{"type": "string", "pattern": `^(W/)?"[^"]+"$`}),
	"Vary":                     header("Request headers that affect the response.", text),
	"Link":                     header("`successor-version`: replacement of a deprecated version. `next`: next page of a list.", text),
	"Deprecation":              header("When the version was deprecated (RFC 9745).", text),
	"Sunset":                   header("When a deprecated version may be withdrawn (RFC 8594).", text),
	"Slipstick-Warnings":       header("Code of a warning about the result; one line for each warning.", text),
	"Slipstick-Passed-Columns": header("Quoted name of a column that passed through because it is not an input. There is one line for each column without `tag`, at most 20.", text),
	"Allow":                    required(header("Supported methods of the URL.", object{"type": "string", "examples": list{"GET, HEAD, OPTIONS, POST"}})),
	"Location":                 required(header("URL of the resource, relative to the request URL.", path)),
	"X-Request-Id":             header("Id of the request in the log of the server. The server keeps the id from the request if it is a plain word.", text),
	"Slipstick-Receipt":        header("Receipt of the ledger record of this response, if the server keeps a ledger. `GET /api/v1/receipts/{segment}/{leaf}` returns its proof. Keep the receipt secret, because it gives access to the record.", text),
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
		parameter("header", versions.HeaderName, "Version pin. If the header occurs several times, the server checks every line.", version),
		parameter("query", "calculation_version", "Version pin.", version),
		parameter("query", versions.AsOfName, "Pin by time: the version that was current at this date or time. It replaces a version pin.", schemaRef("Moment")),
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
	verbose := parameter("query", "verbose", "Include the state of every release and the details of reasons. The value has no meaning.", text)
	verbose["allowEmptyValue"] = true
	return object{
		"ServiceSpecVersion": pin[0],
		"CalculationVersion": pin[1],
		"AsOf":               pin[2],
		"Attribution":        parameter("query", versions.PinName, "Version of the page from which the URL was copied. It is not a pin.", schemaRef("VersionPin")),
		"Question":           parameter("query", "q", "Search text in plain words.", text),
		"Quantity":           parameter("query", "quantity", "Quantity to list, such as `pressure`. By default the response lists all quantities.", object{"type": "string", "enum": units.Quantities()}),
		"Row":                parameter("query", "row", "Key of a row of the table.", text),
		"ShownCapability":    parameter("query", "capability", "Id of one capability to show. By default the page shows the complete document.", text),
		"XUnit":              parameter("query", "x_unit", "Unit of the horizontal axis.", text),
		"YUnit":              parameter("query", "y_unit", "Unit of the vertical axis.", text),
		"CapabilityID":       id,
		"TableID":            parameter("path", "id", "Id of a table, such as `data.materials.metals`.", text),
		"Segment":            parameter("path", "segment", "The first part of a receipt, such as `k3f9a2c1-17`.", text),
		"Leaf":               parameter("path", "leaf", "The part of the receipt after the slash.", text),
		"SnapshotID":         parameter("path", "id", "Id of a snapshot, `cx_…`.", text),
		"Limit":              parameter("query", "limit", "Maximum number of capabilities in the response. `next` is the URL of the rest.", object{"type": "integer", "minimum": 1, "maximum": catalog.MaxPage}),
		"Cursor":             parameter("query", "cursor", "Position of the page, from `next` of the previous page.", text),
		"Slug":               parameter("path", "slug", "A code in kebab case, such as `invalid-number`.", text),
		"IfNoneMatch":        parameter("header", "If-None-Match", "Tags of cached bodies. The response is 304 if one of them is current.", text),
		"Verbose":            verbose,
		"Steps":              stepsParameter(),
		"BatchOutput":        parameter("query", "output", "Content of a response line. `full`: the complete response. `result`: only the result. `attributed`: the complete response with its engine digest. `csv`: a CSV table. Errors are always complete. By default a table returns a table, in the format that `Accept` prefers, or else in the format of the request.", object{"type": "string", "enum": list{"full", "result", "attributed", "csv"}}),
		"BatchID":            parameter("query", "id", "Capability id or tool id of lines without an id; required for a table.", text),
		"Tag":                parameter("query", "tag", "Column of a table to pass through, even if its name is similar to an input, a pin or an output.", texts),
		"UnitSystem":         parameter("query", "units", "Unit system for outputs that are not in `unit`. In a calculation it affects only `result_detail.formatted`. In a table it sets the units of the output columns.", object{"type": "string", "enum": list{"us", "metric", "si"}}),
		"FormattedUnit":      parameter("query", "unit", "Unit of an output in `result_detail.formatted`: `delta=mm`, or `mm` if there is only one output.", texts),
		"StudyUnitSystem":    parameter("query", "units", "Unit system for columns of `shown` and of the CSV that are not in `unit`. The largest number of a column selects its unit in the system. Snapshots do not accept it.", object{"type": "string", "enum": list{"us", "metric", "si"}}),
		"StudyUnit":          parameter("query", "unit", "Unit of a varied input or of an output: `delta=mm`, or `mm` if the study has only one output.", texts),
		"OutputUnit":         parameter("query", "unit", "Unit of an output: `delta=mm`, or `mm` if only one output is requested. By default outputs have the units of the description.", texts),
		"Decimal":            parameter("query", "decimal", "Decimal separator of numbers in texts of the request and the response. Without it the server rejects a number with two readings, such as `1,234`. In a table, the first number with one reading determines the separator.", object{"type": "string", "enum": list{"point", "comma"}}),
		"Output":             parameter("query", "output", "Output to return. Join several with commas, or repeat the parameter. By default the response has all outputs.", texts),
		"Errors":             parameter("query", "errors", "`text` returns errors with status 200, for spreadsheets that show only such responses.", object{"type": "string", "enum": list{"status", "text"}, "default": "status"}),
		"QueryInputs":        queryInputs(),
	}
}

// queryInputs returns the parameters for inputs in the query, each under its own name.
func queryInputs() object {
	p := parameter("query", "inputs", "Each input by its name or alias, as people write it: `V=12`, `L=20 ft`, `L=3-1/2 in`, `data=2;4;4`. An empty value counts as absent. The server rejects a text with two readings, and arithmetic such as `2*3`.",
		object{"type": "object", "additionalProperties": text})
	p["style"], p["explode"] = "form", true
	p["example"] = object{"V": "12", "R": "8 ohm"}
	return p
}

func stepsParameter() object {
	return parameter("query", "steps", "Whether to return worked steps too. They count as another call.", object{"type": "boolean", "default": false})
}

func parameter(in, name, description string, schema object) object {
	p := object{"in": in, "name": name, "description": description, "schema": schema}
	if in == "path" {
		return required(p)
	}
	return p
}
