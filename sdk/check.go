package sdk

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/slipstick/slipstick/sdk/value"
)

// Bounds on the texts of an answer.
const (
	MaxNotes = 32      // warnings of a result, assumptions of one, and invalid parameters of a rejection
	MaxText  = 4 << 10 // bytes of one text, in UTF-8

	// MaxDecimal is the length of the longest number that counts digit by digit: a decimal
	// string, or a number whose unit is converted exactly.
	MaxDecimal = 400
)

// CheckOutcome returns an error unless o is a legal answer of an engine with this Spec to the
// inputs sent. Every required output must be present, every value must have its declared type,
// numbers must be finite and enums legal. The Outcome must have all sent inputs unchanged.
// Formula and warnings must be declared, and all notes within their bounds.
func (s *Spec) CheckOutcome(sent value.Values, o Outcome) error {
	if err := CheckValues(s.Outputs, o.Result); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	if err := checkEcho(s, sent, o.Inputs); err != nil {
		return fmt.Errorf("inputs: %w", err)
	}
	if o.Formula != "" && s.Formula(o.Formula) < 0 {
		return fmt.Errorf("formula %.80q is not declared", o.Formula)
	}
	if len(o.Assumptions) > MaxNotes || len(o.Warnings) > MaxNotes {
		return fmt.Errorf("%d assumptions and %d warnings: at most %d each", len(o.Assumptions), len(o.Warnings), MaxNotes)
	}
	for _, a := range o.Assumptions {
		if err := checkText(a); err != nil {
			return fmt.Errorf("assumption: %w", err)
		}
	}
	for _, w := range o.Warnings {
		if err := checkWarning(s, w); err != nil {
			return fmt.Errorf("warning: %w", err)
		}
	}
	return nil
}

