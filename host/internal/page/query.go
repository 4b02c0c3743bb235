package page

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/versions"
)

// Maximum sizes of a request, in bytes.
const (
	maxQuery = 4 << 10
	maxForm  = 64 << 10
)

// Keys of a query that are never inputs, even if a Spec has inputs of that name (spec 4
// rule 6). Neither is [versions.AsOfName].
const (
	versionKey = versions.PinName // attribution on a page, a pin in a form and in the API
	ignoredKey = "v"
	unitSuffix = ".unit"
)

// formValue is what a request contains for one input.
type formValue struct {
	names  []string            // the keys it was given under
	texts  []string            // the value under each
	units  typed.Units         // units given for it, and for its columns
	cells  map[string][]string // of a table of rows, by column
	hint   string              // what was understood, "" if it is what was typed
	result string              // of a calculation in the text, which addresses have in its place
	split  bool                // a unit was typed after the number
	preset string              // the row of a table that gives it; "" if none does
	row    string              // the name of that row on pages
	filled bool                // the row was chosen for the whole form
	fault  *sdk.Error
	unread string // fault in a sentence for people, with a remedy, if a text cannot be read
}

func (v *formValue) text() string { return first(v.texts) }
func (v *formValue) unit() string { return v.units[""] }

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// formValues is what a query or a form contains for the inputs of a Spec.
type formValues struct {
	spec     *sdk.Spec
	level    typed.Level
	values   []formValue   // one per input
	versions []string      // of calculation_version, in order
	moments  []string      // of as_of, in order
	broken   *calc.Problem // why the query cannot be read, nil if it can
	filling  filling       // from rows for the whole form
	foreign  []string      // keys that mean nothing here
	view     view
	settled  bool // controls of a form were read, which an address does not have
}

// readPage reads a query string or the body of a form, for a page that shows what was understood. Keys
// that mean nothing are collected; see [formValues.refuseMisspelt] and [formValues.refuseForeign]. Blank
// values are ignored.
func readPage(spec *sdk.Spec, raw string) *formValues { return readAt(typed.Arithmetic, spec, raw) }

// readQuery reads a query string as [readPage] does, but takes no calculations.
func readQuery(spec *sdk.Spec, raw string) *formValues { return readAt(typed.Numbers, spec, raw) }

func readAt(level typed.Level, spec *sdk.Spec, raw string) *formValues {
	s := &formValues{spec: spec, level: level, values: make([]formValue, len(spec.Inputs))}
	for part := range strings.SplitSeq(raw, "&") {
		key, value, _ := strings.Cut(part, "=")
		name, err := url.QueryUnescape(key)
		text, err2 := url.QueryUnescape(value)
		if err != nil || err2 != nil {
			s.broken = calc.InvalidQuery(part, cmp.Or(err, err2))
			continue
		}
		s.add(name, text)
	}
	for i := range s.values {
		s.joinCells(i)
		s.understand(i)
		if e := &s.values[i]; len(e.names) == 0 && len(e.units) == 1 {
			s.view.takeFromForm(spec, &spec.Inputs[i], e.unit())
		}
	}
	s.settled = s.view.settle(spec, s.sent())
	return s
}

// sent returns what is entered for each input, as the controls of a form have it: the unit also
// where it is that of the field, and of a choice the value that counts.
func (s *formValues) sent() map[string]string {
	sent := map[string]string{}
	for i := range s.values {
		f, e := &s.spec.Inputs[i], &s.values[i]
		sent[f.Name] = strings.TrimSpace(e.text())
		if isChoice(f) {
			sent[f.Name] = cmp.Or(e.text(), f.Default)
		}
		if f.Unit != "" {
			sent[f.Name+unitSuffix] = cmp.Or(e.unit(), f.Unit)
		}
	}
	return sent
}

func (s *formValues) add(key, text string) {
	if s.addCell(key, text) {
		return
	}
	if key == ignoredKey || strings.TrimSpace(text) == "" && !isStudyKey(key) {
		return
	}
	if key == versionKey {
		s.versions = append(s.versions, text)
		return
	}
	if key == versions.AsOfName {
		s.moments = append(s.moments, text)
		return
	}
	if s.view.add(s.spec, key, text) || s.addPreset(key, text) {
		return
	}
	name, isUnit := strings.CutSuffix(key, unitSuffix)
	i := s.spec.Input(name)
	if i < 0 {
		s.foreign = append(s.foreign, key)
		return
	}
	f, e := &s.spec.Inputs[i], &s.values[i]
	switch {
	case isUnit:
		e.setUnit(f, "", text)
		return
	case slices.Contains(e.names, name):
		e.fail(f, sdk.CodeConflictingInputs, "two values are given")
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		e.fail(f, request.CodeInvalidNumber, "the value is not text")
		text = ""
	default:
		text = typed.FromAddress(f, text)
	}
	e.names, e.texts = append(e.names, name), append(e.texts, text)
}

