package cases

import (
	"slices"
	"strconv"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// place is one value inside an example: an input, or a value within it.
type place struct {
	example int
	input   int        // index of the input in the Spec
	path    []int      // indexes of items and fields below the input; empty for the input itself
	name    string     // for ids of cases, such as "layers.0.thickness"
	field   *sdk.Field // the field of the value
	bounds  *sdk.Range // of a number; nil if there is none
	unit    string     // of a number; items inherit the unit of their list
	value   value.Value
}

// places returns the place of the input and the places of the values within it, in the
// first example that has the input. It returns none if no example has the input.
func (m *maker) places(input int) []place {
	for n, e := range m.examples {
		if input < len(e) && e[input].Kind() != value.Absent {
			f := &m.spec.Inputs[input]
			return within(place{n, input, nil, f.Name, f, f.Range, m.spec.At(e).Inputs[input].Unit, e[input]})
		}
	}
	return nil
}

func within(p place) []place {
	list := []place{p}
	switch items := p.value.Items(); p.value.Kind() {
	case value.List:
		if len(items) > 0 && p.field.Items != nil { // the first item represents all
			bounds := p.field.Items.Range
			if bounds == nil {
				bounds = p.bounds
			}
			list = append(list, within(p.step(0, "0", p.field.Items, bounds, items[0]))...)
		}
	case value.Record:
		for i := range min(len(items), len(p.field.Fields)) {
			f := &p.field.Fields[i]
			if items[i].Kind() != value.Absent {
				list = append(list, within(p.step(i, f.Name, f, fixed(f.Range, p.field.Fields, items), items[i]))...)
			}
		}
	}
	return list
}

// fixed returns the range of a field of an object. Ends at other fields of the same object are
// replaced by the numbers of those fields.
func fixed(r *sdk.Range, fields []sdk.Field, values value.Values) *sdk.Range {
	if r == nil {
		return nil
	}
	bound := r.Within(numbersOf(&sdk.Spec{Inputs: fields}, values))
	bound.MinInput, bound.MaxInput = "", ""
	return bound
}

// step returns the place of the value with index i within p.
func (p place) step(i int, name string, f *sdk.Field, bounds *sdk.Range, v value.Value) place {
	path := append(slices.Clone(p.path), i)
	unit := f.Unit
	if unit == "" && f.Name == "" {
		unit = p.unit
	}
	return place{p.example, p.input, path, p.name + "." + name, f, bounds, unit, v}
}

func (p *place) isNumber() bool {
	return (p.field.Type == sdk.TypeNumber || p.field.Type == sdk.TypeInteger) &&
		(p.value.Kind() == value.Number || p.value.Kind() == value.Exact)
}

// number is the number at the place. Callers have checked isNumber.
func (p *place) number() float64 { return numberOf(p.value) }

func numberOf(v value.Value) float64 {
	if v.Kind() == value.Exact {
		x, _ := strconv.ParseFloat(v.Text(), 64)
		return x
	}
	return v.Number()
}

// change is how a request differs from an example: one value is replaced, renamed or left
// out, or a member is added. A change without a place only adds a member.
type change struct {
	place
	as   string // name under which the input is sent; "" for its canonical name
	json string // JSON text of the value; "" leaves the input out
	more string // JSON text of an additional member, as "name":value
}

// with returns the example of the place with the JSON text in place of the value.
func (m *maker) with(p place, json string) string {
	return m.write(m.examples[p.example], &change{place: p, json: json})
}

// write returns an example as the JSON text of a request, with at most one change. A nil
// change writes the example as it is.
func (m *maker) write(values value.Values, c *change) string {
	dst, first := []byte("{"), true
	member := func(name string, content func([]byte) []byte) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = content(append(strconv.AppendQuote(dst, name), ':'))
	}
	for i, v := range values {
		f := &m.spec.Inputs[i]
		here := c != nil && c.field != nil && c.input == i
		switch {
		case here && c.json == "" || !here && v.Kind() == value.Absent:
		case here && c.as != "":
			member(c.as, func(dst []byte) []byte { return appendWith(dst, f, v, c.path, c.json) })
		case here:
			member(f.Name, func(dst []byte) []byte { return appendWith(dst, f, v, c.path, c.json) })
		default:
			member(f.Name, func(dst []byte) []byte { return appendValue(dst, f, v) })
		}
	}
	if c != nil && c.more != "" {
		if !first {
			dst = append(dst, ',')
		}
		dst = append(dst, c.more...)
	}
	return string(append(dst, '}'))
}

// appendWith appends a value, with the JSON text in place of the value at the path.
func appendWith(dst []byte, f *sdk.Field, v value.Value, path []int, json string) []byte {
	if len(path) == 0 {
		return append(dst, json...)
	}
	return appendInner(dst, f, v, path, json)
}

// appendValue appends a value as it is.
func appendValue(dst []byte, f *sdk.Field, v value.Value) []byte {
	return appendInner(dst, f, v, []int{-1}, "") // no item or field has the index -1
}

// appendInner is appendWith for a path that is not empty. If the path does not exist, it
// replaces nothing.
func appendInner(dst []byte, f *sdk.Field, v value.Value, path []int, json string) []byte {
	switch v.Kind() {
	case value.Number:
		return value.AppendNumber(dst, v.Number())
	case value.Bool:
		return strconv.AppendBool(dst, v.Bool())
	case value.List:
		dst = append(dst, '[')
		for i, item := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendStep(dst, f.Items, item, i, path, json)
		}
		return append(dst, ']')
	case value.Record:
		dst = append(dst, '{')
		comma := false
		for i, item := range v.Items() {
			if item.Kind() == value.Absent {
				continue
			}
			if comma {
				dst = append(dst, ',')
			}
			comma = true
			dst = append(strconv.AppendQuote(dst, f.Fields[i].Name), ':')
			dst = appendStep(dst, &f.Fields[i], item, i, path, json)
		}
		return append(dst, '}')
	}
	return appendText(dst, v.Text())
}

func appendStep(dst []byte, f *sdk.Field, v value.Value, i int, path []int, json string) []byte {
	if path[0] == i {
		return appendWith(dst, f, v, path[1:], json)
	}
	return appendValue(dst, f, v)
}
