package page

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// quantity is one input or output with its value.
type quantity struct {
	Name, Label string
	Symbol      template.HTML
	Doc         string
	Number      *number // with six digits; nil if the value is not a number
	Text        string  // in place of Number
	Full        string  // as the API answers it
	Rounded     bool    // Number has fewer digits than Full
	Unit        string
	Scaled      *inUnit  // in a unit that reads better
	Others      []inUnit // in all other units
	Default     bool     // the value is what counts when nothing is sent
	Entered     string   // as it was entered, in another unit
	Headline    bool     // people want it first
}

// maxShown is how many values of a list a table shows. Full has all values.
const maxShown = 12

// quantities returns the fields that have a value.
func (p *Pages) quantities(fields []sdk.Field, values value.Values) []quantity {
	var list []quantity
	for i := range fields {
		if i < len(values) && values[i].Kind() != value.Absent {
			list = append(list, p.quantity(&fields[i], values[i]))
		}
	}
	return list
}

func (p *Pages) quantity(f *sdk.Field, v value.Value) quantity {
	q := quantity{Name: f.Name, Label: label(f), Symbol: p.symbol(f.Symbol), Doc: f.Doc, Full: fullText(f, v), Headline: f.Headline}
	if d, err := f.DefaultValue(); err == nil && d.Kind() != value.Absent {
		q.Default = d.Equal(v)
	}
	switch v.Kind() {
	case value.Number:
		q.Number, q.Unit, q.Rounded = new(formatNumber(v.Number())), formula.FormatUnit(f.Unit), !isShort(v.Number())
		if other, ok := scaled(v.Number(), f.Unit); ok && !isDifference(f) {
			q.Scaled = &other
		}
	case value.Text:
		q.Text = v.Text()
		if len(f.Enum) > 0 {
			q.Text = formatChoice(v.Text())
		}
	case value.Exact:
		q.Text, q.Unit = v.Text(), formula.FormatUnit(f.Unit)
	case value.Bool:
		q.Text = map[bool]string{true: "yes", false: "no"}[v.Bool()]
	default:
		q.Text = listed(f, v)
		if f.Items != nil {
			q.Unit = formula.FormatUnit(f.Items.Unit)
		}
	}
	return q
}

// fullText returns the value as the API answers it, without quotes.
func fullText(f *sdk.Field, v value.Value) string {
	if v.Kind() == value.Text || v.Kind() == value.Exact {
		return v.Text()
	}
	return string(response.AppendValue(nil, f, v))
}

// listed returns the first values of a list as text.
func listed(f *sdk.Field, v value.Value) string {
	var words []string
	for i, item := range v.Items() {
		if i == maxShown {
			words = append(words, fmt.Sprintf("… (%d in all)", len(v.Items())))
			break
		}
		one := f.Items
		if v.Kind() == value.Record {
			one = &f.Fields[i]
		}
		words = append(words, itemText(one, item))
	}
	if f.Items != nil && typed.IsRow(f.Items) {
		return strings.Join(words, "; ")
	}
	return strings.Join(words, ", ")
}

func itemText(f *sdk.Field, v value.Value) string {
	switch v.Kind() {
	case value.Absent:
		return "–"
	case value.List, value.Record:
		return "(" + listed(f, v) + ")"
	}
	return fullText(f, v)
}

// noteEntered records, for inputs that were converted, how they were entered.
func noteEntered(inputs []quantity, conversions []value.Conversion) {
	for _, c := range conversions {
		for i := range inputs {
			if inputs[i].Name == c.Field {
				inputs[i].Entered = c.Literal + " " + formula.FormatUnit(c.From)
			}
		}
	}
}

// headlines returns the results that are shown large. The most important one is the first: the
// one that the engine calls so, if any. Outputs that only repeat an input come last.
func headlines(outputs, inputs []quantity) []quantity {
	const most = 4
	var found, given []quantity
	unit := ""
	for _, q := range outputs {
		if q.Name == "unit" && q.Number == nil {
			unit = q.Text // of a conversion
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
	if len(list) == 0 {
		return outputs[:min(1, len(outputs))]
	}
	return list[:min(most, len(list))]
}

// echoes reports whether q is an output that repeats an input.
func (q quantity) echoes(input quantity) bool {
	return input.Number != nil && input.Full == q.Full && (input.Unit == q.Unit || input.Unit == "")
}
