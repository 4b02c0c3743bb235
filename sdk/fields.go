package sdk

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/slipstick/slipstick/sdk/value"
)

// codec converts the values of one struct type to and from Values.
type codec struct {
	fields []Field
	paths  [][]int // to the struct field of each Field: more than one index for embedded structs
	floats []bool  // the struct field is a float64
}

var (
	decimalType  = reflect.TypeFor[Decimal]()
	decimalsType = reflect.TypeFor[[]Decimal]()
)

// codecOf derives the fields of a struct type from its tags. A mistake in a tag is a mistake
// in the program, so codecOf panics. The message names the struct field and explains the fix.
func codecOf(t reflect.Type) *codec {
	if c, ok := codecs.Load(t); ok {
		return c.(*codec)
	}
	c, _ := codecs.LoadOrStore(t, newCodec(t))
	return c.(*codec)
}

// codecs has the codecs made so far, by type. Nested structs need their codecs at every call.
var codecs sync.Map

func newCodec(t reflect.Type) *codec {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("sdk: %v is not a struct: inputs and outputs are structs with name tags", t))
	}
	c := new(codec)
	for i := range t.NumField() {
		sf := t.Field(i)
		switch {
		case isEmbedded(t, sf):
			inner := codecOf(sf.Type)
			c.fields = append(c.fields, inner.fields...)
			c.floats = append(c.floats, inner.floats...)
			for _, path := range inner.paths {
				c.paths = append(c.paths, append([]int{i}, path...))
			}
		case sf.IsExported():
			c.fields = append(c.fields, fieldOf(t, sf))
			c.paths = append(c.paths, []int{i})
			c.floats = append(c.floats, sf.Type.Kind() == reflect.Float64)
		}
	}
	return c
}

// isEmbedded reports whether the fields of a struct field count as fields of its owner, as in
// encoding/json. That holds for an embedded struct without a name. Two fields with one name do
// not hide each other, because Validate refuses them.
func isEmbedded(owner reflect.Type, sf reflect.StructField) bool {
	if !sf.Anonymous {
		return false
	}
	_, named := sf.Tag.Lookup("name")
	switch {
	case sf.Type.Kind() == reflect.Pointer && sf.Type.Elem().Kind() == reflect.Struct && !named:
		panic(fmt.Sprintf("sdk: %v.%s: a pointer to a struct is embedded: embed the struct itself, or give it a name tag", owner, sf.Name))
	case sf.Type.Kind() != reflect.Struct || sf.Type == decimalType || named && sf.IsExported():
		return false
	case sf.Tag != "":
		panic(fmt.Sprintf("sdk: %v.%s: a struct is embedded with the tag `%s`: its fields have tags, not itself", owner, sf.Name, sf.Tag))
	}
	return true
}

// fieldAt returns the struct field at the path.
func fieldAt(v reflect.Value, path []int) reflect.Value {
	for _, i := range path {
		v = v.Field(i)
	}
	return v
}

// knownTags are the tags a field may carry.
var knownTags = []string{"name", "alias", "unit", "default", "enum", "range", "code", "doc", "label", "symbol", "advanced", "difference", "unit_by", "headline", "example", "money", "presets", "strict", "names"}

func fieldOf(owner reflect.Type, sf reflect.StructField) Field {
	fail := func(format string, args ...any) {
		panic(fmt.Sprintf("sdk: %v.%s: %s", owner, sf.Name, fmt.Sprintf(format, args...)))
	}
	name, ok := sf.Tag.Lookup("name")
	if !ok {
		fail("no name tag: write `name:\"...\"` with the JSON name (known tags: %s)", strings.Join(knownTags, ", "))
	}
	t, optional := sf.Type, false
	if t.Kind() == reflect.Pointer {
		t, optional = t.Elem(), true
	}
	f, err := fieldType(t)
	if err != nil {
		fail("%v", err)
	}
	f.Name = name
	f.Aliases = split(sf.Tag.Get("alias"), ",")
	f.Unit, f.Doc = sf.Tag.Get("unit"), sf.Tag.Get("doc")
	f.UnitBy, err = parseUnitBy(sf.Tag.Get("unit_by"))
	if err != nil {
		fail("%v", err)
	}
	f.Difference = flag(sf.Tag, "difference", "any other field", fail)
	f.Strict = flag(sf.Tag, "strict", "a number that may be sent as one text with its unit", fail)
	f.Names, err = parseNames(sf.Tag.Get("names"))
	if err != nil {
		fail("%v", err)
	}
	for item := f.Items; item != nil; item = item.Items {
		if item.Type == TypeNumber || item.Type == TypeInteger {
			item.Unit, item.Difference, item.Strict = f.Unit, f.Difference, f.Strict // each can be sent in another unit
			item.Names, f.Names = f.Names, nil
		}
	}
	f.Label, f.Symbol = sf.Tag.Get("label"), sf.Tag.Get("symbol")
	f.Presets = split(sf.Tag.Get("presets"), ",")
	f.Default = sf.Tag.Get("default")
	f.Required = !optional && f.Default == ""
	f.Advanced = flag(sf.Tag, "advanced", "an ordinary field", fail)
	f.Headline = flag(sf.Tag, "headline", "all outputs but one", fail)
	f.Money = flag(sf.Tag, "money", "a number that is not an amount of money", fail)
	f.Example, err = parseExample(sf.Tag.Get("example"))
	if err != nil {
		fail("%v", err)
	}
	f.Enum, f.EnumAliases, f.Unlisted = parseEnum(sf.Tag.Get("enum"))
	if interval, ok := sf.Tag.Lookup("range"); ok {
		f.Range, err = parseRange(name, interval, sf.Tag.Get("code"))
		if err != nil {
			fail("%v", err)
		}
	}
	if errs := checkField("field", &f); len(errs) > 0 {
		fail("%v", errs[0])
	}
	return f
}

