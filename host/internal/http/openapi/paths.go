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
		return operation(tagCatalog, id, "List capabilities", "Returns every capability with its versions, tier and URLs. Long lists have pages.",
			[]string{"Limit", "Cursor", "IfNoneMatch"}, nil,
			answers(ok("The catalog.", jsonMedia, schemaRef("Catalog"), "ETag", "Link"), map[int]string{304: "NotModified", 400: "InvalidQuery", 405: "MethodNotAllowed", 500: "InternalError"}))
	}
	d.paths["/api/v1/calc"] = object{
		"get": catalog("listCalculations"),
		"post": operation(tagCalculate, "calculate", "Run a calculation", "Runs one calculation and returns its result. The body has the inputs and an id of the capability, and at most 64 KiB.",
			calculation, withExamples(body("NamedInputs"), d.namedRequest("capability_id")),
			answers(d.calculated(schemaRef("Success")), calculationFailures)),
	}
	d.paths["/api/v1/calc/{id}"] = object{
		"parameters": list{ref("parameters", "CapabilityID")},
		"get":        describe("describeCalculation"),
		"post": operation(tagCalculate, "calculateByID", "Run a calculation by id", "Runs one calculation and returns its result. The body has the inputs, with or without an envelope, and at most 64 KiB. "+
			"The path of each capability has exact schemas.",
			calculation, body("Request"), answers(d.calculated(schemaRef("Success")), calculationFailures)),
	}
	d.paths["/api/v1/value/{id}"] = ofCapability(operation(tagCalculate, "calculateValue", "Calculate a value as text", valueDescription,
		append([]string{"QueryInputs", "Output", "OutputUnit", "Decimal", "Errors", "IfNoneMatch"}, pins...), nil, valueAnswers()))
	d.paths["/api/v1/batch"] = object{"post": d.batch()}
	d.paths["/api/v1/capabilities"] = object{"get": catalog("listCapabilities")}
	d.paths["/api/v1/capabilities/{id}"] = ofCapability(describe("describeCapability"))
	for _, part := range []struct{ path, id, summary, description, success, schema string }{
		{"schema/input", "getInputSchema", "Get the input schema", "Returns a JSON Schema of the inputs: types, required fields and enums. Engines check other rules and reject inputs with codes.", "The input schema.", "JSONSchema"},
		{"schema/output", "getOutputSchema", "Get the output schema", "Returns a JSON Schema of a successful result.", "The output schema.", "JSONSchema"},
		{"evidence", "getEvidence", "Get the evidence", "Returns the evidence for the verification record: digests, statements, the conformance report and reference calculations.", "The evidence.", "Evidence"},
	} {
		d.paths["/api/v1/capabilities/{id}/"+part.path] = ofCapability(operation(tagCatalog, part.id, part.summary, part.description, pinsCacheable, nil,
			answers(ok(part.success, jsonMedia, schemaRef(part.schema), append(slices.Clone(releaseHeaders), "ETag", "Vary")...), descriptionFailures)))
	}
	d.paths["/api/v1/capabilities/{id}/text"] = ofCapability(operation(tagCatalog, "getText", "Get the document of a text engine",
		"Returns the published document of a text engine, byte for byte. Other engines have no document and return `NOT_FOUND`.", pinsCacheable, nil,
		answers(ok("The document.", "text/markdown", text, append(slices.Clone(releaseHeaders), "ETag", "Vary")...), descriptionFailures)))
	d.paths["/api/v1/capabilities/{id}/openapi.json"] = ofCapability(operation(tagCatalog, "getCapabilityOpenAPI", "Get the OpenAPI document of a capability",
		"Returns an OpenAPI document with only this capability. It describes all its versions.", []string{"IfNoneMatch"}, nil,
		answers(ok("The document.", jsonMedia, anything, "ETag", "Vary"), map[int]string{304: "NotModified", 400: "InvalidQuery", 404: "EngineNotFound", 405: "MethodNotAllowed", 500: "InternalError"})))
	evidence := d.paths["/api/v1/capabilities/{id}/evidence"].(object)["get"].(object)["responses"].(object)
	evidence["200"] = d.withPage(evidence["200"].(object))
	d.addStudyPaths()
	d.addTablePaths()
	d.addSnapshotPaths()
	d.addServicePaths()
	d.addPagePaths()
}