func checkEcho(s *Spec, sent, echoed value.Values) error {
	if len(echoed) != len(s.Inputs) {
		return fmt.Errorf("%d values for %d fields", len(echoed), len(s.Inputs))
	}
	for i := range echoed {
		f, v := &s.Inputs[i], &echoed[i]
		if i < len(sent) && sent[i].Kind() != value.Absent && !equal(&sent[i], v) {
			return fmt.Errorf("%s was sent and came back changed", f.Name)
		}
		if err := checkValue(f, v); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// equal is [value.Value.Equal], and faster for numbers.
func equal(v, w *value.Value) bool {
	if v.Kind() == value.Number && w.Kind() == value.Number {
		return v.Number() == w.Number()
	}
	return v.Equal(*w)
}

func checkWarning(s *Spec, w Warning) error {
	if !s.MayWarn(w.Code) {
		return fmt.Errorf("code %.80q is not declared", w.Code)
	}
	if w.Severity != Info && w.Severity != Caution && w.Severity != Critical {
		return fmt.Errorf("%s has the unknown severity %.80q: %s, %s and %s are known", w.Code, w.Severity, Info, Caution, Critical)
	}
	return errors.Join(checkText(w.Detail), checkText(w.Suggestion))
}

// CheckRejection returns an error unless e is a legal rejection by an engine with this Spec.
// The code must be declared, the field known, and all texts within their bounds.
func (s *Spec) CheckRejection(e *Error) error {
	if !s.MayReject(e.Code) {
		return fmt.Errorf("error code %.80q is not declared", e.Code)
	}
	if e.Field != "" && !hasField(s, e.Field) {
		return fmt.Errorf("%s names the unknown field %.80q", e.Code, e.Field)
	}
	if len(e.Invalid) > MaxNotes {
		return fmt.Errorf("%s lists %d invalid parameters: at most %d", e.Code, len(e.Invalid), MaxNotes)
	}
	errs := []error{checkText(e.Detail), checkText(e.Suggestion)}
	for _, p := range e.Invalid {
		errs = append(errs, checkText(p.Name), checkText(p.Constraint))
	}
	return errors.Join(errs...)
}

func hasField(s *Spec, name string) bool {
	return slices.ContainsFunc(slices.Concat(s.Inputs, s.Outputs), func(f Field) bool { return f.Name == name })
}

func checkText(s string) error {
	if len(s) > MaxText {
		return fmt.Errorf("text of %d bytes: at most %d", len(s), MaxText)
	}
	if !utf8.ValidString(s) {
		return errors.New("text is not valid UTF-8")
	}
	return nil
}

// CheckValues returns an error unless values has one legal Value per field, and no required
// one is absent.
func CheckValues(fields []Field, values value.Values) error {
	if len(values) != len(fields) {
		return fmt.Errorf("%d values for %d fields", len(values), len(fields))
	}
	for i := range values {
		f, v := &fields[i], &values[i]
		if f.Required && v.Kind() == value.Absent {
			return fmt.Errorf("%s is missing", f.Name)
		}
		if err := checkValue(f, v); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// maxLiteral is the length of the longest decimal literal.
const maxLiteral = 1000 // a converted literal is longer than any sent one

// isLiteral reports whether the text is a number in the grammar of JSON.
func isLiteral(text string) bool {
	text = strings.TrimPrefix(text, "-")
	if strings.HasPrefix(text, "0") {
		text = text[1:]
	} else if !skipDigits(&text) {
		return false
	}
	if strings.HasPrefix(text, ".") {
		text = text[1:]
		if !skipDigits(&text) {
			return false
		}
	}
	if strings.HasPrefix(text, "e") || strings.HasPrefix(text, "E") {
		text = text[1:]
		if strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-") {
			text = text[1:]
		}
		if !skipDigits(&text) {
			return false
		}
	}
	return text == ""
}

// skipDigits removes the digits at the start of the text, and reports whether there were any.
func skipDigits(text *string) bool {
	rest := strings.TrimLeft(*text, "0123456789")
	some := len(rest) < len(*text)
	*text = rest
	return some
}

func checkValue(f *Field, v *value.Value) error {
	switch kind := v.Kind(); {
	case kind == value.Absent:
		return nil
	case kind == value.Number && f.Type == TypeNumber && math.Abs(v.Number()) <= math.MaxFloat64:
		return nil // the usual case
	case f.Decimal && v.Kind() == value.Exact:
		if _, err := parseFinite(v.Text()); err != nil || len(v.Text()) > maxLiteral || !isLiteral(v.Text()) {
			return fmt.Errorf("%.80q is not a finite decimal literal", v.Text())
		}
	case f.Type == TypeNumber && v.Kind() == value.Number, f.Type == TypeInteger && v.Kind() == value.Number:
		if math.IsNaN(v.Number()) || math.IsInf(v.Number(), 0) {
			return fmt.Errorf("%v is not finite", v.Number())
		}
		if f.Type == TypeInteger && v.Number() != math.Trunc(v.Number()) {
			return fmt.Errorf("%v is not an integer", v.Number())
		}
	case f.Type == TypeBoolean && v.Kind() == value.Bool:
	case f.Type == TypeString && v.Kind() == value.Text:
		if len(f.Enum) > 0 && !slices.Contains(f.Enum, v.Text()) {
			return fmt.Errorf("%.80q is not one of %v", v.Text(), f.Enum)
		}
		return checkText(v.Text())
	case f.Type == TypeArray && v.Kind() == value.List:
		items := v.Items()
		for i := range items {
			if items[i].Kind() == value.Absent {
				return fmt.Errorf("item %d is missing", i)
			}
			if err := checkValue(f.Items, &items[i]); err != nil {
				return fmt.Errorf("item %d: %w", i, err)
			}
		}
	case f.Type == TypeObject && v.Kind() == value.Record:
		return CheckValues(f.Fields, v.Items())
	default:
		return fmt.Errorf("%v where a %s belongs", v.Kind(), f.Type)
	}
	return nil
}
