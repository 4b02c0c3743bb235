package text

import (
	"math/big"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk/internal/pattern"
	"github.com/slipstick/slipstick/sdk/units"
)

// Value is a value as the author writes it: a number with its unit, a word, a text, a list or a record.
type Value struct {
	Phrase
	Kind   ValueKind
	Digits string   // of a number, as written
	Unit   Unit     // of a number
	SI     *big.Rat // of a number, in the coherent unit of SI; without pi, see Unit.Pi
	Word   string   // of a word or a text
	Items  []*Value // of a list or a record
}

// ValueKind is the form of a value.
type ValueKind uint8

// The forms of values.
const (
	NumberValue ValueKind = iota
	WordValue
	TextValue
	ListValue
	RecordValue
)

var (
	numberForm    = pattern.New(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?`)
	exactForm     = pattern.New(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$`)
	decimalComma  = pattern.New(`^[+-]?[0-9]+,[0-9]`)
	thousands     = pattern.New(`^[+-]?[0-9]{1,3}([.' ][0-9]{3})+,[0-9]|^[+-]?[0-9]{1,3}(,[0-9]{3})+\.[0-9]|^[+-]?[0-9]{1,3}(\.[0-9]{3}){2,}|^[+-]?[0-9]{1,3}([' ][0-9]{3})+`)
	fractionForm  = pattern.New(`^[+-]?[0-9]+[ ]?[0-9]*/[0-9]+`)
	exponentLimit = pattern.New(`[eE][+-]?[0-9]{4,}`)
)

// readValue reads a value. Numbers have their unit; readValue does not compare it with a field.
func (r *reader) readValue(p Phrase) *Value {
	v := &Value{Phrase: p}
	text := p.Text
	switch {
	case text == "":
		r.report(p.Place, 1, "a value is missing")
		return nil
	case text[0] == '"':
		if len(text) < 2 || text[len(text)-1] != '"' || strings.Contains(text[1:len(text)-1], `"`) {
			r.wrong(p, `a text is in quotation marks: "...", and has none inside`)
			return nil
		}
		v.Kind, v.Word = TextValue, text[1:len(text)-1]
		return v
	case text[0] == '[' || text[0] == '{':
		closing := map[byte]string{'[': "]", '{': "}"}[text[0]]
		if !strings.HasSuffix(text, closing) || len(text) < 2 {
			r.wrong(p, "%c is not closed by %s", text[0], closing)
			return nil
		}
		v.Kind = ListValue
		if text[0] == '{' {
			v.Kind = RecordValue
		}
		inner := p.within(1, len(text)-1)
		if inner.Text == "" {
			return v
		}
		for _, part := range splitAt(inner, ',') {
			item := r.readValue(part)
			if item == nil {
				return nil
			}
			v.Items = append(v.Items, item)
		}
		return v
	case numberForm.MatchString(text):
		return r.readQuantity(v)
	case wordForm.MatchString(text):
		v.Kind, v.Word = WordValue, text
		return v
	}
	r.wrong(p, "%q is neither a number, a word, a text in quotation marks, a list [...] nor a record {...}", text)
	return nil
}

// readQuantity reads a number and its unit.
func (r *reader) readQuantity(v *Value) *Value {
	text := v.Text
	switch {
	case thousands.MatchString(text):
		r.wrong(v.Phrase, "%s: write a number without separators of thousands, with a decimal point", text)
		return nil
	case decimalComma.MatchString(text):
		r.wrong(v.Phrase, "%s: a decimal point is a point; between two values there is a comma and a blank", text)
		return nil
	case fractionForm.MatchString(text):
		r.wrong(v.Phrase, "%s: write a fraction as a decimal number", text)
		return nil
	case exponentLimit.MatchString(text):
		r.wrong(v.Phrase, "%s: the exponent has at most three digits", text)
		return nil
	}
	v.Digits = numberForm.FindString(text)
	rest := v.within(len(v.Digits), len(text))
	if rest.Text != "" && rest.Text != "%" && rest.Column == v.Column+len(v.Digits) {
		if _, ok := unitOf(rest.Text); !ok && wordForm.MatchString(text) {
			v.Kind, v.Word, v.Digits = WordValue, text, "" // a word that starts with a digit, such as 4_bolts
			return v
		}
		r.wrong(v.Phrase, "write a blank between the number and its unit: %s %s", v.Digits, rest.Text)
		return nil
	}
	unit, ok := r.readUnit(rest)
	if !ok {
		return nil
	}
	v.Unit = unit
	v.SI = ratOf(v.Digits)
	if v.SI == nil {
		r.wrong(v.Phrase, "%s is not a number", v.Digits)
		return nil
	}
	v.SI = inSI(v.SI, unit)
	return v
}

