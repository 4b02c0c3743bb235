package formula

import (
	"math/big"

	"github.com/slipstick/slipstick/sdk/value"
)

// val is a value within an evaluation.
type val struct {
	kind   kind
	number number
	is     bool
	text   string
	list   []val
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

// want fails unless v is of a kind.
func (v val) want(k kind) val {
	if v.kind != k {
		panic(fault{why: v.kind.String() + " where " + k.String() + " is needed"})
	}
	return v
}

// fromValue returns an input. A number that is not finite is absent; requests cannot have one.
func fromValue(v value.Value, members []string) val {
	switch v.Kind() {
	case value.Number:
		if x := new(big.Rat).SetFloat64(v.Number()); x != nil {
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
			out.list = append(out.list, fromValue(item, members))
		}
		return out
	case value.Record:
		out := val{kind: recordKind, fields: map[string]val{}}
		for i, item := range v.Items() {
			if i < len(members) {
				out.fields[members[i]] = fromValue(item, nil)
			}
		}
		return out
	}
	return val{}
}
