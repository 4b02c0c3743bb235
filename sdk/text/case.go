package text

import (
	"context"
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/value"
)

// boundVector is a vector with all of its inputs, also with inputs of the vectors that it is like.
type boundVector struct {
	*Vector
	inputs map[string]*Value // by the name of the input
	file   *reader           // of the file of vectors that it is in; nil: it is in the document
}

// requestCodes are the codes of requests that cannot be read.
var requestCodes = []string{
	request.CodeInvalidNumber, request.CodeInvalidMode, request.CodeNumericUnderflow, request.CodeUnknownInput, request.CodeUnknownUnit, request.CodeIncompatibleUnit,
}

// leastDigits is the fewest digits of a number that is not written with ==.
const leastDigits = 4

// bindVectors compares the vectors of a file with the fields: names, kinds of values, units and digits.
func (r *reader) bindVectors(e *Engine, vectors []Vector, file *reader) {
	byID := map[string]map[string]*Value{}
	for i := range vectors {
		v := &vectors[i]
		inputs := map[string]*Value{}
		for name, of := range byID[v.Like.Text] {
			inputs[name] = of
		}
		rejects := slices.ContainsFunc(v.Expected, func(x Expected) bool { return x.Kind == Rejects })
		for k := range v.Sent {
			r.bindSent(e, &v.Sent[k], rejects, inputs)
		}
		for k := range v.Expected {
			r.bindExpected(e, v, &v.Expected[k])
		}
		byID[v.ID.Text] = inputs
		e.vectors = append(e.vectors, boundVector{v, inputs, file})
	}
}

// bindSent adds a sent value to the inputs of a vector. A vector that is rejected can send a wrong value.
func (r *reader) bindSent(e *Engine, s *Sent, rejects bool, inputs map[string]*Value) {
	f := fieldNamed(e.document.Inputs, s.Name.Text)
	if f == nil {
		r.wrong(s.Name, "%s is not an input%s", s.Name.Text, suggest(s.Name.Text, allNames(e.document.Inputs)))
		return
	}
	if s.Without {
		delete(inputs, f.Name.Text)
		return
	}
	quiet := &reader{file: r.file, lines: r.lines}
	v := s.Value
	if !f.isSpelling(v) {
		v = quiet.bindValue(e.document, f, v)
	}
	switch {
	case v != nil:
		inputs[f.Name.Text] = v
	case rejects: // perhaps because of this value
		inputs[f.Name.Text] = s.Value
	default:
		r.mistakes = append(r.mistakes, quiet.mistakes...)
	}
}

// isSpelling reports whether a value is another spelling of a word of the field, or the name of one of its numbers. It is
// sent as it is.
func (f *Field) isSpelling(v *Value) bool {
	if v.Kind != WordValue && v.Kind != TextValue {
		return false
	}
	spells := func(p Phrase) bool { return p.Text == v.Word }
	return slices.ContainsFunc(f.Names, func(n NumberName) bool { return spells(n.Phrase) }) ||
		slices.ContainsFunc(f.Type.Words, func(w Word) bool { return slices.ContainsFunc(w.Aliases, spells) })
}

// bindValue returns a value as one of a field, nil if it is none.
func (r *reader) bindValue(d *Document, f *Field, v *Value) *Value {
	if v.Kind == WordValue || f.Type.Kind == Text || f.Type.Kind == OneOf || f.Type.Kind == YesNo {
		return r.wordOf(v.Phrase, f.Type)
	}
	if f.Type.Kind == Records && v.Kind == ListValue {
		return r.bindRecords(d, f, v)
	}
	if !r.fits(v, f.Type) {
		return nil
	}
	return v
}