// parseExample reads a number and its description, such as "4.5e-5 for commercial steel".
func parseExample(text string) (*Example, error) {
	if text == "" {
		return nil, nil
	}
	number, of, _ := strings.Cut(text, " ")
	if _, err := parseFinite(number); err != nil {
		return nil, fmt.Errorf("example %q does not start with a number, as in \"4.5e-5 for commercial steel\"", text)
	}
	return &Example{Number: number, Of: of}, nil
}

// flag reports whether the tag exists. It fails if its value is not true.
func flag(tag reflect.StructTag, name, otherwise string, fail func(string, ...any)) bool {
	text := tag.Get(name)
	if text != "" && text != "true" {
		fail("%s %q is not true: leave the tag out for %s", name, text, otherwise)
	}
	return text != ""
}

func fieldType(t reflect.Type) (Field, error) {
	if t == decimalType {
		return Field{Type: TypeNumber, Decimal: true}, nil
	}
	switch t.Kind() {
	case reflect.Float64:
		return Field{Type: TypeNumber}, nil
	case reflect.Int, reflect.Int64:
		return Field{Type: TypeInteger}, nil
	case reflect.String:
		return Field{Type: TypeString}, nil
	case reflect.Bool:
		return Field{Type: TypeBoolean}, nil
	case reflect.Slice:
		item, err := fieldType(t.Elem())
		return Field{Type: TypeArray, Items: &item}, err
	case reflect.Struct:
		return Field{Type: TypeObject, Fields: codecOf(t).fields}, nil
	}
	return Field{}, fmt.Errorf("type %v has no JSON form here: use float64, int, string, bool, sdk.Decimal, a struct, a slice or a pointer to one of them", t)
}

func split(s, sep string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, sep)
}

// parseEnum reads "dc,ac_single_phase=ac1|single,~ac": values, each with its aliases. A tilde
// marks values that are not listed.
func parseEnum(tag string) (values []string, aliases []Alias, unlisted []string) {
	for _, part := range split(tag, ",") {
		choice, others, _ := strings.Cut(part, "=")
		if hidden, ok := strings.CutPrefix(choice, "~"); ok {
			choice, unlisted = hidden, append(unlisted, hidden)
		}
		values = append(values, choice)
		for _, other := range split(others, "|") {
			aliases = append(aliases, Alias{Alias: other, Value: choice})
		}
	}
	return values, aliases, unlisted
}

// parseNames reads "4/0=-3,3/0=-2": texts, each with the number that it means.
func parseNames(tag string) (names []Named, err error) {
	for _, part := range split(tag, ",") {
		name, number, _ := strings.Cut(part, "=")
		x, err := parseFinite(number)
		if err != nil {
			return nil, fmt.Errorf("names: %q does not give a name its number, as in 4/0=-3", part)
		}
		names = append(names, Named{Name: name, Value: x})
	}
	return names, nil
}

// parseRange reads an interval such as "(0,)", "[0,1]" or "[0,length]". If code is empty, the
// range gets a code by the naming pattern of the interface.
func parseRange(name, interval, code string) (*Range, error) {
	low, high, ok := strings.Cut(strings.Trim(interval, "()[]"), ",")
	if !ok || len(interval) < 3 {
		return nil, fmt.Errorf("range %q is not an interval such as (0,) or [0,1]", interval)
	}
	r := &Range{MinOpen: interval[0] == '(', MaxOpen: interval[len(interval)-1] == ')', Code: code}
	for _, end := range []struct {
		text  string
		to    **float64
		input *string
	}{{low, &r.Min, &r.MinInput}, {high, &r.Max, &r.MaxInput}} {
		if end.text == "" {
			continue
		}
		if fieldForm.MatchString(end.text) {
			*end.input = end.text
			continue
		}
		x, err := parseFinite(end.text)
		if err != nil {
			return nil, fmt.Errorf("range %q: %w", interval, err)
		}
		*end.to = &x
	}
	if r.Code == "" {
		r.Code = rangeCode(name, r)
	}
	return r, nil
}

// SetCode sets the code of the range of an input by the naming pattern of the interface.
func (r *Range) SetCode(input string) { r.Code = rangeCode(input, r) }

