package page

import (
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// ReadQuery is what a query gives the Spec: the inputs as the API would be sent them, the
// query that says the same, and what is wrong.
func ReadQuery(spec *sdk.Spec, raw string) (inputs strictjson.Value, query string, meaningful bool, fault *sdk.Error) {
	s := readQuery(spec, raw)
	return s.inputs(), s.query(), s.meaningful(), s.faults()
}

var (
	QueryOf     = queryOf
	FormatUnit  = formatUnit
	FormatName  = formatName
	FormatRange = formatRange
	Handy       = scaled
	WordsOf     = wordsOf
)

// FormatNumber is a number as a page shows it.
func FormatNumber(f float64) string {
	n := formatNumber(f)
	if n.Exponent == "" {
		return n.Mantissa
	}
	return n.Mantissa + "e" + n.Exponent
}

// Text is the number and the unit.
func (i inUnit) Text() string { return i.Number.Mantissa + " " + i.Unit }