// bindRecords checks the records of a list.
func (r *reader) bindRecords(d *Document, f *Field, v *Value) *Value {
	members := membersOf(d.Inputs, f.Name.Text)
	for _, record := range v.Items {
		if record.Kind != RecordValue || len(record.Items) != len(members) {
			r.wrong(record.Phrase, "a record of %s has %d values: {%s}", f.Name.Text, len(members), strings.Join(memberNames(members), ", "))
			return nil
		}
		for i := range record.Items {
			if r.bindValue(d, members[i], record.Items[i]) == nil {
				return nil
			}
		}
	}
	return v
}

func membersOf(fields []Field, record string) (list []*Field) {
	for i := range fields {
		if fields[i].Name.Text == record && fields[i].Member != "" {
			list = append(list, &fields[i])
		}
	}
	return list
}

func memberNames(members []*Field) (list []string) {
	for _, m := range members {
		list = append(list, m.Member)
	}
	return list
}

// fieldNamed returns the field with a symbol or a name.
func fieldNamed(fields []Field, name string) *Field {
	for i := range fields {
		if f := &fields[i]; f.Member == "" && (f.Symbol.Text == name || f.Name.Text == name) {
			return f
		}
	}
	return nil
}

func allNames(fields []Field) (list []string) {
	for i := range fields {
		if fields[i].Member == "" {
			list = append(list, fields[i].Symbol.Text, fields[i].Name.Text)
		}
	}
	return list
}

// bindExpected checks an expectation.
func (r *reader) bindExpected(e *Engine, v *Vector, x *Expected) {
	switch x.Kind {
	case Warns:
		if !e.spec.MayWarn(x.Code.Text) {
			r.wrong(x.Code, "no check warns %s%s", x.Code.Text, suggest(x.Code.Text, e.spec.Warnings))
		}
		return
	case By:
		if e.spec.Formula(x.Code.Text) < 0 {
			var ids []string
			for _, f := range e.spec.Formulas {
				ids = append(ids, f.ID)
			}
			r.wrong(x.Code, "%s is not the id of a formula%s", x.Code.Text, suggest(x.Code.Text, ids))
		}
		return
	case Rejects:
		if !e.spec.MayReject(x.Code.Text) && !slices.Contains(requestCodes, x.Code.Text) {
			r.wrong(x.Code, "nothing rejects with %s%s", x.Code.Text, suggest(x.Code.Text, e.spec.Codes()))
		}
		if x.At.Text != "" && e.spec.Input(x.At.Text) < 0 {
			r.wrong(x.At, "%s is not the name of an input%s", x.At.Text, suggest(x.At.Text, names(e.spec.Inputs)))
		}
		if len(v.Expected) > 1 {
			r.wrong(x.Phrase, "a rejection has no other results")
		}
		return
	case Assumes:
		return
	}
	f := fieldNamed(e.document.Outputs, x.Name.Text)
	if f == nil {
		r.wrong(x.Name, "%s is not an output%s", x.Name.Text, suggest(x.Name.Text, allNames(e.document.Outputs)))
		return
	}
	x.Name.Text = f.Name.Text
	if x.Kind == Absent {
		if !f.Absent {
			r.wrong(x.Name, "%s is always there: write ? after its name in the outputs if it can be absent", f.Name.Text)
		}
		return
	}
	x.Value = r.bindValue(e.document, f, x.Value)
	if x.Value != nil && !x.Exact {
		r.checkDigits(f, x.Value)
	}
}

// checkDigits reports a number with few digits that is not written with ==.
func (r *reader) checkDigits(f *Field, v *Value) {
	for _, item := range v.Items {
		r.checkDigits(f, item)
	}
	if v.Kind != NumberValue || f.Type.Kind == Integer {
		return
	}
	switch n := significant(v.Digits); {
	case n == 0:
		r.wrong(v.Phrase, "%s: 0 has no digits to compare: write == 0", f.Name.Text)
	case n < leastDigits:
		r.wrong(v.Phrase, "%s: %s has %d digits; write %d or more, or == if it is exact", f.Name.Text, v.Digits, n, leastDigits)
	}
}

