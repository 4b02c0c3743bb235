package problem

import (
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
)

// Kinds of codes.
const (
	KindError   = "error"   // of a problem
	KindWarning = "warning" // of a success
)

// Doc explains one code to people.
type Doc struct {
	Code        string   `json:"code"`
	Kind        string   `json:"kind"`
	Title       string   `json:"title"`
	HTTPStatus  int      `json:"http_status"`
	Recoverable bool     `json:"recoverable"`
	Cause       string   `json:"cause"`
	Remedy      string   `json:"remedy"`
	DeclaredBy  []string `json:"declared_by,omitempty"` // capabilities whose engines declare the code; empty for codes of the service
}

// Slug returns the code in kebab case, which is the last part of the URL of its page.
func (d Doc) Slug() string { return slug(d.Code) }

// explanations holds the cause and the remedy of codes that engines do not declare.
var explanations = map[string][2]string{
	sdk.CodeMissingRequiredInput: {"The request lacks an input that the calculation needs. Other inputs can make an input necessary.", "Send the input that field names."},
	request.CodeInvalidNumber:    {"An input has the wrong type, such as null, a boolean, a string, an array or an object instead of a number. Or the number cannot be read exactly.", "Send the type of the input schema. A number has no quotes, unless it has a unit: \"3 ft\"."},
	request.CodeInvalidMode:      {"The value of an input, or of a choice in the request, is not in the list of allowed values.", "Send one of the values that the input schema lists, with the same spelling."},
	sdk.CodeUndefined:            {"The inputs lead to an indeterminate form, such as 0/0.", "Change one of the inputs that are zero."},
	sdk.CodeNonFiniteResult:      {"A number in the request or in the result is beyond the range of binary64.", "Use magnitudes below 1.8e308 in inputs and results."},
	request.CodeNumericUnderflow: {"A number in the request is not zero, and would become zero as binary64.", "Send 0 if zero is meant, or a larger magnitude."},
	request.CodeUnknownInput:     {"The request has an input that this calculation does not have. It is refused, because a result without a misspelt input would be wrong.", "Correct the name. The suggestion has the nearest one."},
	sdk.CodeConflictingInputs:    {"Inputs contradict each other. One input has two names with different values, or two inputs exclude each other.", "Leave one of them out."},
	request.CodeUnknownUnit:      {"The unit of an input is not in the table of units.", "Use a unit that the suggestion lists, or a bare number in SI."},
	request.CodeUnknownOutput:    {"The request names an output that this calculation does not have, or a unit for an output that is not requested.", "Name one of the outputs that the suggestion lists."},
	request.CodeIncompatibleUnit: {"The unit of an input measures another quantity.", "Use a unit of the input's quantity, or a bare number in SI."},
	CodeInvalidJSON:              {"The body is not one JSON object: it has a syntax error, a repeated name, invalid UTF-8, or more than 64 levels. Or a member next to the inputs has the wrong type.", "Correct the part that detail describes. If one member is wrong, field names it."},
	CodeInvalidColumns:           {"A Parquet or Arrow file cannot be read. Or the types, the names or the number of its columns do not fit.", "Write the file again, with one column of numbers, texts or booleans for each input."},
	CodeInvalidCSV:               {"A table is not CSV in UTF-8, a record and the header differ in the number of cells, or the header repeats an input.", "Save the table as CSV in UTF-8, with the names of inputs in the first record."},
	CodeAmbiguousFraming:         {"The request has a Content-Length and a Transfer-Encoding. Two servers can read such a request in different ways.", "Send one of the two headers."},
	CodeInvalidQuery:             {"The endpoint does not have a parameter of the query, or the parameter cannot have that value. A misspelt parameter is refused, because the response without it would be wrong. Or the query itself cannot be read: it has a semicolon, or a % without two hexadecimal digits.", "Correct the parameter that field names, or leave it out. Write %25 for a percent sign, %3B for a semicolon, and & between parameters."},
	CodeInvalidVersionPin:        {"A version pin is not a string, or the string is blank.", "Send a published version such as \"1.0.0\", or no pin."},
	CodeVersionPinConflict:       {"The request has different versions in different places. No place overrides another.", "Send one version, or the same version everywhere."},
	CodeVersionMismatch:          {"The pinned version is not published. Versions are compared byte for byte.", "Pin one of available_versions, or send no pin for the current version."},
	CodeInvalidAsOf:              {"as_of is neither a date nor a time.", "Send a date such as \"2026-03-01\", which means its start in UTC, or a time such as \"2026-03-01T12:00:00Z\"."},
	CodeAsOfUnknown:              {"The transparency log of the registry does not show which version was current at the time in as_of. There is no log, no version was current, or the log does not cover that time.", "Send a time that detail names, or pin a published version."},
	CodeInvalidPreset:            {"A preset has an invalid form, or the input does not accept values of that table.", "Send {\"preset\": \"TABLE/ROW\"} with a table that the description of the input lists, or send the number."},
	CodePresetNotFound:           {"The service does not publish the table, or the table does not have the row, or the row does not have the value.", "Use one of acceptable_ids, nearest first, or a row that GET /api/v1/tables/{id} lists. Or send the number."},
	CodePresetOutOfRange:         {"The argument of an interpolated table is outside of its rows. Table values are not extrapolated.", "Send an argument within the range that detail names, or send the number."},
	CodeEngineNotFound:           {"No capability and no tool has the id.", "Use one of acceptable_ids, nearest first."},
	CodeNotFound:                 {"There is nothing at this URL.", "Look up the URL in the API reference."},
	CodeMethodNotAllowed:         {"The URL does not support the method.", "Use one of the methods in the Allow header."},
	CodePayloadTooLarge:          {"The body, or a row of a batch, is larger than 64 KiB. Or a Parquet or Arrow file has more bytes, or takes more memory, than one can have.", "Send one calculation per request, or per row of a batch. Send the rows of a large file in several files."},
	CodeUnsupportedMediaType:     {"The media type of the body is missing or not supported, its charset is not UTF-8, or it is compressed.", "Send Content-Type: application/json, or for a batch one of the types in Accept-Post. Send no Content-Encoding."},
	CodeRateLimited:              {"The client made more calls in 60 seconds than the limit allows, or runs too many batches at once. Each 1,000 lines or MiB of a batch count as a call.", "Wait for the time in Retry-After. RateLimit in each response has the number of calls that are left."},
	CodeOverloaded:               {"The service has no capacity for the request now. Too many batches are running, their files fill the disk, or too many responses wait for slow clients.", "Try again after the time in Retry-After, and read responses as they arrive."},
	CodeBatchInterrupted:         {"The server is shutting down, and had no time for the rest of the batch. The rows before resume_at_row were answered.", "Send the rows from resume_at_row on as a new batch, and append its answers. The first row is 1, and blank lines do not count."},
	CodeSnapshotNotFound:         {"No snapshot has the id. It was never created here, it was altered, or it has expired.", "Check the id. Short ids expire after 180 days."},
	CodeStoreUnavailable:         {"The store of short snapshot ids is unavailable now. The snapshot can still exist.", "Try again after the time in Retry-After. Calculations are not affected."},
	CodeEngineUnavailable:        {"The engine of this capability cannot run now.", "Try again after the time in Retry-After. Other capabilities are not affected."},
	CodeInvalidPlan:              {"The plan of a study lacks a member, or has a member that its kind does not have.", "Correct the member that field names. The suggestion shows how."},
	CodeInvalidDistribution:      {"The description of an uncertain input is not a distribution. For example, its width is not above zero.", "Correct the member that field names."},
	CodeInvalidCorrelation:       {"No inputs can have these correlations. Their matrix is not positive definite, or an input is not normal.", "Change the coefficients. Only normal inputs can be correlated."},
	CodeNoBracket:                {"The output is on the same side of the goal at both ends of the bracket, so the goal can be outside.", "Send ends between which the output passes the goal. A sweep shows where it does."},
	CodeGoalJumped:               {"The output jumps over the goal from one number to the next, so no input gives the goal.", "Choose another goal, or another model of the calculation."},
	CodeNoDerivative:             {"The calculation rejects values on both sides of an input, however near, so there is no derivative.", "Change the input that field names, or leave it out of the study."},
	CodeNoNumber:                 {"The result has no number for an output of the study.", "Study another output, or other inputs."},
	CodeAllRejected:              {"The engine rejected every calculation of a study.", "Study another region. detail has the first rejection, and field its input."},
	CodeStudyTooLarge:            {"The study makes more calculations than the limit of calls allows within 60 seconds. Each 1,000 calculations count as a call.", "Use fewer draws or points, or ask the operator of the service for a higher limit."},
	CodeBadRequest:               {"The request is not valid HTTP: a broken escape in the URL, not exactly one Host header, or lengths that differ.", "Correct the part that detail names."},
	CodeHeadersTooLarge:          {"The header fields of the request have more than 16 KiB.", "Send fewer and shorter header fields."},
	CodeTransferEncoding:         {"The body has a transfer encoding other than chunked.", "Send the body with a Content-Length, or in chunks."},
	CodeExpectationFailed:        {"The Expect header has another value than 100-continue.", "Leave the Expect header out."},
	CodeHTTPVersion:              {"The service does not support the HTTP version of the request.", "Use HTTP/1.1."},
	CodeInternalError:            {"The service failed. The request is not the cause, so no correction of it helps.", "Report it to the operator of the service, with the X-Request-Id of the response."},
}

