package openapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
)

// errorSchemas returns the schemas of the two forms of an error body and of the list of codes.
func (d *document) errorSchemas() object {
	common := func() object {
		return object{
			"type":               described(uri, "Address of a page about the code."),
			"title":              described(text, "Fixed for the code."),
			"code":               described(object{"type": "string", "pattern": "^[A-Z][A-Z0-9_]*$"}, "Stable; the list is in `ErrorCode`. Each response says which it can carry."),
			"detail":             described(text, "What is wrong with this request."),
			"field":              described(text, "The input, parameter, column or member at fault."),
			"recoverable":        described(flag, "Whether a corrected or repeated request can succeed."),
			"suggestion":         described(text, "What to do."),
			"invalid_parameters": described(arrayOf(closed("An input and what it violates.", object{"name": described(object{"type": "string", "pattern": `^inputs\.`}, "`inputs.<field>`"), "constraint": text})), "Everything that is wrong at the same stage."),

			"acceptable_ids":      described(texts, "404: ids that exist, nearest first, at most 10."),
			"requested_version":   described(text, "409: the version that was pinned."),
			"current_version":     described(text, "409: the version that answers without a pin."),
			"available_versions":  described(texts, "409: what can be pinned, newest first."),
			"pins":                described(arrayOf(closed("A pin and where it stood.", object{"location": text, "value": text})), "409: the pins that disagree."),
			"retry_after_seconds": described(object{"type": "number", "format": "double", "minimum": 0}, "429: when a call will be accepted again."),
			"limit":               described(object{"type": "number", "format": "double", "minimum": 0}, "429: calls in 60 seconds."),
			"resume_at_row":       described(object{"type": "integer", "minimum": 1}, "`BATCH_INTERRUPTED`: the first row that was not answered. The first of all is 1; blank lines are no rows."),
		}
	}
	optional := []string{"field", "suggestion", "invalid_parameters", "acceptable_ids", "requested_version", "current_version",
		"available_versions", "pins", "retry_after_seconds", "limit", "resume_at_row"}
	status := object{"type": "integer", "minimum": 400, "maximum": 599}
	failed, problem := common(), common()
	failed["status"], failed["http_status"], failed["error"] = constant("error"), status, described(text, "What is wrong and what to do, in one text for people.")
	problem["status"] = status
	codes, meaning := d.allCodes()
	return object{
		"Error":     closed("Every failure. `code` is the contract, the texts are for people.", failed, optional...),
		"Problem":   closed("The same failure in the form of RFC 9457, where `status` is a number.", problem, optional...),
		"ErrorCode": object{"type": "string", "enum": codes, "description": meaning},

		"rejections": object{"type": "string", "enum": d.rejections(nil), "description": "Codes of status 400, of the service and of every engine."},
	}
}

// allCodes lists every code with its meaning.
func (d *document) allCodes() (codes list, meaning string) {
	var b strings.Builder
	b.WriteString("| code | status | cause |\n|---|---|---|\n")
	for _, doc := range d.catalog.Codes() {
		codes = append(codes, doc.Code)
		b.WriteString("| `" + doc.Code + "` | " + strconv.Itoa(doc.HTTPStatus) + " | " + strings.ReplaceAll(doc.Cause, "|", "/") + " |\n")
	}
	return codes, b.String()
}