// significant returns the number of significant digits of a number as it is written.
func significant(digits string) int {
	mantissa, _, _ := strings.Cut(strings.ToLower(digits), "e")
	mantissa = strings.TrimLeft(mantissa, "+-0.")
	return len(mantissa) - strings.Count(mantissa, ".")
}

// halfDigit returns half a unit of the last digit of a number, in the unit of SI.
func (v *Value) halfDigit() float64 {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(v.Digits), "e")
	_, decimals, _ := strings.Cut(mantissa, ".")
	power, _ := strconv.Atoi(exponent)
	digit := &Value{Unit: v.Unit}
	digit.Unit.Offset = nil
	half := new(big.Rat).SetFrac64(1, 2)
	ten := big.NewRat(10, 1)
	for n := power - len(decimals); n != 0; {
		if n > 0 {
			half.Mul(half, ten)
			n--
		} else {
			half.Quo(half, ten)
			n++
		}
	}
	digit.SI = inSI(half, digit.Unit)
	return digit.binary64()
}

// Disagreements returns a mistake for each expectation of a vector that the document does not meet. Mistakes in a
// file of vectors are the last ones.
func (e *Engine) Disagreements(file string, source []byte) Mistakes {
	r := &reader{file: file, lines: strings.Split(strings.TrimSuffix(string(source), "\n"), "\n")}
	rows := &reader{}
	for i := range e.vectors {
		v, to := &e.vectors[i], r
		if v.file != nil {
			rows.file, rows.lines, to = v.file.file, v.file.lines, rows
		}
		o, err := e.answer(v)
		for k := range v.Expected {
			e.compare(to, v, &v.Expected[k], &o, err)
		}
		if err == nil {
			e.compareNotes(to, v, &o)
		}
	}
	r.sort()
	rows.sort()
	return append(r.mistakes, rows.mistakes...)
}

// answer returns the outcome of a vector, which is read as a request.
func (e *Engine) answer(v *boundVector) (sdk.Outcome, error) {
	in, err := e.valuesOf(v)
	if err != nil {
		return sdk.Outcome{}, err
	}
	return e.Calculate(context.Background(), in)
}

// requestOf returns the inputs of a vector as the JSON text of a request.
func (e *Engine) requestOf(v *boundVector) ([]byte, error) { return json.Marshal(e.inputsOf(v)) }

// inputsOf returns the inputs of a vector as JSON.
func (e *Engine) inputsOf(v *boundVector) map[string]any {
	inputs := map[string]any{}
	for name, of := range v.inputs {
		inputs[name] = of.json(membersOf(e.document.Inputs, name))
	}
	return inputs
}

// value returns the value in the units of SI.
func (v *Value) value() value.Value {
	switch v.Kind {
	case NumberValue:
		return value.NumberOf(v.binary64())
	case ListValue, RecordValue:
		items := make([]value.Value, len(v.Items))
		for i, item := range v.Items {
			items[i] = item.value()
		}
		if v.Kind == RecordValue {
			return value.RecordOf(items...)
		}
		return value.ListOf(items...)
	}
	if v.Word == "yes" || v.Word == "no" {
		return value.BoolOf(v.Word == "yes")
	}
	return value.TextOf(v.Word)
}

