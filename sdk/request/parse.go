package request

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// maxInteger is the largest magnitude up to which binary64 holds every integer.
const maxInteger = 1 << 53

// parser reads the value of one input field.
type parser struct {
	input       *sdk.Field
	path        []string // from the input to the value being read within it
	conversions []value.Conversion
	readUnit    func(text, quantity string) (units.Unit, bool)
}

func (p *parser) parse(f *sdk.Field, v *strictjson.Value) (value.Value, *Fault) {
	switch f.Type {
	case sdk.TypeNumber, sdk.TypeInteger:
		if v.Kind == strictjson.Object {
			return p.parseQuantity(f, v)
		}
		if v.Kind == strictjson.String {
			if x, ok := f.Named(v.Text); ok {
				return value.NumberOf(x), nil
			}
		}
		if number, unit, ok := splitQuantity(f, v); ok {
			return p.convert(f, number, unit)
		}
		return p.parseNumber(f, v)
	case sdk.TypeString:
		if v.Kind != strictjson.String {
			if len(f.Enum) > 0 {
				return value.BoolOf(false), nil // its own stage refuses it as INVALID_MODE
			}
			return value.Value{}, p.wrongType(f, v)
		}
		if choice, ok := f.EnumValue(v.Text); ok {
			return value.TextOf(choice), nil
		}
		if len(f.Enum) == 0 && len(v.Text) > sdk.MaxText {
			return value.Value{}, p.fault(TooLong, f, strconv.Itoa(len(v.Text)))
		}
		return value.TextOf(v.Text), nil
	case sdk.TypeBoolean:
		if v.Kind != strictjson.Bool {
			return value.Value{}, p.wrongType(f, v)
		}
		return value.BoolOf(v.Bool), nil
	case sdk.TypeArray:
		return p.parseArray(f, v)
	default:
		return p.parseObject(f, v)
	}
}

func (p *parser) parseArray(f *sdk.Field, v *strictjson.Value) (value.Value, *Fault) {
	if v.Kind != strictjson.Array {
		return value.Value{}, p.wrongType(f, v)
	}
	items := make([]value.Value, len(v.Items))
	for i := range v.Items {
		if item := &v.Items[i]; bareNumber(f.Items, item) && len(f.Items.Enum) == 0 {
			items[i] = value.NumberOf(item.Float)
			continue
		}
		item, fault := p.nested(strconv.Itoa(i), f.Items, &v.Items[i])
		if fault != nil {
			return value.Value{}, fault
		}
		items[i] = item
	}
	return value.ListOf(items...), nil
}

func (p *parser) parseObject(f *sdk.Field, v *strictjson.Value) (value.Value, *Fault) {
	if v.Kind != strictjson.Object {
		return value.Value{}, p.wrongType(f, v)
	}
	known := sdk.Spec{Inputs: f.Fields}
	fields := make([]value.Value, len(f.Fields))
	for k := range v.Members {
		m := &v.Members[k]
		i := known.Input(m.Name)
		if i < 0 {
			unknown := p.fault(Unknown, nil, m.Name)
			unknown.Known = f.Fields
			return value.Value{}, unknown
		}
		if fields[i].Kind() != value.Absent {
			return value.Value{}, p.fault(Repeated, &f.Fields[i], "")
		}
		item, fault := p.nested(f.Fields[i].Name, &f.Fields[i], &m.Value)
		if fault != nil {
			return value.Value{}, fault
		}
		fields[i] = item
	}
	for i := range f.Fields {
		if fields[i].Kind() != value.Absent {
			continue
		}
		if f.Fields[i].Required {
			p.path = append(p.path, f.Fields[i].Name)
			return value.Value{}, p.fault(Missing, &f.Fields[i], "")
		}
		fields[i], _ = f.Fields[i].DefaultValue()
	}
	return value.RecordOf(fields...), nil
}

// nested parses a value inside the input.
func (p *parser) nested(step string, f *sdk.Field, v *strictjson.Value) (value.Value, *Fault) {
	outer := len(p.path)
	p.path = append(p.path, step)
	item, fault := p.parse(f, v)
	if fault == nil && len(f.Enum) > 0 {
		fault = p.checkEnum(f, item)
	}
	p.path = p.path[:outer]
	return item, fault
}

