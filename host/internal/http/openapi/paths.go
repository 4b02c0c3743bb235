package openapi

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/shadow"
	"github.com/slipstick/slipstick/registry/hostkeys"
	"github.com/slipstick/slipstick/registry/transparency"
	"github.com/slipstick/slipstick/versions"
)

// Tags of the operations that belong to no single capability.
const (
	tagCalculate = "Calculate"
	tagCatalog   = "Catalog"
	tagTables    = "Tables"
	tagSnapshots = "Snapshots"
	tagProblems  = "Problems"
	tagService   = "Service"
)

const jsonMedia = "application/json"

// Names of the components that the responses of a calculation share.
var calculationFailures = map[int]string{
	400: "Rejected", 404: "EngineNotFound", 405: "MethodNotAllowed", 409: "VersionConflict", 413: "PayloadTooLarge",
	415: "UnsupportedMediaType", 429: "RateLimited", 500: "InternalError", 503: "EngineUnavailable",
}

// Names of the components that the responses of a description share.
var descriptionFailures = map[int]string{
	304: "NotModified", 400: "InvalidVersionPin", 404: "EngineNotFound", 405: "MethodNotAllowed", 409: "VersionConflict",
	500: "InternalError", 503: "EngineUnavailable",
}

var snapshotFailures = map[int]string{
	304: "NotModified", 400: "InvalidQuery", 404: "SnapshotNotFound", 405: "MethodNotAllowed", 429: "RateLimited", 500: "InternalError", 503: "StoreUnavailable",
}

// Names of the components that the responses of a batch share. They apply to the whole batch.
var batchFailures = map[int]string{
	400: "Rejected", 404: "EngineNotFound", 405: "MethodNotAllowed", 409: "VersionConflict", 413: "FileTooLarge", 415: "UnsupportedMediaType",
	429: "RateLimited", 500: "InternalError", 503: "BatchUnavailable",
}

var (
	pins           = []string{"ServiceSpecVersion", "CalculationVersion", "AsOf"}
	pinsAndSteps   = []string{"ServiceSpecVersion", "CalculationVersion", "AsOf", "Steps"}
	calculation    = slices.Concat(pinsAndSteps, []string{"UnitSystem", "FormattedUnit"})
	pinsCacheable  = []string{"ServiceSpecVersion", "CalculationVersion", "AsOf", "IfNoneMatch"}
	releaseHeaders = []string{versions.HeaderName, "Slipstick-Engine-Digest", "Link", "Deprecation", "Sunset"}
	receiptHeader  = "Slipstick-Receipt"
	limitHeaders   = []string{"RateLimit-Policy", "RateLimit"}
)