// setUnit sets the unit of the value, or of a column of its rows.
func (v *formValue) setUnit(f *sdk.Field, column, unit string) {
	if was := v.units[column]; was != "" && was != unit {
		v.fail(f, sdk.CodeConflictingInputs, "two units are given")
	}
	if v.units == nil {
		v.units = typed.Units{}
	}
	v.units[column] = unit
}

// understand makes the unit that is typed after a number the unit of the value, as if it had
// been chosen from the menu. It notes what a text means that is not a plain number or list, or why it
// cannot be read.
func (s *formValues) understand(i int) {
	f, v := &s.spec.Inputs[i], &s.values[i]
	if v.fault != nil || f.Type == sdk.TypeString {
		return
	}
	for _, text := range v.texts {
		if _, err := typed.Value(f, text, v.units, s.level); err != nil {
			s.cannotRead(i, err)
			return
		}
	}
	if len(v.texts) != 1 {
		return
	}
	text := v.texts[0]
	if r, err := typed.Read(f, text, s.level); isNumber(f) && err == nil && !r.Plain {
		if r.Unit != "" && (f.Unit != "" || f.UnitBy != nil) {
			v.texts[0], v.units, v.split = r.Number, typed.Units{"": r.Unit}, true
		}
		v.hint = understood(r, cmp.Or(v.unit(), f.Unit))
	}
	if f.Type == sdk.TypeArray && v.hint == "" {
		list, _ := typed.Value(f, text, nil, s.level)
		if shown := typed.Listed(f, list); !sameWords(shown, text) {
			v.hint = "Understood as " + shown + "."
		}
	}
	if _, err := typed.Value(f, v.texts[0], v.units, typed.Numbers); err != nil {
		result, _ := typed.Value(f, v.texts[0], nil, s.level)
		v.result, _, _ = typed.Text(f, result)
	}
}

// sameWords reports whether two texts have the same words between blanks, semicolons and commas that
// blanks follow.
func sameWords(a, b string) bool {
	words := func(text string) []string {
		return strings.FieldsFunc(strings.ReplaceAll(text, ", ", " "), func(r rune) bool { return r == ';' || unicode.IsSpace(r) })
	}
	return slices.Equal(words(a), words(b))
}

// cannotRead records why a text of the input cannot be read.
func (s *formValues) cannotRead(i int, err error) {
	f, v := &s.spec.Inputs[i], &s.values[i]
	e, ok := errors.AsType[*typed.TextError](err)
	if !ok || v.fault != nil {
		return
	}
	where, _ := s.at(append([]string{f.Name}, e.Path...))
	if e.Problem == typed.MissingValue {
		where = "" // it says itself which one
	}
	v.unread = where + asSentence(e.Detail()) + " " + e.Remedy()
	v.fault = sdk.Reject(request.CodeInvalidNumber, f.Name, "%s%s", where, e.Detail()).Suggest(e.Remedy())
}

// understood says what a text means that is not a plain number.
func understood(r typed.Reading, unit string) string {
	text := "Understood as " + strings.Replace(r.Literal, "-", "−", 1)
	if unit != "" {
		text += " " + formula.FormatUnit(unit)
	}
	if r.Rounded {
		text += ", rounded"
	}
	return text + "."
}

// fail records why the value cannot be read. Only the first reason is kept.
func (v *formValue) fail(f *sdk.Field, code, detail string) {
	if v.fault == nil {
		v.fault = sdk.Reject(code, f.Name, "%s", detail).Suggest("Give one value.")
	}
}

// meaningful reports whether there is any value besides choices, so that calculating makes
// sense.
func (s *formValues) meaningful() bool {
	for i := range s.values {
		if len(s.values[i].names) > 0 && !isChoice(&s.spec.Inputs[i]) || s.values[i].preset != "" {
			return true
		}
	}
	return false
}

// asks reports whether there is something to answer: a result, or what is wrong.
func (s *formValues) asks() bool {
	return s.meaningful() || s.faults() != nil || s.broken != nil || s.view.problem() != nil
}

// isChoice reports whether the input has a fixed set of values.
func isChoice(f *sdk.Field) bool { return len(f.Enum) > 0 || f.Type == sdk.TypeBoolean }