// bareNumber reports whether v is a number of the most frequent form, which parse returns
// unchanged.
func bareNumber(f *sdk.Field, v *strictjson.Value) bool {
	return v.Kind == strictjson.Number && f.Type == sdk.TypeNumber && v.Range == strictjson.InRange
}

// parseNumber reads a bare number, or a decimal string if the field accepts one.
func (p *parser) parseNumber(f *sdk.Field, v *strictjson.Value) (value.Value, *Fault) {
	literal, fault := p.literal(f, v)
	if fault != nil {
		return value.Value{}, fault
	}
	if f.Type == sdk.TypeInteger && (literal.Float != math.Trunc(literal.Float) || math.Abs(literal.Float) > maxInteger) {
		return value.Value{}, p.fault(NotInteger, f, literal.Text)
	}
	if v.Kind == strictjson.String {
		return p.exact(f, literal.Text)
	}
	return value.NumberOf(literal.Float), nil
}

// exact returns a number with all its digits. Its cost grows faster than its length, so it has
// at most [sdk.MaxDecimal] characters, without zeros at the end of decimals.
func (p *parser) exact(f *sdk.Field, literal string) (value.Value, *Fault) {
	if len(literal) > sdk.MaxDecimal && strings.Contains(literal, ".") && !strings.ContainsAny(literal, "eE") {
		literal = strings.TrimSuffix(strings.TrimRight(literal, "0"), ".")
	}
	if len(literal) > sdk.MaxDecimal {
		return value.Value{}, p.fault(TooManyDigits, f, strconv.Itoa(len(literal)))
	}
	return value.ExactOf(literal), nil
}

// literal returns the number in v. A number beyond binary64 is a fault.
func (p *parser) literal(f *sdk.Field, v *strictjson.Value) (*strictjson.Value, *Fault) {
	if v.Kind == strictjson.String && f.Decimal {
		number, err := strictjson.ParseNumber(v.Text)
		if err != nil {
			return v, p.fault(NotDecimal, f, v.Text)
		}
		v = &number
	}
	if v.Kind != strictjson.Number {
		return v, p.wrongType(f, v)
	}
	return v, p.inRange(f, v.Text, v.Range)
}

func (p *parser) inRange(f *sdk.Field, literal string, r strictjson.Range) *Fault {
	if r == strictjson.InRange {
		return nil
	}
	return p.fault(kindOf(r), f, literal)
}

// kindOf returns the kind of fault for a number beyond binary64.
func kindOf(r strictjson.Range) Kind {
	if r == strictjson.Underflow {
		return Underflow
	}
	return Overflow
}

// RangeError returns the error for the first number in v that is beyond binary64, or nil if
// there is none. V is not an input but another part of a request, with this name.
func RangeError(name string, v strictjson.Value) *sdk.Error {
	path, bad, found := v.FirstOutOfRange()
	if !found {
		return nil
	}
	if path != "" {
		name += "." + path
	}
	f := Fault{Kind: kindOf(bad.Range), Input: &sdk.Field{Name: name}, Got: Clip(bad.Text)}
	return f.rejection()
}

// parseQuantity reads a quantity such as {"value": 3, "unit": "ft"}.
func (p *parser) parseQuantity(f *sdk.Field, v *strictjson.Value) (value.Value, *Fault) {
	number, hasValue := v.Member("value")
	unit, hasUnit := v.Member("unit")
	if !hasValue || !hasUnit || len(v.Members) != 2 || unit.Kind != strictjson.String {
		return value.Value{}, p.fault(NotQuantity, f, "")
	}
	return p.convert(f, &number, unit.Text)
}

// splitQuantity splits a text such as "200 GPa" into the number and the unit of a quantity.
// The number has the form of JSON. If the field takes decimal strings, it is a decimal string.
// A text without a unit is not a quantity: it stays a string.
func splitQuantity(f *sdk.Field, v *strictjson.Value) (number *strictjson.Value, unit string, ok bool) {
	if v.Kind != strictjson.String || f.Unit == "" || f.Strict {
		return nil, "", false
	}
	parsed, ok := strictjson.NumberPrefix(v.Text)
	if !ok {
		return nil, "", false
	}
	unit = strings.TrimSpace(v.Text[len(parsed.Text):])
	first, _ := utf8.DecodeRuneInString(strings.TrimPrefix(unit, "1/"))
	if !unicode.IsLetter(first) && !strings.ContainsRune("°′″", first) {
		return nil, "", false
	}
	if f.Decimal {
		parsed = strictjson.Value{Kind: strictjson.String, Text: parsed.Text}
	}
	return &parsed, unit, true
}

