package envelope

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/spelling"
	"github.com/slipstick/slipstick/sdk/strictjson"
	"github.com/slipstick/slipstick/sdk/units"
)

// maxInteger is the largest magnitude up to which binary64 holds every integer.
const maxInteger = 1 << 53

// parser reads the value of one input field.
type parser struct {
	field       *sdk.Field
	at          *sdk.Field // field, or what is being read below it
	path        string     // of the nested value being read, such as ".0.thickness"
	conversions []sdk.Conversion
}

func (p *parser) parse(f *sdk.Field, v *strictjson.Value) (sdk.Value, *sdk.Error) {
	p.at = f
	switch f.Type {
	case sdk.TypeNumber, sdk.TypeInteger:
		if v.Kind == strictjson.Object {
			return p.parseQuantity(f, v)
		}
		return p.parseNumber(f, v)
	case sdk.TypeString:
		if v.Kind != strictjson.String {
			if len(f.Enum) > 0 {
				return sdk.BoolOf(false), nil // refused as INVALID_MODE, in its own stage
			}
			return sdk.Value{}, p.wrongType("a string", v)
		}
		if value, ok := f.EnumValue(v.Text); ok {
			return sdk.TextOf(value), nil
		}
		if len(f.Enum) == 0 && len(v.Text) > sdk.MaxText {
			return sdk.Value{}, p.invalid("has %d bytes; at most %d are allowed", len(v.Text), sdk.MaxText)
		}
		return sdk.TextOf(v.Text), nil
	case sdk.TypeBoolean:
		if v.Kind != strictjson.Bool {
			return sdk.Value{}, p.wrongType("true or false", v)
		}
		return sdk.BoolOf(v.Bool), nil
	case sdk.TypeArray:
		return p.parseArray(f, v)
	default:
		return p.parseObject(f, v)
	}
}

func (p *parser) parseArray(f *sdk.Field, v *strictjson.Value) (sdk.Value, *sdk.Error) {
	if v.Kind != strictjson.Array {
		return sdk.Value{}, p.wrongType("an array", v)
	}
	items := make([]sdk.Value, len(v.Items))
	for i := range v.Items {
		item, e := p.nested(fmt.Sprintf(".%d", i), f.Items, &v.Items[i])
		if e != nil {
			return sdk.Value{}, e
		}
		items[i] = item
	}
	return sdk.ListOf(items...), nil
}

func (p *parser) parseObject(f *sdk.Field, v *strictjson.Value) (sdk.Value, *sdk.Error) {
	if v.Kind != strictjson.Object {
		return sdk.Value{}, p.wrongType("an object", v)
	}
	known := sdk.Spec{Inputs: f.Fields}
	fields := make([]sdk.Value, len(f.Fields))
	for k := range v.Members {
		m := &v.Members[k]
		i := known.Input(m.Name)
		if i < 0 {
			return sdk.Value{}, unknownInput(Clip(m.Name), f.Fields)
		}
		if fields[i].Kind() != sdk.Absent {
			return sdk.Value{}, sdk.Conflict("", "%s%s.%s is sent twice", p.field.Name, p.path, f.Fields[i].Name).
				Suggest("Send " + f.Fields[i].Name + " once.")
		}
		value, e := p.nested("."+f.Fields[i].Name, &f.Fields[i], &m.Value)
		if e != nil {
			return sdk.Value{}, e
		}
		fields[i] = value
	}
	for i := range f.Fields {
		if fields[i].Kind() != sdk.Absent {
			continue
		}
		if f.Fields[i].Required {
			p.path += "." + f.Fields[i].Name
			return sdk.Value{}, sdk.Missing(p.name(), "%s is required", p.name())
		}
		fields[i], _ = f.Fields[i].DefaultValue()
	}
	return sdk.RecordOf(fields...), nil
}

// nested parses a value inside the field. On failure the path stays at the value
// that failed.
func (p *parser) nested(step string, f *sdk.Field, v *strictjson.Value) (sdk.Value, *sdk.Error) {
	outer := p.path
	p.path += step
	value, e := p.parse(f, v)
	if e == nil && len(f.Enum) > 0 {
		e = checkEnum(f, value)
	}
	if e == nil {
		p.path = outer
	}
	return value, e
}

// parseNumber reads a bare number, or a decimal string where the field takes one.
func (p *parser) parseNumber(f *sdk.Field, v *strictjson.Value) (sdk.Value, *sdk.Error) {
	literal, e := p.literal(f, v)
	if e != nil {
		return sdk.Value{}, e
	}
	if f.Type == sdk.TypeInteger && (literal.Float != math.Trunc(literal.Float) || math.Abs(literal.Float) > maxInteger) {
		return sdk.Value{}, p.invalid("%s is not an integer that binary64 holds exactly", Clip(literal.Text))
	}
	if v.Kind == strictjson.String {
		return sdk.ExactOf(v.Text), nil
	}
	return sdk.NumberOf(literal.Float), nil
}

// literal returns the number that v spells, and refuses one that binary64 cannot
// hold.
func (p *parser) literal(f *sdk.Field, v *strictjson.Value) (*strictjson.Value, *sdk.Error) {
	if v.Kind == strictjson.String && f.Decimal {
		number, err := strictjson.ParseNumber(v.Text)
		if err != nil {
			return v, p.invalid("%q is not a decimal literal", Clip(v.Text))
		}
		v = &number
	}
	if v.Kind != strictjson.Number {
		return v, p.wrongType("a number", v)
	}
	return v, p.inRange(v.Text, v.Range)
}

