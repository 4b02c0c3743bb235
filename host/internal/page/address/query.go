package address

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/versions"
)

// MaxForm is the maximum size of a form, in bytes.
const MaxForm = 64 << 10

// Keys of a query that are never inputs, even if a Spec has inputs of that name (spec 4
// rule 6). Neither is [versions.AsOfName].
const (
	VersionKey = versions.PinName // attribution on a page, a pin in a form and in the API
	ignoredKey = "v"
	UnitSuffix = ".unit"

	typedKey      = "typed"      // a form marks its texts as typed: the language of the browser reads them
	understoodKey = "understood" // an input with a typed text that was not a plain number
)

// Value is the content of a request for one input.
type Value struct {
	names  []string            // keys of the texts
	texts  []string            // one for each key
	Units  typed.Units         // units given for it, and for its columns
	cells  map[string][]string // of a table of rows, by column
	Hint   string              // the meaning of the text, "" if it is the text itself
	result string              // of a calculation in the text; URLs have the result instead
	Split  bool                // the reader typed a unit after the number
	noted  bool                // the page shows how the text is understood, also if it is plain
	Preset string              // the row of a table that gives it; "" if there is none
	Row    string              // the name of that row on pages
	Filled bool                // the row was chosen for the whole form
	fault  *sdk.Error
	unread string // if a text cannot be read: why, and a remedy
}

// Text returns the first text, "" if there is none.
func (v *Value) Text() string { return first(v.texts) }

// Unit returns the unit of the value, "" if it has none of its own.
func (v *Value) Unit() string { return v.Units[""] }

// Given reports whether the input has a text.
func (v *Value) Given() bool { return len(v.names) > 0 }

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// Values is the content of a query or a form for the inputs of a Spec.
type Values struct {
	Spec     *sdk.Spec
	level    typed.Level
	Values   []Value          // one per input
	versions []string         // of calculation_version, in order
	times    []string         // of as_of, in order
	Broken   *problem.Problem // why the query cannot be read, nil if it can
	filling  filling          // from rows for the whole form
	Foreign  []string         // unknown keys
	View     View
	typed    bool // a form has sent the query
	Settled  bool // the query has keys of a form, which a URL of a page does not have
}

// NewValues returns Values of the Spec without any value.
func NewValues(spec *sdk.Spec) *Values {
	return &Values{Spec: spec, Values: make([]Value, len(spec.Inputs))}
}

// Set gives an input a value. The unit is "" if the value has none.
func (s *Values) Set(i int, text, unit string) {
	v := &s.Values[i]
	v.names, v.texts = []string{s.Spec.Inputs[i].Name}, []string{text}
	if unit != "" {
		v.Units = typed.Units{"": unit}
	}
}

// Clone returns a copy of the values without pins and view.
func (s *Values) Clone() *Values {
	return &Values{Spec: s.Spec, Values: slices.Clone(s.Values)}
}

// Change sets the text of an input as a URL has it. A blank text removes the value.
func (s *Values) Change(i int, text string) {
	f, v := &s.Spec.Inputs[i], &s.Values[i]
	v.names, v.texts = nil, nil
	if strings.TrimSpace(text) != "" {
		v.names, v.texts, v.Hint = []string{f.Name}, []string{typed.FromAddress(f, text)}, ""
	}
}

// ChangeUnit sets the unit of an input.
func (s *Values) ChangeUnit(i int, unit string) { s.Values[i].Units = typed.Units{"": unit} }

// ReadPage reads a query string or the body of a form, for a page that shows the meaning of each text. It collects unknown
// keys; see [Values.RefuseMisspelt] and [Values.RefuseForeign]. It ignores blank values.
func ReadPage(spec *sdk.Spec, raw string, language Language) *Values {
	return readAt(typed.Arithmetic, spec, raw, language)
}

// ReadStudy reads the query of a study as [ReadQuery] does. Its page is in the units of the reader.
func ReadStudy(spec *sdk.Spec, raw string, language Language) *Values {
	return readAt(typed.Numbers, spec, raw, language)
}

// Typed reports whether a form has sent the query.
func (s *Values) Typed() bool { return s.typed }

// Language returns the language of the reader. It is called only if the answer depends on the language. If it is nil, texts
// and units are neutral.
type Language func() site.Language

