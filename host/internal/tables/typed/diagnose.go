package typed

import (
	"regexp"
	"strings"

	"github.com/slipstick/slipstick/sdk"
)

// shapes are the forms of texts that contain numbers but are not a number. They only select the words
// of an error, after reading has failed. The first match counts.
var shapes = []struct {
	form *regexp.Regexp
	is   Problem
}{
	{regexp.MustCompile(`(?i)^(?:n\.?/?a\.?|nan|null|none|nil|tbd|unknown|-+|[–—]|\.+|\?+)$`), NoValue},
	{regexp.MustCompile(`^#[A-Z0-9/]+[!?]?$`), CellError},
	{regexp.MustCompile(`(?i)^[-+]?0x[0-9a-f]`), Hexadecimal},
	{regexp.MustCompile(`^[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}\b|^[0-9]{1,2}[-/.][0-9]{1,2}[-/.](?:[0-9]{2}|[0-9]{4})$|^0[0-9]?[-/][0-9]{1,2}$|^[0-9]{1,2}[-/]0[0-9]$`), Date},
	{regexp.MustCompile(`(?i)^(?:[0-9]{1,2}[-/ .])?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-/ .][0-9]{1,4}$|^[0-9]{1,2}[-/.](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*$`), Date},
	{regexp.MustCompile(`[0-9] ?:[ 0-9]`), Ratio},
	{regexp.MustCompile(`[0-9)] ?\^|[0-9][⁰¹²³⁴⁵⁶⁷⁸⁹⁻]`), Power},
	{regexp.MustCompile(`^[0-9.,]+[^-–—−/*()0-9]*(?:-|–|—|−|\.\.\.?|…| to )[0-9.,]+[^-–—−/*()0-9]*$|^[0-9.,]+[^-–—−/*()0-9]* [–—] [0-9.,]+|^[0-9.,]+ ?[^-–—−/*()0-9 ]+ - [0-9.,]+`), Range},
	{regexp.MustCompile(`^[0-9]+ ?/ ?[0-9]+ ?/ ?[0-9]+`), TwoSlashes},
}

var (
	// dashed is a mixed number that could also be a subtraction.
	dashed = regexp.MustCompile(`^([-+]?[1-9][0-9]*)(?: -|- |−|–)([1-9][0-9]?/[1-9][0-9]{0,2})( ?[^0-9/].*)?$`)
	marks  = regexp.MustCompile(`[0-9] *['"′″]`)
)

// diagnose returns the reason why a text is not a number. err is the reason found first, and number is
// the text before its unit.
func diagnose(f *sdk.Field, text, number string, level Level, err *TextError) *TextError {
	unit := strings.TrimPrefix(text, number)
	switch err.Problem {
	case NotNumber, NeedsBlanks, LeadingZero:
		for _, shape := range shapes {
			if shape.form.MatchString(text) {
				return &TextError{Problem: shape.is}
			}
		}
	}
	switch {
	case err.Problem == NotNumber || err.Problem == NeedsBlanks:
	default:
		for i := range err.Readings {
			err.Readings[i] += unit
		}
		return err
	}
	if parts := dashed.FindStringSubmatch(text); parts != nil {
		mixed, wrong := readNumber(f, parts[1]+" "+parts[2], level&CommaGroups)
		difference, wrong2 := arithmetic(parts[1]+" - "+parts[2], level)
		if wrong == nil && wrong2 == nil && mixed.Literal != difference.Literal {
			return &TextError{Problem: Ambiguous, Readings: []string{mixed.Literal + parts[3], difference.Literal + parts[3]}}
		}
	}
	if isLength(f) && marks.MatchString(text) {
		return &TextError{Problem: FeetInches}
	}
	if level&Arithmetic != 0 {
		return err
	}
	switch r, wrong := arithmetic(number, level); {
	case wrong == nil && strings.ContainsAny(number, "*()%+"):
		return &TextError{Problem: Calculation, Readings: []string{r.Literal + unit}}
	case wrong == nil || wrong.Problem == NeedsBlanks:
		return &TextError{Problem: Calculation} // it could be a range, so there is no result to suggest
	case wrong.Problem == Ambiguous:
		return &TextError{Problem: Calculation}
	}
	return err
}
