// Package typed answers which JSON value a typed text means, and which text means a JSON
// value. Forms, addresses, the command line and CSV share it, so that a text means the same
// value everywhere.
//
// Every digit that is typed counts: if an input takes decimal strings, a typed number becomes
// a decimal string. A bare number in JSON is always a binary64; as text it is written with
// all of its digits.
package typed

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Units are the units in which a value is typed: that of a number, or of each number in a list,
// under "", and those of the columns of rows under the names of their fields.
type Units map[string]string

// Value returns the JSON value that a text means for a field, in the units unless the text
// names its own. A text that cannot be a value of the field stays a string, which package
// request refuses with a good explanation.
func Value(f *sdk.Field, text string, in Units) strictjson.Value {
	switch f.Type {
	case sdk.TypeNumber, sdk.TypeInteger:
		return number(f, text, in[""])
	case sdk.TypeBoolean:
		if text == "true" || text == "false" {
			return strictjson.Value{Kind: strictjson.Bool, Bool: text == "true"}
		}
	case sdk.TypeArray:
		return array(f, text, in)
	case sdk.TypeObject:
		return row(f, text, in)
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

// Argument returns the JSON value that an argument of a command or a cell of a table means
// for a field. It reads what [Value] reads; in addition, a number may be that of a table
// (data.materials.metals/S235), and lists and objects may be written as JSON.
func Argument(f *sdk.Field, text string) strictjson.Value { return argument(f, text, nil) }

func argument(f *sdk.Field, text string, in Units) strictjson.Value {
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "data.") && isNumber(f) {
		return Preset(trimmed)
	}
	if f.Type == sdk.TypeArray || f.Type == sdk.TypeObject {
		if v, err := strictjson.Parse([]byte(text)); err == nil && v.Kind != strictjson.Number {
			return Exact(f, v)
		}
	}
	return Value(f, text, in)
}

// FromAddress returns the text of a value in the query of an address. The plus sign in the exponent of
// a number is often not escaped there, and then decoded as a space; no number has one in that place.
func FromAddress(f *sdk.Field, text string) string {
	if f.Type == sdk.TypeString {
		return text
	}
	return blankedPlus.ReplaceAllString(text, "$1+$2")
}

var blankedPlus = regexp.MustCompile(`([0-9][eE]) ([0-9])`)

// Preset is the figure of a table that a text names, such as data.materials.metals/S235@1.0.0.
func Preset(text string) strictjson.Value {
	return strictjson.Value{Kind: strictjson.Object, Members: []strictjson.Member{{Name: "preset", Value: stringOf(text)}}}
}

// number reads a number, in the unit unless the text names another.
func number(f *sdk.Field, text, unit string) strictjson.Value {
	r, err := Read(f, text)
	if err != nil {
		return stringOf(text)
	}
	v, err := strictjson.ParseNumber(r.Literal)
	switch {
	case err != nil:
		return stringOf(text)
	case f.Decimal:
		v = stringOf(v.Text)
	}
	if unit = cmp.Or(r.Unit, unit); unit == "" || unit == f.Unit {
		return v
	}
	return quantity(v, unit)
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
func array(f *sdk.Field, text string, in Units) strictjson.Value {
	array := strictjson.Value{Kind: strictjson.Array}
	if IsRow(f.Items) {
		for line := range strings.FieldsFuncSeq(text, endsRow) {
			if strings.TrimSpace(line) != "" {
				array.Items = append(array.Items, row(f.Items, line, in))
			}
		}
		return array
	}
	if mixesCommas(text) {
		return stringOf(text)
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return endsWord(r) || endsRow(r) }) {
		array.Items = append(array.Items, Value(f.Items, word, in))
	}
	return array
}

// IsRow reports whether a field is written as a row of several values.
func IsRow(f *sdk.Field) bool { return f.Type == sdk.TypeArray || f.Type == sdk.TypeObject }

func endsRow(r rune) bool { return r == ';' || r == '\n' || r == '\r' }

func endsWord(r rune) bool { return r == ' ' || r == ',' || r == '\t' }

var (
	commaBetweenDigits = regexp.MustCompile(`[0-9],[0-9]`)
	apartWithoutComma  = regexp.MustCompile(`[^,;\s][ \t\r\n]*[ \t\r\n;][ \t\r\n]*[^,;\s]`)
)

// mixesCommas reports whether a comma may separate values, or decimals: in 1,5 2,5 some values
// are separated without one.
func mixesCommas(text string) bool {
	return commaBetweenDigits.MatchString(text) && apartWithoutComma.MatchString(text)
}

// ReadList returns an error if the commas of a list, or of a line of rows, have two readings.
func ReadList(f *sdk.Field, text string) error {
	if f.Type != sdk.TypeArray {
		return nil
	}
	lines := []string{text}
	if IsRow(f.Items) {
		lines = strings.FieldsFunc(text, endsRow)
	}
	for _, line := range lines {
		if mixesCommas(line) {
			return &TextError{Ambiguous, line, []string{strings.ReplaceAll(line, ",", "."), strings.ReplaceAll(line, ",", " ")}}
		}
	}
	return nil
}

// Blank stands for a value that a row leaves out before another one.
const Blank = "-"

// row reads one row: the items of a list, or the fields of an object in order. A word after
// the last field gets a name that no field has, so that package request refuses it.
func row(f *sdk.Field, line string, in Units) strictjson.Value {
	if f.Type == sdk.TypeArray {
		return array(f, strings.Map(func(r rune) rune {
			if endsRow(r) {
				return ' '
			}
			return r
		}, line), in)
	}
	if mixesCommas(line) {
		return stringOf(line)
	}
	object := strictjson.Value{Kind: strictjson.Object}
	for i, word := range Words(line) {
		if i >= len(f.Fields) {
			object.Members = append(object.Members, strictjson.Member{Name: "column " + word, Value: stringOf(word)})
			break
		}
		if one := &f.Fields[i]; word != Blank {
			object.Members = append(object.Members, strictjson.Member{Name: one.Name, Value: Value(one, word, Units{"": in[one.Name]})})
		}
	}
	return object
}

// Lines returns the rows of a text, and Words the values of a row.
func Lines(text string) []string {
	lines := strings.FieldsFunc(text, endsRow)
	return slices.DeleteFunc(lines, func(line string) bool { return strings.TrimSpace(line) == "" })
}

// Words returns the values of a row.
func Words(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return endsWord(r) || endsRow(r) })
}

// Row writes the values of a row, from which [Value] reads them again. What is left out at the
// end is not written. The error is that a value cannot be read as what it is; the text then
// has it without separators, and stays unreadable.
func Row(fields []*sdk.Field, cells []string) (line string, err error) {
	words := make([]string, len(cells))
	for i, cell := range cells {
		cell = strings.TrimSpace(cell)
		switch {
		case cell == "":
			words[i] = Blank
		case !strings.ContainsFunc(cell, func(r rune) bool { return endsWord(r) || endsRow(r) || unicode.IsSpace(r) }):
			words[i] = cell
		default:
			r, e := Read(fields[i], cell)
			if words[i] = r.Literal + unitWord(r.Unit); e != nil {
				err = cmp.Or(err, e)
				words[i] = strings.Join(Words(cell), "_")
			}
		}
	}
	for len(words) > 0 && words[len(words)-1] == Blank {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " "), err
}
