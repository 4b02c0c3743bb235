// Package typed converts typed text to JSON values and back. Forms, URLs, the command line and CSV use
// it, so that a text has the same value everywhere. See [Value] for fields, [Cell] for tables and
// [Text] for the other direction.
//
// All typed digits count: if an input takes decimal strings, a typed number becomes a decimal string. A
// bare number in JSON is always a binary64; its text has all of its digits.
package typed

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Units are the units of a typed value. The key "" has the unit of a number, or of each number in a
// list. For rows, the name of each field is the key of the unit of its column.
type Units map[string]string

// Value returns the JSON value of a text for a field, in the given units unless the text contains a
// unit. Lists and objects may be JSON, and their bare numbers have these units too. The error is a
// [*TextError]; the value is then the text as a string, which package request refuses.
func Value(f *sdk.Field, text string, in Units, level Level) (strictjson.Value, error) {
	v, err := reader{level: level, unit: in[""], columns: in}.value(f, text)
	if err != nil {
		return stringOf(text), err
	}
	return v, nil
}

// reader reads texts.
type reader struct {
	level   Level
	marks   Decimals
	unit    string // of numbers, "" for the unit of the field
	columns Units  // of the columns of rows
}

func (r reader) value(f *sdk.Field, text string) (strictjson.Value, *TextError) {
	switch f.Type {
	case sdk.TypeNumber, sdk.TypeInteger:
		return r.number(f, text)
	case sdk.TypeBoolean:
		text = strings.TrimSpace(text)
		if text != "true" && text != "false" {
			return strictjson.Value{}, &TextError{Problem: NotTruth, Text: text, Field: f}
		}
		return strictjson.Value{Kind: strictjson.Bool, Bool: text == "true"}, nil
	case sdk.TypeArray, sdk.TypeObject:
		if !isJSON(text) {
			return r.list(f, text)
		}
		v, err := strictjson.Parse([]byte(text))
		if err != nil {
			return v, &TextError{Problem: NotJSON, Text: text, Field: f}
		}
		return r.inUnits(f, Exact(f, v)), nil
	}
	return stringOf(text), nil
}

var unitAbove = regexp.MustCompile(`^\[[^\[\],{}"]*\] *[\r\n;\t]`)