// addPaths adds the paths that belong to no single capability.
func (d *document) addPaths() {
	catalog := func(id string) object {
		return operation(tagCatalog, id, "List what can be calculated", "Every capability with its versions, its tier and its addresses; page by page, if there are many.",
			[]string{"Limit", "Cursor", "IfNoneMatch"}, nil,
			answers(ok("The catalog.", jsonMedia, schemaRef("Catalog"), "ETag", "Link"), map[int]string{304: "NotModified", 400: "InvalidQuery", 405: "MethodNotAllowed", 500: "InternalError"}))
	}
	d.paths["/api/v1/calc"] = object{
		"get": catalog("listCalculations"),
		"post": operation(tagCalculate, "calculate", "Calculate", "The body names the capability, by one of its ids, and holds the inputs.",
			calculation, withExamples(body("NamedInputs"), d.namedRequest("capability_id")),
			answers(d.calculated(schemaRef("Success")), calculationFailures)),
	}
	d.paths["/api/v1/calc/{id}"] = object{
		"parameters": list{ref("parameters", "CapabilityID")},
		"get":        describe("describeCalculation"),
		"post": operation(tagCalculate, "calculateByID", "Calculate with a capability", "The body holds the inputs, with or without an envelope around them. "+
			"Each capability has a stricter description at its own address.",
			calculation, body("Request"), answers(d.calculated(schemaRef("Success")), calculationFailures)),
	}
	d.paths["/api/v1/value/{id}"] = ofCapability(operation(tagCalculate, "calculateValue", "Calculate one number", valueDescription,
		append([]string{"QueryInputs", "Output", "OutputUnit", "Decimal", "Errors", "IfNoneMatch"}, pins...), nil, valueAnswers()))
	d.paths["/api/v1/batch"] = object{"post": d.batch()}
	d.paths["/api/v1/capabilities"] = object{"get": catalog("listCapabilities")}
	d.paths["/api/v1/capabilities/{id}"] = ofCapability(describe("describeCapability"))
	for _, part := range []struct{ path, id, summary, description, schema string }{
		{"schema/input", "getInputSchema", "Input schema", "JSON Schema of the inputs: types, required fields and enums. Domain rules are enforced through codes.", "JSONSchema"},
		{"schema/output", "getOutputSchema", "Output schema", "JSON Schema of the success result.", "JSONSchema"},
		{"evidence", "getEvidence", "Evidence", "What the verification record rests on: digests, the conformance report and the reference vectors.", "Evidence"},
	} {
		d.paths["/api/v1/capabilities/{id}/"+part.path] = ofCapability(operation(tagCatalog, part.id, part.summary, part.description, pinsCacheable, nil,
			answers(ok(part.summary+".", jsonMedia, schemaRef(part.schema), append(slices.Clone(releaseHeaders), "ETag", "Vary")...), descriptionFailures)))
	}
	d.paths["/api/v1/capabilities/{id}/text"] = ofCapability(operation(tagCatalog, "getText", "Document",
		"The document of a text engine as it was published, byte for byte. Other engines have none: `NOT_FOUND`.", pinsCacheable, nil,
		answers(ok("The document.", "text/markdown", text, append(slices.Clone(releaseHeaders), "ETag", "Vary")...), descriptionFailures)))
	d.paths["/api/v1/capabilities/{id}/openapi.json"] = ofCapability(operation(tagCatalog, "getCapabilityOpenAPI", "OpenAPI of a capability",
		"The OpenAPI document as it would be if this capability were the only one. It describes all its versions.", []string{"IfNoneMatch"}, nil,
		answers(ok("The document.", jsonMedia, anything, "ETag", "Vary"), map[int]string{304: "NotModified", 400: "InvalidQuery", 404: "EngineNotFound", 405: "MethodNotAllowed", 500: "InternalError"})))
	evidence := d.paths["/api/v1/capabilities/{id}/evidence"].(object)["get"].(object)["responses"].(object)
	evidence["200"] = d.withPage(evidence["200"].(object))
	d.addStudyPaths()
	d.addTablePaths()
	d.addSnapshotPaths()
	d.addServicePaths()
	d.addPagePaths()
}

const valueDescription = "One output as text, with all its digits, for cells of spreadsheets and for shells; several as CSV, a header and a record. " +
	"Errors are one line of text: the code, and what to do. It counts as a calculation."

// valueAnswers returns the responses of one number. Their errors are text.
func valueAnswers() object {
	headerNames := slices.Concat(releaseHeaders, limitHeaders, []string{"Slipstick-Warnings", "ETag", "Vary"})
	number := ok("The number, or CSV for several.", "text/plain", text, headerNames...)
	number["content"].(object)["text/csv"] = object{"schema": text}
	out := answers(number, map[int]string{304: "NotModified", 405: "MethodNotAllowed"})
	for status, description := range map[int]string{
		400: "The inputs or the parameters are rejected.", 404: "Nothing has the id.", 409: "The pinned version is not published, or pins disagree.",
		429: "Too many calls from this address.", 500: "The service failed.", 503: "The calculation cannot be done at the moment.",
	} {
		failed := ok(description, "text/plain", text)
		if status == 429 || status == 503 {
			failed["headers"] = headerRefs("Retry-After")
		}
		out[strconv.Itoa(status)] = failed
	}
	return out
}

