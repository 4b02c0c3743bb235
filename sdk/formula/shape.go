package formula

import (
	"fmt"
	"slices"
	"strconv"
)

// Symbol is a field for a text. An input and an output of one name are one quantity.
type Symbol struct {
	Name     string // in the text
	Input    string // name of the input; "" if it is not an input
	Output   string // name of the output; "" if it is not an output
	Kind     FieldKind
	Unit     string   // of a number; "" for a plain one
	AnyUnit  bool     // the unit depends on another input
	Point    bool     // a number is a point on a scale of temperature, such as degC
	Required bool     // an input that is always present: it must be sent, or has a default
	Values   []string // of a word; nil if it may be any
	Item     *Symbol  // of a list
	Members  []Symbol // of a record, by the names of its fields

	Constant bool // a table of the text, not a field
}

// FieldKind is the kind of a field's values.
type FieldKind uint8

// The kinds of fields.
const (
	NumberField FieldKind = iota
	BoolField
	WordField
	ListField
	RecordField
	AnyField // of any kind, to show it
)

// field names the field in messages.
func (s *Symbol) field() string {
	switch {
	case s.Constant:
		return "table " + s.Name
	case s.Input == "":
		return "output " + s.Output
	case s.Output == "" || s.Output == s.Input:
		return "input " + s.Input
	}
	return fmt.Sprintf("input %s and output %s", s.Input, s.Output)
}

// member returns a field of a record, nil if it has none of that name.
func (s *Symbol) member(name string) *Symbol {
	for i := range s.Members {
		if s.Members[i].Name == name {
			return &s.Members[i]
		}
	}
	return nil
}

// shape is the known part of a value before it is computed.
type shape struct {
	kind  kind      // absentKind if the kind is unknown; it fits everywhere
	of    *Symbol   // of a word, list or record
	item  *shape    // of the items of a computed list
	dim   dimension // of a number
	open  bool      // a number of any dimension
	point bool      // a number that is a point on a scale of temperature
	unit  string    // as it was written, or "" if it was computed
}

// shape returns the shape of a field.
func (c *checker) shape(s *Symbol) shape {
	switch s.Kind {
	case AnyField:
		return shape{}
	case BoolField:
		return shape{kind: boolKind}
	case WordField:
		return shape{kind: textKind, of: s}
	case ListField:
		return shape{kind: listKind, of: s}
	case RecordField:
		return shape{kind: recordKind, of: s}
	}
	u, ok := c.unit(s.Unit)
	return shape{kind: numberKind, dim: u.dim, unit: s.Unit, open: s.AnyUnit || !ok, point: s.Point}
}

// fits reports whether two shapes have the same kind and dimension, as far as they are known.
func (s shape) fits(o shape) bool {
	return s.kind == absentKind || o.kind == absentKind ||
		s.kind == o.kind && (s.kind != numberKind || s.point == o.point && (s.open || o.open || slices.Equal(s.dim, o.dim)))
}

// or returns the one of two fitting shapes with more known facts.
func (s shape) or(o shape) shape {
	if s.kind == absentKind || s.open && o.kind != absentKind {
		return o
	}
	return s
}

// key appends bytes that distinguish the shape from others.
func (s shape) key(b []byte) []byte {
	b = append(b, ' ', '0'+byte(s.kind))
	if s.of != nil {
		b = fmt.Appendf(b, "%p", s.of)
	}
	b = strconv.AppendBool(b, s.open)
	b = strconv.AppendBool(b, s.point)
	for _, x := range s.dim {
		b = strconv.AppendInt(append(append(b, ' '), x.base...), x.n, 10)
		b = strconv.AppendInt(append(b, '/'), x.d, 10)
	}
	return b
}

// String names the shape in messages: its unit, or its kind.
func (s shape) String() string {
	switch {
	case s.kind != numberKind:
		return s.kind.String()
	case s.point:
		return "a point on a scale of temperature"
	case len(s.dim) == 0:
		return "a number without a unit"
	case s.unit != "":
		return s.unit
	}
	return s.dim.String()
}

// The shapes of values without a unit.
var (
	plain = shape{kind: numberKind}
	truth = shape{kind: boolKind}
)
