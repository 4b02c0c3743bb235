package sdk

import "fmt"

// Codes of section 7.3 of the interface that engines return. Package request has the codes
// for requests that cannot be read. Clients rely on codes, so they never change. Domain codes
// are not listed here: each engine declares its own in its Spec.
const (
	CodeMissingRequiredInput = "MISSING_REQUIRED_INPUT" // inputs that were sent make another one necessary
	CodeUndefined            = "UNDEFINED"              // the inputs do not determine a result
	CodeNonFiniteResult      = "NON_FINITE_RESULT"      // the result is beyond binary64
	CodeConflictingInputs    = "CONFLICTING_INPUTS"     // inputs that must not be sent together
	CodeUndecided            = "UNDECIDED"              // no bounds of a comparison or a result were narrow enough
	CodeStepRejected         = "STEP_REJECTED"          // a step of a document rejects a value that is computed
)

// Codes of warnings that any engine may give without declaring them.
const (
	WarnResultUnderflow = "RESULT_UNDERFLOW" // a nonzero result rounded to zero
	WarnResultSubnormal = "RESULT_SUBNORMAL" // a result with reduced relative precision
)

// Error is a fault of the caller, who can correct the request. Any other error that an
// engine returns is a fault of the service. All texts of an Error are sent to the caller,
// so they name inputs and not internals.
type Error struct {
	Code       string             // stable machine code; the contract
	Field      string             // canonical name of the offending field, "" if none
	Detail     string             // what is wrong
	Suggestion string             // what to do about it
	Invalid    []InvalidParameter // every failure of the same validation stage, in order
}

// InvalidParameter is one failed field of an Error. Name is the bare field name, and Constraint is the rule
// that the value violates, such as "must be greater than 0".
type InvalidParameter struct {
	Name       string
	Constraint string
}

// Reject returns an Error about the input with the name field, or about none if it is
// "". The Spec must declare the code, see [Spec.MayReject]. The detail is formatted
// as by fmt.Sprintf. It is a clause without a capital and without a period. Add
// advice with [Error.Suggest].
func Reject(code, field, format string, args ...any) *Error {
	return &Error{Code: code, Field: field, Detail: fmt.Sprintf(format, args...)}
}

// Missing returns the MISSING_REQUIRED_INPUT error for a field that other inputs
// make necessary.
func Missing(field, format string, args ...any) *Error {
	e := Reject(CodeMissingRequiredInput, field, format, args...)
	e.Suggestion = "Give " + field + "."
	return e
}

// Conflict returns the CONFLICTING_INPUTS error for a field that must not be combined with
// other inputs.
func Conflict(field, format string, args ...any) *Error {
	return Reject(CodeConflictingInputs, field, format, args...)
}

// Suggest sets the suggestion, a sentence with advice, and returns e.
func (e *Error) Suggest(suggestion string) *Error {
	e.Suggestion = suggestion
	return e
}

// Error returns the code, the field and the detail in one line, without the suggestion.
func (e *Error) Error() string {
	if e.Field == "" {
		return e.Code + ": " + e.Detail
	}
	return e.Code + " (" + e.Field + "): " + e.Detail
}
