package versions

import (
	"fmt"
	"slices"
	"time"
)

// AsOfName is the member, parameter or argument that asks for the version that was current at
// a time.
const AsOfName = "as_of"

// InvalidTimeError reports a time of a pin that cannot be read (INVALID_AS_OF).
type InvalidTimeError struct{ Pin Pin }

// Error describes the position of the pin, its value, and what to send.
func (e *InvalidTimeError) Error() string { return e.Detail() + "; " + e.advice() }

// Detail describes the position of the pin and its value.
func (e *InvalidTimeError) Detail() string {
	found := describe(e.Pin.Value)
	if text, ok := e.Pin.text(); ok {
		found = quote(text)
	}
	return fmt.Sprintf("%s: found %s, expected a date or a time", e.Pin.Where(), found)
}

// Advice is a sentence that explains what to send.
func (e *InvalidTimeError) Advice() string { return sentence(e.advice()) }

func (e *InvalidTimeError) advice() string {
	return "give a date such as \"2026-03-01\", which means its beginning in UTC, or a time such as \"2026-03-01T12:00:00Z\""
}

// SplitTimes separates the pins that name a version from those that name a time.
func SplitTimes(pins []Pin) (exact, moments []Pin) {
	if !slices.ContainsFunc(pins, func(p Pin) bool { return p.Means == AsOf }) {
		return pins, nil
	}
	for _, p := range pins {
		if p.Means == AsOf {
			moments = append(moments, p)
		} else {
			exact = append(exact, p)
		}
	}
	return exact, moments
}

// AgreeOnTime returns the one time that all pins ask for, of which there must be one. The
// error is an *InvalidMomentError for the first that is no date and no time of RFC 3339;
// otherwise it is a *ConflictError if two differ.
func AgreeOnTime(pins []Pin) (at time.Time, err error) {
	for i, pin := range pins {
		text, _ := pin.text()
		one, err := time.Parse(time.RFC3339, text)
		if err != nil {
			one, err = time.Parse(time.DateOnly, text)
		}
		switch {
		case err != nil:
			return time.Time{}, &InvalidTimeError{Pin: pin}
		case i > 0 && !one.Equal(at):
			return time.Time{}, &ConflictError{Pins: witnesses(pins, i)}
		}
		at = one
	}
	return at, nil
}