// isJSON reports whether a list or an object is written as JSON. A unit in brackets above values is not JSON.
func isJSON(text string) bool {
	text = strings.TrimSpace(text)
	return (strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{")) && !unitAbove.MatchString(text)
}

// Input returns the input in an argument, by its name or alias. The value of an unknown input stays a
// string, which package request refuses. The error is an [*sdk.Error].
func Input(spec *sdk.Spec, name, text string) (strictjson.Member, error) {
	i := spec.Input(name)
	if i < 0 {
		return strictjson.Member{Name: name, Value: stringOf(text)}, nil
	}
	v, err := reader{}.argument(&spec.Inputs[i], text)
	if err != nil {
		return strictjson.Member{}, err.rejection(&spec.Inputs[i])
	}
	return strictjson.Member{Name: name, Value: v}, nil
}

// Quantity returns the JSON value of a text for the field with a name, in a plan that varies the field.
// Plans have binary64 numbers, even if the field takes decimal strings. For an unknown name, the text
// stays a string. The error is an [*sdk.Error] about the place in the plan.
func Quantity(fields []sdk.Field, name, place, text string) (strictjson.Value, error) {
	return planned(fields, name, place, text, func(f sdk.Field) sdk.Field { return f })
}

// Quantities returns the list in a text for the field with a name, in the same way as [Quantity].
func Quantities(fields []sdk.Field, name, place, text string) (strictjson.Value, error) {
	return planned(fields, name, place, text, func(f sdk.Field) sdk.Field { return sdk.Field{Type: sdk.TypeArray, Items: &f} })
}

func planned(fields []sdk.Field, name, place, text string, of func(sdk.Field) sdk.Field) (strictjson.Value, error) {
	known := sdk.Spec{Inputs: fields}
	i := known.Input(name)
	if i < 0 {
		return stringOf(text), nil
	}
	f := fields[i]
	f.Decimal = false
	f = of(f)
	v, err := reader{}.value(&f, text)
	if err != nil {
		f.Name = place
		return v, err.rejection(&f)
	}
	return v, nil
}

// ArgumentError is the error for an argument that is not NAME=VALUE.
type ArgumentError struct{ Argument string }

func (e *ArgumentError) Error() string {
	return fmt.Sprintf("%q is not name=value, such as L=3", e.Argument)
}

// Inputs returns the inputs in arguments NAME=VALUE. The error is an [*ArgumentError]. It is an
// [*sdk.Error] for a value that cannot be read, and for an input that is given twice.
func Inputs(spec *sdk.Spec, arguments []string) (strictjson.Value, error) {
	inputs := strictjson.Value{Kind: strictjson.Object}
	for _, argument := range arguments {
		name, text, ok := strings.Cut(argument, "=")
		if !ok {
			return inputs, &ArgumentError{argument}
		}
		if _, twice := inputs.Member(name); twice {
			return inputs, sdk.Conflict(name, "%s is given twice", name).Suggest("Give each input once.")
		}
		input, err := Input(spec, name, text)
		if err != nil {
			return inputs, err
		}
		inputs.Members = append(inputs.Members, input)
	}
	return inputs, nil
}

// argument reads the texts that [Value] reads. Instead of a number it also accepts the name of a table
// value, such as data.materials.metals/S235.
func (r reader) argument(f *sdk.Field, text string) (strictjson.Value, *TextError) {
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "data.") && isNumber(f) {
		return Preset(trimmed), nil
	}
	return r.value(f, text)
}

// FromAddress returns the text of a value in the query of a URL. Clients often do not escape the plus
// sign in the exponent of a number, which is then decoded as a space. No number has a space there.
func FromAddress(f *sdk.Field, text string) string {
	if f.Type == sdk.TypeString {
		return text
	}
	return blankedPlus.ReplaceAllString(text, "$1+$2")
}

var blankedPlus = regexp.MustCompile(`([0-9][eE]) ([0-9])`)

// Preset returns the table value with the name in a text, such as data.materials.metals/S235@1.0.0.
func Preset(text string) strictjson.Value {
	return strictjson.Value{Kind: strictjson.Object, Members: []strictjson.Member{{Name: "preset", Value: stringOf(text)}}}
}

// number reads a number, in the unit unless the text contains one.
func (r reader) number(f *sdk.Field, text string) (strictjson.Value, *TextError) {
	plain := text
	if r.marks != Either {
		var ok bool
		plain, ok = r.marks.plain(text)
		if !ok {
			return strictjson.Value{}, &TextError{Problem: MixedMarks, Text: text, Field: f, Marks: r.marks}
		}
	}
	read, err := Read(f, plain, r.level)
	if err != nil {
		e := err.(*TextError)
		e.Text = text
		return strictjson.Value{}, e
	}
	v, e := strictjson.ParseNumber(read.Literal)
	switch {
	case e != nil:
		return v, &TextError{Problem: TooLong, Text: text, Field: f}
	case f.Type == sdk.TypeInteger && read.Unit == "" && r.unit == "" && v.Float != math.Trunc(v.Float):
		return v, &TextError{Problem: NotWhole, Text: text, Field: f}
	case f.Decimal:
		v = stringOf(v.Text)
	}
	return in(f, v, cmp.Or(read.Unit, r.unit)), nil
}

// in returns a number in the unit, or the bare number if the field has the same unit.
func in(f *sdk.Field, number strictjson.Value, unit string) strictjson.Value {
	if unit == "" || unit == f.Unit {
		return number
	}
	return quantity(number, unit)
}

// inUnits returns typed JSON in which bare numbers have the units of the field and its columns.
func (r reader) inUnits(f *sdk.Field, v strictjson.Value) strictjson.Value {
	switch {
	case isNumber(f) && (v.Kind == strictjson.Number || v.Kind == strictjson.String && f.Decimal):
		return in(f, v, r.unit)
	case v.Kind == strictjson.Array && f.Items != nil:
		for i := range v.Items {
			v.Items[i] = r.inUnits(f.Items, v.Items[i])
		}
	case v.Kind == strictjson.Object && f.Type == sdk.TypeObject:
		known := sdk.Spec{Inputs: f.Fields}
		for i := range v.Members {
			if at := known.Input(v.Members[i].Name); at >= 0 {
				of := reader{unit: r.columns[f.Fields[at].Name]}
				v.Members[i].Value = of.inUnits(&f.Fields[at], v.Members[i].Value)
			}
		}
	}
	return v
}

// Exact replaces numbers in typed JSON by decimal strings if the field takes those. It changes the
// value in place.
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
