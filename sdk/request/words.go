package request

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/spelling"
	"github.com/slipstick/slipstick/sdk/units"
)

// Namer returns the names in texts about faults. For example, a page uses labels instead of
// names in JSON.
type Namer interface {
	Place(f *Fault) string         // the value at fault
	Field(field *sdk.Field) string // an input, or a member of one
	Choice(value string) string    // one value of an enum
}

// AsSent is the Namer for callers who send JSON: everything has the name that JSON uses.
var AsSent Namer = asSent{}

type asSent struct{}

func (asSent) Place(f *Fault) string         { return f.Place() }
func (asSent) Field(field *sdk.Field) string { return field.Name }
func (asSent) Choice(value string) string    { return value }

// words are the texts for each kind of fault.
var words = [kinds]struct {
	code   string
	labels bool // in a detail, the constraint follows the place and a colon
	// constraint describes what is wrong, and remedy what to do about it.
	constraint, remedy func(f *Fault, n Namer) string
}{
	Unknown: {CodeUnknownInput, false, func(f *Fault, _ Namer) string {
		return fmt.Sprintf("%q is not an input of this calculation", f.Got)
	}, suggestInput},
	Conflict: {sdk.CodeConflictingInputs, false, func(f *Fault, _ Namer) string {
		return strings.Join(f.Names, " and ") + " name the same input and differ"
	}, sendOnce},
	Repeated: {sdk.CodeConflictingInputs, false, func(f *Fault, n Namer) string {
		return n.Place(f) + "." + n.Field(f.Field) + " is sent twice"
	}, sendOnce},
	Missing: {sdk.CodeMissingRequiredInput, false, func(f *Fault, n Namer) string {
		if f.Field.Unit == "" || len(f.Path) > 0 {
			return n.Place(f) + " is required"
		}
		return n.Place(f) + " (" + formula.FormatUnit(f.Field.Unit) + ") is required"
	}, func(f *Fault, n Namer) string {
		if len(f.Field.Aliases) == 0 || len(f.Path) > 0 {
			return "Give " + n.Place(f) + "."
		}
		return fmt.Sprintf("Give %s (or %s).", n.Place(f), strings.Join(f.Field.Aliases, ", "))
	}},
	WrongType: {CodeInvalidNumber, true, func(f *Fault, _ Namer) string {
		return fmt.Sprintf("must be %s; %s was sent", typeWords[f.Field.Type], f.Got)
	}, sendExpected},
	QuotedNumber: {CodeInvalidNumber, true, func(*Fault, Namer) string {
		return "must be a number; a string was sent"
	}, func(f *Fault, _ Namer) string {
		return "Give the number without quotes: " + f.Got + "."
	}},
	NotQuantity: {CodeInvalidNumber, true, func(*Fault, Namer) string {
		return `must be a number, or an object with exactly "value" and "unit"`
	}, sendExpected},
	NotChoice: {CodeInvalidMode, false, func(f *Fault, n Namer) string {
		return fmt.Sprintf("%s %q is not one of %s", n.Field(f.Field), f.Got, choices(f.Field, n))
	}, suggestChoice},
	ChoiceNotText: {CodeInvalidMode, false, func(f *Fault, n Namer) string {
		return n.Field(f.Field) + " must be one of " + choices(f.Field, n)
	}, func(*Fault, Namer) string { return "Give one of them as a string." }},
	TooLong: {CodeInvalidNumber, true, func(f *Fault, _ Namer) string {
		return fmt.Sprintf("has %s bytes; at most %d are allowed", f.Got, sdk.MaxText)
	}, sendExpected},
	TooManyDigits: {CodeInvalidNumber, true, func(f *Fault, _ Namer) string {
		return fmt.Sprintf("has %s characters; at most %d count digit by digit", f.Got, sdk.MaxDecimal)
	}, func(*Fault, Namer) string { return "Give fewer digits." }},
	NotDecimal: {CodeInvalidNumber, true, func(f *Fault, _ Namer) string {
		return fmt.Sprintf("%q is not a decimal literal", f.Got)
	}, sendExpected},
	NotNumber: {CodeInvalidNumber, true, func(f *Fault, _ Namer) string {
		return f.Got + " is not a number"
	}, sendExpected},
	NotInteger: {CodeInvalidNumber, true, func(f *Fault, _ Namer) string {
		return f.Got + " is not an integer that binary64 holds exactly"
	}, sendExpected},
	NotIntegerInUnit: {CodeInvalidNumber, true, func(f *Fault, _ Namer) string {
		return f.Got + " " + formula.FormatUnit(f.Unit) + " is not an integer in " + formula.FormatUnit(f.Field.Unit)
	}, sendExpected},
	Underflow: {CodeNumericUnderflow, true, func(f *Fault, _ Namer) string {
		return f.Got + " is not zero but would become zero as a binary64 number"
	}, func(f *Fault, _ Namer) string {
		if f.TakesZero() {
			return "Give 0 if zero is meant, or a larger magnitude."
		}
		return "Give a larger magnitude."
	}},
	Overflow: {sdk.CodeNonFiniteResult, true, func(f *Fault, _ Namer) string {
		return f.Got + " is beyond the range of binary64 numbers"
	}, func(*Fault, Namer) string { return "Give a magnitude below 1.8e308." }},
	UnknownUnit: {CodeUnknownUnit, true, func(f *Fault, _ Namer) string {
		return fmt.Sprintf("unknown unit %q", f.Unit)
	}, suggestUnit},
	IncompatibleUnit: {CodeIncompatibleUnit, true, func(f *Fault, _ Namer) string {
		return f.Unit + " cannot be converted to " + quantityOf(f.Field)
	}, suggestUnit},
}

