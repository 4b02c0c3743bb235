package versions

import (
	"fmt"
	"slices"
	"time"
)

// AsOfName is the member, parameter or argument that asks for the version that was current at
// a time.
const AsOfName = "as_of"

// InvalidTimeError reports a pin with a time that cannot be read (INVALID_AS_OF).
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

// Advice returns a sentence that explains what to send.
func (e *InvalidTimeError) Advice() string { return sentence(e.advice()) }

func (e *InvalidTimeError) advice() string {
	return "give a date such as \"2026-03-01\", which means its start in UTC, or a time such as \"2026-03-01T12:00:00Z\""
}

// SplitTimes separates the pins with a version from the pins with a time.
func SplitTimes(pins []Pin) (exact, times []Pin) {
	if !slices.ContainsFunc(pins, func(p Pin) bool { return p.Means == AsOf }) {
		return pins, nil
	}
	for _, p := range pins {
		if p.Means == AsOf {
			times = append(times, p)
		} else {
			exact = append(exact, p)
		}
	}
	return exact, times
}

// AgreeOnTime returns the one time that all pins ask for. There must be at least one pin. The
// error is an *InvalidTimeError for the first pin that is neither a date nor a time of RFC
// 3339. Otherwise it is a *ConflictError if two pins differ.
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