// ReadQuery reads a query string as [ReadPage] does, but does not evaluate arithmetic in values.
func ReadQuery(spec *sdk.Spec, raw string) *Values { return readAt(typed.Numbers, spec, raw, nil) }

func readAt(level typed.Level, spec *sdk.Spec, raw string, language Language) *Values {
	s := NewValues(spec)
	s.level = level
	for part := range strings.SplitSeq(raw, "&") {
		key, value, _ := strings.Cut(part, "=")
		name, err := url.QueryUnescape(key)
		text, err2 := url.QueryUnescape(value)
		if err != nil || err2 != nil {
			s.Broken = problem.InvalidQuery(part, cmp.Or(err, err2))
			continue
		}
		s.add(name, text)
	}
	if s.typed && language != nil && language().Grouped {
		s.level |= typed.CommaGroups
	}
	for i := range s.Values {
		s.joinCells(i)
		s.understand(i)
		if e := &s.Values[i]; len(e.names) == 0 && len(e.Units) == 1 {
			s.View.takeFromForm(spec, &spec.Inputs[i], e.Unit())
		}
	}
	s.Settled = s.View.settle(spec, s.sent()) || s.typed
	given := slices.ContainsFunc(s.Values, func(v Value) bool { return v.Given() && len(v.Units) > 0 })
	s.View.Suit(given, language)
	return s
}

// sent returns the values of the form's controls. It has the unit also if the field's own unit is chosen,
// and the effective value of each choice.
func (s *Values) sent() map[string]string {
	sent := map[string]string{}
	for i := range s.Values {
		f, e := &s.Spec.Inputs[i], &s.Values[i]
		sent[f.Name] = strings.TrimSpace(e.Text())
		if wording.IsChoice(f) {
			sent[f.Name] = cmp.Or(e.Text(), f.Default)
		}
		if f.Unit != "" {
			sent[f.Name+UnitSuffix] = cmp.Or(e.Unit(), f.Unit)
		}
	}
	return sent
}

func (s *Values) add(key, text string) {
	if s.addCell(key, text) {
		return
	}
	if key == ignoredKey || strings.TrimSpace(text) == "" && !isStudyKey(key) {
		return
	}
	if s.Spec.Input(key) < 0 && (key == typedKey || key == understoodKey) {
		s.typed = s.typed || key == typedKey
		if i := s.Spec.Input(text); i >= 0 && key == understoodKey {
			s.Values[i].noted = true
		}
		return
	}
	if key == VersionKey {
		s.versions = append(s.versions, text)
		return
	}
	if key == versions.AsOfName {
		s.times = append(s.times, text)
		return
	}
	if s.View.add(s.Spec, key, text) || s.addPreset(key, text) {
		return
	}
	name, isUnit := strings.CutSuffix(key, UnitSuffix)
	i := s.Spec.Input(name)
	if i < 0 {
		s.Foreign = append(s.Foreign, key)
		return
	}
	f, e := &s.Spec.Inputs[i], &s.Values[i]
	switch {
	case isUnit:
		e.setUnit(f, "", text)
		return
	case slices.Contains(e.names, name):
		e.fail(f, sdk.CodeConflictingInputs, "there are two values")
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		e.fail(f, request.CodeInvalidNumber, "the value is not text")
		text = ""
	default:
		text = typed.FromAddress(f, text)
	}
	e.names, e.texts = append(e.names, name), append(e.texts, text)
}

// setUnit sets the unit of the value, or of a column of its rows.
func (v *Value) setUnit(f *sdk.Field, column, unit string) {
	if was := v.Units[column]; was != "" && was != unit {
		v.fail(f, sdk.CodeConflictingInputs, "there are two units")
	}
	if v.Units == nil {
		v.Units = typed.Units{}
	}
	v.Units[column] = unit
}

