// Package problem defines errors for callers. Every interface answers failures with a [Problem], which has
// a code, a text for people and a suggestion. [Of] converts any error to a Problem. The package also
// explains each code.
package problem

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/versions"
)

// Codes of the service itself. Package sdk and single engines have further codes.
const (
	CodeInvalidCSV           = "INVALID_CSV"
	CodeInvalidColumns       = "INVALID_COLUMNS"
	CodeInvalidJSON          = "INVALID_JSON"
	CodeAmbiguousFraming     = "AMBIGUOUS_FRAMING"
	CodeInvalidQuery         = "INVALID_QUERY"
	CodeInvalidVersionPin    = "INVALID_VERSION_PIN"
	CodeVersionMismatch      = "VERSION_MISMATCH"
	CodeVersionPinConflict   = "VERSION_PIN_CONFLICT"
	CodeInvalidAsOf          = "INVALID_AS_OF"
	CodeAsOfUnknown          = "AS_OF_UNKNOWN"
	CodeEngineNotFound       = "ENGINE_NOT_FOUND"
	CodeCapabilityNotFound   = "CAPABILITY_NOT_FOUND" // MCP's code for ENGINE_NOT_FOUND
	CodeInvalidArgument      = "INVALID_ARGUMENT"     // of a tool, over MCP
	CodeNotFound             = "NOT_FOUND"
	CodeMethodNotAllowed     = "METHOD_NOT_ALLOWED"
	CodePayloadTooLarge      = "PAYLOAD_TOO_LARGE"
	CodeUnsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE"
	CodeEngineUnavailable    = "ENGINE_UNAVAILABLE"
	CodeSnapshotNotFound     = "SNAPSHOT_NOT_FOUND"
	CodeStoreUnavailable     = "SNAPSHOT_STORE_UNAVAILABLE"
	CodeRateLimited          = "RATE_LIMITED"
	CodeOverloaded           = "OVERLOADED"
	CodeBatchInterrupted     = "BATCH_INTERRUPTED"
	CodeInternalError        = "INTERNAL_ERROR"

	// Codes of presets.
	CodeInvalidPreset    = "INVALID_PRESET"
	CodePresetNotFound   = "PRESET_NOT_FOUND"
	CodePresetOutOfRange = "PRESET_OUT_OF_RANGE"

	// Codes of studies.
	CodeInvalidPlan         = "INVALID_PLAN"
	CodeInvalidDistribution = "INVALID_DISTRIBUTION"
	CodeInvalidCorrelation  = "INVALID_CORRELATION"
	CodeNoBracket           = "NO_BRACKET"
	CodeGoalJumped          = "GOAL_JUMPED"
	CodeNoDerivative        = "NO_DERIVATIVE"
	CodeNoNumber            = "NO_NUMBER"
	CodeAllRejected         = "ALL_REJECTED"
	CodeStudyTooLarge       = "STUDY_TOO_LARGE"

	// Codes of requests that are not valid HTTP.
	CodeBadRequest        = "BAD_REQUEST"
	CodeHeadersTooLarge   = "REQUEST_HEADERS_TOO_LARGE"
	CodeTransferEncoding  = "UNSUPPORTED_TRANSFER_ENCODING"
	CodeExpectationFailed = "EXPECTATION_FAILED"
	CodeHTTPVersion       = "UNSUPPORTED_HTTP_VERSION"
)

// kind has the properties that depend only on the code.
type kind struct {
	status      int
	title       string
	recoverable bool // a corrected or repeated request can succeed
}

