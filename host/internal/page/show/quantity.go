package show

import (
	"html/template"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// Quantity is one input or output with its value.
type Quantity struct {
	Name, Label string
	Symbol      template.HTML
	Doc         string
	Number      *wording.Number // with six digits, in Unit; nil if the value is not a number
	Text        string          // instead of Number
	Listing     *Listing        // instead of Text
	Unit        string          // shown unit
	Exact       string          // the number in Unit with all of its digits
	Full        string          // the value in the API
	FullUnit    string          // of Full
	Exactly     *Listing        // the values of a list as the engine used them, nil if they equal the shown values
	Others      []wording.InUnit
	Units       []wording.UnitOption // units to choose from
	Default     bool                 // the value is the default of the input
	Entered     string               // an input as the client sent it, with its unit
	Headline    bool                 // the main result
}

// Converted reports whether the quantity is shown in another unit than the unit of the Spec, or with fewer digits.
func (q Quantity) Converted() bool {
	return q.Exactly != nil || q.Number != nil && (q.Unit != q.FullUnit || q.Exact != q.Full || q.Entered != "" && q.Entered != strings.TrimSpace(q.Full+" "+q.FullUnit))
}

// Outputs returns the results that have a value.
func (r *Reading) Outputs(values value.Values) []Quantity {
	var list []Quantity
	for i := range r.Spec.Outputs {
		f := &r.Spec.Outputs[i]
		if i >= len(values) || values[i].Kind() == value.Absent {
			continue
		}
		q := r.newQuantity(f, values[i])
		if own, ok := r.quantity(f); ok && q.Number != nil {
			q.convert(r, f, own, values[i].Number())
		}
		if isListed(f) {
			q.list(r, f, values[i], nil)
		}
		list = append(list, q)
	}
	return list
}

// Inputs returns the inputs that have a value, as the client sent them.
func (r *Reading) Inputs(values value.Values) []Quantity {
	var list []Quantity
	for i := range r.Spec.Inputs {
		f := &r.Spec.Inputs[i]
		if i >= len(values) || values[i].Kind() == value.Absent {
			continue
		}
		q := r.newQuantity(f, values[i])
		if own, ok := r.quantity(f); ok && q.Number != nil && r.entered[i] == "" {
			q.in(r, own, values[i].Number(), r.inputUnit(i, own, values[i].Number()))
		}
		if q.Number != nil && !f.Money {
			q.Entered = r.entered[i]
		}
		if isListed(f) {
			q.list(r, f, values[i], r.lists[i])
		}
		list = append(list, q)
	}
	return list
}

// convert sets the unit in which the reader sees a result, and lists other units.
func (q *Quantity) convert(r *Reading, f *sdk.Field, own customary.Quantity, x float64) {
	shown := r.unit(f, own, x)
	q.in(r, own, x, shown)
	chosen := r.View.Unit(f.Name)
	q.Units = []wording.UnitOption{{Text: q.Unit, Selected: chosen == ""}}
	if chosen != "" {
		q.Units = []wording.UnitOption{{Text: "automatic"}, {ID: chosen, Text: q.Unit, Selected: true}}
	}
	for _, u := range r.reader.Common(own, x, shown) {
		text := formula.FormatUnit(u.ID)
		q.Others = append(q.Others, wording.InUnit{Number: r.View.Digits.Format(own.Convert(x, u)), Unit: text})
		q.Units = append(q.Units, wording.UnitOption{ID: u.ID, Text: text})
	}
	if r.Spec.Input(f.Name) >= 0 || len(q.Units) == 1 {
		q.Units = nil // the unit of the input is also the unit of the result
	}
}

func (q *Quantity) in(r *Reading, own customary.Quantity, x float64, u units.Unit) {
	shown := own.Convert(x, u)
	q.Number, q.Unit, q.Exact = new(r.View.Digits.Format(shown)), formula.FormatUnit(u.ID), wording.Shortest(shown)
}

// newQuantity returns a value in the unit of the Spec, with the digits of the reader.
func (r *Reading) newQuantity(f *sdk.Field, v value.Value) Quantity {
	q := NewQuantity(f, v)
	if q.Number != nil {
		q.Number = new(r.View.Digits.FormatField(f, v.Number()))
	}
	return q
}

// NewQuantity returns a value as the engine computed it, in the unit of the Spec.
func NewQuantity(f *sdk.Field, v value.Value) Quantity {
	q := Quantity{Name: f.Name, Label: wording.Label(f), Symbol: SymbolOf(f.Symbol), Doc: f.Doc, Full: fullText(f, v), Headline: f.Headline}
	if d, err := f.DefaultValue(); err == nil && d.Kind() != value.Absent {
		q.Default = d.Equal(v)
	}
	switch v.Kind() {
	case value.Number:
		q.Number, q.Unit = new(wording.FormatField(f, v.Number())), formula.FormatUnit(f.Unit)
	case value.Text:
		q.Text = v.Text()
		if len(f.Enum) > 0 {
			q.Text = wording.FormatChoice(v.Text())
		}
	case value.Exact:
		q.Text, q.Unit = v.Text(), formula.FormatUnit(f.Unit)
	case value.Bool:
		q.Text = map[bool]string{true: "yes", false: "no"}[v.Bool()]
	default:
		q.Text = q.Full
		if isListed(f) {
			q.show(ExactListing(f, v))
		}
	}
	q.FullUnit, q.Exact = q.Unit, q.Full
	return q
}

// fullText returns the value as in the API, without quotes.
func fullText(f *sdk.Field, v value.Value) string {
	if v.Kind() == value.Text || v.Kind() == value.Exact {
		return v.Text()
	}
	return string(response.AppendValue(nil, f, v))
}

// Headlines returns the results that the page shows large. Outputs that the engine declares as headlines come first, and
// outputs that only repeat an input last.
func Headlines(outputs, inputs []Quantity) []Quantity {
	const most = 4
	var found, given []Quantity
	unit := ""
	for _, q := range outputs {
		if q.Name == "unit" && q.Number == nil {
			unit = q.Text // the unit of a converted number
		}
	}
	for _, q := range outputs {
		if q.Number == nil {
			continue
		}
		if q.Unit == "" {
			q.Unit = unit
		}
		if q.Headline {
			found = slices.Insert(found, 0, q)
		} else if slices.ContainsFunc(inputs, q.echoes) {
			given = append(given, q)
		} else {
			found = append(found, q)
		}
	}
	list := append(found, given...)
	for i := 1; i < len(list); i++ {
		if slices.ContainsFunc(list[:i], list[i].repeats) {
			list = slices.Delete(list, i, i+1)
			i--
		}
	}
	if len(list) == 0 {
		return outputs[:min(1, len(outputs))]
	}
	return list[:min(most, len(list))]
}

// repeats reports whether q is the same number as another result, and one label contains the other. That is so for the
// deflection and the largest deflection, but not for the reactions of two supports.
func (q Quantity) repeats(other Quantity) bool {
	a, b := strings.ToLower(q.Label), strings.ToLower(other.Label)
	return q.Full == other.Full && q.FullUnit == other.FullUnit && (strings.Contains(a, b) || strings.Contains(b, a))
}

// echoes reports whether q is an output that repeats an input.
func (q Quantity) echoes(input Quantity) bool {
	return input.Number != nil && input.Full == q.Full && (input.FullUnit == q.FullUnit || input.FullUnit == "")
}

// SymbolOf returns the MathML of a symbol, "" if there is none. The name is always next to it.
func SymbolOf(latex string) template.HTML {
	return template.HTML(formula.SymbolMathML(latex)) //nolint:gosec // every text in it is escaped
}
