package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request"
)

// fieldProblem describes what is wrong with the entered values.
type fieldProblem struct {
	Title, Detail, Suggestion string
	Code, Address             string
	Items                     []problemItem
}

// problemItem is what is wrong with a field.
type problemItem struct {
	Field string `json:"field"`
	Label string `json:"label"`
	Text  string `json:"text"`
}

const enterValue = "Enter a value: without it there is nothing to calculate."

// markFaults marks the fields at fault, and puts a summary of the problem above the form.
func (f *form) markFaults(p *calc.Problem, s *formValues, address string) {
	f.Problem = newFieldProblem(p, s, address)
	for i, item := range f.Problem.Items {
		if item.Field == fillKey && s.filling.fault != nil {
			f.Fill.Error = item.Text
			continue
		}
		one := f.field(item.Field)
		if one == nil {
			continue
		}
		one.Error, one.Focus = item.Text, i == 0
	}
	for i := range f.Advanced {
		f.Open = f.Open || f.Advanced[i].Error != ""
	}
}

// newFieldProblem puts a problem with entered values into words, one item for each field.
func newFieldProblem(p *calc.Problem, s *formValues, address string) *fieldProblem {
	words := &fieldProblem{Title: p.Title(), Code: p.Code, Address: address}
	words.Detail, words.Suggestion = s.wordsOf(p)
	for _, item := range append(s.itemsOf(p), s.others()...) {
		at := s.spec.Input(item.Field)
		if item.Field == fillKey && s.filling.fault != nil {
			item.Label = fillLabel
			words.Items = append(words.Items, item)
		}
		if at < 0 || slices.ContainsFunc(words.Items, func(one problemItem) bool { return one.Field == item.Field }) {
			continue
		}
		item.Label = label(&s.spec.Inputs[at])
		words.Items = append(words.Items, item)
	}
	if p.Status() != 400 {
		words.Items = nil
	}
	if len(words.Items) > 1 {
		words.Title = "Some inputs need a change"
	}
	if len(words.Items) > 0 && !p.Rejected || s.isRange(p) || p.Code == sdk.CodeMissingRequiredInput {
		words.Suggestion = "" // the items say what to do
	}
	return words
}

// isRange reports whether the code is that of a number outside the range of its field.
func (s *formValues) isRange(p *calc.Problem) bool {
	return slices.ContainsFunc(p.Invalid, func(i sdk.InvalidParameter) bool {
		_, f := s.at(strings.Split(i.Name, "."))
		return f != nil && f.Range != nil && f.Range.Code == p.Code
	})
}

// wordsOf returns what is wrong and what to do.
func (s *formValues) wordsOf(p *calc.Problem) (detail, suggestion string) {
	if unread := s.unread(p.Field); len(p.Faults) == 0 && unread != "" {
		return unread, ""
	}
	if len(p.Faults) == 0 {
		return asSentence(inWords(s.spec, p.Detail)), inWords(s.spec, p.Suggestion)
	}
	f := &p.Faults[0]
	if f.Input == nil {
		return asSentence(f.Detail(labels{})), f.Suggestion(labels{})
	}
	return labels{}.Field(f.Input) + ": " + s.explain(f), ""
}

// itemsOf explains what is wrong with each input at fault.
func (s *formValues) itemsOf(p *calc.Problem) []problemItem {
	var items []problemItem
	for i := range p.Faults {
		f := &p.Faults[i]
		items = append(items, problemItem{Field: f.Name(), Text: s.explain(f)})
	}
	if len(items) > 0 {
		return items
	}
	for _, i := range p.Invalid {
		path := strings.Split(i.Name, ".")
		where, f := s.at(path)
		text := cmp.Or(s.unread(path[0]), where+asSentence(inWords(s.spec, i.Constraint)))
		if f != nil && f.Range != nil && p.Code == f.Range.Code {
			text = where + "Must be " + rangeOf(s.spec, f) + "."
		}
		items = append(items, problemItem{Field: path[0], Text: text})
	}
	return items
}

