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
			"type":               described(uri, "URL of the explanation of the code."),
			"title":              described(text, "Title of the code; the same in every response with this code."),
			"code":               described(object{"type": "string", "pattern": "^[A-Z][A-Z0-9_]*$"}, "Stable code for programs. `ErrorCode` lists all codes, and each response lists its possible codes."),
			"detail":             described(text, "The error in this request."),
			"field":              described(text, "The invalid input, parameter, column or member."),
			"recoverable":        described(flag, "Whether a corrected or repeated request can succeed."),
			"suggestion":         described(text, "How to correct the request."),
			"invalid_parameters": described(arrayOf(closed("An invalid input and the violated constraint.", object{"name": described(object{"type": "string", "pattern": `^inputs\.`}, "`inputs.<field>`"), "constraint": text})), "All errors of the same stage of the checks."),

			"acceptable_ids":      described(texts, "404: existing ids, nearest first, at most 10."),
			"requested_version":   described(text, "409: the pinned version."),
			"current_version":     described(text, "409: the default version for requests without a pin."),
			"available_versions":  described(texts, "409: versions that requests can pin, newest first."),
			"pins":                described(arrayOf(closed("A pin and its location in the request.", object{"location": text, "value": text})), "409: the contradictory pins."),
			"retry_after_seconds": described(object{"type": "number", "format": "double", "minimum": 0}, "429: seconds until the server accepts the next call."),
			"limit":               described(object{"type": "number", "format": "double", "minimum": 0}, "429: maximum number of calls in 60 seconds."),
			"resume_at_row":       described(object{"type": "integer", "minimum": 1}, "`BATCH_INTERRUPTED`: number of the first row without an answer. The first row is 1, and blank lines do not count."),
		}
	}
	optional := []string{"field", "suggestion", "invalid_parameters", "acceptable_ids", "requested_version", "current_version",
		"available_versions", "pins", "retry_after_seconds", "limit", "resume_at_row"}
	status := object{"type": "integer", "minimum": 400, "maximum": 599}
	failed, problem := common(), common()
	failed["status"], failed["http_status"], failed["error"] = constant("error"), status, described(text, "The error and its correction in one text, for people.")
	problem["status"] = status
	codes, meaning := d.allCodes()
	return object{
		"Error":     closed("The body of every error. Programs use `code`; the texts are for people and can change.", failed, optional...),
		"Problem":   closed("The same error as a problem document (RFC 9457), with a numeric `status`.", problem, optional...),
		"ErrorCode": object{"type": "string", "enum": codes, "description": meaning},

		"rejections": object{"type": "string", "enum": d.rejections(nil), "description": "Codes of the service and of all engines with status 400."},
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
	conflict := failure(409, "The pinned version is not published, the pins disagree, or the transparency log does not have the current version of that time.", one("VersionConflict.codes", d.codes[409]...))
	unknown := failure(404, "No capability and no tool has this id.", one("EngineNotFound.codes", problem.CodeEngineNotFound, problem.CodeNotFound))
	if len(d.capabilities) > 0 {
		withExamples(conflict, d.pinProblems(d.capabilities[0]))
		withExamples(unknown, d.unknownID(d.capabilities[0]))
	}
	limited := failure(429, "Too many calls from this client address.", one("RateLimited.codes", d.codes[429]...), "Retry-After", "RateLimit-Policy", "RateLimit")
	fault := failure(500, "An internal error of the service.", one("InternalError.codes", d.codes[500]...))
	return object{
		"Moved":                object{"description": "The URL has changed permanently. Send the same method to `Location`.", "headers": headerRefs("Location")},
		"NotModified":          object{"description": "The body with the tag in `If-None-Match` is still current.", "headers": headerRefs("ETag")},
		"Rejected":             failure(400, "The request is invalid, or the engine rejects the inputs.", schemaRef("rejections")),
		"InvalidQuery":         failure(400, "The endpoint does not accept a parameter or its value.", one("InvalidQuery.codes", problem.CodeInvalidQuery)),
		"InvalidVersionPin":    failure(400, "A version pin is not a nonempty string, `as_of` is not a date or a time, or the endpoint does not accept a parameter.", one("InvalidVersionPin.codes", problem.CodeInvalidAsOf, problem.CodeInvalidQuery, problem.CodeInvalidVersionPin)),
		"NotFound":             failure(404, "The URL does not exist.", one("NotFound.codes", problem.CodeNotFound)),
		"EngineNotFound":       unknown,
		"SnapshotNotFound":     failure(404, "No snapshot has this id.", one("SnapshotNotFound.codes", problem.CodeNotFound, problem.CodeSnapshotNotFound)),
		"MethodNotAllowed":     failure(405, "The URL does not support the method. `Allow` lists the supported methods.", one("MethodNotAllowed.codes", d.codes[405]...), "Allow"),
		"VersionConflict":      conflict,
		"PayloadTooLarge":      failure(413, "The body is larger than 64 KiB.", one("PayloadTooLarge.codes", d.codes[413]...)),
		"FileTooLarge":         failure(413, "A Parquet file is larger than the limit, or a Parquet or Arrow file needs more memory than the limit.", one("PayloadTooLarge.codes", d.codes[413]...)),
		"UnsupportedMediaType": failure(415, "The URL does not support the media type of the body, or the body is compressed.", one("UnsupportedMediaType.codes", d.codes[415]...)),
		"RateLimited":          withExamples(limited, d.example("limit", "The limit is reached", problem.RateLimited(60, 12))),
		"InternalError":        withExamples(fault, d.example("fault", "An internal error", problem.Of(nil))),
		"EngineUnavailable":    failure(503, "The engine is temporarily unavailable.", one("EngineUnavailable.codes", problem.CodeEngineUnavailable, problem.CodeOverloaded), "Retry-After"),
		"BatchUnavailable":     failure(503, "The server has too many batches, or is shutting down.", one("BatchUnavailable.codes", problem.CodeBatchInterrupted, problem.CodeOverloaded), "Retry-After"),
		"StoreUnavailable":     failure(503, "The snapshot store is temporarily unavailable.", one("StoreUnavailable.codes", problem.CodeStoreUnavailable, problem.CodeOverloaded), "Retry-After"),
		"NotAvailable":         failure(503, "The engine or the snapshot store is temporarily unavailable.", one("NotAvailable.codes", problem.CodeEngineUnavailable, problem.CodeOverloaded, problem.CodeStoreUnavailable), "Retry-After"),
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
