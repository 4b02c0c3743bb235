package typed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
)

// Problem is the reason why a text is not a value of its field.
type Problem int

// The problems of texts.
const (
	NotNumber      Problem = iota
	Ambiguous              // it has two readings, which are in Readings
	NoValue                // NA, or a dash
	CellError              // an error of a spreadsheet cell, such as #DIV/0!
	Date                   // 2024-01-05
	Range                  // 10-12
	Ratio                  // 12:30, a time or a ratio
	TwoSlashes             // 12/25/3, which is not a date
	LeadingZero            // 007 or 05; Readings has the number without the zeros
	NotWhole               // a fraction where whole numbers are expected
	Improper               // a mixed number with a fraction of 1 or more, such as 3-4/2
	FeetInches             // feet that are not whole, or inches of 12 or more
	Power                  // 10^3
	Hexadecimal            // 0x10
	Calculation            // arithmetic where numbers are expected; Readings has its result, if there is one
	NeedsBlanks            // arithmetic without blanks around its operators
	DividesByZero          //
	BeyondBinary64         // the result of arithmetic is too large or too small
	TooLong                // more than [MaxText] bytes, or arithmetic that is nested too deeply
	NotTruth               // neither true nor false
	MissingValue           // of a list or a row
	Heading                // a text in front of the values of a list
	MixedMarks             // decimals do not have the mark in Marks, or the mark of the other values
	NotJSON                // a list or an object that starts like JSON
	Inseparable            // a value of a row that contains a separator
)

// TextError describes why a text is not a value of its field.
type TextError struct {
	Problem  Problem
	Text     string
	Readings []string   // texts that would be accepted, and could be meant
	Field    *sdk.Field // of the text
	Path     []string   // to the text within a list or a row, such as 0, thickness
	Marks    Decimals   // the declared decimal mark
}

// Error implements error.
func (e *TextError) Error() string { return e.Detail() }

// Detail describes the problem in a clause for every reader.
func (e *TextError) Detail() string {
	text := "“" + request.Clip(strings.TrimSpace(e.Text)) + "”"
	switch e.Problem {
	case Ambiguous:
		readings := e.readings()
		last := len(readings) - 1
		return text + " has " + []string{"", "two", "three"}[min(last, 2)] + " readings, " + strings.Join(readings[:last], ", ") + " and " + readings[last]
	case NoValue:
		return text + " is not a value"
	case CellError:
		return text + " is an error of a spreadsheet"
	case Date:
		return text + " looks like a date"
	case Range:
		return text + " looks like a range"
	case Ratio:
		return text + " looks like a time or a ratio"
	case TwoSlashes:
		return text + " has two slashes"
	case LeadingZero:
		return text + " starts with a zero, as names and dates do"
	case NotWhole:
		return text + " is not a whole number"
	case Improper:
		return "the fraction in " + text + " is not below 1"
	case FeetInches:
		return text + " does not have whole feet and inches below 12"
	case Power:
		return text + " contains a power"
	case Hexadecimal:
		return text + " is hexadecimal"
	case Calculation:
		return text + " is a calculation, which only the fields of pages take"
	case NeedsBlanks:
		return text + " has a sign without blanks around it"
	case DividesByZero:
		return text + " divides by zero"
	case BeyondBinary64:
		return text + " is too large or too small to calculate with"
	case TooLong:
		return "this is too long for a number"
	case NotTruth:
		return text + " is neither true nor false"
	case MissingValue:
		return e.Text + " is missing"
	case Heading:
		return text + " in front of the values is not a number"
	case MixedMarks:
		if e.Marks == Either {
			return text + " has another mark before its decimals than other values"
		}
		return text + " is not written with decimal=" + string(e.Marks)
	case NotJSON:
		return text + " starts like JSON, and is not JSON"
	case Inseparable:
		return text + " contains a character that separates values"
	}
	return text + " is not a number"
}

// Remedy returns a sentence with the action to take.
func (e *TextError) Remedy() string {
	switch e.Problem {
	case Ambiguous:
		if slices.ContainsFunc(e.Readings, func(text string) bool { return request.Clip(text) != text }) {
			return "Write semicolons between the values."
		}
		return "Write " + strings.Join(e.readings(), ", or ") + "."
	case NoValue:
		return "Leave it empty, or write a number."
	case CellError:
		return "Correct the cell that it comes from."
	case DividesByZero:
		return "Divide by another number."
	case Date, Range, Ratio, Hexadecimal, BeyondBinary64:
		return e.orName("Write one number")
	case TwoSlashes, Improper:
		return "Write one fraction, such as 3/8, or a decimal."
	case LeadingZero:
		return e.orName("Write " + strings.Join(e.Readings, " or ") + " if a number is meant")
	case NotWhole:
		return e.orName("Write a whole number")
	case FeetInches:
		return `Write it such as 5' 3-1/2", or as a decimal.`
	case Power:
		return "Write 1e3 for 10^3, or a decimal."
	case Calculation:
		if len(e.Readings) > 0 {
			return "Write its result, " + e.Readings[0] + "."
		}
		return "Write its result."
	case NeedsBlanks:
		return "Write blanks around the signs of a calculation, such as 3 - 1."
	case TooLong:
		return fmt.Sprintf("Write at most %d characters, with few parentheses.", MaxText)
	case NotTruth:
		return "Write true or false."
	case MissingValue:
		return "Write a value between two separators, or leave one of them out."
	case Heading:
		if len(e.Path) > 1 {
			return "Leave it out." // a unit could be for one column or for all
		}
		return "Leave it out, or write a name with a unit, such as length [mm]."
	case MixedMarks:
		if e.Marks == Either {
			return "Write all decimals with a point, or all with a comma."
		}
		return "Write decimals as declared, or declare the other mark."
	case NotJSON:
		return "Write JSON such as [1, 2], or values such as 1; 2."
	case Inseparable:
		return "Write it without commas, semicolons and line ends, or send JSON."
	}
	if e.Field != nil && e.Field.Type == sdk.TypeInteger {
		return e.orName("Write a whole number")
	}
	return e.orName("Write it such as 0.35, 1200, 2.1e11 or 3/8")
}

// readings returns the texts that could be meant, with quotation marks around lists.
func (e *TextError) readings() []string {
	texts := slices.Clone(e.Readings)
	for i, text := range texts {
		text = request.Clip(text)
		if strings.ContainsAny(text, ",;") {
			text = "“" + text + "”"
		}
		texts[i] = text
	}
	return texts
}

// orName ends a sentence with the names that the field accepts instead of numbers.
func (e *TextError) orName(sentence string) string {
	if e.Field == nil || len(e.Field.Names) == 0 {
		return sentence + "."
	}
	var names []string
	for _, n := range e.Field.Names {
		names = append(names, n.Name)
	}
	return sentence + ", or one of " + strings.Join(names, ", ") + "."
}

// place returns the name of the input and the path within it, such as layers.0.thickness.
func (e *TextError) place(input string) string {
	return strings.Join(append([]string{input}, e.Path...), ".")
}

// rejection returns the error of an interface for a text of the input.
func (e *TextError) rejection(f *sdk.Field) *sdk.Error {
	return sdk.Reject(request.CodeInvalidNumber, f.Name, "%s: %s", e.place(f.Name), e.Detail()).Suggest(e.Remedy())
}