// batch returns the operation of many calculations. OpenAPI 3.1 cannot describe a sequence of values, so the
// schemas describe one line.
func (d *document) batch() object {
	line := object{"schema": schemaRef("NamedInputs")}
	if x := d.namedRequest("id"); len(x) > 0 {
		line["examples"] = x
	}
	headerNames := append([]string{"Slipstick-Passed-Columns"}, limitHeaders...)
	answered := ok("An answer for every line, in order. The schema is that of one line.", "application/x-ndjson", schemaRef("BatchAnswer"), headerNames...)
	sent := object{"application/x-ndjson": line, "application/jsonl": line}
	for _, content := range []object{sent, answered["content"].(object)} {
		content["text/csv"] = object{"schema": text}
		for _, binary := range []string{"application/vnd.apache.parquet", "application/vnd.apache.arrow.file", "application/vnd.apache.arrow.stream"} {
			content[binary] = object{}
		}
	}
	return operation(tagCalculate, "calculateBatch", "Calculate many at once", batchDescription, append([]string{"BatchOutput", "BatchID", "UnitSystem", "OutputUnit", "Tag", "Decimal"}, pins...),
		object{"required": true, "description": "The schema is that of one line.", "content": sent},
		answers(answered, batchFailures))
}

const batchDescription = `A calculation in every line (NDJSON), of any capabilities and any number. Every line is answered by the line that
` + "`POST /api/v1/calc`" + ` would answer it by, a result or an error, in the same order; the status is 200 whatever the lines are. Pins in header or
query hold for every line. Blank lines are skipped, and a line of more than 64 KiB is answered by ` + "`PAYLOAD_TOO_LARGE`" + `.

A table (` + "`text/csv`" + `, with ` + "`id`" + ` in the query) is a header that names inputs, with units where they are not SI (` + "`L [ft]`" + `), and a calculation
in every record. Commas, semicolons or tabs separate it. It is answered by its own columns, one for each output, one with the codes of
warnings, and ` + "`error_code`, `error_field` and `error_detail`" + `. Columns that are no inputs pass through, unless their names are nearly those of inputs.
All records are computed by one version.

Parquet and Arrow (` + "`application/vnd.apache.parquet`, `application/vnd.apache.arrow.file`, `application/vnd.apache.arrow.stream`" + `) are tables, too, whose
cells have types. A null is an input that is not sent; a unit stands in the metadata of its column, or in its name. Inputs have columns of numbers,
texts or truth values; others are ` + "`INVALID_COLUMNS`" + `. A table is answered in the form that ` + "`Accept`" + ` prefers, and without a preference in the
form in which it was sent. Parquet is taken in whole before its rows are computed.

Answers are sent while lines are still read, and no more is read while answers are not taken: a caller with many lines reads while it
sends. Who neither sends nor reads for 30 seconds is cut off; then the answer does not end as HTTP demands. Parquet and Arrow files that were not
sent to their end have no footer.

A host that is ending finishes the batches for which it has the time. An answer to another batch ends after a line, with one more line: a
` + "`BATCH_INTERRUPTED`" + ` error, whose ` + "`resume_at_row`" + ` is the first row that was not answered. Send the rows from there on as a new batch.

Every 1,000 lines count as one call. What comes beyond the limit is answered by ` + "`RATE_LIMITED`" + `, line by line, until a further 1,000 lines
may begin.`

func ofCapability(get object) object {
	return object{"parameters": list{ref("parameters", "CapabilityID")}, "get": get}
}

// describe returns the operation that returns one capability's description.
func describe(operationID string) object {
	return operation(tagCatalog, operationID, "Describe a capability", "Inputs, outputs, formulas, assumptions, codes and verification of the version that the pins mean.",
		pinsCacheable, nil, answers(ok("The capability.", jsonMedia, schemaRef("Capability"), append(slices.Clone(releaseHeaders), "ETag", "Vary")...), descriptionFailures))
}

