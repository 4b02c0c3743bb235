package formula

import (
	"math/big"
	"strconv"

	"github.com/slipstick/slipstick/sdk/value"
)

// val is a value within an evaluation.
type val struct {
	kind   kind
	number number
	is     bool
	text   string
	list   []val
	before int // how many items of a computed list are before item 1
	fields map[string]val
}

type kind uint8

const (
	absentKind kind = iota
	numberKind
	boolKind
	textKind
	listKind
	recordKind
)

func (k kind) String() string {
	return [...]string{"nothing", "a number", "true or false", "a word", "a list", "a record"}[k]
}

func ofNumber(x number) val { return val{kind: numberKind, number: x} }
func ofBool(is bool) val    { return val{kind: boolKind, is: is} }

// exact reports whether there are no bounds in v.
func (v val) exact() bool {
	for _, item := range v.list {
		if !item.exact() {
			return false
		}
	}
	return v.kind != numberKind || v.number.exact != nil
}

// rounded reports whether each number in v has one nearest binary64 number.
func (v val) rounded() bool {
	for _, item := range v.list {
		if !item.rounded() {
			return false
		}
	}
	if v.kind != numberKind || v.number.exact != nil {
		return true
	}
	low, _ := v.number.low.Float64()
	high, _ := v.number.high.Float64()
	return low == high
}

// nearest returns v with the nearest binary64 numbers.
func (v val) nearest() value.Value {
	switch v.kind {
	case numberKind:
		return value.NumberOf(v.number.nearest())
	case boolKind:
		return value.BoolOf(v.is)
	case textKind:
		return value.TextOf(v.text)
	case listKind:
		items := make([]value.Value, len(v.list))
		for i, item := range v.list {
			items[i] = item.nearest()
		}
		return value.ListOf(items...)
	}
	return value.Value{}
}

// want fails unless v is of a kind.
func (v val) want(k kind) val {
	if v.kind != k {
		panic(fault{why: v.kind.String() + " where " + k.String() + " is needed"})
	}
	return v
}

// fromValue returns an input. A number that is not finite is absent; requests cannot have one.
func (t *Text) fromValue(v value.Value, members []string) val {
	switch v.Kind() {
	case value.Number:
		x := new(big.Rat)
		if t.decimals {
			x, _ = x.SetString(strconv.FormatFloat(v.Number(), 'g', -1, 64))
		} else {
			x = x.SetFloat64(v.Number())
		}
		if x != nil {
			return ofNumber(exactly(x))
		}
	case value.Exact:
		if x, ok := new(big.Rat).SetString(v.Text()); ok {
			return ofNumber(exactly(x))
		}
	case value.Bool:
		return ofBool(v.Bool())
	case value.Text:
		return val{kind: textKind, text: v.Text()}
	case value.List:
		out := val{kind: listKind}
		for _, item := range v.Items() {
			out.list = append(out.list, t.fromValue(item, members))
		}
		return out
	case value.Record:
		out := val{kind: recordKind, fields: map[string]val{}}
		for i, item := range v.Items() {
			if i < len(members) {
				out.fields[members[i]] = t.fromValue(item, nil)
			}
		}
		return out
	}
	return val{}
}
