package study

import "github.com/slipstick/slipstick/sdk/request/strictjson"

// Draft is an object of a plan that is being written.
type Draft struct{ members []strictjson.Member }

// Set adds a member.
func (d *Draft) Set(name string, v strictjson.Value) {
	d.members = append(d.members, strictjson.Member{Name: name, Value: v})
}

// Empty reports whether there is no member.
func (d *Draft) Empty() bool { return d.members == nil }

// Value returns the object.
func (d *Draft) Value() strictjson.Value {
	return strictjson.Value{Kind: strictjson.Object, Members: d.members}
}

// Word returns a JSON string.
func Word(text string) strictjson.Value { return strictjson.Value{Kind: strictjson.String, Text: text} }

// Typed returns a number, or a string: a choice, or a number with its unit.
func Typed(text string) strictjson.Value {
	if v, err := strictjson.ParseNumber(text); err == nil {
		return v
	}
	return Word(text)
}

// List returns a list of what texts mean.
func List(texts ...string) strictjson.Value {
	list := strictjson.Value{Kind: strictjson.Array}
	for _, text := range texts {
		list.Items = append(list.Items, Typed(text))
	}
	return list
}

// Distribution returns what is known of an uncertain input. The numbers are those that the distribution needs, in their
// order, and may have degrees of freedom behind them. It returns false if they are too many.
func Distribution(kind string, numbers []strictjson.Value) (strictjson.Value, bool) {
	var d Draft
	d.Set("distribution", Word(kind))
	names := Parameters(kind)
	if kind != "t" {
		names = append(names, "degrees_of_freedom")
	}
	for i, number := range numbers {
		if i >= len(names) {
			return strictjson.Value{}, false
		}
		d.Set(names[i], number)
	}
	return d.Value(), true
}