// isUnfinished reports whether nothing is wrong but that something is not entered yet.
func (s *formValues) isUnfinished(p *calc.Problem) bool {
	return p.Code == sdk.CodeMissingRequiredInput && !slices.ContainsFunc(s.others(), func(one problemItem) bool { return one.Text != enterValue })
}

// others returns what is wrong with fields whatever else is: the service stops at the first
// kind of fault.
func (s *formValues) others() []problemItem {
	var items []problemItem
	for i := range s.values {
		f, e := &s.spec.Inputs[i], &s.values[i]
		switch {
		case len(e.names) == 0 && e.preset == "" && f.Required:
			if s.filling.fault != nil {
				continue // the row is to give it
			}
			items = append(items, problemItem{Field: f.Name, Text: enterValue})
		case e.fault != nil:
			items = append(items, problemItem{Field: f.Name, Text: cmp.Or(e.unread, asSentence(e.fault.Detail))})
		}
	}
	return items
}

// unread returns why the text of an input cannot be read, "" if it can.
func (s *formValues) unread(name string) string {
	if i := s.spec.Input(name); i >= 0 {
		return s.values[i].unread
	}
	return ""
}

// at returns where a path leads within an input, as the beginning of a sentence, and the field
// there; nil if it leads nowhere. Rows and values are counted from 1, as people do.
func (s *formValues) at(path []string) (where string, f *sdk.Field) {
	i := s.spec.Input(path[0])
	if i < 0 {
		return "", nil
	}
	f = &s.spec.Inputs[i]
	var steps []string
	for _, step := range path[1:] {
		switch {
		case f.Type == sdk.TypeArray:
			n, _ := strconv.Atoi(step)
			name := "value "
			if typed.IsRow(f.Items) {
				name = "row "
			} else if len(steps) > 0 {
				name = "column "
			}
			steps, f = append(steps, name+strconv.Itoa(n+1)), f.Items
		default:
			members := sdk.Spec{Inputs: f.Fields}
			k := members.Input(step)
			if k < 0 {
				return "", nil
			}
			f = &f.Fields[k]
			steps = append(steps, labels{}.Field(f))
		}
	}
	if len(steps) == 0 {
		return "", f
	}
	return sentence(strings.Join(steps, ", ")) + ": ", f
}

// explain explains a fault to a person who sees the field but no JSON.
func (s *formValues) explain(f *request.Fault) string {
	where, _ := s.at(append([]string{f.Name()}, f.Path...))
	return where + s.words(f)
}

func (s *formValues) words(f *request.Fault) string {
	switch f.Kind {
	case request.Missing:
		return enterValue
	case request.WrongType, request.QuotedNumber, request.NotQuantity, request.NotDecimal, request.NotNumber:
		return "This cannot be read. Enter numbers such as 0.35, 1200 or 2.1e11."
	case request.NotInteger, request.NotIntegerInUnit:
		return "Enter a whole number."
	case request.NotChoice, request.ChoiceNotText:
		return "Choose one of the values."
	case request.TooLong:
		return "This is too long: at most " + strconv.Itoa(sdk.MaxText) + " characters can be sent."
	case request.Underflow:
		if !f.TakesZero() {
			return "This is too small to calculate with. Enter a larger number."
		}
		return "This is not zero, but too small to calculate with. Enter 0 if zero is meant."
	case request.Overflow:
		return "This is too large to calculate with. Enter a number below 1.8e308."
	case request.UnknownUnit, request.IncompatibleUnit:
		return unitWords(f)
	case request.Conflict, request.Repeated:
		return "Two different values are given. Give one."
	case request.Unknown:
		return "There are more values than columns."
	}
	return asSentence(f.Constraint(labels{}))
}

func unitWords(f *request.Fault) string {
	if f.Field.Unit == "" {
		return "Enter the number alone: this input takes no unit."
	}
	text := "“" + request.Clip(f.Unit) + "” is no unit that is known here."
	if f.Kind == request.IncompatibleUnit {
		text = formula.FormatUnit(f.Unit) + " is a unit of something else."
	}
	return text + " " + f.Suggestion(labels{})
}