// kinds lists the codes with their own status, title or recoverability. Every other
// code rejects the inputs: its status is 400, it is recoverable, and its title is the code
// in words.
var kinds = map[string]kind{
	CodeInvalidCSV:           {http.StatusBadRequest, "Invalid CSV", true},
	CodeInvalidColumns:       {http.StatusBadRequest, "Invalid columns", true},
	CodeInvalidJSON:          {http.StatusBadRequest, "Invalid JSON", true},
	CodeAmbiguousFraming:     {http.StatusBadRequest, "Ambiguous framing", true},
	CodeInvalidQuery:         {http.StatusBadRequest, "Invalid query", true},
	CodeInvalidVersionPin:    {http.StatusBadRequest, "Invalid version pin", true},
	sdk.CodeNonFiniteResult:  {http.StatusBadRequest, "Non-finite result", true},
	CodeEngineNotFound:       {http.StatusNotFound, "Engine not found", true},
	CodeCapabilityNotFound:   {http.StatusNotFound, "Capability not found", true},
	CodeNotFound:             {http.StatusNotFound, "Not found", true},
	CodeMethodNotAllowed:     {http.StatusMethodNotAllowed, "Method not allowed", true},
	CodeVersionMismatch:      {http.StatusConflict, "Version mismatch", true},
	CodeVersionPinConflict:   {http.StatusConflict, "Version pin conflict", true},
	CodeInvalidAsOf:          {http.StatusBadRequest, "Invalid as_of", true},
	CodeAsOfUnknown:          {http.StatusConflict, "Nothing known of that time", true},
	CodePayloadTooLarge:      {http.StatusRequestEntityTooLarge, "Payload too large", true},
	CodeUnsupportedMediaType: {http.StatusUnsupportedMediaType, "Unsupported media type", true},
	CodeSnapshotNotFound:     {http.StatusNotFound, "Snapshot not found", true},
	CodeRateLimited:          {http.StatusTooManyRequests, "Rate limited", true},
	CodeOverloaded:           {http.StatusServiceUnavailable, "Overloaded", true},
	CodeBatchInterrupted:     {http.StatusServiceUnavailable, "Batch interrupted", true},
	CodeStoreUnavailable:     {http.StatusServiceUnavailable, "Snapshot store unavailable", true},
	CodeInternalError:        {http.StatusInternalServerError, "Internal error", false},
	CodeEngineUnavailable:    {http.StatusServiceUnavailable, "Engine unavailable", true},

	CodeBadRequest:        {http.StatusBadRequest, "Bad request", true},
	CodeHeadersTooLarge:   {http.StatusRequestHeaderFieldsTooLarge, "Request headers too large", true},
	CodeTransferEncoding:  {http.StatusNotImplemented, "Unsupported transfer encoding", true},
	CodeExpectationFailed: {http.StatusExpectationFailed, "Expectation failed", true},
	CodeHTTPVersion:       {http.StatusHTTPVersionNotSupported, "Unsupported HTTP version", true},
}

// fault is the common part of an engine's rejection and any other problem.
type fault = sdk.Error

// Problem is the single representation of every failure that a caller sees, in every interface (spec 7).
type Problem struct {
	fault
	Faults        request.Faults // faults of the inputs as typed facts, if the service found them
	Rejected      bool           // an engine rejected the inputs; detail and suggestion are from the engine
	AcceptableIDs []string       // 404: nearest first
	Guess         string         // 404: the id that was probably meant; the suggestion contains it too
	Searched      string         // 404: the registry without the id, for the command line; never sent
	Mismatch      *versions.MismatchError
	Conflict      *versions.ConflictError
	RetryAfter    int // seconds; 429 and 503
	Limit         int // calls per minute; 429
	ResumeAtRow   int // first row of a batch without an answer, counted from 1; BATCH_INTERRUPTED
	Receipt       record.Receipt
	Cause         error // internal reason: logged, never sent
}

func kindOf(code string) kind {
	if k, ok := kinds[code]; ok {
		return k
	}
	return kind{http.StatusBadRequest, titleOf(code), true}
}

// titleOf returns the code in words.
func titleOf(code string) string {
	words := strings.ToLower(strings.ReplaceAll(code, "_", " "))
	return strings.ToUpper(words[:1]) + words[1:]
}

// Status returns the HTTP status of the problem's code.
func (p *Problem) Status() int { return kindOf(p.Code).status }

// Temporary reports whether the same request can succeed later: it reached a limit, or the service
// failed.
func (p *Problem) Temporary() bool {
	return p != nil && (p.Code == CodeRateLimited || p.Status() >= http.StatusInternalServerError)
}

// Title returns the fixed title of the problem's code.
func (p *Problem) Title() string { return kindOf(p.Code).title }

// Recoverable reports whether a corrected or repeated request can succeed.
func (p *Problem) Recoverable() bool { return kindOf(p.Code).recoverable }

// Message returns the problem as one text for people: the failure and the remedy.
func (p *Problem) Message() string {
	text := cmp.Or(p.Detail, p.Title())
	if p.Suggestion == "" {
		return text
	}
	return EndSentence(text) + " " + p.Suggestion
}