// Constraint describes the mistake, for readers who see which input the text is about.
func (f *Fault) Constraint(n Namer) string { return words[f.Kind].constraint(f, n) }

// Detail describes the mistake and names the input. It is a clause without a capital and
// without a period.
func (f *Fault) Detail(n Namer) string {
	if words[f.Kind].labels {
		return n.Place(f) + ": " + f.Constraint(n)
	}
	return f.Constraint(n)
}

// Suggestion returns a sentence with advice about the fault.
func (f *Fault) Suggestion(n Namer) string { return words[f.Kind].remedy(f, n) }

// typeWords has the types of fields in words.
var typeWords = map[sdk.Type]string{
	sdk.TypeNumber: "a number", sdk.TypeInteger: "a number", sdk.TypeString: "a string",
	sdk.TypeBoolean: "true or false", sdk.TypeArray: "an array", sdk.TypeObject: "an object",
}

func sendExpected(f *Fault, n Namer) string {
	return "Give " + n.Place(f) + " as " + f.Field.Expects() + "."
}

func sendOnce(f *Fault, n Namer) string { return "Give " + n.Field(f.Field) + " once." }

func choices(f *sdk.Field, n Namer) string {
	list := make([]string, len(f.Enum))
	for i, value := range f.Enum {
		list[i] = n.Choice(value)
	}
	return strings.Join(list, ", ")
}

// suggestInput suggests the known input that was probably meant, or lists all inputs.
func suggestInput(f *Fault, n Namer) string {
	if guess, ok := spelling.Guess(f.Got, Names(f.Known)); ok {
		return "Did you mean " + guess + "?"
	}
	var names []string
	for i := range f.Known {
		names = append(names, n.Field(&f.Known[i]))
	}
	return "The inputs are " + strings.Join(names, ", ") + "."
}

// Names returns the names of the fields, each followed by its aliases.
func Names(fields []sdk.Field) []string {
	var names []string
	for i := range fields {
		names = append(append(names, fields[i].Name), fields[i].Aliases...)
	}
	return names
}