func (d *document) addSnapshotPaths() {
	failures := maps.Clone(calculationFailures)
	failures[503] = "NotAvailable"
	headerNames := append(append([]string{"Location", receiptHeader}, releaseHeaders...), limitHeaders...)
	create := answers(ok("The snapshot was there before: the same request gives the same id.", jsonMedia, schemaRef("Snapshot"), headerNames...), failures)
	create["201"] = ok("The snapshot is new.", jsonMedia, schemaRef("Snapshot"), headerNames...)
	d.paths["/api/v1/share"] = object{"post": operation(tagSnapshots, "createSnapshot", "Freeze a calculation",
		"Computes and freezes in one step. Without a pin the current version computes.", pinsAndSteps,
		withExamples(body("NamedInputs"), d.namedRequest("tool_id")), create)}

	read := func(id, summary, description string) object {
		snapshot := ok("The snapshot.", jsonMedia, schemaRef("Snapshot"), append([]string{"ETag"}, limitHeaders...)...)
		return operation(tagSnapshots, id, summary, description, []string{"IfNoneMatch"}, nil, answers(snapshot, snapshotFailures))
	}
	d.paths["/api/v1/share/{id}"] = object{
		"parameters": list{ref("parameters", "SnapshotID")},
		"get":        read("getSnapshot", "Read a snapshot", "The record as it was frozen."),
	}
	d.paths["/api/v1/share/{id}/signed"] = object{
		"parameters": list{ref("parameters", "SnapshotID")},
		"get": read("getSignedSnapshot", "Read a signed copy of a snapshot",
			"The record, and behind it a signature that can be checked with the public keys of this service alone. One whose id is `cx_e1_…` comes as it is, for the id is signed."),
	}
	d.paths[hostkeys.WellKnown] = object{"get": operation(tagSnapshots, "getHostKeys", "Public keys",
		"The keys with which this service signs what it freezes, and those with which it did, oldest first. `slipstick verify --keys` tells by them what it froze.",
		[]string{"IfNoneMatch"}, nil, answers(ok("The keys.", jsonMedia, schemaRef("HostKeys"), "ETag", "Vary"), map[int]string{304: "NotModified", 400: "InvalidQuery", 405: "MethodNotAllowed", 500: "InternalError"}))}
	public := read("showSnapshot", "A snapshot at its public address", "The record for programs, a page for browsers, by `Accept`.")
	responses := public["responses"].(object)
	for _, status := range []string{"200", "400", "404", "429", "500", "503"} {
		responses[status] = d.withPage(responses[status].(object))
	}
	d.paths["/api/v1/receipts/{segment}/{leaf}"] = object{
		"parameters": list{ref("parameters", "Segment"), ref("parameters", "Leaf")},
		"get": operation(tagSnapshots, "getReceipt", "Prove an answer", "What the ledger of the host can show for an answer that had the header `Slipstick-Receipt`: the record, and the proof that it stands in a segment whose root was signed.", nil, nil,
			answers(ok("The record and its proof, or why there is none.", jsonMedia, schemaRef("Receipt"), limitHeaders...),
				map[int]string{400: "InvalidQuery", 404: "NotFound", 405: "MethodNotAllowed", 429: "RateLimited", 500: "InternalError"})),
	}
	d.paths["/s/{id}"] = object{"parameters": list{ref("parameters", "SnapshotID")}, "get": public}
}