const valueDescription = "Returns one output as text with all its digits, for spreadsheets and shells. Several outputs are CSV with a header and a record. " +
	"An error is one line of text: the code and how to correct the request. Each request counts as a calculation."

// valueAnswers returns the responses of one number. Their errors are text.
func valueAnswers() object {
	headerNames := slices.Concat(releaseHeaders, limitHeaders, []string{"Slipstick-Warnings", "ETag", "Vary"})
	number := ok("The number, or CSV for several outputs.", "text/plain", text, headerNames...)
	number["content"].(object)["text/csv"] = object{"schema": text}
	out := answers(number, map[int]string{304: "NotModified", 405: "MethodNotAllowed"})
	for status, description := range map[int]string{
		400: "The inputs or the parameters are invalid.", 404: "No capability and no tool has this id.", 409: "The pinned version is not published, or the pins disagree.",
		429: "Too many calls from this client address.", 500: "An internal error of the service.", 503: "The engine is temporarily unavailable.",
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
	answered := ok("One response line for each request line, in the same order. The schema describes one line.", "application/x-ndjson", schemaRef("BatchAnswer"), headerNames...)
	sent := object{"application/x-ndjson": line, "application/jsonl": line}
	for _, content := range []object{sent, answered["content"].(object)} {
		content["text/csv"] = object{"schema": text}
		for _, binary := range []string{"application/vnd.apache.parquet", "application/vnd.apache.arrow.file", "application/vnd.apache.arrow.stream"} {
			content[binary] = object{}
		}
	}
	return operation(tagCalculate, "calculateBatch", "Run a batch", batchDescription, append([]string{"BatchOutput", "BatchID", "UnitSystem", "OutputUnit", "Tag", "Decimal"}, pins...),
		object{"required": true, "description": "The schema describes one line.", "content": sent},
		answers(answered, batchFailures))
}

const batchDescription = `Runs one calculation for each line (NDJSON), for any capabilities and any number of lines. Each line has the same response
as ` + "`POST /api/v1/calc`" + `, a result or an error, in the order of the lines. The status is 200 even if lines have errors. Pins in the
header or the query apply to every line. Blank lines are skipped. A line of more than 64 KiB returns ` + "`PAYLOAD_TOO_LARGE`" + `.

A table (` + "`text/csv`" + `, with ` + "`id`" + ` in the query) has a header with the names of inputs, and one calculation in each record. A
name has a unit if the column is not SI (` + "`L [ft]`" + `). Separators are commas, semicolons or tabs. The response has the
columns of the table, a column for each output, the codes of warnings, and ` + "`error_code`, `error_field` and `error_detail`" + `. Columns that are
not inputs pass through, unless their names are similar to names of inputs. All records use the same version.

Parquet and Arrow (` + "`application/vnd.apache.parquet`, `application/vnd.apache.arrow.file`, `application/vnd.apache.arrow.stream`" + `) are tables with
typed columns. A null means that the input is absent. The metadata or the name of a column has its unit. Inputs need
columns of numbers, strings or booleans; other columns return ` + "`INVALID_COLUMNS`" + `. The response has the format that ` + "`Accept`" + ` prefers, or else
the format of the request. The server reads a Parquet file completely before it computes rows.

The server sends responses while it reads, and stops reading while responses wait. Read responses while you send. The
server closes the connection if the client neither sends nor reads for 30 seconds. The response then lacks its proper
end, and Parquet and Arrow files lack their footer.

A server that shuts down finishes as many lines as it can. It then ends the response with one more line: a
` + "`BATCH_INTERRUPTED`" + ` error with ` + "`resume_at_row`" + `, the first row without a response. Send the rows from there on as a new batch.

Every 1,000 lines, or each MiB if that comes first, count as one call. Lines beyond the limit return ` + "`RATE_LIMITED`" + ` until
the next call is available.`

func ofCapability(get object) object {
	return object{"parameters": list{ref("parameters", "CapabilityID")}, "get": get}
}

// describe returns the operation that returns one capability's description.
func describe(operationID string) object {
	return operation(tagCatalog, operationID, "Describe a capability", "Returns inputs, outputs, formulas, assumptions, codes and verification of the pinned version, or of the current version.",
		pinsCacheable, nil, answers(ok("The capability.", jsonMedia, schemaRef("Capability"), append(slices.Clone(releaseHeaders), "ETag", "Vary")...), descriptionFailures))
}

func (d *document) addSnapshotPaths() {
	failures := maps.Clone(calculationFailures)
	failures[503] = "NotAvailable"
	headerNames := append(append([]string{"Location", receiptHeader}, releaseHeaders...), limitHeaders...)
	create := answers(ok("The snapshot already existed. The same request always gives the same id.", jsonMedia, schemaRef("Snapshot"), headerNames...), failures)
	create["201"] = ok("The server created a new snapshot.", jsonMedia, schemaRef("Snapshot"), headerNames...)
	d.paths["/api/v1/share"] = object{"post": operation(tagSnapshots, "createSnapshot", "Create a snapshot",
		"Runs a calculation and stores it with its result in one step. Without a pin it uses the current version. The body has at most 64 KiB.", pinsAndSteps,
		withExamples(body("NamedInputs"), d.namedRequest("tool_id")), create)}

	read := func(id, summary, description string) object {
		snapshot := ok("The snapshot.", jsonMedia, schemaRef("Snapshot"), append([]string{"ETag"}, limitHeaders...)...)
		return operation(tagSnapshots, id, summary, description, []string{"IfNoneMatch"}, nil, answers(snapshot, snapshotFailures))
	}
	d.paths["/api/v1/share/{id}"] = object{
		"parameters": list{ref("parameters", "SnapshotID")},
		"get":        read("getSnapshot", "Read a snapshot", "Returns the record as stored."),
	}
	d.paths["/api/v1/share/{id}/signed"] = object{
		"parameters": list{ref("parameters", "SnapshotID")},
		"get": read("getSignedSnapshot", "Read a signed copy of a snapshot",
			"Returns the record with a signature. The public keys of this service are sufficient to check it. A snapshot `cx_e1_…` has no separate signature, because its id is signed."),
	}
	d.paths[hostkeys.WellKnown] = object{"get": operation(tagSnapshots, "getHostKeys", "List the public keys",
		"Returns current and earlier keys of the service, oldest first. `slipstick verify --keys` checks the signatures of snapshots with them.",
		[]string{"IfNoneMatch"}, nil, answers(ok("The keys.", jsonMedia, schemaRef("HostKeys"), "ETag", "Vary"), map[int]string{304: "NotModified", 400: "InvalidQuery", 405: "MethodNotAllowed", 500: "InternalError"}))}
	public := read("showSnapshot", "Show a snapshot", "Returns the record as JSON or as a page, according to `Accept`. This is the public URL of a snapshot.")
	responses := public["responses"].(object)
	for _, status := range []string{"200", "400", "404", "429", "500", "503"} {
		responses[status] = d.withPage(responses[status].(object))
	}
	d.paths["/api/v1/receipts/{segment}/{leaf}"] = object{
		"parameters": list{ref("parameters", "Segment"), ref("parameters", "Leaf")},
		"get": operation(tagSnapshots, "getReceipt", "Get the proof of a response", "Returns the ledger record of a response with the header `Slipstick-Receipt`, and the proof that a signed segment contains the record.", nil, nil,
			answers(ok("The record and its proof, or the status of a record without a proof.", jsonMedia, schemaRef("Receipt"), limitHeaders...),
				map[int]string{400: "InvalidQuery", 404: "NotFound", 405: "MethodNotAllowed", 429: "RateLimited", 500: "InternalError"})),
	}
	d.paths["/s/{id}"] = object{"parameters": list{ref("parameters", "SnapshotID")}, "get": public}
}

func (d *document) addServicePaths() {
	failures := map[int]string{405: "MethodNotAllowed", 500: "InternalError"}
	explained := d.withPage(ok("The explanation.", jsonMedia, schemaRef("ProblemType")))
	problem := operation(tagProblems, "explainProblem", "Explain a code", "Returns the explanation of a code as JSON or as a page, according to `Accept`. The `type` of errors is this URL.",
		[]string{"IfNoneMatch"}, nil, answers(explained, map[int]string{304: "NotModified", 404: "NotFound", 405: "MethodNotAllowed", 500: "InternalError"}))
	missing := problem["responses"].(object)
	missing["404"], missing["500"] = d.withPage(missing["404"].(object)), d.withPage(missing["500"].(object))
	d.paths["/problems/{slug}"] = object{"parameters": list{ref("parameters", "Slug")}, "get": problem}

	d.paths[shadow.Path] = object{"get": operation(tagService, "getShadow", "Get shadow comparisons", "Returns comparisons of shadow candidates with current versions since this server started. The registry declares the candidates. They repeat calculations of the current version, and the server counts differences. Candidates do not affect responses.", nil, nil,
		answers(ok("The comparisons.", jsonMedia, schemaRef("Shadow"), limitHeaders...), map[int]string{400: "InvalidQuery", 405: "MethodNotAllowed", 429: "RateLimited", 500: "InternalError"}))}

	d.paths["/openapi.json"] = object{"get": operation(tagService, "getOpenAPI", "Get this document", "Returns the OpenAPI 3.1 document of all published capabilities.",
		[]string{"IfNoneMatch"}, nil, answers(ok("The document.", jsonMedia, anything, "ETag"), map[int]string{304: "NotModified", 400: "InvalidQuery", 405: "MethodNotAllowed", 500: "InternalError"}))}
	d.paths[transparency.WellKnown] = object{"get": operation(tagService, "getCheckpoint", "Get the checkpoint of the transparency log", "Returns the last checkpoint that this server accepted, with its signatures, in the format c2sp.org/tlog-checkpoint. Compare the checkpoints of two servers to detect a split view of the log.",
		[]string{"IfNoneMatch"}, nil, answers(ok("The checkpoint.", "text/plain", text, "ETag"), map[int]string{304: "NotModified", 400: "InvalidQuery", 404: "NotFound", 405: "MethodNotAllowed", 500: "InternalError"}))}
	d.paths["/livez"] = object{"get": operation(tagService, "getLiveness", "Check liveness", "Returns 200 while the process is running.", nil, nil,
		answers(ok("The process is running.", jsonMedia, schemaRef("Liveness")), failures))}
	ready := answers(ok("The server accepts requests.", jsonMedia, schemaRef("Readiness")), failures)
	ready["503"] = ok("The server cannot serve any capability, the checkpoint has expired, or the server is shutting down.", jsonMedia, schemaRef("Readiness"))
	d.paths["/readyz"] = object{"get": operation(tagService, "getReadiness", "Check readiness", "Returns 200 if the server accepts requests, and 503 otherwise.", []string{"Verbose"}, nil, ready)}
	d.paths["/metrics"] = object{"get": operation(tagService, "getMetrics", "Get the metrics", "Returns metrics in the Prometheus text format.", nil, nil,
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
	return d.withPage(ok("The result. As HTML it is the result section of the page.", jsonMedia, result, append(append([]string{"Vary", receiptHeader}, releaseHeaders...), limitHeaders...)...))
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