// understand makes a unit that the reader typed after a number the unit of the value, as if it were chosen from the
// menu. It records the meaning of a text that is not a plain number or list, or why it cannot be read.
func (s *Values) understand(i int) {
	f, v := &s.Spec.Inputs[i], &s.Values[i]
	if v.fault != nil || f.Type == sdk.TypeString {
		return
	}
	for _, text := range v.texts {
		if _, err := typed.Value(f, text, v.Units, s.level); err != nil {
			s.cannotRead(i, err)
			return
		}
	}
	if len(v.texts) != 1 {
		return
	}
	text := v.texts[0]
	if r, err := typed.Read(f, text, s.level); wording.IsNumber(f) && err == nil && (!r.Plain || v.noted) {
		if r.Unit != "" && (f.Unit != "" || f.UnitBy != nil) {
			v.texts[0], v.Units, v.Split = r.Number, typed.Units{"": r.Unit}, true
		}
		v.Hint = understood(r, cmp.Or(v.Unit(), f.Unit))
		if s.typed && strings.Contains(r.Number, ",") {
			v.result = r.Literal
		}
	}
	if f.Type == sdk.TypeArray && v.Hint == "" {
		list, _ := typed.Value(f, text, nil, s.level)
		if shown := typed.Listed(f, list); !sameWords(shown, text) {
			v.Hint = "Understood as " + shown + "."
		}
	}
	if _, err := typed.Value(f, v.texts[0], v.Units, typed.Numbers); err != nil {
		result, _ := typed.Value(f, v.texts[0], nil, s.level)
		v.result, _, _ = typed.Text(f, result)
	}
}

// Understand calls understand for all values.
func (s *Values) Understand() {
	for i := range s.Values {
		s.understand(i)
	}
}

// sameWords reports whether two texts have the same words between blanks, semicolons and ", ".
func sameWords(a, b string) bool {
	words := func(text string) []string {
		return strings.FieldsFunc(strings.ReplaceAll(text, ", ", " "), func(r rune) bool { return r == ';' || unicode.IsSpace(r) })
	}
	return slices.Equal(words(a), words(b))
}

// cannotRead records why a text of the input cannot be read.
func (s *Values) cannotRead(i int, err error) {
	f, v := &s.Spec.Inputs[i], &s.Values[i]
	e, ok := errors.AsType[*typed.TextError](err)
	if !ok || v.fault != nil {
		return
	}
	where, _ := s.at(append([]string{f.Name}, e.Path...))
	if e.Problem == typed.MissingValue {
		where = "" // the detail names the value
	}
	v.unread = where + wording.AsSentence(e.Detail()) + " " + e.Remedy()
	v.fault = sdk.Reject(request.CodeInvalidNumber, f.Name, "%s%s", where, e.Detail()).Suggest(e.Remedy())
}

// understood returns the hint with the meaning of a text that is not a plain number.
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

// fail records why the value cannot be read. It keeps only the first reason.
func (v *Value) fail(f *sdk.Field, code, detail string) {
	if v.fault == nil {
		v.fault = sdk.Reject(code, f.Name, "%s", detail).Suggest("Enter one value.")
	}
}

// Meaningful reports whether an input other than a choice has a value, so that a calculation makes sense.
func (s *Values) Meaningful() bool {
	for i := range s.Values {
		if len(s.Values[i].names) > 0 && !wording.IsChoice(&s.Spec.Inputs[i]) || s.Values[i].Preset != "" {
			return true
		}
	}
	return false
}

// Asks reports whether the page has something to show: a result or a problem.
func (s *Values) Asks() bool {
	return s.Meaningful() || s.Faults() != nil || s.Broken != nil || s.View.Problem() != nil
}

// Faults returns one error for all values that cannot be read, in words for people; nil if there are none. It includes
// choices that do not exist, because it can see them without any other input.
func (s *Values) Faults() *sdk.Error {
	all := s.filling.problem()
	for i := range s.Values {
		f, e := &s.Spec.Inputs[i], &s.Values[i]
		fault := e.fault
		if fault == nil && len(f.Enum) > 0 {
			fault = wrongChoice(f, e.texts)
		}
		if fault == nil {
			continue
		}
		if all == nil {
			all = sdk.Reject(fault.Code, fault.Field, "%s", wording.AsSentence(fault.Detail)).Suggest(fault.Suggestion)
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
			choices = append(choices, wording.Labels{}.Choice(value))
		}
		return sdk.Reject(request.CodeInvalidMode, f.Name, "%q is not one of the choices", request.Clip(text)).
			Suggest("Choose one of " + strings.Join(choices, ", ") + ".")
	}
	return nil
}

// Inputs returns the values as the inputs of an API request.
func (s *Values) Inputs() strictjson.Value {
	object := strictjson.Value{Kind: strictjson.Object}
	for i := range s.Values {
		f, e := &s.Spec.Inputs[i], &s.Values[i]
		if e.Preset != "" {
			object.Members = append(object.Members, strictjson.Member{Name: f.Name, Value: typed.Preset(e.Preset)})
			continue
		}
		for k, name := range e.names {
			v, _ := typed.Value(f, e.texts[k], e.Units, s.level) // understand has refused texts that cannot be read
			object.Members = append(object.Members, strictjson.Member{Name: name, Value: v})
		}
	}
	return object
}