// faults returns one error for all values that cannot be read, in words for people; nil if
// there are none. Choices that do not exist count too: no other input is needed to see them.
func (s *formValues) faults() *sdk.Error {
	all := s.filling.problem()
	for i := range s.values {
		f, e := &s.spec.Inputs[i], &s.values[i]
		fault := e.fault
		if fault == nil && len(f.Enum) > 0 {
			fault = wrongChoice(f, e.texts)
		}
		if fault == nil {
			continue
		}
		if all == nil {
			all = sdk.Reject(fault.Code, fault.Field, "%s", asSentence(fault.Detail)).Suggest(fault.Suggestion)
		}
		if len(all.Invalid) < sdk.MaxNotes {
			all.Invalid = append(all.Invalid, sdk.InvalidParameter{Name: f.Name, Constraint: fault.Detail})
		}
	}
	return all
}

func wrongChoice(f *sdk.Field, texts []string) *sdk.Error {
	for _, text := range texts {
		if _, ok := f.EnumValue(text); ok {
			continue
		}
		var choices []string
		for _, value := range f.Enum {
			choices = append(choices, labels{}.Choice(value))
		}
		return sdk.Reject(request.CodeInvalidMode, f.Name, "%q is none of the choices", request.Clip(text)).
			Suggest("Choose one of " + strings.Join(choices, ", ") + ".")
	}
	return nil
}

// inputs returns the values in the form of a request to the API.
func (s *formValues) inputs() strictjson.Value {
	object := strictjson.Value{Kind: strictjson.Object}
	for i := range s.values {
		f, e := &s.spec.Inputs[i], &s.values[i]
		if e.preset != "" {
			object.Members = append(object.Members, strictjson.Member{Name: f.Name, Value: typed.Preset(e.preset)})
			continue
		}
		for k, name := range e.names {
			v, _ := typed.Value(f, e.texts[k], e.units, s.level) // understand has refused what cannot be read
			object.Members = append(object.Members, strictjson.Member{Name: name, Value: v})
		}
	}
	return object
}

// pins returns the version pins of a query or a form. Who chooses a version in a form means
// that, whatever time the address has that the form was filled in from.
func (s *formValues) pins(in versions.Place) []versions.Pin {
	var pins []versions.Pin
	for _, v := range s.versions {
		pins = append(pins, versions.Pin{Place: in, Name: versionKey, Value: v})
	}
	if len(pins) > 0 {
		return pins
	}
	return s.asOf(in)
}

// kept returns the pairs that go on with the form, and for which a page has no control.
func (s *formValues) kept(results bool) []viewPair {
	list := s.view.uncontrolled(results)
	if at := first(s.moments); at != "" {
		list = append(list, viewPair{versions.AsOfName, at})
	}
	return list
}

// asOf returns the pins that name a time. Those of an address count, where calculation_version
// only tells which version is meant to have computed.
func (s *formValues) asOf(in versions.Place) []versions.Pin {
	var pins []versions.Pin
	for _, v := range s.moments {
		pins = append(pins, versions.Pin{Place: in, Name: versions.AsOfName, Value: v, Means: versions.AsOf})
	}
	return pins
}

// query returns the shortest query with the same inputs and the same view, "" if there are
// none.
func (s *formValues) query() string {
	var b strings.Builder
	if at := first(s.moments); at != "" {
		appendPair(&b, versions.AsOfName, at)
	}
	for i := range s.values {
		f, e := &s.spec.Inputs[i], &s.values[i]
		if e.preset != "" {
			appendPair(&b, f.Name+presetSuffix, e.preset)
			continue
		}
		if len(e.names) == 0 || isChoice(f) && e.text() == f.Default {
			continue
		}
		appendPair(&b, f.Name, cmp.Or(e.result, e.text()))
		if u := e.unit(); u != "" && u != f.Unit {
			appendPair(&b, f.Name+unitSuffix, u)
		}
		for _, c := range columnsOf(f, e) {
			if u := e.units[c.Name]; u != "" && u != c.OwnUnit && c.Key != f.Name {
				appendPair(&b, c.UnitKey, u)
			}
		}
	}
	for _, p := range s.view.pairs() {
		appendPair(&b, p.Key, p.Value)
	}
	return b.String()
}

func appendPair(b *strings.Builder, name, text string) {
	if b.Len() > 0 {
		b.WriteByte('&')
	}
	b.WriteString(url.QueryEscape(name) + "=" + url.QueryEscape(text))
}
