package request

import (
	"strings"

	"github.com/slipstick/slipstick/sdk"
)

// Kind is the way in which an input is wrong.
type Kind int

// The kinds of faults. Each comment ends with the fields of a Fault that are set in addition
// to Input and Field.
const (
	Unknown          Kind = iota // the Spec has no input of that name: Got, Known
	Conflict                     // sent under several names with different values: Names
	Repeated                     // a member of an object, the Field, is sent under two names
	Missing                      // required, and not sent
	WrongType                    // another JSON type: Got
	QuotedNumber                 // a number that is sent as a string: Got
	NotQuantity                  // an object that is not exactly a value and a unit
	NotChoice                    // a text that is not among the Field's choices: Got
	ChoiceNotText                // a choice that is not sent as a string
	TooLong                      // a text of too many bytes: Got is their number
	TooManyDigits                // an exact number of more than [sdk.MaxDecimal] characters: Got is how many
	NotDecimal                   // a text that is not a decimal literal: Got
	NotNumber                    // a literal that cannot be read exactly: Got
	NotInteger                   // a number that is not an integer, or too large for one: Got
	NotIntegerInUnit             // not an integer after the conversion: Got, Unit
	Underflow                    // a nonzero number that rounds to zero in binary64: Got
	Overflow                     // a number beyond the largest binary64: Got
	UnknownUnit                  // Unit is not in the table of units
	IncompatibleUnit             // Unit measures another quantity
	kinds
)

// Fault is a mistake in one input. It consists of facts; [Fault.Constraint], [Fault.Detail]
// and [Fault.Suggestion] describe them in words.
type Fault struct {
	Kind  Kind
	Input *sdk.Field  // nil for an input that the Spec does not have
	Path  []string    // steps from the input to the value at fault within it, such as 0, thickness
	Field *sdk.Field  // the field in the Spec at the end of the path
	Got   string      // the sent value, clipped
	Unit  string      // the sent unit of Got
	Names []string    // names under which the input was sent
	Known []sdk.Field // the known fields, if none of them has the name Got
}

// Code returns the error code of the fault.
func (f *Fault) Code() string { return words[f.Kind].code }

// Name returns the canonical name of the input, or the name that was sent if the Spec has no
// such input.
func (f *Fault) Name() string {
	if f.Input == nil {
		return f.Got
	}
	return f.Input.Name
}

// Place returns the name of the input and the path within it, such as "layers.0.thickness".
func (f *Fault) Place() string { return place(f.Name(), f.Path) }

func place(name string, path []string) string {
	if len(path) == 0 {
		return name
	}
	return name + "." + strings.Join(path, ".")
}

// TakesZero reports whether the field can be zero, as far as its range shows without other
// inputs.
func (f *Fault) TakesZero() bool {
	return f.Field == nil || f.Field.Range == nil || f.Field.Range.Contains(0)
}

// rejection returns the fault alone as an error of the interface.
func (f *Fault) rejection() *sdk.Error {
	return &sdk.Error{Code: f.Code(), Field: f.Name(), Detail: f.Detail(AsSent), Suggestion: f.Suggestion(AsSent)}
}

// Faults lists the mistakes in the inputs of a request. They are all faults of the first stage
// of [Read] that failed, at most [sdk.MaxNotes] and at least one.
//
// Faults is an error. errors.As finds an *sdk.Error in it.
type Faults []Fault

// Error returns the text of the rejection.
func (f Faults) Error() string { return f.Rejection().Error() }

// Unwrap returns the *sdk.Error.
func (f Faults) Unwrap() error { return f.Rejection() }

// Rejection returns the error that is sent to the caller: the first fault, and a list of all.
func (f Faults) Rejection() *sdk.Error {
	e := f[0].rejection()
	for i := range f {
		e.Invalid = append(e.Invalid, sdk.InvalidParameter{Name: f[i].Place(), Constraint: f[i].Detail(AsSent)})
	}
	return e
}