// convert returns the number in the unit of the field. The conversion is exact and rounds once at
// its end.
func (p *parser) convert(f *sdk.Field, number *strictjson.Value, unit string) (value.Value, *Fault) {
	literal, fault := p.literal(f, number)
	if fault != nil {
		return value.Value{}, fault
	}
	from, to, fault := p.findUnits(f, unit)
	if fault != nil {
		return value.Value{}, fault
	}
	sent, fault := p.exact(f, literal.Text)
	if fault != nil {
		return value.Value{}, fault
	}
	exact, ok := new(big.Rat).SetString(sent.Text())
	if !ok {
		return value.Value{}, p.fault(NotNumber, f, literal.Text)
	}
	converted := units.Convert(exact, from, to)
	rounded, fault := p.round(f, converted, sent.Text()+" "+from.ID)
	if fault != nil {
		return value.Value{}, fault
	}
	if from.ID != to.ID || isOfOther(unit, from) {
		p.conversions = append(p.conversions, value.Conversion{Field: p.place(), Literal: sent.Text(), From: from.ID, Value: rounded, To: to.ID})
	}
	if f.Type == sdk.TypeInteger && rounded != math.Trunc(rounded) {
		broken := p.fault(NotIntegerInUnit, f, "")
		broken.Got, broken.Unit = sent.Text(), from.ID
		return value.Value{}, broken
	}
	if digits, finite := converted.FloatPrec(); number.Kind == strictjson.String && finite && units.Commensurable(from, to) {
		return value.ExactOf(converted.FloatString(digits)), nil
	}
	return value.NumberOf(rounded), nil
}

// isOfOther reports whether a text that was read as a unit is the id of a unit of another quantity, such
// as lb for lbf. The reader learns this from a conversion.
func isOfOther(text string, as units.Unit) bool {
	exact, known := units.Lookup(text)
	return known && exact.Quantity != strings.TrimSuffix(as.Quantity, "_difference")
}

func (p *parser) round(f *sdk.Field, x *big.Rat, sent string) (float64, *Fault) {
	rounded, _ := x.Float64()
	switch {
	case math.IsInf(rounded, 0):
		return 0, p.fault(Overflow, f, sent)
	case rounded == 0 && x.Sign() != 0:
		return 0, p.fault(Underflow, f, sent)
	}
	return rounded, nil
}

func (p *parser) findUnits(f *sdk.Field, id string) (from, to units.Unit, fault *Fault) {
	to, ours := units.Lookup(f.Unit)
	from, known := p.readUnit(id, to.Quantity)
	switch {
	case !known && id == f.Unit && id != "":
		one := units.Unit{ID: id, Factor: big.NewRat(1, 1)} // the engine's own unit needs no conversion
		return one, one, nil
	case !known:
		fault = p.fault(UnknownUnit, f, "")
	case !ours || from.Quantity != to.Quantity:
		fault = p.fault(IncompatibleUnit, f, "")
	}
	if fault != nil {
		fault.Unit = Clip(id)
	}
	if f.Difference {
		from, to = from.Difference(), to.Difference()
	}
	return from, to, fault
}

// place returns the place of the value being read, such as "layers.0.thickness".
func (p *parser) place() string { return place(p.input.Name, p.path) }

// fault returns a fault of the value being read, whose field in the Spec is f.
func (p *parser) fault(kind Kind, f *sdk.Field, got string) *Fault {
	return &Fault{Kind: kind, Input: p.input, Path: slices.Clone(p.path), Field: f, Got: Clip(got)}
}

func (p *parser) wrongType(f *sdk.Field, v *strictjson.Value) *Fault {
	if v.Kind == strictjson.String && (f.Type == sdk.TypeNumber || f.Type == sdk.TypeInteger) {
		if _, err := strictjson.ParseNumber(v.Text); err == nil {
			return p.fault(QuotedNumber, f, v.Text)
		}
	}
	return p.fault(WrongType, f, v.Kind.String())
}