func (p *parser) inRange(literal string, r strictjson.Range) *sdk.Error {
	if r == strictjson.InRange {
		return nil // without making the name
	}
	return RangeError(p.name(), literal, r)
}

// RangeError is the error of a number literal that binary64 cannot hold, and nil
// for one that it can.
func RangeError(field, literal string, r strictjson.Range) *sdk.Error {
	switch r {
	case strictjson.Underflow:
		return sdk.Reject(sdk.CodeNumericUnderflow, field, "%s: %s is not zero but would become zero as a binary64 number", field, Clip(literal)).
			Suggest("Send 0 if zero is meant, or a larger magnitude.")
	case strictjson.Overflow:
		return sdk.Reject(sdk.CodeNonFiniteResult, field, "%s: %s is beyond the range of binary64 numbers", field, Clip(literal)).
			Suggest("Send a magnitude below 1.8e308.")
	}
	return nil
}

// parseQuantity reads {"value": 3, "unit": "ft"}: converted exactly, rounded once.
func (p *parser) parseQuantity(f *sdk.Field, v *strictjson.Value) (sdk.Value, *sdk.Error) {
	value, hasValue := v.Member("value")
	unit, hasUnit := v.Member("unit")
	if !hasValue || !hasUnit || len(v.Members) != 2 || unit.Kind != strictjson.String {
		return sdk.Value{}, p.invalid(`must be a number, or an object with exactly "value" and "unit"`)
	}
	literal, e := p.literal(f, &value)
	if e != nil {
		return sdk.Value{}, e
	}
	from, to, e := p.findUnits(f, unit.Text)
	if e != nil {
		return sdk.Value{}, e
	}
	exact, ok := new(big.Rat).SetString(literal.Text)
	if !ok {
		return sdk.Value{}, p.invalid("%s is not a number", Clip(literal.Text))
	}
	converted := units.Convert(exact, from, to)
	rounded, e := p.round(converted, literal.Text, from.ID)
	if e != nil {
		return sdk.Value{}, e
	}
	if from.ID != to.ID {
		p.conversions = append(p.conversions, sdk.Conversion{Field: p.name(), Literal: literal.Text, From: from.ID, Value: rounded, To: to.ID})
	}
	if f.Type == sdk.TypeInteger && rounded != math.Trunc(rounded) {
		return sdk.Value{}, p.invalid("%s %s is not an integer in %s", literal.Text, from.ID, to.ID)
	}
	if digits, finite := converted.FloatPrec(); value.Kind == strictjson.String && finite && units.Commensurable(from, to) {
		return sdk.ExactOf(converted.FloatString(digits)), nil
	}
	return sdk.NumberOf(rounded), nil
}

func (p *parser) round(x *big.Rat, literal, unit string) (float64, *sdk.Error) {
	f, _ := x.Float64()
	switch {
	case math.IsInf(f, 0):
		return 0, p.inRange(literal+" "+unit, strictjson.Overflow)
	case f == 0 && x.Sign() != 0:
		return 0, p.inRange(literal+" "+unit, strictjson.Underflow)
	}
	return f, nil
}

func (p *parser) findUnits(f *sdk.Field, id string) (from, to units.Unit, e *sdk.Error) {
	from, known := units.Lookup(id)
	to, ours := units.Lookup(f.Unit)
	switch {
	case !known && id == f.Unit && id != "":
		one := units.Unit{ID: id, Factor: big.NewRat(1, 1)} // the engine's own unit needs no conversion
		return one, one, nil
	case !known:
		return from, to, sdk.Reject(sdk.CodeUnknownUnit, p.name(), "%s: unknown unit %q", p.name(), Clip(id)).
			Suggest(suggestUnit(f, id, to))
	case !ours || from.Quantity != to.Quantity:
		return from, to, sdk.Reject(sdk.CodeIncompatibleUnit, p.name(), "%s: %s cannot be converted from %s", p.name(), quantityOf(f, to), id).
			Suggest(suggestUnit(f, "", to))
	}
	return from, to, nil
}

func quantityOf(f *sdk.Field, u units.Unit) string {
	if f.Unit == "" {
		return "a dimensionless number"
	}
	return strings.ReplaceAll(u.Quantity, "_", " ") + " in " + f.Unit
}

// suggestUnit offers the nearest unit of the field's quantity, or all of them.
func suggestUnit(f *sdk.Field, id string, to units.Unit) string {
	if f.Unit == "" {
		return "Send a bare number: this input has no unit."
	}
	var ids []string
	for _, u := range units.Of(to.Quantity) {
		ids = append(ids, u.ID)
	}
	if guess, ok := spelling.Guess(id, ids); ok {
		return "Did you mean " + guess + "?"
	}
	return "Use one of " + strings.Join(ids, ", ") + ", or a bare number in " + f.Unit + "."
}

func (p *parser) name() string { return p.field.Name + p.path }

func (p *parser) wrongType(want string, v *strictjson.Value) *sdk.Error {
	e := p.invalid("must be %s; %s was sent", want, v.Kind)
	if v.Kind == strictjson.String && want == "a number" {
		if _, err := strictjson.ParseNumber(v.Text); err == nil {
			e.Suggestion = "Send the number without quotes: " + Clip(v.Text) + "."
		}
	}
	return e
}

func (p *parser) invalid(format string, args ...any) *sdk.Error {
	return sdk.Reject(sdk.CodeInvalidNumber, p.field.Name, "%s: %s", p.name(), fmt.Sprintf(format, args...)).
		Suggest("Send " + p.name() + " as " + p.at.Expects() + ".")
}
