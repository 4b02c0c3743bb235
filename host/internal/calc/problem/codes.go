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
	sdk.CodeMissingRequiredInput: {"An input that the calculation needs was not sent.", "Give the missing input, which field names. Some inputs are needed only because of others."},
	request.CodeInvalidNumber:    {"An input has the wrong type: null, a boolean, a string, an array or an object where a number belongs, for example.", "Send the type that the input schema gives. Numbers have no quotes, unless a unit stands behind them: \"3 ft\"."},
	request.CodeInvalidMode:      {"The value of an input is none of those that it can have.", "Send one of the values that the input schema lists, spelled exactly so."},
	sdk.CodeUndefined:            {"The inputs lead to an indeterminate form, such as 0/0.", "Change one of the inputs that are zero."},
	sdk.CodeNonFiniteResult:      {"A number, sent or computed, is beyond the range of binary64.", "Use magnitudes below 1.8e308, in inputs and result."},
	request.CodeNumericUnderflow: {"A number that is not zero would become zero as binary64.", "Send 0 if zero is meant, or a larger magnitude."},
	request.CodeUnknownInput:     {"The request has an input that this calculation does not know. It is refused, because a misspelt input that is silently dropped gives a wrong answer.", "Correct the name; the suggestion is the nearest one."},
	sdk.CodeConflictingInputs:    {"Inputs contradict each other: one input was sent under two names with different values, or two inputs exclude each other.", "Leave one of them out."},
	request.CodeUnknownUnit:      {"The unit of an input is not in the table of units.", "Use one of the units that the suggestion lists, or a bare number in SI."},
	request.CodeUnknownOutput:    {"The request names an output that this calculation does not have, or a unit for an output that is not asked for.", "Name one of the outputs that the suggestion lists."},
	request.CodeIncompatibleUnit: {"The unit of an input measures another quantity.", "Use a unit of the input's quantity, or a bare number in SI."},
	CodeInvalidJSON:              {"The body is not one JSON object (a syntax error, a name twice, invalid UTF-8, or nesting deeper than 64), or a member next to the inputs has the wrong type. field is the member at fault, if there is one.", "Correct what detail names."},
	CodeInvalidColumns:           {"A Parquet or Arrow file cannot be read, or its columns do not fit: their types, their names, or their number.", "Write the file again with one column of numbers, texts or truth values for each input."},
	CodeInvalidCSV:               {"A table cannot be read: it is no CSV in UTF-8, a record has another number of cells than the header, or the header names an input twice.", "Save it as CSV in UTF-8, with the names of inputs in the first record."},
	CodeAmbiguousFraming:         {"The request came with a Content-Length and a Transfer-Encoding; two servers could read it in two ways.", "Send one of the two headers."},
	CodeInvalidQuery:             {"The query has a parameter that the endpoint does not take, or a value that the parameter cannot have; field names it. A misspelt parameter is refused, because an answer without it is another answer. Or the query cannot be read: it has a % without two hexadecimal digits after it, or a semicolon.", "Correct the parameter that field names, or leave it out. Write %25 for a percent sign, %3B for a semicolon, and & between parameters."},
	CodeInvalidVersionPin:        {"A version was pinned by something that is not a string with text in it.", "Send a published version such as \"1.0.0\", or no pin."},
	CodeVersionPinConflict:       {"The request pins different versions in different places. No place overrides another.", "Send one version, or the same one everywhere."},
	CodeVersionMismatch:          {"The pinned version is not published. Versions are compared byte for byte.", "Pin one of available_versions, or send no pin for the current version."},
	CodeInvalidAsOf:              {"as_of is neither a date nor a time.", "Send a date such as \"2026-03-01\", which means its beginning in UTC, or a time such as \"2026-03-01T12:00:00Z\"."},
	CodeAsOfUnknown:              {"The log of the registry cannot say which version was current at the time in as_of: there is no log, the time is before its first entry or after its last reading, or no version was current then.", "Send a time that detail names, or pin a published version."},
	CodeInvalidPreset:            {"A preset is not written as one, or the input takes no figure of that table.", "Send {\"preset\": \"TABLE/ROW\"} with one of the tables that the description of the input lists, or send the number."},
	CodePresetNotFound:           {"The table is not published here, or has no such row, or no figure there.", "Use one of acceptable_ids, nearest first, or a row that GET /api/v1/tables/{id} lists; or send the number."},
	CodePresetOutOfRange:         {"The argument of an interpolated table lies outside its rows. Figures are not extrapolated.", "Send an argument within the range that detail names, or send the number."},
	CodeEngineNotFound:           {"No capability and no tool has the id.", "Use one of acceptable_ids, nearest first."},
	CodeNotFound:                 {"There is nothing at this address.", "See the list of addresses in the API reference."},
	CodeMethodNotAllowed:         {"The address does not support the method.", "Use one of the methods in the Allow header."},
	CodePayloadTooLarge:          {"The body, or a row of a batch, is larger than 64 KiB; or a Parquet or Arrow file has more bytes, or takes more memory at once, than one may.", "Send one calculation per request, or per row of a batch, and the rows of a large file in several."},
	CodeUnsupportedMediaType:     {"The body is not declared as what the address takes, in UTF-8 where it is a text, or it is compressed.", "Send Content-Type: application/json, for a batch one of those in Accept-Post, and no Content-Encoding."},
	CodeRateLimited:              {"More calls came from one address within 60 seconds than the limit allows, or more batches of it are under way at once. Every 1,000 lines of a batch, or each MiB of them, are a call.", "Wait for the time in Retry-After. RateLimit tells on every answer how many calls are left."},
	CodeOverloaded:               {"There is no room for the request at the moment: too many batches are under way, their files take all the room on the disk, or too many answers wait until they are taken, those of this address or all.", "Try again after the time in Retry-After, and read answers as they come."},
	CodeBatchInterrupted:         {"The host that computed the batch is ending, and the batch took longer than it had time for. The rows before resume_at_row were answered.", "Send the rows from resume_at_row on as a new batch, and append its answers. The first row is 1, and blank lines are no rows."},
	CodeSnapshotNotFound:         {"No snapshot has the id: it was never made here, it was altered, or its life is over.", "Check the id. Short ids live for 180 days."},
	CodeStoreUnavailable:         {"The store of short snapshot ids cannot be used at the moment. The snapshot may well exist.", "Try again after the time in Retry-After. Calculations are not affected."},
	CodeEngineUnavailable:        {"The engine of this capability cannot be run at the moment.", "Try again after the time in Retry-After. Other capabilities are served."},
	CodeInvalidPlan:              {"The plan of a study lacks something, or has something that its kind does not have.", "Correct what field names; the suggestion says how."},
	CodeInvalidDistribution:      {"What is known of an uncertain input is no distribution: its width is not above zero, for example.", "Correct what field names."},
	CodeInvalidCorrelation:       {"No inputs have these correlations: the matrix that they make is not positive definite, or an input is not normal.", "Change the coefficients. Only normal inputs are drawn together."},
	CodeNoBracket:                {"The output is on the same side of the goal at both ends of the bracket, so nothing says that the goal lies between them.", "Send ends between which the output passes the goal. A sweep shows where it does."},
	CodeGoalJumped:               {"The output jumps over the goal from one number to the next: no input gives it.", "Choose another goal, or another model of the calculation."},
	CodeNoDerivative:             {"The calculation is rejected on both sides of an input, however near, so there is no derivative.", "Change the input that field names, or leave it out of the study."},
	CodeNoNumber:                 {"The result has no number for an output that is studied.", "Study another output, or other inputs."},
	CodeAllRejected:              {"Every calculation of a study was rejected.", "Study another region; detail has the first rejection, and field the input."},
	CodeStudyTooLarge:            {"A study makes more calculations than the limit of calls allows within 60 seconds. Every 1,000 calculations are a call.", "Take fewer draws or points, or ask those who run the service for a higher limit."},
	CodeBadRequest:               {"The request is not HTTP as the service understands it: a broken escape in the address, no Host, two of them, or lengths that differ.", "Correct what detail names."},
	CodeHeadersTooLarge:          {"The header fields of the request have more than 16 KiB.", "Send fewer and shorter ones."},
	CodeTransferEncoding:         {"The body comes in a transfer encoding other than chunked.", "Send it with a Content-Length, or in chunks."},
	CodeExpectationFailed:        {"The request expects something other than 100-continue.", "Leave the Expect header out."},
	CodeHTTPVersion:              {"The request is of a version of HTTP that is not spoken here.", "Speak HTTP/1.1."},
	CodeInternalError:            {"The service failed; the request was not at fault.", "Try again. If it fails again, report it with the X-Request-Id of the answer."},
}

// overMCP holds the cause and the remedy of codes that only MCP sends.
var overMCP = map[string][2]string{
	CodeCapabilityNotFound: {"No capability and no tool has the id that was sent over MCP.", "Use one of acceptable_ids, nearest first, or search_capabilities."},
	CodeInvalidArgument:    {"An argument of a tool has another type than the tool's input schema gives, or is a cursor that belongs to no search.", "Send what the input schema of the tool says; field names the argument."},
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
		texts = [2]string{
			"The inputs are outside what the calculation is defined for: " + strings.ToLower(k.title) + ".",
			"Change the input that field names; detail and suggestion say how.",
		}
	}
	return Doc{code, KindError, k.title, k.status, k.recoverable, texts[0], texts[1], declaredBy}
}