func quantityOf(f *sdk.Field) string {
	own, ok := units.Lookup(f.Unit)
	switch {
	case f.Unit == "":
		return "a dimensionless number"
	case !ok:
		return "a number in " + formula.FormatUnit(f.Unit)
	case f.Difference:
		own = own.Difference()
	}
	return strings.ReplaceAll(own.Quantity, "_", " ") + " in " + formula.FormatUnit(f.Unit)
}

// suggestChoice suggests the choice that was probably meant, or lists all of them.
func suggestChoice(f *Fault, n Namer) string {
	if of := unitsAmong(f.Field.Enum); len(of) > 0 && len(of) == len(f.Field.Enum) {
		if u, ok := units.Respelled(f.Got, of); ok {
			return "Did you mean " + n.Choice(u.ID) + "?"
		}
	} else if guess, ok := spelling.Guess(f.Got, f.Field.Enum); ok {
		return "Did you mean " + n.Choice(guess) + "?"
	}
	return "Give one of " + choices(f.Field, n) + "."
}

func unitsAmong(texts []string) []units.Unit {
	var of []units.Unit
	for _, text := range texts {
		if u, ok := units.Lookup(text); ok {
			of = append(of, u)
		}
	}
	return of
}

// suggestUnit suggests a unit of the field's quantity.
func suggestUnit(f *Fault, _ Namer) string {
	switch {
	case f.Field.Unit == "" && f.Field.UnitBy != nil:
		return "Give a bare number: the unit of this input is " + f.Field.UnitBy.String() + "."
	case f.Field.Unit == "":
		return "Give a bare number: this input has no unit."
	}
	own, ok := units.Lookup(f.Field.Unit)
	if !ok {
		return "Give a bare number in " + formula.FormatUnit(f.Field.Unit) + "."
	}
	if advice, ok := adviseUnit(f.Unit, own.Quantity); ok {
		return advice
	}
	return "Use one of " + list(own.Quantity) + ", or a bare number in " + formula.FormatUnit(f.Field.Unit) + "."
}

// SuggestUnit returns a sentence that suggests a unit of a quantity instead of a text that is
// not one.
func SuggestUnit(text, quantity string) string {
	if advice, ok := adviseUnit(text, quantity); ok {
		return advice
	}
	return "Use one of " + list(quantity) + "."
}

// adviseUnit explains a text that is nearly a unit of the quantity. It suggests no unit of
// another size.
func adviseUnit(text, quantity string) (advice string, ok bool) {
	if ids := units.Unclear(text, quantity); ids != nil {
		return fmt.Sprintf("%s does not decide the unit. Use one of %s.", Clip(text), shown(ids)), true
	}
	if _, known := units.Lookup(text); known {
		return "", false // it is a unit of another quantity
	}
	if u, ok := units.Respelled(text, units.Of(quantity)); ok {
		return "Did you mean " + formula.FormatUnit(u.ID) + "?", true
	}
	u, absolute, isPressure := units.Gauge(text)
	switch {
	case !isPressure || quantity != u.Quantity:
		return "", false
	case absolute:
		return "Give " + formula.FormatUnit(u.ID) + " if this input is an absolute pressure.", true
	}
	atmosphere, _ := units.Lookup("atm")
	one, _ := units.Convert(big.NewRat(1, 1), atmosphere, u).Float64()
	name := formula.FormatUnit(u.ID)
	return fmt.Sprintf("Gauge pressure is relative to the pressure of the atmosphere. If this input is an absolute pressure, add the atmosphere (%.6g %s as standard) and give %s. If it is a difference of pressures, give %s.",
		one, name, name, name), true
}

// maxListed is the largest number of units in a suggestion.
const maxListed = 24

func list(quantity string) string {
	var ids []string
	for i, u := range units.Of(quantity) {
		if i == maxListed {
			ids = append(ids, "...")
			break
		}
		ids = append(ids, u.ID)
	}
	return shown(ids)
}

// shown lists units as people write them. [formula.ReadUnit] reads each.
func shown(ids []string) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = formula.FormatUnit(id)
	}
	return strings.Join(texts, ", ")
}