// responses returns the responses that operations share.
func (d *document) responses() object {
	one := d.codesOf
	conflict := failure(409, "The pinned version is not published, the pins disagree, or the log of the registry does not tell which version was current then.", one("VersionConflict.codes", d.codes[409]...))
	unknown := failure(404, "No capability and no tool has the id.", one("EngineNotFound.codes", problem.CodeEngineNotFound, problem.CodeNotFound))
	if len(d.capabilities) > 0 {
		withExamples(conflict, d.pinProblems(d.capabilities[0]))
		withExamples(unknown, d.unknownID(d.capabilities[0]))
	}
	limited := failure(429, "Too many calls from this address.", one("RateLimited.codes", d.codes[429]...), "Retry-After", "RateLimit-Policy", "RateLimit")
	fault := failure(500, "The service failed.", one("InternalError.codes", d.codes[500]...))
	return object{
		"Moved":                object{"description": "The address is another one, for good and for every method.", "headers": headerRefs("Location")},
		"NotModified":          object{"description": "What `If-None-Match` names is still current.", "headers": headerRefs("ETag")},
		"Rejected":             failure(400, "The request cannot be read, or the engine rejects the inputs.", schemaRef("rejections")),
		"InvalidQuery":         failure(400, "The endpoint does not take a parameter, or not with its value.", one("InvalidQuery.codes", problem.CodeInvalidQuery)),
		"InvalidVersionPin":    failure(400, "A version pin is not a string with text in it, `as_of` is neither a date nor a time, or the endpoint does not take a parameter.", one("InvalidVersionPin.codes", problem.CodeInvalidAsOf, problem.CodeInvalidQuery, problem.CodeInvalidVersionPin)),
		"NotFound":             failure(404, "There is nothing at this address.", one("NotFound.codes", problem.CodeNotFound)),
		"EngineNotFound":       unknown,
		"SnapshotNotFound":     failure(404, "No snapshot has the id.", one("SnapshotNotFound.codes", problem.CodeNotFound, problem.CodeSnapshotNotFound)),
		"MethodNotAllowed":     failure(405, "Another method than those at this address.", one("MethodNotAllowed.codes", d.codes[405]...), "Allow"),
		"VersionConflict":      conflict,
		"PayloadTooLarge":      failure(413, "The body is larger than 64 KiB.", one("PayloadTooLarge.codes", d.codes[413]...)),
		"FileTooLarge":         failure(413, "A Parquet file has more bytes, or a Parquet or Arrow file takes more memory, than one may.", one("PayloadTooLarge.codes", d.codes[413]...)),
		"UnsupportedMediaType": failure(415, "The body is not declared as what this address takes, or it is compressed.", one("UnsupportedMediaType.codes", d.codes[415]...)),
		"RateLimited":          withExamples(limited, d.example("limit", "The limit is used up", problem.RateLimited(60, 12))),
		"InternalError":        withExamples(fault, d.example("fault", "A fault of the service", problem.Of(nil))),
		"EngineUnavailable":    failure(503, "The engine cannot run at the moment.", one("EngineUnavailable.codes", problem.CodeEngineUnavailable, problem.CodeOverloaded), "Retry-After"),
		"BatchUnavailable":     failure(503, "There is no room for the batch at the moment, or the host is ending.", one("BatchUnavailable.codes", problem.CodeBatchInterrupted, problem.CodeOverloaded), "Retry-After"),
		"StoreUnavailable":     failure(503, "The snapshot store cannot be asked at the moment.", one("StoreUnavailable.codes", problem.CodeStoreUnavailable, problem.CodeOverloaded), "Retry-After"),
		"NotAvailable":         failure(503, "The engine or the snapshot store cannot be used at the moment.", one("NotAvailable.codes", problem.CodeEngineUnavailable, problem.CodeOverloaded, problem.CodeStoreUnavailable), "Retry-After"),
	}
}

// codesOf returns the schema of the codes that a response can have. It is a component because both forms of a
// body use it, and client generators name every enumeration.
func (d *document) codesOf(name string, codes ...string) object {
	d.schemas[name] = object{"type": "string", "enum": codes}
	return schemaRef(name)
}

// rejections returns the codes with status 400 of the service and of the capability, or of all capabilities if
// c is nil.
func (d *document) rejections(c *capability) []string {
	if c != nil {
		codes := slices.Concat(d.codes[http.StatusBadRequest], c.codes())
		slices.Sort(codes)
		return slices.Compact(codes)
	}
	var codes []string
	for _, doc := range d.catalog.Codes() {
		if doc.HTTPStatus == http.StatusBadRequest {
			codes = append(codes, doc.Code)
		}
	}
	return codes
}

// failure returns the response of an error status, in both forms of the body. Its schema lists the codes that
// the response can have.
func failure(status int, description string, codes object, names ...string) object {
	form := func(schema, number string) object {
		return object{"schema": object{"allOf": list{
			schemaRef(schema), object{"properties": object{number: object{"const": status}, "code": codes}},
		}}}
	}
	return object{
		"description": description,
		"headers":     headerRefs(append(names, "Vary", "X-Request-Id")...),
		"content":     object{jsonMedia: form("Error", "http_status"), "application/problem+json": form("Problem", "status")},
	}
}
