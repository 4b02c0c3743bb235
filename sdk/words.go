package sdk

import (
	"strings"

	"github.com/slipstick/slipstick/sdk/formula"
)

// Words describes the interval in words, such as "greater than 0" or "at least 0 and at most
// length". It returns "" for an unbounded range. The function name returns the text for an
// input at which r ends; nil means its canonical name.
func (r *Range) Words(name func(input string) string) string {
	low, high := r.ends(name)
	above, below := "at least ", "at most "
	if r.MinOpen {
		above = "greater than "
	}
	if r.MaxOpen {
		below = "less than "
	}
	switch {
	case low != "" && high != "" && !r.MinOpen && !r.MaxOpen:
		return "between " + low + " and " + high
	case low != "" && high != "":
		return above + low + " and " + below + high
	case low != "":
		return above + low
	case high != "":
		return below + high
	}
	return ""
}

// ends returns the two ends as text, or "" for an unbounded end.
func (r *Range) ends(name func(string) string) (low, high string) {
	text := func(input string, number *float64) string {
		switch {
		case input != "" && name != nil:
			return name(input)
		case input != "":
			return input
		case number != nil:
			return formatShortest(*number)
		}
		return ""
	}
	return text(r.MinInput, r.Min), text(r.MaxInput, r.Max)
}

// Expects describes the legal values of f, such as "a number in m, greater than 0" or "one of
// dc, ac".
func (f *Field) Expects() string {
	var text string
	switch {
	case len(f.Enum) > 0:
		return "one of " + strings.Join(f.Enum, ", ")
	case f.Type == TypeInteger:
		text = "an integer"
	case f.Type == TypeNumber && f.Decimal:
		text = "a number, or a decimal string"
	case f.Type == TypeNumber:
		text = "a number"
	case f.Type == TypeString:
		return "a string"
	case f.Type == TypeBoolean:
		return "true or false"
	case f.Type == TypeArray:
		return "an array, each item " + f.Items.Expects()
	default:
		return "an object with " + strings.Join(fieldNames(f.Fields), ", ")
	}
	switch {
	case f.Unit != "" && f.Type == TypeNumber && f.Decimal:
		text += ", in " + formula.FormatUnit(f.Unit)
	case f.Unit != "":
		text += " in " + formula.FormatUnit(f.Unit)
	case f.UnitBy != nil:
		text += " in " + f.UnitBy.String()
	}
	if f.Range != nil {
		if words := f.Range.Words(nil); words != "" {
			text += ", " + words
		}
	}
	if len(f.Names) > 0 {
		names := make([]string, len(f.Names))
		for i, n := range f.Names {
			names[i] = n.Name
		}
		text += ", or one of the texts " + strings.Join(names, ", ")
	}
	return text
}

func fieldNames(fields []Field) []string {
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].Name
	}
	return names
}
