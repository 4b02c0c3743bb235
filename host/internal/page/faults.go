package page

import (
	"cmp"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
)

// fieldProblem describes what is wrong with the entered values.
type fieldProblem struct {
	Title, Detail, Suggestion string
	Code, Address             string
	Items                     []problemItem
}

// problemItem is a link to a field at fault.
type problemItem struct{ Field, Label, Text string }

// markFaults marks the fields at fault, and puts a summary of the problem above the form.
func (f *form) markFaults(p *calc.Problem, s *formValues, address string) {
	f.Problem = &fieldProblem{Title: p.Title(), Code: p.Code, Address: address}
	f.Problem.Detail, f.Problem.Suggestion = wordsOf(p)
	for _, item := range itemsOf(p, s) {
		if one := f.field(item.Field); one != nil && one.Error == "" {
			one.Error = item.Text
			f.Problem.Items = append(f.Problem.Items, problemItem{one.Name, one.Label, one.Error})
		}
	}
	for i := range f.Advanced {
		f.Open = f.Open || f.Advanced[i].Error != ""
	}
	if len(f.Problem.Items) == 0 {
		return
	}
	f.field(f.Problem.Items[0].Field).Focus = true
	if p.Code == request.CodeInvalidNumber || p.Code == sdk.CodeMissingRequiredInput || p.Code == f.field(f.Problem.Items[0].Field).Code {
		f.Problem.Suggestion = "" // it is about JSON; the items say what to do
	}
}

// wordsOf returns what is wrong and what to do. The sentences of an engine are repeated
// unchanged.
func wordsOf(p *calc.Problem) (detail, suggestion string) {
	switch {
	case len(p.Faults) > 0:
		return asSentence(p.Faults[0].Detail(labels{})), p.Faults[0].Suggestion(labels{})
	case p.Rejected:
		return p.Detail, p.Suggestion
	}
	return asSentence(p.Detail), p.Suggestion
}

// itemsOf explains what is wrong with each input at fault. The fields are those of the Spec; a
// form may not show all of them.
func itemsOf(p *calc.Problem, s *formValues) []problemItem {
	var items []problemItem
	for i := range p.Faults {
		f := &p.Faults[i]
		text := f.Constraint(labels{})
		if len(f.Path) == 0 {
			text = cmp.Or(s.explain(f.Code(), f.Name()), text)
		}
		items = append(items, problemItem{Field: f.Name(), Text: text})
	}
	if len(items) > 0 {
		return items
	}
	for _, i := range p.Invalid {
		name, _, _ := strings.Cut(i.Name, ".") // the rest is a path within the input
		items = append(items, problemItem{Field: name, Text: cmp.Or(s.explain(p.Code, i.Name), i.Constraint)})
	}
	return items
}

// explain explains what is wrong with an input to a person who sees the field but no JSON. It
// returns "" if the code, the Spec and the typed text do not suffice for that.
func (s *formValues) explain(code, name string) string {
	at := s.spec.Input(name)
	if at < 0 {
		return ""
	}
	f, text := &s.spec.Inputs[at], s.values[at].text()
	isNumber := f.Type == sdk.TypeNumber || f.Type == sdk.TypeInteger
	switch {
	case code == sdk.CodeMissingRequiredInput && f.Required:
		return "Enter a value: without it there is nothing to calculate."
	case code == request.CodeInvalidNumber && isNumber && text != "" && !typed.IsNumber(text):
		return notANumber(text)
	case f.Range != nil && code == f.Range.Code:
		return "Must be " + formatRange(s.spec, f.Range) + "."
	}
	return ""
}

func notANumber(text string) string {
	clipped := request.Clip(strings.TrimSpace(text))
	if strings.Contains(clipped, ",") {
		return "“" + clipped + "” is not a number. Write it with a point and without separators, such as 1234.5."
	}
	return "“" + clipped + "” is not a number. Write it such as 0.35, 1200 or 2.1e11."
}
