package versions

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxConflictPins is the largest number of pins in a ConflictError. Without this bound, the
// answer to a request with thousands of pins would list them all.
const MaxConflictPins = 16

// InvalidPinError reports a pin that is blank or not a string
// (INVALID_VERSION_PIN).
type InvalidPinError struct {
	Pin Pin
}

// Error describes the position of the pin, its value, and what to send.
func (e *InvalidPinError) Error() string { return e.Detail() + "; " + e.advice() }

// Detail describes the position of the pin and its value.
func (e *InvalidPinError) Detail() string {
	return fmt.Sprintf("%s: found %s, expected a version", e.Pin.Where(), describe(e.Pin.Value))
}

// Advice returns a sentence that explains which pin to send.
func (e *InvalidPinError) Advice() string { return sentence(e.advice()) }

func (e *InvalidPinError) advice() string {
	return "give a version such as \"1.0.0\" or leave the pin out"
}

// sentence turns a clause into a sentence, with a capital and a period.
func sentence(advice string) string { return strings.ToUpper(advice[:1]) + advice[1:] + "." }

func describe(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case float64:
		return "a number"
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	case string:
		if v == "" {
			return "an empty string"
		}
		return "a blank string"
	default:
		return "a value that is not a string"
	}
}

// ConflictError reports a request with different pins (VERSION_PIN_CONFLICT). It has at most
// MaxConflictPins of them; at least two of these differ.
type ConflictError struct {
	Pins []Pin
}

// Error lists the pins with their positions and explains how to resolve the
// conflict.
func (e *ConflictError) Error() string { return e.Detail() + "; " + e.advice() }

// Advice returns a sentence that explains how to resolve the conflict.
func (e *ConflictError) Advice() string { return sentence(e.advice()) }

func (e *ConflictError) advice() string {
	return "give the same version in every place, or in one only"
}

// Detail lists the pins with their positions.
func (e *ConflictError) Detail() string {
	var b strings.Builder
	b.WriteString("version pins disagree: ")
	for i, pin := range e.Pins {
		if i > 0 {
			b.WriteString(", ")
		}
		value, _ := pin.text()
		fmt.Fprintf(&b, "%s %s", pin.Where(), quote(value))
	}
	return b.String()
}

// MismatchError reports a requested version that is not published
// (VERSION_MISMATCH). If Requested is empty, it reports a capability without a
// current version.
type MismatchError struct {
	Requested string
	Current   string   // "" if no version is current
	Available []string // newest first
}

// Error describes the requested version and the available ones, and gives advice.
func (e *MismatchError) Error() string { return e.Detail() + "; " + e.advice() }

// Detail describes the missing version.
func (e *MismatchError) Detail() string {
	what := "version " + quote(e.Requested) + " is not published"
	if e.Requested == "" {
		what = "no version is current"
	}
	if len(e.Available) == 0 {
		what += ", and no version can be pinned"
	}
	return what
}

// Advice returns a sentence that explains which pin to send.
func (e *MismatchError) Advice() string { return sentence(e.advice()) }

func (e *MismatchError) advice() string {
	switch {
	case len(e.Available) == 0:
		return "ask again when a version is published"
	case e.Requested != "" && len(e.Available) == 1 && e.Available[0] == e.Current:
		return "leave the pin out, or pin " + e.Current
	case e.Requested != "" && e.Current != "":
		return "leave the pin out for " + e.Current + ", or pin exactly one of " + e.sample()
	}
	return "pin exactly one of " + e.sample()
}

// sampleSize is the largest number of available versions in an error text.
const sampleSize = 5

func (e *MismatchError) sample() string {
	if more := len(e.Available) - sampleSize; more > 0 {
		return fmt.Sprintf("%s (and %d older)", strings.Join(e.Available[:sampleSize], ", "), more)
	}
	return strings.Join(e.Available, ", ")
}

// maxQuoted is the largest number of bytes of a pin in an error text.
const maxQuoted = 64

// quote quotes a pin in ASCII, so that look-alikes such as a fullwidth digit are visible. It
// cuts long pins.
func quote(s string) string {
	if len(s) <= maxQuoted {
		return strconv.QuoteToASCII(s)
	}
	return strconv.QuoteToASCII(s[:maxQuoted]) + fmt.Sprintf("... (%d bytes)", len(s))
}
