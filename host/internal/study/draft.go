package study

import (
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Draft is an object of a plan under construction.
type Draft struct{ members []strictjson.Member }

// Set adds a member.
func (d *Draft) Set(name string, v strictjson.Value) {
	d.members = append(d.members, strictjson.Member{Name: name, Value: v})
}

// Empty reports whether the object has no members.
func (d *Draft) Empty() bool { return d.members == nil }

// Value returns the object.
func (d *Draft) Value() strictjson.Value {
	return strictjson.Value{Kind: strictjson.Object, Members: d.members}
}

// Word returns a JSON string.
func Word(text string) strictjson.Value { return strictjson.Value{Kind: strictjson.String, Text: text} }

// Typed returns a number, or a string for a choice or a number with its unit.
func Typed(text string) strictjson.Value {
	if v, err := strictjson.ParseNumber(text); err == nil {
		return v
	}
	return Word(text)
}

// List returns the list of the values that Typed returns.
func List(texts ...string) strictjson.Value {
	list := strictjson.Value{Kind: strictjson.Array}
	for _, text := range texts {
		list.Items = append(list.Items, Typed(text))
	}
	return list
}

// ParseRange returns the range of a varied input in a plan. The ends can have units.
func ParseRange(spec *sdk.Spec, name, from, to, count string, logarithmic bool) (strictjson.Value, error) {
	var d Draft
	for _, end := range []struct{ member, text string }{{"from", from}, {"to", to}} {
		number, err := typed.Quantity(spec.Inputs, name, "vary."+name+"."+end.member, end.text)
		if err != nil {
			return strictjson.Value{}, err
		}
		d.Set(end.member, number)
	}
	d.Set("count", Typed(count))
	if logarithmic {
		d.Set("spacing", Word(string(Logarithmic)))
	}
	return d.Value(), nil
}

// ParseBracket returns the bracket of the input to solve for. The ends can have units.
func ParseBracket(spec *sdk.Spec, name, from, to string) (strictjson.Value, error) {
	bracket := strictjson.Value{Kind: strictjson.Array}
	for _, text := range []string{from, to} {
		end, err := typed.Quantity(spec.Inputs, name, "bracket", text)
		if err != nil {
			return strictjson.Value{}, err
		}
		bracket.Items = append(bracket.Items, end)
	}
	return bracket, nil
}

// ParseDistribution returns the knowledge about an uncertain input. The numbers are the parameters of the distribution in their
// order, then optional degrees of freedom, and can have units. ok is false if there are too many numbers.
func ParseDistribution(spec *sdk.Spec, name, kind string, numbers []string) (of strictjson.Value, ok bool, err error) {
	members := Parameters(kind)
	if kind != "t" {
		members = append(members, "degrees_of_freedom")
	}
	var values []strictjson.Value
	for _, text := range numbers {
		v, err := typed.Quantity(spec.Inputs, name, "uncertain."+name, text)
		if err != nil {
			return strictjson.Value{}, false, err
		}
		values = append(values, v)
	}
	if len(values) > len(members) {
		return strictjson.Value{}, false, nil
	}
	var d Draft
	d.Set("distribution", Word(kind))
	for i, v := range values {
		d.Set(members[i], v)
	}
	return d.Value(), true, nil
}