// compare reports an expectation that an outcome does not meet.
func (e *Engine) compare(r *reader, v *boundVector, x *Expected, o *sdk.Outcome, err error) {
	rejection, rejected := err.(*sdk.Error)
	id := v.ID.Text
	switch {
	case err != nil && !rejected:
		r.wrong(x.Phrase, "%s: %v", id, err)
	case x.Kind == Rejects && !rejected:
		r.wrong(x.Phrase, "%s: the document gives a result, and no rejection", id)
	case x.Kind == Rejects && (rejection.Code != x.Code.Text || x.At.Text != "" && x.At.Text != rejection.Field):
		r.wrong(x.Phrase, "%s: the document rejects with %s at %s", id, rejection.Code, rejection.Field)
	case x.Kind == Rejects:
	case rejected:
		r.wrong(x.Phrase, "%s: the document rejects this: %s", id, rejection)
	case x.Kind == Warns:
		at := slices.IndexFunc(o.Warnings, func(w sdk.Warning) bool { return w.Code == x.Code.Text })
		if at < 0 {
			r.wrong(x.Phrase, "%s: the document does not warn %s", id, x.Code.Text)
		} else if x.Severity.Text != "" && o.Warnings[at].Severity != severityOf[x.Severity.Text] {
			r.wrong(x.Severity, "%s: the warning %s is not of severity %s", id, x.Code.Text, x.Severity.Text)
		}
	case x.Kind == By:
		used := e.spec.Formulas[e.spec.Formula(o.Formula)].ID
		if used != x.Code.Text {
			r.wrong(x.Phrase, "%s: the document uses the formula %s", id, used)
		}
	case x.Kind == Assumes:
		if len(o.Assumptions) != x.Count {
			r.wrong(x.Phrase, "%s: the document makes %d assumptions", id, len(o.Assumptions))
		}
	default:
		e.compareResult(r, v, x, o)
	}
}

// compareNotes reports warnings and assumptions that a vector does not expect.
func (e *Engine) compareNotes(r *reader, v *boundVector, o *sdk.Outcome) {
	count := func(kind ExpectedKind, code string) (n int) {
		for k := range v.Expected {
			if x := &v.Expected[k]; x.Kind == kind && x.Code.Text == code {
				n++
			}
		}
		return n
	}
	given := map[string]int{}
	for _, w := range o.Warnings {
		if given[w.Code] == 0 || slices.Contains(e.spec.Warnings, w.Code) { // other warnings are given for each output
			given[w.Code]++
		}
		if given[w.Code] > count(Warns, w.Code) {
			r.wrong(v.ID, "%s: the document warns %s, and the vector does not expect it: write warns %s", v.ID.Text, w.Code, w.Code)
		}
	}
	if n := len(o.Assumptions); n > 0 && count(Assumes, "") == 0 {
		r.wrong(v.ID, "%s: the document makes %d assumptions, and the vector does not expect them: write assumes %d", v.ID.Text, n, n)
	}
}

// compareResult reports a result that differs from the expected one.
func (e *Engine) compareResult(r *reader, v *boundVector, x *Expected, o *sdk.Outcome) {
	at := slices.IndexFunc(e.spec.Outputs, func(f sdk.Field) bool { return f.Name == x.Name.Text })
	got := o.Result[at]
	switch {
	case x.Kind == Absent && got.Kind() != value.Absent:
		r.wrong(x.Phrase, "%s: %s is not absent", v.ID.Text, x.Name.Text)
	case x.Kind == Absent:
	case got.Kind() == value.Absent:
		r.wrong(x.Phrase, "%s: %s is absent", v.ID.Text, x.Name.Text)
	default:
		e.compareValue(r, v, x, x.Value, got)
	}
}

func (e *Engine) compareValue(r *reader, v *boundVector, x *Expected, want *Value, got value.Value) {
	id, name := v.ID.Text, x.Name.Text
	switch {
	case want.Kind == NumberValue && got.Kind() == value.Number:
		number, expected := got.Number(), want.binary64()
		within, given := 0.0, inWritten(number, want.Unit)
		if !x.Exact {
			within, given = want.halfDigit()*(1+1e-9), shownIn(number, want.Unit)
		}
		if math.Abs(number-expected) <= within {
			return
		}
		r.wrong(want.Phrase, "%s: %s: the source has %s, the document gives %s", id, name, want.Text, given)
	case want.Kind == ListValue && got.Kind() == value.List && len(want.Items) == len(got.Items()):
		for i, item := range want.Items {
			e.compareValue(r, v, x, item, got.Items()[i])
		}
	case want.Kind == ListValue && got.Kind() == value.List:
		r.wrong(want.Phrase, "%s: %s: the source has %d items, the document gives %d", id, name, len(want.Items), len(got.Items()))
	case !want.value().Equal(got):
		r.wrong(want.Phrase, "%s: %s: the source has %s, the document gives %s", id, name, want.Text, got.Text())
	}
}

