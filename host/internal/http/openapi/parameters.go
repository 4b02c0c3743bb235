package openapi

import (
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/versions"
)

// headers are the reusable response headers. A header that is sometimes absent is not required.
var headers = object{
	versions.HeaderName:        required(header("The version that computed the answer, or that is described.", text)),
	"Slipstick-Engine-Digest":  required(header("Digest of the engine of that version.", digest)),
	"RateLimit-Policy":         header("Calls in a window, in seconds (draft-ietf-httpapi-ratelimit-headers-11).", object{"type": "string", "examples": list{`"calc";q=60;w=60`}}),
	"RateLimit":                header("Calls that are left, and seconds until the next becomes free.", object{"type": "string", "examples": list{`"calc";r=59;t=12`}}),
	"Retry-After":              required(header("Seconds to wait.", object{"type": "integer", "minimum": 1})),
	"ETag":                     required(header("Tag of the body, for `If-None-Match`.", object{"type": "string", "pattern": `^(W/)?"[^"]+"$`})),
	"ETagOfData":               header("Tag of the body, for `If-None-Match`; a page has none.", object{"type": "string", "pattern": `^(W/)?"[^"]+"$`}),
	"Vary":                     header("Request headers that the answer depends on.", text),
	"Link":                     header("The version to use instead of a deprecated one, as `successor-version`; the next page of a list, as `next`.", text),
	"Deprecation":              header("When the version was deprecated (RFC 9745).", text),
	"Sunset":                   header("When a deprecated version may be withdrawn (RFC 8594).", text),
	"Slipstick-Warnings":       header("Code of a warning about the answer; one line for each.", text),
	"Slipstick-Passed-Columns": header("Column of the table that is not an input and passed through, in quotes; one line for each column that was not declared, at most 20.", text),
	"Allow":                    required(header("Methods of this address.", object{"type": "string", "examples": list{"GET, HEAD, OPTIONS, POST"}})),
	"Location":                 required(header("Where it is, relative to the address.", path)),
	"X-Request-Id":             header("Id of the request in the log of the service: the caller's own, if it sent a plain word.", text),
	"Slipstick-Receipt":        header("Names the record of the answer, where the host keeps a ledger: `GET /api/v1/receipts/{segment}/{leaf}` proves it. Keep it to yourself: who has it can read the record.", text),
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
		parameter("query", versions.AsOfName, "Instead of a version pin: a date or a time, for the version that was current then.", schemaRef("Moment")),
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
		"AsOf":               pin[2],
		"Attribution":        parameter("query", versions.PinName, "The version of the page that the URL was copied from. It is not a pin.", schemaRef("VersionPin")),
		"Question":           parameter("query", "q", "What is looked for, in plain words.", text),
		"Quantity":           parameter("query", "quantity", "Quantity whose units are listed, such as `pressure`. Without it all are listed.", object{"type": "string", "enum": units.Quantities()}),
		"Row":                parameter("query", "row", "Key of a row.", text),
		"ShownCapability":    parameter("query", "capability", "Id of the capability whose document the page shows, in place of the document of all.", text),
		"XUnit":              parameter("query", "x_unit", "Unit of the numbers along the plot.", text),
		"YUnit":              parameter("query", "y_unit", "Unit of the numbers of the plot.", text),
		"CapabilityID":       id,
		"TableID":            parameter("path", "id", "Id of a table, such as `data.materials.metals`.", text),
		"Segment":            parameter("path", "segment", "The first part of a receipt, such as `k3f9a2c1-17`.", text),
		"Leaf":               parameter("path", "leaf", "The rest of the receipt, behind the slash.", text),
		"SnapshotID":         parameter("path", "id", "Id of a snapshot.", text),
		"Limit":              parameter("query", "limit", "How many to answer at most. More than that are published: the rest is behind `next`.", object{"type": "integer", "minimum": 1, "maximum": catalog.MaxPage}),
		"Cursor":             parameter("query", "cursor", "Where to go on: that of `next` in the page before.", text),
		"Slug":               parameter("path", "slug", "A code in kebab case, such as `invalid-number`.", text),
		"IfNoneMatch":        parameter("header", "If-None-Match", "Tags of bodies that the caller has.", text),
		"Verbose":            verbose,
		"Steps":              stepsParameter(),
		"BatchOutput":        parameter("query", "output", "What a line is answered by: the whole answer, the result alone, or the whole answer with the digest of the engine that computed it (`attributed`). Errors are always whole. Without it a table is answered by a table, in the form that `Accept` prefers or else in the form in which it was sent; `csv` asks for CSV.", object{"type": "string", "enum": list{"full", "result", "attributed", "csv"}}),
		"BatchID":            parameter("query", "id", "Capability id or tool id of rows that name none. A table needs it.", text),
		"Tag":                parameter("query", "tag", "Column of a table that passes through, even if its name is near to an input, a pin or an output.", texts),
		"UnitSystem":         parameter("query", "units", "Customary units of a system for outputs without a unit of their own. Of a calculation they change `result_detail.formatted` alone; of a table they are the units of its columns.", object{"type": "string", "enum": list{"us", "metric", "si"}}),
		"FormattedUnit":      parameter("query", "unit", "Unit of an output in `result_detail.formatted`: `delta=mm`, or `mm` where there is one output.", texts),
		"StudyUnitSystem":    parameter("query", "units", "Customary units of a system for the columns of `shown` and of the CSV that have no unit in `unit`. The largest number of a column chooses among the units of the system. Not for snapshots.", object{"type": "string", "enum": list{"us", "metric", "si"}}),
		"StudyUnit":          parameter("query", "unit", "Unit of a changed input or of an output: `delta=mm`, or `mm` if the study has one output.", texts),
		"OutputUnit":         parameter("query", "unit", "Unit of an output: `delta=mm`, or `mm` where one output is asked for. Without it outputs have the units of the description.", texts),
		"Decimal":            parameter("query", "decimal", "Mark before the decimals of numbers, in texts that are sent and in texts that are answered. Without it a number with two readings is refused. A table has one mark: without this parameter its first number with one reading shows it.", object{"type": "string", "enum": list{"point", "comma"}}),
		"Output":             parameter("query", "output", "Output that is wanted. Several are joined with commas, or given one by one; without any all are answered.", texts),
		"Errors":             parameter("query", "errors", "`text` answers an error with status 200, for spreadsheets that show nothing of other answers.", object{"type": "string", "enum": list{"status", "text"}, "default": "status"}),
		"QueryInputs":        queryInputs(),
	}
}

// queryInputs returns the parameters for inputs in the query, each under its own name.
func queryInputs() object {
	p := parameter("query", "inputs", "Each input by its name or alias, as people write it: `V=12`, `L=20 ft`, `L=3-1/2 in`, `data=2;4;4`. An empty one is not sent. A text with two readings is refused, and so is a calculation such as `2*3`.",
		object{"type": "object", "additionalProperties": text})
	p["style"], p["explode"] = "form", true
	p["example"] = object{"V": "12", "R": "8 ohm"}
	return p
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
