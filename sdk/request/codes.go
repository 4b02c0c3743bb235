package request

// Codes of section 7.3 of the interface for requests that cannot be read. Clients treat a
// code as stable.
const (
	CodeInvalidNumber    = "INVALID_NUMBER"
	CodeInvalidMode      = "INVALID_MODE"
	CodeNumericUnderflow = "NUMERIC_UNDERFLOW"
	CodeUnknownInput     = "UNKNOWN_INPUT"
	CodeUnknownUnit      = "UNKNOWN_UNIT"
	CodeIncompatibleUnit = "INCOMPATIBLE_UNIT"
	CodeUnknownOutput    = "UNKNOWN_OUTPUT"
)
