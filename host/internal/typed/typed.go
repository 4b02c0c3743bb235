// Package typed answers which JSON value a typed text means, and which text means a JSON
// value. Forms, addresses, the command line and CSV share it, so that a text means the same
// value everywhere.
//
// Every digit that is typed counts: if an input takes decimal strings, a typed number becomes
// a decimal string. A bare number in JSON is always a binary64; as text it is written with
// all of its digits.
package typed

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Value returns the JSON value that a text means for a field, in the unit unless that is "".
// A text that cannot be a value of the field stays a string, which package request refuses
// with a good explanation.
func Value(f *sdk.Field, text, unit string) strictjson.Value {
	switch f.Type {
	case sdk.TypeNumber, sdk.TypeInteger:
		number := number(f, text)
		if unit == "" || unit == f.Unit {
			return number
		}
		return quantity(number, unit)
	case sdk.TypeBoolean:
		if text == "true" || text == "false" {
			return strictjson.Value{Kind: strictjson.Bool, Bool: text == "true"}
		}
	case sdk.TypeArray:
		return array(f, text)
	case sdk.TypeObject:
		return row(f, text)
	}
	return stringOf(text)
}

// Input returns the input that an argument or a cell means, by its name or alias. An input
// that is not in the Spec stays a string, which package request refuses.
func Input(spec *sdk.Spec, name, text string) strictjson.Member {
	if i := spec.Input(name); i >= 0 {
		return strictjson.Member{Name: name, Value: Argument(&spec.Inputs[i], text)}
	}
	return strictjson.Member{Name: name, Value: stringOf(text)}
}

// ArgumentError says that an argument is not NAME=VALUE.
type ArgumentError struct{ Argument string }

func (e *ArgumentError) Error() string {
	return fmt.Sprintf("%q is not name=value, such as L=3", e.Argument)
}

// Inputs returns the inputs that arguments NAME=VALUE mean. The error is an [*ArgumentError],
// or an [*sdk.Error] for an input that is given twice.
func Inputs(spec *sdk.Spec, arguments []string) (strictjson.Value, error) {
	inputs := strictjson.Value{Kind: strictjson.Object}
	for _, argument := range arguments {
		name, text, ok := strings.Cut(argument, "=")
		if !ok {
			return inputs, &ArgumentError{argument}
		}
		if _, twice := inputs.Member(name); twice {
			return inputs, sdk.Conflict(name, "%s is given twice", name)
		}
		inputs.Members = append(inputs.Members, Input(spec, name, text))
	}
	return inputs, nil
}

// amount matches a number literal followed by a unit.
var amount = regexp.MustCompile(`^(-?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*([^0-9\s].*)$`)

// Argument returns the JSON value that an argument of a command or a cell of a table means
// for a field. It reads what [Value] reads; in addition, a number may be followed by its unit
// (3ft), and lists and objects may be written as JSON.
func Argument(f *sdk.Field, text string) strictjson.Value {
	switch f.Type {
	case sdk.TypeNumber, sdk.TypeInteger:
		if IsNumber(text) {
			return number(f, text)
		}
		if parts := amount.FindStringSubmatch(strings.TrimSpace(text)); parts != nil && IsNumber(parts[1]) {
			return quantity(number(f, parts[1]), parts[2])
		}
	case sdk.TypeArray, sdk.TypeObject:
		if v, err := strictjson.Parse([]byte(text)); err == nil && v.Kind != strictjson.Number {
			return Exact(f, v)
		}
	}
	return Value(f, text, "")
}

// IsNumber reports whether the text is a number, possibly surrounded by white space.
func IsNumber(text string) bool {
	_, err := strictjson.ParseNumber(strings.TrimSpace(text))
	return err == nil
}

// number reads a number, possibly surrounded by white space.
func number(f *sdk.Field, text string) strictjson.Value {
	v, err := strictjson.ParseNumber(strings.TrimSpace(text))
	switch {
	case err != nil:
		return stringOf(text)
	case f.Decimal:
		return stringOf(v.Text)
	}
	return v
}

// Exact turns numbers in typed JSON into decimal strings if the field takes those. It changes
// the value in place.
func Exact(f *sdk.Field, v strictjson.Value) strictjson.Value {
	switch {
	case v.Kind == strictjson.Number && f.Decimal:
		return stringOf(v.Text)
	case v.Kind == strictjson.Array && f.Items != nil:
		for i := range v.Items {
			v.Items[i] = Exact(f.Items, v.Items[i])
		}
	case v.Kind == strictjson.Object:
		known := sdk.Spec{Inputs: f.Fields}
		for i := range v.Members {
			m := &v.Members[i]
			switch at := known.Input(m.Name); {
			case f.Decimal && m.Name == "value":
				m.Value = Exact(f, m.Value)
			case at >= 0:
				m.Value = Exact(&f.Fields[at], m.Value)
			}
		}
	}
	return v
}

func quantity(number strictjson.Value, unit string) strictjson.Value {
	return strictjson.Value{Kind: strictjson.Object, Members: []strictjson.Member{
		{Name: "value", Value: number}, {Name: "unit", Value: stringOf(unit)},
	}}
}

func stringOf(text string) strictjson.Value {
	return strictjson.Value{Kind: strictjson.String, Text: text}
}

// array reads a list. Values are separated by spaces, commas, semicolons or line ends; rows
// of several values by semicolons or line ends.
func array(f *sdk.Field, text string) strictjson.Value {
	array := strictjson.Value{Kind: strictjson.Array}
	if IsRow(f.Items) {
		for line := range strings.FieldsFuncSeq(text, endsRow) {
			if strings.TrimSpace(line) != "" {
				array.Items = append(array.Items, row(f.Items, line))
			}
		}
		return array
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return endsWord(r) || endsRow(r) }) {
		array.Items = append(array.Items, Value(f.Items, word, ""))
	}
	return array
}

// IsRow reports whether a field is written as a row of several values.
func IsRow(f *sdk.Field) bool { return f.Type == sdk.TypeArray || f.Type == sdk.TypeObject }

func endsRow(r rune) bool { return r == ';' || r == '\n' || r == '\r' }

func endsWord(r rune) bool { return r == ' ' || r == ',' || r == '\t' }

// row reads one row: the items of a list, or the fields of an object in order. A word after
// the last field gets a name that no field has, so that package request refuses it.
func row(f *sdk.Field, line string) strictjson.Value {
	if f.Type == sdk.TypeArray {
		return array(f, strings.Map(func(r rune) rune {
			if endsRow(r) {
				return ' '
			}
			return r
		}, line))
	}
	object := strictjson.Value{Kind: strictjson.Object}
	for word := range strings.FieldsFuncSeq(line, endsWord) {
		i := len(object.Members)
		if i >= len(f.Fields) {
			object.Members = append(object.Members, strictjson.Member{Name: "column " + word, Value: stringOf(word)})
			break
		}
		object.Members = append(object.Members, strictjson.Member{Name: f.Fields[i].Name, Value: Value(&f.Fields[i], word, "")})
	}
	return object
}
