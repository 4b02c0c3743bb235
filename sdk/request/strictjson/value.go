// Package strictjson reads JSON from untrusted sources. Use [Parse] for one document, and a
// [Scanner] for many. It accepts exactly the grammar of RFC 8259. It refuses input that
// encoding/json accepts: duplicate member names, invalid UTF-8, lone surrogates and NUL. It also
// refuses documents that exceed [MaxBytes] or [MaxDepth]. Every error is a [*SyntaxError] with the
// line and column.
//
// A [Value] keeps each number as written and reports whether binary64 can represent it. A number
// that silently becomes zero or infinity would be a wrong answer (spec 7.3, NUMERIC_UNDERFLOW).
package strictjson

import "strconv"

// Kind is the JSON type of a Value.
type Kind uint8

// The JSON types. The zero Kind is Null.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}

// String returns the kind with its article, such as "an array", for error messages.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "an unknown kind"
}

// Range is whether binary64 can represent a number literal.
type Range uint8

const (
	// InRange is a literal that is zero, or whose nearest binary64 is neither
	// zero nor infinite.
	InRange Range = iota
	// Underflow is a nonzero literal whose nearest binary64 is zero.
	Underflow
	// Overflow is a literal that rounds beyond the largest binary64.
	Overflow
)

var rangeNames = [...]string{"in range", "underflow", "overflow"}

// String returns "in range", "underflow" or "overflow".
func (r Range) String() string {
	if int(r) < len(rangeNames) {
		return rangeNames[r]
	}
	return "unknown range"
}

// Value is one JSON value. Its Kind determines which other fields are set. Text shares memory
// with the parsed document.
type Value struct {
	Kind    Kind
	Bool    bool
	Range   Range    // Number: whether binary64 can hold the literal.
	Float   float64  // Number: nearest binary64, never -0; use it only when Range is InRange.
	Text    string   // String: decoded text. Number: the literal exactly as written.
	Items   []Value  // Array: the elements.
	Members []Member // Object: the members in document order, names unique.
}

// Member is one name and value of an object.
type Member struct {
	Name  string
	Value Value
}

// Member returns the member with exactly this name, compared byte for byte.
// It reports false when v has none or is not an object.
func (v Value) Member(name string) (Value, bool) {
	for i := range v.Members {
		if v.Members[i].Name == name {
			return v.Members[i].Value, true
		}
	}
	return Value{}, false
}

// Has reports whether v is an object with a member of this name.
func (v *Value) Has(name string) bool {
	for i := range v.Members {
		if v.Members[i].Name == name {
			return true
		}
	}
	return false
}

// FirstOutOfRange finds the first number, depth first in document order, that is beyond
// binary64. The path names members and array indexes, joined by dots, such as "a.b.0". It is
// empty if v is that number itself.
func (v Value) FirstOutOfRange() (path string, bad Value, found bool) {
	if v.Range != InRange {
		return "", v, true
	}
	for i := range v.Items {
		if sub, bad, found := v.Items[i].FirstOutOfRange(); found {
			return join(strconv.Itoa(i), sub, v.Items[i]), bad, true
		}
	}
	for i := range v.Members {
		if sub, bad, found := v.Members[i].Value.FirstOutOfRange(); found {
			return join(v.Members[i].Name, sub, v.Members[i].Value), bad, true
		}
	}
	return "", Value{}, false
}

// join prefixes the path inside child with the step that leads to it. A number
// is a leaf; a container always adds a step of its own, even an empty name.
func join(step, sub string, child Value) string {
	if child.Kind == Number {
		return step
	}
	return step + "." + sub
}
