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
	input   int   // index of the input
	path    []int // below it: of items and of fields
	name    string
	field   *sdk.Field // what stands there
	bounds  *sdk.Range // of a number, nil if none
	unit    string     // of a number; items have that of their list
	value   value.Value
}

// places lists the input and one value of each kind within it, in the first example
// that has the input, and none if no example has it.
func (m *maker) places(input int) []place {
	for n, e := range m.examples {
		if input < len(e) && e[input].Kind() != value.Absent {
			f := &m.spec.Inputs[input]
			return within(place{n, input, nil, f.Name, f, f.Range, f.Unit, e[input]})
		}
	}
	return nil
}

func within(p place) []place {
	list := []place{p}
	switch items := p.value.Items(); p.value.Kind() {
	case value.List:
		if len(items) > 0 && p.field.Items != nil { // one stands for all
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
				list = append(list, within(p.step(i, f.Name, f, f.Range, items[i]))...)
			}
		}
	}
	return list
}

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

// number is the number that stands at the place.
func (p *place) number() float64 { return numberOf(p.value) }

func numberOf(v value.Value) float64 {
	if v.Kind() == value.Exact {
		x, _ := strconv.ParseFloat(v.Text(), 64)
		return x
	}
	return v.Number()
}

// change is what a request has in place of one value of an example.
type change struct {
	place
	as   string // the input is sent under this name; "" is its own
	json string // what is sent; "" leaves the input out
	more string // another member, as JSON
}

// with returns the request that has the JSON text at the place.
func (m *maker) with(p place, json string) string {
	return m.write(m.examples[p.example], &change{place: p, json: json})
}

// write spells an example as a request, with one change.
func (m *maker) write(values value.Values, c *change) string {
	dst, first := []byte("{"), true
	member := func(name string, held func([]byte) []byte) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = held(append(strconv.AppendQuote(dst, name), ':'))
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

// appendWith writes a value with other JSON at the path.
func appendWith(dst []byte, f *sdk.Field, v value.Value, path []int, json string) []byte {
	if len(path) == 0 {
		return append(dst, json...)
	}
	return appendInner(dst, f, v, path, json)
}

func appendValue(dst []byte, f *sdk.Field, v value.Value) []byte {
	return appendInner(dst, f, v, []int{-1}, "")
}

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