func (d *document) addServicePaths() {
	failures := map[int]string{405: "MethodNotAllowed", 500: "InternalError"}
	explained := d.withPage(ok("The meaning of the code.", jsonMedia, schemaRef("ProblemType")))
	problem := operation(tagProblems, "explainProblem", "Explain a code", "The type URI of errors leads here: a page for browsers, JSON for programs, by `Accept`.",
		[]string{"IfNoneMatch"}, nil, answers(explained, map[int]string{304: "NotModified", 404: "NotFound", 405: "MethodNotAllowed", 500: "InternalError"}))
	missing := problem["responses"].(object)
	missing["404"], missing["500"] = d.withPage(missing["404"].(object)), d.withPage(missing["500"].(object))
	d.paths["/problems/{slug}"] = object{"parameters": list{ref("parameters", "Slug")}, "get": problem}

	d.paths[shadow.Path] = object{"get": operation(tagService, "getShadow", "What candidates would have answered", "What this host has compared since it began: where the registry declares a version as a candidate, the host lets it compute what the current version has answered, and counts how the outcomes differ. No answer is changed by it.", nil, nil,
		answers(ok("What was compared.", jsonMedia, schemaRef("Shadow"), limitHeaders...), map[int]string{400: "InvalidQuery", 405: "MethodNotAllowed", 429: "RateLimited", 500: "InternalError"}))}

	d.paths["/openapi.json"] = object{"get": operation(tagService, "getOpenAPI", "This document", "OpenAPI 3.1, written from what is published.",
		[]string{"IfNoneMatch"}, nil, answers(ok("The document.", jsonMedia, anything, "ETag"), map[int]string{304: "NotModified", 400: "InvalidQuery", 405: "MethodNotAllowed", 500: "InternalError"}))}
	d.paths[transparency.WellKnown] = object{"get": operation(tagService, "getCheckpoint", "Checkpoint of the log", "The last checkpoint that this host accepted of the log of its registry, in the form of c2sp.org/tlog-checkpoint, with its signatures. Who compares it with that of another host notices if the two are shown different logs.",
		[]string{"IfNoneMatch"}, nil, answers(ok("The checkpoint.", "text/plain", text, "ETag"), map[int]string{304: "NotModified", 400: "InvalidQuery", 404: "NotFound", 405: "MethodNotAllowed", 500: "InternalError"}))}
	d.paths["/livez"] = object{"get": operation(tagService, "getLiveness", "Liveness", "Answers as long as the process does.", nil, nil,
		answers(ok("It runs.", jsonMedia, schemaRef("Liveness")), failures))}
	ready := answers(ok("Requests can be sent here.", jsonMedia, schemaRef("Readiness")), failures)
	ready["503"] = ok("Nothing can be served, the checkpoint has expired, or the host is ending.", jsonMedia, schemaRef("Readiness"))
	d.paths["/readyz"] = object{"get": operation(tagService, "getReadiness", "Readiness", "Whether requests should be sent here.", []string{"Verbose"}, nil, ready)}
	d.paths["/metrics"] = object{"get": operation(tagService, "getMetrics", "Metrics", "In the text format of Prometheus.", nil, nil,
		answers(ok("The metrics.", "text/plain", text), nil))}
}

func operation(tag, id, summary, description string, parameters []string, body, responses object) object {
	op := object{"tags": list{tag}, "operationId": id, "summary": summary, "description": description, "responses": responses}
	if len(parameters) > 0 {
		op["parameters"] = refs("parameters", parameters...)
	}
	if body != nil {
		op["requestBody"] = body
	}
	return op
}

func body(schema string) object {
	return object{"required": true, "content": object{jsonMedia: object{"schema": schemaRef(schema)}}}
}

func ok(description, media string, schema object, names ...string) object {
	r := object{"description": description, "content": object{media: object{"schema": schema}}}
	if len(names) > 0 {
		r["headers"] = headerRefs(names...)
	}
	return r
}

// calculated returns the response with a result.
func (d *document) calculated(result object) object {
	return d.withPage(ok("The result. A page has the part that shows it.", jsonMedia, result, append(append([]string{"Vary", receiptHeader}, releaseHeaders...), limitHeaders...)...))
}

// withPage returns the response with a page for browsers in addition to its other bodies.
func (d *document) withPage(response object) object {
	if target, shared := response["$ref"].(string); shared {
		response = d.shared[strings.TrimPrefix(target, "#/components/responses/")].(object)
	}
	response = maps.Clone(response)
	content := maps.Clone(response["content"].(object))
	content[htmlMedia] = object{"schema": text}
	response["content"] = content
	if headerNames, has := response["headers"].(object); has && headerNames["ETag"] != nil {
		headerNames = maps.Clone(headerNames)
		headerNames["ETag"] = ref("headers", "ETagOfData") // pages have no ETag
		response["headers"] = headerNames
	}
	return response
}

// answers returns the responses of an operation: the success, and components by status.
func answers(success object, others map[int]string) object {
	out := object{strconv.Itoa(http.StatusOK): success}
	for status, name := range others {
		out[strconv.Itoa(status)] = ref("responses", name)
	}
	return out
}
