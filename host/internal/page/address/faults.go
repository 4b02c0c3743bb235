package address

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request"
)

// FieldProblem describes the problem with the entered values.
type FieldProblem struct {
	Title, Detail, Suggestion string
	Code, Address             string
	Items                     []ProblemItem
}

// ProblemItem describes the problem with one field.
type ProblemItem struct {
	Field string `json:"field"`
	Label string `json:"label"`
	Text  string `json:"text"`
}

const enterValue = "Enter a value. The calculation needs it."

// NewFieldProblem puts a problem with entered values into words, one item for each field.
func NewFieldProblem(p *problem.Problem, s *Values, address string) *FieldProblem {
	words := &FieldProblem{Title: p.Title(), Code: p.Code, Address: address}
	words.Detail, words.Suggestion = s.WordsOf(p)
	for _, item := range append(s.ItemsOf(p), s.others()...) {
		at := s.Spec.Input(item.Field)
		if item.Field == FillKey && s.filling.fault != nil {
			item.Label = fillLabel
			words.Items = append(words.Items, item)
		}
		if at < 0 || slices.ContainsFunc(words.Items, func(one ProblemItem) bool { return one.Field == item.Field }) {
			continue
		}
		item.Label = wording.Label(&s.Spec.Inputs[at])
		words.Items = append(words.Items, item)
	}
	if p.Status() != 400 {
		words.Items = nil
	}
	if len(words.Items) > 1 {
		words.Title = "Some inputs are invalid"
	}
	if len(words.Items) > 0 && !p.Rejected || s.isRange(p) || p.Code == sdk.CodeMissingRequiredInput {
		words.Suggestion = "" // the items say what to do
	}
	return words
}

// isRange reports whether the problem is a number outside the range of its field.
func (s *Values) isRange(p *problem.Problem) bool {
	return slices.ContainsFunc(p.Invalid, func(i sdk.InvalidParameter) bool {
		_, f := s.at(strings.Split(i.Name, "."))
		return f != nil && f.Range != nil && f.Range.Code == p.Code
	})
}

// WordsOf describes a problem, and suggests a remedy.
func (s *Values) WordsOf(p *problem.Problem) (detail, suggestion string) {
	if unread := s.unread(p.Field); len(p.Faults) == 0 && unread != "" {
		return unread, ""
	}
	if len(p.Faults) == 0 {
		return wording.AsSentence(wording.InWords(s.Spec, p.Detail)), wording.InWords(s.Spec, p.Suggestion)
	}
	f := &p.Faults[0]
	if f.Input == nil {
		return wording.AsSentence(f.Detail(wording.Labels{})), f.Suggestion(wording.Labels{})
	}
	return wording.Labels{}.Field(f.Input) + ": " + s.explain(f), ""
}

// ItemsOf describes the problem of each input at fault.
func (s *Values) ItemsOf(p *problem.Problem) []ProblemItem {
	var items []ProblemItem
	for i := range p.Faults {
		f := &p.Faults[i]
		items = append(items, ProblemItem{Field: f.Name(), Text: s.explain(f)})
	}
	if len(items) > 0 {
		return items
	}
	for _, i := range p.Invalid {
		path := strings.Split(i.Name, ".")
		where, f := s.at(path)
		text := cmp.Or(s.unread(path[0]), where+wording.AsSentence(wording.InWords(s.Spec, i.Constraint)))
		if f != nil && f.Range != nil && p.Code == f.Range.Code {
			text = where + "Must be " + wording.RangeOf(s.Spec, f, s.unitAt(path)) + "."
		}
		items = append(items, ProblemItem{Field: path[0], Text: text})
	}
	return items
}

// IsUnfinished reports whether the only problem is that an input is not entered yet.
func (s *Values) IsUnfinished(p *problem.Problem) bool {
	return p.Code == sdk.CodeMissingRequiredInput && !slices.ContainsFunc(s.others(), func(one ProblemItem) bool { return one.Text != enterValue })
}

// others returns the problems of all fields. The service reports only the first kind of fault.
func (s *Values) others() []ProblemItem {
	var items []ProblemItem
	for i := range s.Values {
		f, e := &s.Spec.Inputs[i], &s.Values[i]
		switch {
		case len(e.names) == 0 && e.Preset == "" && f.Required:
			if s.filling.fault != nil {
				continue // the row should give it
			}
			items = append(items, ProblemItem{Field: f.Name, Text: enterValue})
		case e.fault != nil:
			items = append(items, ProblemItem{Field: f.Name, Text: cmp.Or(e.unread, wording.AsSentence(e.fault.Detail))})
		}
	}
	return items
}

// unread returns why the text of an input cannot be read, "" if it can be read.
func (s *Values) unread(name string) string {
	if i := s.Spec.Input(name); i >= 0 {
		return s.Values[i].unread
	}
	return ""
}

// unitAt returns the unit of the value at a path, "" if it has none of its own.
func (s *Values) unitAt(path []string) string {
	in := s.Values[s.Spec.Input(path[0])].Units
	return cmp.Or(in[path[len(path)-1]], in[""])
}

// at returns the place at a path within an input, as the start of a sentence. It also returns the field at the path, nil if
// there is none. It counts rows and values from 1, as people do.
func (s *Values) at(path []string) (where string, f *sdk.Field) {
	i := s.Spec.Input(path[0])
	if i < 0 {
		return "", nil
	}
	f = &s.Spec.Inputs[i]
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
			steps = append(steps, wording.Labels{}.Field(f))
		}
	}
	if len(steps) == 0 {
		return "", f
	}
	return wording.Sentence(strings.Join(steps, ", ")) + ": ", f
}

// explain describes a fault to a person who sees the field but no JSON.
func (s *Values) explain(f *request.Fault) string {
	where, _ := s.at(append([]string{f.Name()}, f.Path...))
	return where + s.words(f)
}

func (s *Values) words(f *request.Fault) string {
	switch f.Kind {
	case request.Missing:
		return enterValue
	case request.WrongType, request.QuotedNumber, request.NotQuantity, request.NotDecimal, request.NotNumber:
		return "This is not valid. Enter numbers such as 0.35, 1200 or 2.1e11."
	case request.NotInteger, request.NotIntegerInUnit:
		return "Enter a whole number."
	case request.NotChoice, request.ChoiceNotText:
		return "Choose one of the values."
	case request.TooLong:
		return "This is too long. Enter at most " + strconv.Itoa(sdk.MaxText) + " characters."
	case request.Underflow:
		if !f.TakesZero() {
			return "This is too small to calculate with. Enter a larger number."
		}
		return "This is too small to calculate with, but not zero. Enter 0 if you mean zero."
	case request.Overflow:
		return "This is too large to calculate with. Enter a number below 1.8e308."
	case request.UnknownUnit, request.IncompatibleUnit:
		return unitWords(f)
	case request.Conflict, request.Repeated:
		return "There are two different values. Enter one."
	case request.Unknown:
		return "There are more values than columns."
	}
	return wording.AsSentence(f.Constraint(wording.Labels{}))
}

func unitWords(f *request.Fault) string {
	if f.Field.Unit == "" {
		return "Enter only the number. This input has no unit."
	}
	text := "“" + request.Clip(f.Unit) + "” is not a known unit."
	if f.Kind == request.IncompatibleUnit {
		text = formula.FormatUnit(f.Unit) + " is a unit of another quantity."
	}
	return text + " " + f.Suggestion(wording.Labels{})
}
