package text

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk/internal/pattern"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// Spell writes inputs as a vector without its source and results. It changes the vector of the document with the most
// equal inputs, or names the vector with these inputs.
func (e *Engine) Spell(in value.Values) string {
	var changes []string
	like := ""
	for i := range e.vectors {
		v := &e.vectors[i]
		if v.file != nil {
			continue
		}
		known, err := e.valuesOf(v)
		if err != nil || e.chain(v) >= MaxLike {
			continue
		}
		list := e.changes(known, in)
		if like == "" || len(list) < len(changes) {
			like, changes = v.ID.Text, list
		}
	}
	if like == "" {
		return "V: " + strings.Join(e.changes(make(value.Values, len(in)), in), ", ")
	}
	if len(changes) == 0 {
		return "the inputs of " + like
	}
	return "V like " + like + ": " + strings.Join(changes, ", ")
}

// chain returns the number of vectors in the chain of "like" that ends at a vector.
func (e *Engine) chain(v *boundVector) int {
	length := 1
	for at := v.Like.Text; at != ""; length++ {
		i := slices.IndexFunc(e.vectors, func(of boundVector) bool { return of.ID.Text == at })
		at = e.vectors[i].Like.Text
	}
	return length
}

// valuesOf returns the values of a vector, as they are read from a request. The error is a rejection if the request cannot
// be read.
func (e *Engine) valuesOf(v *boundVector) (value.Values, error) {
	document, err := e.requestOf(v)
	if err != nil {
		return nil, err
	}
	inputs, err := strictjson.ParseObject(document)
	if err != nil {
		return nil, err
	}
	in, _, err := request.Read(&e.spec, inputs)
	faults, isFault := errors.AsType[request.Faults](err)
	if isFault {
		return nil, faults.Rejection()
	}
	return in, err
}

// changes returns the inputs of a vector that make the values from others.
func (e *Engine) changes(from, to value.Values) (list []string) {
	at := -1
	for i := range e.document.Inputs {
		f := &e.document.Inputs[i]
		if f.Member != "" {
			continue
		}
		at++
		switch {
		case to[at].Equal(from[at]):
		case to[at].Kind() == value.Absent:
			list = append(list, "without "+f.Symbol.Text)
		default:
			list = append(list, f.Symbol.Text+" = "+e.spelled(f, &f.Type, to[at]))
		}
	}
	return list
}

// spelled writes a value as in a vector.
func (e *Engine) spelled(f *Field, t *Type, v value.Value) string {
	switch v.Kind() {
	case value.Number:
		return inWritten(v.Number(), t.Unit)
	case value.Bool:
		if v.Bool() {
			return "yes"
		}
		return "no"
	case value.List:
		items := make([]string, len(v.Items()))
		for i, item := range v.Items() {
			of := t
			if t.Items != nil {
				of = t.Items
			}
			items[i] = e.spelled(f, of, item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case value.Record:
		members := membersOf(e.document.Inputs, f.Name.Text)
		items := make([]string, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = e.spelled(members[i], &members[i].Type, item)
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	if t.Kind == Text || v.Kind() == value.Exact {
		return strconv.Quote(v.Text())
	}
	return v.Text()
}

// inWritten writes a number with as few digits as possible, in the unit that the author writes. If no number in this unit is
// the same binary64, it is written in the unit of SI.
func inWritten(x float64, u Unit) string {
	exact, isFinite := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	if u.ID == "" || u.Money || u.Pi || !isFinite {
		unit := u.SI
		if u.ID == "" || u.Money {
			unit = u.ID
		}
		return strings.TrimSpace(shortDecimal(strconv.FormatFloat(x, 'g', -1, 64)) + " " + unit)
	}
	number := new(big.Rat).Set(exact)
	if u.Factor != nil && !u.Bare {
		number.Quo(number, u.Factor)
	}
	if u.Offset != nil {
		number.Sub(number, u.Offset)
	}
	near, _ := number.Float64()
	for digits := 0; digits < 17 && !math.IsInf(near, 0); digits++ {
		text := strconv.FormatFloat(near, 'g', digits+1, 64)
		v := &Value{Kind: NumberValue, Digits: text, Unit: u, SI: ratOf(text)}
		if !u.Bare {
			v.SI = inSI(v.SI, u)
		}
		if v.binary64() == x {
			return shortDecimal(text) + " " + u.ID
		}
	}
	return shortDecimal(strconv.FormatFloat(x, 'g', -1, 64)) + " " + u.SI
}

// exponentZeros matches what an exponent can leave out.
var exponentZeros = pattern.New(`e\+?(-?)0*`)

// shortDecimal returns a number without an exponent if it is neither large nor small. Both have the same digits.
func shortDecimal(text string) string {
	x := ratOf(text)
	size, _ := new(big.Rat).Abs(x).Float64()
	if !strings.Contains(text, "e") || size < 1e-5 || size >= 1e15 {
		return exponentZeros.ReplaceAllString(text, "e$1")
	}
	decimals, _ := x.FloatPrec()
	return x.FloatString(decimals)
}