// EndSentence returns the text with a period, unless it already ends with a punctuation mark.
func EndSentence(text string) string {
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// Slug returns the code in kebab case, which is the last part of the problem's type URI.
func (p *Problem) Slug() string { return slug(p.Code) }

func slug(code string) string { return strings.ToLower(strings.ReplaceAll(code, "_", "-")) }

// Unwrap returns the private cause.
func (p *Problem) Unwrap() error { return p.Cause }

// New returns a Problem that concerns no single field.
func New(code, suggestion, format string, args ...any) *Problem {
	return &Problem{fault: sdk.Error{Code: code, Detail: fmt.Sprintf(format, args...), Suggestion: suggestion}}
}

// retryAfter is the number of seconds until a caller should try again.
const retryAfter = 5

// Unavailable returns the problem of a release that cannot run now.
func Unavailable(capability, version string, cause error) *Problem {
	p := New(CodeEngineUnavailable, fmt.Sprintf("Try again in %d s. Other capabilities are served.", retryAfter),
		"%s cannot be run at the moment", strings.TrimSpace(capability+" "+request.Clip(version)))
	p.RetryAfter, p.Cause = retryAfter, cause
	return p
}

// StoreUnavailable returns the problem of a snapshot store that does not respond at present.
func StoreUnavailable(cause error) *Problem {
	p := New(CodeStoreUnavailable, fmt.Sprintf("Try again in %d s. Calculations are not affected.", retryAfter), "the snapshot store cannot be used at the moment")
	p.RetryAfter, p.Cause = retryAfter, cause
	return p
}

// RateLimited returns the problem of a call beyond the limit of calls per minute. wait is
// the number of seconds until the next call is allowed.
func RateLimited(limit, wait int) *Problem {
	p := New(CodeRateLimited, fmt.Sprintf("Wait %d s.", wait), "this client made more than %s in 60 s", plural(limit, "call"))
	p.RetryAfter, p.Limit = wait, limit
	return p
}

// TooManyBatches returns the problem of a client that already runs the maximum number of batches.
func TooManyBatches(limit int64) *Problem {
	const retryAfter = 1
	p := New(CodeRateLimited, "Send the calculations in fewer batches, or wait until one has ended.", "this client runs more than %d batches at once", limit)
	p.RetryAfter, p.Limit = retryAfter, int(limit)
	return p
}

// BatchInterrupted returns the problem of a batch that its server has no more time for. The row is
// the first one without an answer.
func BatchInterrupted(row int) *Problem {
	p := New(CodeBatchInterrupted, fmt.Sprintf("Send the rows from row %d on as a new batch. Blank lines do not count.", row), "the server is shutting down; row %d and the rows after it were not answered", row)
	p.RetryAfter, p.ResumeAtRow = 1, row
	return p
}

// Overloaded returns the problem of a request for which there is no capacity at present.
func Overloaded(suggestion, format string, args ...any) *Problem {
	p := New(CodeOverloaded, suggestion, format, args...)
	p.RetryAfter = 5
	return p
}

// plural returns a number and the noun in singular or plural.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// TooLarge returns the problem of a calculation with more than strictjson.MaxBytes.
func TooLarge() *Problem {
	return New(CodePayloadTooLarge, "Send one calculation per request, or per line of a batch.", "the calculation is larger than %d bytes", strictjson.MaxBytes)
}

// InvalidObject returns the problem of a text that is not one JSON object. Its field is the
// invalid member. The error is from the scanner.
func InvalidObject(err error) *Problem {
	p := New(CodeInvalidJSON, "Write one JSON object (RFC 8259, UTF-8, no duplicate names).", "%v", err)
	if e, ok := errors.AsType[*strictjson.SyntaxError](err); ok {
		p.Field = request.Clip(e.Path)
	}
	return p
}

// InvalidPreset returns the problem of a preset with an invalid syntax.
func InvalidPreset(format string, args ...any) *Problem {
	return New(CodeInvalidPreset, "Name a row as TABLE/ROW or TABLE/ROW@VERSION, such as data.materials.metals/S235, or give the number.", format, args...)
}

// Rejecting returns the problem of a request that the service itself rejects, with the text of the error.
func Rejecting(e *sdk.Error) *Problem { return &Problem{fault: *e} }

// reportIt is the suggestion of failures that no other request avoids.
const reportIt = "Report it to the operator of the service, with the X-Request-Id of this response."

// Of returns err as a Problem. An error of an unknown type is an internal failure: it
// becomes an INTERNAL_ERROR, and its text is not shown to the caller.
func Of(err error) *Problem {
	var faults request.Faults
	if errors.As(err, &faults) {
		return &Problem{fault: *faults.Rejection(), Faults: faults}
	}
	var problem *Problem
	if errors.As(err, &problem) {
		return problem
	}
	var rejection *sdk.Error
	if errors.As(err, &rejection) {
		return &Problem{fault: *rejection, Rejected: true}
	}
	if p := pinProblem(err); p != nil {
		return p
	}
	p := New(CodeInternalError, reportIt, "the service failed, and the request is not the cause")
	p.Cause = err
	return p
}

func pinProblem(err error) *Problem {
	var invalid *versions.InvalidPinError
	var conflict *versions.ConflictError
	var mismatch *versions.MismatchError
	var invalidTime *versions.InvalidTimeError
	switch {
	case errors.As(err, &invalidTime):
		p := New(CodeInvalidAsOf, invalidTime.Advice(), "%s", invalidTime.Detail())
		p.Field = versions.AsOfName
		return p
	case errors.As(err, &invalid):
		p := New(CodeInvalidVersionPin, invalid.Advice(), "%s", invalid.Detail())
		p.Field = "calculation_version"
		return p
	case errors.As(err, &conflict):
		p := New(CodeVersionPinConflict, conflict.Advice(), "%s", conflict.Detail())
		p.Field, p.Conflict = "calculation_version", conflict
		return p
	case errors.As(err, &mismatch):
		p := New(CodeVersionMismatch, mismatch.Advice(), "%s", mismatch.Detail())
		p.Field, p.Mismatch = "calculation_version", mismatch
		return p
	}
	return nil
}
