// Package versions determines which version of a calculation a request means. A request can pin a
// version in several places, such as a header and its body. Collect them as [Pin] values, for
// example with [Header]. [Agree] reduces the pins to one version, and [Resolve] looks that version
// up among the published ones. Their errors have types of their own, with a method Advice that
// explains what to send.
//
// [Parse] reads a version, [Newest] sorts versions, and [Compatible] compares the promises of two.
// Pins and versions are compared byte for byte and never converted, so "1.0" never means 1.0.0
// (spec 9).
package versions

import "strings"

// HeaderName is the request header that pins a calculation version.
const HeaderName = "Service-Spec-Version"

// PinName is the member, parameter or argument that pins a calculation version.
const PinName = "calculation_version"

// Place is the part of a request that carries a pin.
type Place string

// The places of a pin.
const (
	InHeader   Place = "header"
	InBody     Place = "body"
	InQuery    Place = "query"
	InForm     Place = "form"
	InArgument Place = "argument" // an argument of an MCP tool
	InAddress  Place = "address"  // the path of a URL
	InSnapshot Place = "snapshot"
	InCommand  Place = "command" // a flag of the command line
	InColumn   Place = "column"  // of a row of a table
	InTable    Place = "table"   // default of the table, for rows without a pin
)

// Pin is a version that a request asks for, together with its position in the request.
type Pin struct {
	Place Place
	Name  string // header, member or flag; empty if the place can carry only one pin
	Value any    // as received; Agree refuses everything but a string that is not blank
	Means Meaning
}

// Meaning is how to read the value of a pin.
type Meaning string

// The meanings.
const (
	Exactly Meaning = ""      // a version
	AsOf    Meaning = "as of" // a time: the version that was current at that time, see SplitTimes
)

// Where describes the position of the pin, such as "header Service-Spec-Version"
// or "body inputs.calculation_version". A flag is described by its name alone,
// such as "--pin".
func (p Pin) Where() string {
	switch {
	case p.Place == InCommand:
		return p.Name
	case p.Name == "":
		return string(p.Place)
	}
	return string(p.Place) + " " + p.Name
}

// text returns the pinned version. It reports false if the value is not a string
// or is blank.
func (p Pin) text() (string, bool) {
	s, ok := p.Value.(string)
	return s, ok && strings.TrimSpace(s) != ""
}

// Header returns the pins in the lines of the HeaderName header. Intermediaries may join lines
// with commas (RFC 9110, section 5.3). So every element of a line is a separate pin, without
// surrounding spaces and tabs. An empty line or element is a pin with the value "", which
// Agree refuses.
func Header(lines []string) []Pin {
	var pins []Pin
	for _, line := range lines {
		for element := range strings.SplitSeq(line, ",") {
			pins = append(pins, Pin{Place: InHeader, Name: HeaderName, Value: strings.Trim(element, " \t")})
		}
	}
	return pins
}

// Agree returns the one version that all pins ask for. Without pins it reports false. The
// error is an *InvalidPinError for the first pin that is blank or not a string. Otherwise it
// is a *ConflictError if two pins differ in any byte.
func Agree(pins []Pin) (version string, pinned bool, err error) {
	different := 0 // index of the first pin that differs from the first one; 0 if none does
	for i, pin := range pins {
		value, ok := pin.text()
		if !ok {
			return "", false, &InvalidPinError{Pin: pin}
		}
		if i == 0 {
			version = value
		} else if value != version && different == 0 {
			different = i
		}
	}
	if different > 0 {
		return "", false, &ConflictError{Pins: witnesses(pins, different)}
	}
	return version, len(pins) > 0, nil
}

// witnesses returns at most MaxConflictPins pins: the first ones, and always the pin at index
// different.
func witnesses(pins []Pin, different int) []Pin {
	shown := min(len(pins), MaxConflictPins)
	result := append([]Pin(nil), pins[:shown]...)
	if different >= shown {
		result[shown-1] = pins[different]
	}
	return result
}
