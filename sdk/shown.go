package sdk

import (
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/visible"
)

// Engines write texts that people read. A server shows them without invisible characters, see
// package visible.

// Show replaces each invisible character of the outcome's texts by U+FFFD.
func (o *Outcome) Show() {
	showValues(o.Result)
	showValues(o.Inputs)
	for i := range o.Assumptions {
		show(&o.Assumptions[i])
	}
	for i := range o.Warnings {
		show(&o.Warnings[i].Detail)
		show(&o.Warnings[i].Suggestion)
	}
}

// Show replaces invisible characters in the texts of a rejection, as [Outcome.Show] does.
func (e *Error) Show() {
	show(&e.Detail)
	show(&e.Suggestion)
	for i := range e.Invalid {
		show(&e.Invalid[i].Name)
		show(&e.Invalid[i].Constraint)
	}
}

// Show replaces invisible characters in the labels of a drawing, as [Outcome.Show] does.
func (f *Figure) Show() {
	visible.Each(f, func(_, text string) string { return visible.Text(text) })
}

func show(text *string) { *text = visible.Text(*text) }

func showValues(values value.Values) {
	for i := range values {
		switch v := &values[i]; v.Kind() {
		case value.Text:
			if text := v.Text(); visible.Text(text) != text {
				*v = value.TextOf(visible.Text(text))
			}
		case value.List, value.Record:
			showValues(v.Items())
		}
	}
}