// ratOf returns the number with these digits, nil if they are none.
func ratOf(digits string) *big.Rat {
	x, _ := new(big.Rat).SetString(strings.TrimPrefix(digits, "+"))
	return x
}

// inSI returns a number in the coherent unit of SI, without pi.
func inSI(x *big.Rat, u Unit) *big.Rat {
	x = new(big.Rat).Set(x)
	if u.Offset != nil {
		x.Add(x, u.Offset)
	}
	if u.Factor != nil {
		x.Mul(x, u.Factor)
	}
	return x
}

// valueOf reads a value of a field. It reports a value of another kind, a unit of another quantity, and
// a number without the unit that the field has.
func (r *reader) valueOf(p Phrase, t Type) *Value {
	if t.Kind == OneOf || t.Kind == Text || t.Kind == YesNo {
		return r.wordOf(p, t)
	}
	v := r.readValue(p)
	if v == nil || !r.fits(v, t) {
		return nil
	}
	return v
}

// wordOf reads a word or a text.
func (r *reader) wordOf(p Phrase, t Type) *Value {
	v := &Value{Phrase: p, Kind: WordValue, Word: p.Text}
	if quoted := strings.Trim(p.Text, `"`); len(quoted) == len(p.Text)-2 {
		v.Kind, v.Word = TextValue, quoted
	}
	known := []string{"yes", "no"}
	if t.Kind == OneOf {
		known = nil
		for _, w := range t.Words {
			known = append(known, w.Text)
		}
	}
	if t.Kind != Text && !slices.Contains(known, v.Word) {
		r.wrong(p, "%q is not a value of this field%s", v.Word, suggest(v.Word, known))
		return nil
	}
	return v
}

// fits reports whether a value is one of the type, and reports a mistake if not.
func (r *reader) fits(v *Value, t Type) bool {
	switch t.Kind {
	case List:
		if v.Kind != ListValue {
			r.wrong(v.Phrase, "this is a list: write [..., ...]")
			return false
		}
		for _, item := range v.Items {
			if !r.fits(item, *t.Items) {
				return false
			}
		}
		return true
	case Records:
		return v.Kind == ListValue
	case Integer:
		if v.Kind != NumberValue || v.Unit.ID != "" || !v.SI.IsInt() {
			r.wrong(v.Phrase, "write an integer, without a unit")
			return false
		}
		return true
	}
	switch {
	case v.Kind == TextValue && t.Exact && exactForm.MatchString(v.Word):
		return true
	case v.Kind != NumberValue:
		r.wrong(v.Phrase, "write a number%s", ofUnit(t.Unit))
		return false
	case t.Unit.Money && v.Unit.ID == "":
		v.Unit = t.Unit
		return true
	case t.Unit.Bare:
		return r.bare(v, t.Unit)
	case t.Unit.ID != "" && v.Unit.ID == "":
		r.wrong(v.Phrase, "this field has a unit: write %s %s, or another unit of it", v.Digits, t.Unit.ID)
		return false
	case t.Unit.ID == "" && v.Unit.ID != "" && v.Unit.SI != "":
		r.wrong(v.Phrase, "this field has no unit: write %s", v.Digits)
		return false
	case t.Unit.ID != "" && !sameQuantity(v.Unit.SI, t.Unit.SI):
		r.wrong(v.Phrase, "the field is in %s, and %s is a unit of another quantity", t.Unit.ID, v.Unit.ID)
		return false
	case t.Unit.Difference && v.Unit.Point():
		v.Unit.Offset = nil
		number, _ := new(big.Rat).SetString(v.Digits)
		v.SI = inSI(number, v.Unit)
	}
	return true
}

// ofUnit returns " in UNIT" for a unit.
func ofUnit(u Unit) string {
	if u.ID == "" {
		return ""
	}
	return " in " + u.ID
}

// bare makes a number with a unit a number of another unit of the same quantity, without a unit.
func (r *reader) bare(v *Value, unit Unit) bool {
	from, isFrom := units.Lookup(v.Unit.ID)
	to, isTo := units.Lookup(unit.ID)
	number := ratOf(v.Digits)
	switch {
	case v.Unit.ID == unit.ID:
		v.Unit = unit
	case !isFrom || !isTo || from.Quantity != to.Quantity || from.Pi != to.Pi:
		r.wrong(v.Phrase, "this field is a number of %s: write %s %s", unit.ID, v.Digits, unit.ID)
		return false
	default:
		number = units.Convert(number, from, to)
		from.Offset, to.Offset = nil, nil
		v.Unit = Unit{ID: v.Unit.ID, Factor: units.Convert(big.NewRat(1, 1), from, to), Bare: true}
	}
	v.SI = number
	return true
}
