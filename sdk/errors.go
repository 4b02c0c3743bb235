package sdk

import "fmt"

// Codes of section 7.3 of the interface that engines return; package request has those of
// requests that cannot be read. Clients treat a code as stable. Domain codes of single
// engines are not listed here: each is declared by the Spec of its engine.
const (
	CodeMissingRequiredInput = "MISSING_REQUIRED_INPUT"
	CodeUndefined            = "UNDEFINED"
	CodeNonFiniteResult      = "NON_FINITE_RESULT"
	CodeConflictingInputs    = "CONFLICTING_INPUTS"
)

// Codes of warnings that any engine may give without declaring them.
const (
	WarnResultUnderflow = "RESULT_UNDERFLOW" // a nonzero result rounded to zero
	WarnResultSubnormal = "RESULT_SUBNORMAL" // a result with reduced relative precision
)

// Error is a fault of the caller: the request can be corrected. Any other error
// that an engine returns is a fault of the service. The text of an Error is sent
// to the caller.
type Error struct {
	Code       string             // stable machine code; the contract
	Field      string             // canonical name of the offending field, "" if none
	Detail     string             // what is wrong
	Suggestion string             // what to do about it
	Invalid    []InvalidParameter // every failure of the same stage, in order
}

// InvalidParameter is one failed field of an Error. Name is the bare field name.
type InvalidParameter struct {
	Name       string
	Constraint string
}

// Reject returns an Error for one field. The detail is formatted as by Sprintf.
func Reject(code, field, format string, args ...any) *Error {
	return &Error{Code: code, Field: field, Detail: fmt.Sprintf(format, args...)}
}

// Missing returns the MISSING_REQUIRED_INPUT error for a field that other inputs
// make necessary.
func Missing(field, format string, args ...any) *Error {
	e := Reject(CodeMissingRequiredInput, field, format, args...)
	e.Suggestion = "Send " + field + "."
	return e
}

// Conflict returns the CONFLICTING_INPUTS error for a field that must not stand
// beside other inputs.
func Conflict(field, format string, args ...any) *Error {
	return Reject(CodeConflictingInputs, field, format, args...)
}

// Suggest sets the suggestion and returns e.
func (e *Error) Suggest(suggestion string) *Error {
	e.Suggestion = suggestion
	return e
}

// Error implements error.
func (e *Error) Error() string {
	if e.Field == "" {
		return e.Code + ": " + e.Detail
	}
	return e.Code + " (" + e.Field + "): " + e.Detail
}
