package page

import (
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// ReadQuery is what a query gives the Spec: the inputs as the API would be sent them, the
// query that says the same, and what is wrong.
func ReadQuery(spec *sdk.Spec, raw string) (inputs strictjson.Value, query string, meaningful bool, fault *sdk.Error) {
	s := readQuery(spec, raw)
	return s.inputs(), s.query(), s.meaningful(), s.faults()
}

var (
	QueryOf     = queryOf
	FormatUnit  = formula.FormatUnit
	FormatName  = formatName
	FormatRange = formatRange
	Handy       = scaled
	WordsOf     = wordsOf
	UnitsOf     = unitsOf
	UnitText    = unitText
)

// FormatNumber is a number as a page shows it.
func FormatNumber(f float64) string {
	n := formatNumber(f)
	if n.Exponent == "" {
		return n.Mantissa
	}
	return n.Mantissa + "e" + n.Exponent
}

// Shown returns the results that a sheet shows large, the largest first, with their units.
func Shown(spec *sdk.Spec, inputs, outputs value.Values) []string {
	var s sheet
	s.fill(new(Pages), spec, inputs, outputs)
	var texts []string
	for _, q := range s.Headlines {
		texts = append(texts, q.Name+" "+q.Number.Mantissa+" "+q.Unit)
	}
	return texts
}

// Text is the number and the unit.
func (i inUnit) Text() string { return i.Number.Mantissa + " " + i.Unit }
