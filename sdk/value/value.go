// Package value has the typed values that callers and engines exchange. [Values] has one [Value]
// per field of a Spec, in the order of the Spec. Make a value with [NumberOf], [TextOf], [BoolOf],
// [ExactOf], [ListOf] or [RecordOf]. Read it with the method for its [Kind], such as
// [Value.Number]. Numbers are in the SI unit of their field. The zero Value is absent: the field
// was not sent, or has no result.
package value

import (
	"fmt"
	"slices"
)

// Kind is the kind of a Value.
type Kind uint8

// The kinds of a Value. The zero Value is Absent, which differs from zero, false and the empty
// text.
const (
	Absent Kind = iota
	Number
	Text
	Bool
	Exact // a decimal literal that is transferred as text and never rounded
	List
	Record // one Value per field of the object, in declared order
)

var kindNames = [...]string{"absent", "number", "text", "bool", "exact decimal", "list", "record"}

// String names the kind for messages.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Value is one typed value of an input or output field. It does not change, so copies can share memory.
type Value struct {
	form *form // nil of an Absent
	num  float64
	text string // of a Number: its JSON form if that is known, else ""
}

// form is the kind of a Value, and its items if it has any. A pointer to it makes a Value four
// words long, which the compiler keeps in registers. Values are often copied, and few are
// lists.
type form struct {
	kind  Kind
	items []Value // of a List or a Record
}

// forms are the forms without items, by kind.
var forms = [...]form{Number: {kind: Number}, Text: {kind: Text}, Bool: {kind: Bool}, Exact: {kind: Exact}}

// Values has one Value per field of a Spec, in the Spec's order.
type Values []Value

// NumberOf returns a Number. Adding 0 turns negative zero into zero.
func NumberOf(f float64) Value { return Value{form: &forms[Number], num: f + 0} }

// TextOf returns a Text.
func TextOf(s string) Value { return Value{form: &forms[Text], text: s} }

// BoolOf returns a Bool.
func BoolOf(b bool) Value {
	v := Value{form: &forms[Bool]}
	if b {
		v.num = 1
	}
	return v
}

// ExactOf returns an Exact decimal. The literal must be one JSON number.
func ExactOf(literal string) Value { return Value{form: &forms[Exact], text: literal} }

// ListOf returns a List of the items.
func ListOf(items ...Value) Value { return Value{form: &form{List, items}} }

// RecordOf returns a Record of the field values, in declared order.
func RecordOf(fields ...Value) Value { return Value{form: &form{Record, fields}} }

// Kind returns the kind of v.
func (v Value) Kind() Kind {
	if v.form == nil {
		return Absent
	}
	return v.form.kind
}

// Number returns the number of a Number in the SI unit of its field, and zero otherwise. See [Value.Kind] to
// distinguish a zero from an absent number.
func (v Value) Number() float64 {
	if v.form != &forms[Number] {
		return 0
	}
	return v.num
}

// Text returns the text of a Text, the literal of an Exact, and "" otherwise.
func (v Value) Text() string {
	if v.form == &forms[Number] {
		return ""
	}
	return v.text
}

// Bool returns the truth of a Bool, and false otherwise.
func (v Value) Bool() bool { return v.form == &forms[Bool] && v.num != 0 }

// Items returns the items of a List or the fields of a Record, and nil otherwise. They must not be changed.
func (v Value) Items() []Value {
	if v.form == nil {
		return nil
	}
	return v.form.items
}

// Equal reports whether v and w have the same kind and the same value. Two Exact decimals are
// equal if their literals are equal.
func (v Value) Equal(w Value) bool {
	switch {
	case v.form == &forms[Number]:
		return w.form == v.form && v.num == w.num
	case v.form == w.form:
		return v.num == w.num && v.text == w.text && slices.EqualFunc(v.Items(), w.Items(), Value.Equal)
	}
	return v.Kind() == w.Kind() && slices.EqualFunc(v.Items(), w.Items(), Value.Equal) // values with different forms can only be lists or records
}
