package versions

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxConflictPins is how many pins a ConflictError holds at most, so that a
// request with thousands of pins does not get them all back.
const MaxConflictPins = 16

// InvalidPinError is a pin that is not a string with something in it
// (INVALID_VERSION_PIN).
type InvalidPinError struct {
	Pin Pin
}

// Error says where the pin stands, what was found, and what to send.
func (e *InvalidPinError) Error() string { return e.Detail() + "; " + e.advice() }

// Detail says where the pin stands, and what was found.
func (e *InvalidPinError) Detail() string {
	return fmt.Sprintf("%s: found %s, expected a version", e.Pin.Where(), describe(e.Pin.Value))
}

// Advice says what to send, in a sentence.
func (e *InvalidPinError) Advice() string { return sentence(e.advice()) }

func (e *InvalidPinError) advice() string {
	return "send a version such as \"1.0.0\" or leave the pin out"
}

// sentence begins an advice with a capital and ends it.
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

// ConflictError is a request whose pins differ (VERSION_PIN_CONFLICT). Pins
// holds the first MaxConflictPins of them, two that differ among them.
type ConflictError struct {
	Pins []Pin
}

// Error lists the pins with their places and says how to settle them.
func (e *ConflictError) Error() string { return e.Detail() + "; " + e.advice() }

// Advice says how to settle the pins, in a sentence.
func (e *ConflictError) Advice() string { return sentence(e.advice()) }

func (e *ConflictError) advice() string {
	return "send the same version in every place, or in one only"
}

// Detail lists the pins with their places.
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

// MismatchError is a version that is not published (VERSION_MISMATCH), or with
// an empty Requested, a capability without a current version.
type MismatchError struct {
	Requested string
	Current   string
	Available []string // newest first
}

// Error says what was asked for, what there is, and what to send.
func (e *MismatchError) Error() string { return e.Detail() + "; " + e.advice() }

// Detail says what was asked for and is not there.
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

// Advice says what to send, in a sentence.
func (e *MismatchError) Advice() string { return sentence(e.advice()) }

func (e *MismatchError) advice() string {
	switch {
	case len(e.Available) == 0:
		return "ask again when a version is published"
	case e.Requested != "" && e.Current != "":
		return "pin exactly one of " + e.sample() + ", or leave the pin out for " + e.Current
	}
	return "pin exactly one of " + e.sample()
}

// sampleSize is how many available versions an error text names.
const sampleSize = 5

func (e *MismatchError) sample() string {
	if more := len(e.Available) - sampleSize; more > 0 {
		return fmt.Sprintf("%s (and %d older)", strings.Join(e.Available[:sampleSize], ", "), more)
	}
	return strings.Join(e.Available, ", ")
}

// maxQuoted bounds what an error text repeats of a pin.
const maxQuoted = 64

// quote quotes a pin in ASCII, so that look-alikes such as a fullwidth digit
// show, and cuts it when it is long.
func quote(s string) string {
	if len(s) <= maxQuoted {
		return strconv.QuoteToASCII(s)
	}
	return strconv.QuoteToASCII(s[:maxQuoted]) + fmt.Sprintf("... (%d bytes)", len(s))
}
