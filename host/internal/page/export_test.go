package page

import (
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
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
	FormatUnit  = formula.FormatUnit
	FormatName  = formatName
	FormatRange = formatRange
	FormatMoney = formatMoney
	UnitsOf     = unitsOf
	UnitText    = unitText
)

// QueryOf is the query of a page that shows the inputs to a reader who asks for nothing else.
func QueryOf(spec *sdk.Spec, inputs strictjson.Value) (string, bool) {
	return queryOf(spec, inputs, new(view))
}

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
	s.fill(new(Pages), newReading(new(view), spec.At(inputs), strictjson.Value{}), inputs, outputs)
	var texts []string
	for _, q := range s.Headlines {
		texts = append(texts, q.Name+" "+q.Number.Mantissa+" "+q.Unit)
	}
	return texts
}

// Text is the number and the unit.
func (i inUnit) Text() string { return i.Number.Mantissa + " " + i.Unit }

// DifferenceOf is the relative difference of two numbers: in full, and as a page shows it.
func DifferenceOf(a, b float64) (full, shown string) {
	d, ok := differenceOf(a, b, shownUnit{})
	switch {
	case !ok:
		return "equal", ""
	case d.Relative == nil:
		return "none", ""
	}
	return d.Relative.Full, d.Relative.Number.Mantissa
}

// Carried is the JSON of an input for the field of another version, or why there is none. The
// number is what the input was computed with.
func Carried(from, to sdk.Field, sent string, number float64) string {
	inputs, err := strictjson.ParseObject([]byte(`{"a":` + sent + `}`))
	if err != nil {
		return err.Error()
	}
	spec := &sdk.Spec{Inputs: []sdk.Field{from}}
	out, notes := carried(spec, inputs, value.Values{value.NumberOf(number)}, &calc.Release{Version: "2.0.0", Spec: sdk.Spec{Inputs: []sdk.Field{to}}})
	if len(notes) > 0 {
		return notes[0]
	}
	return jsonOf(out.Members[0].Value)
}

func jsonOf(v strictjson.Value) string {
	switch v.Kind {
	case strictjson.Number:
		return v.Text
	case strictjson.String:
		return strconv.Quote(v.Text)
	}
	var members []string
	for _, m := range v.Members {
		members = append(members, strconv.Quote(m.Name)+":"+jsonOf(m.Value))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// WordsOf is what a form without entries says of an error.
func WordsOf(spec *sdk.Spec, err error) (detail, suggestion string) {
	return readQuery(spec, "").wordsOf(calc.ProblemOf(err))
}

// MaxCode and QRCode are the code of an address on a printed sheet.
const MaxCode = maxCode

var QRCode = qrCode