func rangeCode(name string, r *Range) string {
	suffix := "_OUT_OF_RANGE"
	fromZero := r.Min != nil && *r.Min == 0 && r.MinInput == "" && r.Max == nil && r.MaxInput == ""
	if fromZero && r.MinOpen {
		suffix = "_MUST_BE_POSITIVE"
	} else if fromZero {
		suffix = "_MUST_BE_NONNEGATIVE"
	}
	return strings.ToUpper(name) + suffix
}

// decode fills the empty struct dst with the values. They come from the server, so a value
// that does not fit is a fault of the service, not of the caller. If pointers is not nil, it
// has memory for the pointer of each field, which decode uses again.
func (c *codec) decode(dst reflect.Value, in []value.Value, pointers []reflect.Value) error {
	if len(in) != len(c.fields) {
		return fmt.Errorf("inputs do not fit the spec: %d values for %d fields", len(in), len(c.fields))
	}
	for i := range in {
		if x := in[i].Number(); c.floats[i] && in[i].Kind() == value.Number && x-x == 0 { // a finite number, the most frequent case
			fieldAt(dst, c.paths[i]).SetFloat(x)
			continue
		}
		if err := CheckValues(c.fields[i:i+1], in[i:i+1]); err != nil {
			return fmt.Errorf("inputs do not fit the spec: %w", err)
		}
		if in[i].Kind() == value.Absent {
			continue
		}
		field := fieldAt(dst, c.paths[i])
		if pointers != nil && field.Kind() == reflect.Pointer {
			if !pointers[i].IsValid() {
				pointers[i] = reflect.New(field.Type().Elem())
			}
			field.Set(pointers[i])
			field = field.Elem()
			field.SetZero()
		}
		set(field, in[i])
	}
	return nil
}

func set(dst reflect.Value, v value.Value) {
	if dst.Kind() == reflect.Pointer {
		dst.Set(reflect.New(dst.Type().Elem()))
		dst = dst.Elem()
	}
	switch {
	case dst.Type() == decimalType:
		setDecimal(dst, decimalOf(v))
	case dst.Type() == decimalsType:
		list := make([]Decimal, len(v.Items())) // lists are long, and this is several times faster than reflection
		for i, item := range v.Items() {
			list[i] = decimalOf(item)
		}
		*dst.Addr().Interface().(*[]Decimal) = list
	case dst.Kind() == reflect.Float64:
		dst.SetFloat(v.Number())
	case dst.Kind() == reflect.Int || dst.Kind() == reflect.Int64:
		dst.SetInt(int64(v.Number()))
	case dst.Kind() == reflect.String:
		dst.SetString(v.Text())
	case dst.Kind() == reflect.Bool:
		dst.SetBool(v.Bool())
	case dst.Kind() == reflect.Slice:
		dst.Set(reflect.MakeSlice(dst.Type(), len(v.Items()), len(v.Items())))
		for i, item := range v.Items() {
			set(dst.Index(i), item)
		}
	case dst.Kind() == reflect.Struct:
		for i, path := range codecOf(dst.Type()).paths {
			if v.Items()[i].Kind() != value.Absent {
				set(fieldAt(dst, path), v.Items()[i])
			}
		}
	}
}

// setDecimal sets the fields one by one, because an interface of the whole would be allocated
// each time.
func setDecimal(dst reflect.Value, d Decimal) {
	dst.Field(0).SetString(d.Literal)
	dst.Field(1).SetFloat(d.Float)
}

func decimalOf(v value.Value) Decimal {
	if v.Kind() != value.Exact {
		return Decimal{Float: v.Number()}
	}
	f, _ := strconv.ParseFloat(v.Text(), 64) // the envelope has refused numbers that do not fit
	return Decimal{Literal: v.Text(), Float: f}
}

// encode sets out to the values of the struct src.
func (c *codec) encode(out []value.Value, src reflect.Value) {
	for i, path := range c.paths {
		if field := fieldAt(src, path); c.floats[i] {
			out[i] = value.NumberOf(field.Float())
		} else {
			out[i] = get(field)
		}
	}
}

func get(src reflect.Value) value.Value {
	if src.Kind() == reflect.Pointer {
		if src.IsNil() {
			return value.Value{}
		}
		src = src.Elem()
	}
	if src.Type() == decimalType {
		if literal := src.Field(0).String(); literal != "" { // one field at a time, because an interface of the whole would be allocated each time
			return value.ExactOf(literal)
		}
		return value.NumberOf(src.Field(1).Float())
	}
	switch src.Kind() {
	case reflect.Float64:
		return value.NumberOf(src.Float())
	case reflect.Int, reflect.Int64:
		return value.NumberOf(float64(src.Int()))
	case reflect.String:
		return value.TextOf(src.String())
	case reflect.Bool:
		return value.BoolOf(src.Bool())
	case reflect.Slice:
		items := make([]value.Value, src.Len())
		for i := range items {
			items[i] = get(src.Index(i))
		}
		return value.ListOf(items...)
	default:
		c := codecOf(src.Type())
		fields := make([]value.Value, len(c.fields))
		c.encode(fields, src)
		return value.RecordOf(fields...)
	}
}