// Calculate lets the service compute with the values. The error is a *problem.Problem, or an
// *sdk.Error if the values cannot form a request.
func (s *Values) Calculate(ctx context.Context, service *calc.Service, pins []versions.Pin) (*calc.Answer, error) {
	if s.Broken != nil {
		return nil, s.Broken
	}
	if fault := s.Faults(); fault != nil {
		return nil, fault
	}
	request := calc.Request{ID: s.Spec.Tool, Inputs: s.Inputs(), Pins: pins}
	a, err := service.Calculate(ctx, request)
	if err != nil && s.View.Units != customary.AsEntered {
		return nil, service.RejectionFor(problem.Of(err), request, customary.Steps{Reader: customary.NewReader(s.View.Units)})
	}
	return a, err
}

// Pins returns the version pins of a query or a form. A version that is chosen in a form has precedence over the time in
// the URL that filled in the form.
func (s *Values) Pins(in versions.Place) []versions.Pin {
	var pins []versions.Pin
	for _, v := range s.versions {
		pins = append(pins, versions.Pin{Place: in, Name: VersionKey, Value: v})
	}
	if len(pins) > 0 {
		return pins
	}
	return s.asOf(in)
}

// Version returns the version that the address names, "" if it names none.
func (s *Values) Version() string { return first(s.versions) }

// Kept returns the pairs that a form must pass on, and for which a page has no control.
func (s *Values) Kept(results bool) []Pair {
	list := s.View.uncontrolled(results)
	if at := first(s.times); at != "" {
		list = append(list, Pair{versions.AsOfName, at})
	}
	return list
}

// asOf returns the pins that name a time. Only they count in the query of a page, where calculation_version only names the
// version that computed an earlier result.
func (s *Values) asOf(in versions.Place) []versions.Pin {
	var pins []versions.Pin
	for _, v := range s.times {
		pins = append(pins, versions.Pin{Place: in, Name: versions.AsOfName, Value: v, Means: versions.AsOf})
	}
	return pins
}

// Query returns the shortest query with the same inputs and the same view, "" if there are none.
func (s *Values) Query() string {
	var b strings.Builder
	if at := first(s.times); at != "" {
		AppendPair(&b, versions.AsOfName, at)
	}
	for i := range s.Values {
		f, e := &s.Spec.Inputs[i], &s.Values[i]
		if e.Preset != "" {
			AppendPair(&b, f.Name+presetSuffix, e.Preset)
			continue
		}
		if len(e.names) == 0 || wording.IsChoice(f) && e.Text() == f.Default {
			continue
		}
		AppendPair(&b, f.Name, cmp.Or(e.result, e.Text()))
		if u := e.Unit(); u != "" && u != f.Unit {
			AppendPair(&b, f.Name+UnitSuffix, u)
		}
		for _, c := range ColumnsOf(f, e) {
			if u := e.Units[c.Name]; u != "" && u != c.OwnUnit && c.Key != f.Name {
				AppendPair(&b, c.UnitKey, u)
			}
		}
	}
	for _, p := range s.View.pairs() {
		AppendPair(&b, p.Key, p.Value)
	}
	return b.String()
}

// Named returns the query of the values with the units of the view, also if they follow from the language of the reader.
func (s *Values) Named() string {
	other := *s
	other.View = *s.View.Named()
	return other.Query()
}

// Settlement returns the query to which a form leads. The page of the query shows how typed texts were understood.
func (s *Values) Settlement() string {
	var b strings.Builder
	b.WriteString(s.Query())
	for i := range s.Values {
		if v := &s.Values[i]; v.Hint != "" && wording.IsNumber(&s.Spec.Inputs[i]) {
			AppendPair(&b, understoodKey, s.Spec.Inputs[i].Name)
		}
	}
	return b.String()
}

// AppendPair appends a key and its text to a query.
func AppendPair(b *strings.Builder, name, text string) {
	if b.Len() > 0 {
		b.WriteByte('&')
	}
	b.WriteString(url.QueryEscape(name) + "=" + url.QueryEscape(text))
}

// WithQuery joins two queries. Each can be empty.
func WithQuery(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "&" + b
}