// overMCP holds the cause and the remedy of codes that only MCP sends.
var overMCP = map[string][2]string{
	CodeCapabilityNotFound: {"No capability and no tool has the id of an MCP call.", "Use one of acceptable_ids, nearest first, or call search_capabilities."},
	CodeInvalidArgument:    {"An argument of an MCP tool does not have the type of the tool's input schema, or is a cursor of no search.", "Send the argument that field names as the input schema describes it."},
}

// ofEngines holds the cause and the remedy of codes that several engines declare. Other codes of engines
// explain themselves by their names.
var ofEngines = map[string][2]string{
	sdk.CodeUndecided:    {"The engine cannot decide a comparison or the last digits of a result with the work that one call can take.", "Send slightly different inputs, or the change that the suggestion names."},
	sdk.CodeStepRejected: {"A step of the calculation computes a value that the calculation of the step rejects. detail names the step and its code.", "Change the inputs that lead to that value."},
}

// ExplainErrors explains every code that a REST response can contain, in alphabetical order. declared
// lists the capabilities with engines that declare a code.
func ExplainErrors(declared map[string][]string) []Doc {
	var docs []Doc
	for code := range explanations {
		docs = append(docs, explain(code, nil))
	}
	for code, by := range declared {
		if _, shared := explanations[code]; !shared {
			docs = append(docs, explain(code, by))
		}
	}
	sortByCode(docs)
	return docs
}

// ExplainMCP explains the codes that only MCP sends, in alphabetical order.
func ExplainMCP() []Doc {
	var docs []Doc
	for code := range overMCP {
		docs = append(docs, explain(code, nil))
	}
	sortByCode(docs)
	return docs
}

func sortByCode(docs []Doc) {
	slices.SortFunc(docs, func(a, b Doc) int { return strings.Compare(a.Code, b.Code) })
}

func explain(code string, declaredBy []string) Doc {
	k := kindOf(code)
	texts, ok := explanations[code]
	if !ok {
		texts, ok = overMCP[code]
	}
	if !ok {
		texts, ok = ofEngines[code]
	}
	if !ok {
		texts = [2]string{
			"The inputs are outside of the domain of the calculation: " + strings.ToLower(k.title) + ".",
			"Change the input that field names, as detail and suggestion describe.",
		}
	}
	return Doc{code, KindError, k.title, k.status, k.recoverable, texts[0], texts[1], declaredBy}
}