// shownIn returns a number in a unit, with 12 digits.
func shownIn(x float64, u Unit) string {
	number := &big.Rat{}
	if number.SetFloat64(x) == nil {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	if u.Factor != nil && u.Factor.Sign() != 0 {
		number.Quo(number, u.Factor)
	}
	if u.Offset != nil {
		number.Sub(number, u.Offset)
	}
	y, _ := number.Float64()
	if u.Pi {
		y /= math.Pi
	}
	return strings.TrimSpace(formula.Rounded(y, 12) + " " + u.ID)
}

// Vectors returns the vectors as the JSON document that is published with an engine.
func (e *Engine) Vectors() []byte {
	type vector struct {
		ID          string                  `json:"id"`
		Kind        string                  `json:"kind"`
		Inputs      map[string]any          `json:"inputs"`
		Expected    map[string]any          `json:"expected"`
		Tolerances  map[string]float64      `json:"tolerances,omitempty"`
		Absent      []string                `json:"absent,omitempty"`
		Assumptions *int                    `json:"assumptions,omitempty"`
		Warnings    []string                `json:"warnings,omitempty"`
		Severities  map[string]sdk.Severity `json:"severities,omitempty"`
		Formula     string                  `json:"formula,omitempty"`
		Complete    bool                    `json:"complete,omitempty"`
		Source      string                  `json:"source"`
	}
	list := make([]vector, 0, len(e.vectors))
	for i := range e.vectors {
		of := &e.vectors[i]
		one := vector{ID: of.ID.Text, Kind: "document", Inputs: e.inputsOf(of), Expected: map[string]any{}, Tolerances: map[string]float64{}, Severities: map[string]sdk.Severity{}, Source: of.Source.Text}
		for k := range of.Expected {
			x := &of.Expected[k]
			switch x.Kind {
			case Absent:
				one.Absent = append(one.Absent, x.Name.Text)
			case Warns:
				one.Warnings = append(one.Warnings, x.Code.Text)
				if x.Severity.Text != "" {
					one.Severities[x.Code.Text] = severityOf[x.Severity.Text]
				}
			case By:
				one.Formula = x.Code.Text
			case Assumes:
				one.Assumptions = &x.Count
			case Rejects:
				one.Expected["code"] = x.Code.Text
				if x.At.Text != "" {
					one.Expected["field"] = x.At.Text
				}
			default:
				one.Expected[x.Name.Text] = x.Value.json(nil)
				if within := x.Value.margin(); !x.Exact && within > 0 {
					one.Tolerances[x.Name.Text] = within
				}
			}
		}
		one.Complete = one.Expected["code"] == nil
		list = append(list, one)
	}
	document, _ := json.Marshal(list) // of values that JSON has
	return document
}

// margin returns half a unit of the last digit, of a list the largest one.
func (v *Value) margin() (most float64) {
	for _, item := range v.Items {
		most = max(most, item.margin())
	}
	if v.Kind == NumberValue {
		most = v.halfDigit() * (1 + 1e-9)
	}
	return most
}

// json returns the value for a request.
func (v *Value) json(members []*Field) any {
	switch v.Kind {
	case NumberValue:
		return json.Number(decimalText(v))
	case ListValue:
		items := make([]any, len(v.Items))
		for i, item := range v.Items {
			items[i] = item.json(members)
		}
		return items
	case RecordValue:
		record := map[string]any{}
		for i, item := range v.Items {
			if i < len(members) {
				record[members[i].Member] = item.json(nil)
			}
		}
		return record
	}
	if v.Word == "yes" || v.Word == "no" {
		return v.Word == "yes"
	}
	return v.Word
}
