package formula

import (
	"math"
	"math/big"

	"github.com/slipstick/slipstick/sdk/value"
)

// Input is the sent value of one field. A field that was not sent has no Input.
type Input struct {
	Name    string // in the text
	Value   value.Value
	Members []string // names of the fields of its records, or of the records in its list
}

// Result has the values of a text for some inputs.
type Result struct {
	Values []Value // of the definitions that are not functions, in their order
	env    *env
	rest   int // work that is left, for steps
}

// Value is the value of one definition.
type Value struct {
	Name  string
	State State
	Sent  bool       // the input is used instead of the definition
	Case  int        // index of the case that holds, for every State; -1 if none does or it is not known
	ID    string     // of the formula of that case
	Why   string     // of a Fault or Undecided, in words
	Cause *CallError // of a Fault because a call failed

	value   val
	of, why string // the name in which a Fault or Undecided started, and the reason there
	final   bool   // Undecided, also with every higher precision
}

// because explains why v is not known. Of is another name in which the reason started, or "".
func (v *Value) because(of, why string) {
	v.of, v.why, v.Why = of, why, why
	if of == "" {
		v.of = v.Name
	} else {
		v.Why = of + " has no value: " + why
	}
}

// State is how much is known of a Value.
type State uint8

// The states of values.
const (
	Absent    State = iota // no case holds, or an operand is absent
	Known                  // within bounds
	IsTaken                // it is the engine's
	Fault                  // it cannot be computed, such as 1/0
	Undecided              // no bounds were narrow enough, within the limits
)

// Precisions of an evaluation, in bits.
const (
	minPrecision = 128
	maxPrecision = 16 << 10
)

// Evaluate computes the definitions for the inputs. It starts with 128 bits, and doubles them
// until enough returns true for each computed number, or the limits are reached. It does not
// call enough for exact numbers. Taken has the values of the taken definitions, by name.
func (t *Text) Evaluate(inputs []Input, taken map[string]float64, enough func(v *Value) bool) *Result {
	return t.evaluate(inputs, taken, MaxWork, enough)
}

// OfDocument returns the text with the evaluation of documents. Comparisons round both sides to 53 bits. With decimals,
// an input is the shortest decimal that reads as its binary64 number, as people type it.
func (t *Text) OfDocument(decimals bool) *Text {
	of := *t
	of.decimals, of.rounds = decimals, true
	return &of
}

func (t *Text) evaluate(inputs []Input, taken map[string]float64, most int, enough func(v *Value) bool) *Result {
	return t.evaluateAt(t.newPlaces(), inputs, taken, most, enough)
}

// evaluateAt is evaluate with places that can have results.
func (t *Text) evaluateAt(at places, inputs []Input, taken map[string]float64, most int, enough func(v *Value) bool) *Result {
	e := &env{text: t, inputs: map[string]val{}, taken: taken, places: at, brackets: map[*Solve]bracket{}}
	for _, in := range inputs {
		if v := t.fromValue(in.Value, in.Members); v.kind != absentKind {
			e.inputs[in.Name] = v
		}
	}
	w := &work{left: most}
	var r *Result
	for prec := uint(minPrecision); prec <= maxPrecision; prec *= 2 {
		r = e.all(&arithmetic{prec: prec, work: w}, r)
		if w.left < 0 || r.decided(enough) {
			break
		}
	}
	return r
}

func (r *Result) decided(enough func(*Value) bool) bool {
	for i := range r.Values {
		switch v := &r.Values[i]; {
		case v.State == Undecided && !v.final:
			return false
		case v.State == Known && !v.value.exact() && !enough(v):
			return false
		}
	}
	return true
}

// Value returns the value of a definition, or nil if there is no such name.
func (r *Result) Value(name string) *Value {
	for i := range r.Values {
		if r.Values[i].Name == name {
			return &r.Values[i]
		}
	}
	return nil
}

// Reached reports whether a case of a definition held at least once. Cases of a helper
// function can hold at each call.
func (r *Result) Reached(of *Definition, index int) bool { return r.env.reached[&of.Cases[index]] }

// Number returns the binary64 number nearest to the value, if it is a number.
func (v *Value) Number() (float64, bool) {
	if v.State != Known || v.value.kind != numberKind {
		return 0, false
	}
	return v.value.number.nearest(), true
}

// Rounded reports whether the bounds of each number in v decide the binary64 number nearest to it.
func (v *Value) Rounded() bool { return v.value.rounded() }

// Vanishes reports whether v is a number that is not 0, and rounds to 0.
func (v *Value) Vanishes() bool {
	x, ok := v.Number()
	if !ok || x != 0 {
		return false
	}
	n := &v.value.number
	if n.exact != nil {
		return n.exact.Sign() != 0
	}
	return n.low.Sign()+n.high.Sign() != 0 // one bound is 0 for a number that is too small for bounds: see between
}

// vanishDecided reports whether it is known if a number that rounds to 0 is 0.
func (v *Value) vanishDecided() bool {
	x, ok := v.Number()
	return !ok || x != 0 || v.value.number.exact != nil || !v.value.number.straddles()
}

// straddles reports whether 0 is between the bounds.
func (x *number) straddles() bool { return x.low.Sign() < 0 && x.high.Sign() > 0 }

// Value returns v with the nearest binary64 numbers. It is absent unless v is Known, and for records.
func (v *Value) Value() value.Value {
	if v.State != Known {
		return value.Value{}
	}
	return v.value.nearest()
}

// Bool returns the value, if it is true or false.
func (v *Value) Bool() (is, ok bool) {
	return v.value.is, v.State == Known && v.value.kind == boolKind
}

// Agreement is the result of [Value.Compare]: whether a number is within the tolerance of a Value.
type Agreement uint8

// The agreements.
const (
	Unproved Agreement = iota // the bounds are too wide
	Agrees
	Differs
)

// Compare reports whether got is within a relative tolerance of the value, by its bounds.
// Numbers that binary64 cannot distinguish from 0 are within the tolerance of 0.
func (v *Value) Compare(got, tolerance float64) Agreement {
	if v.State != Known || v.value.kind != numberKind || !finite(got) || !finite(tolerance) {
		return Unproved
	}
	exact := new(big.Rat).SetFloat64(got)
	margin := new(big.Rat).SetFloat64(tolerance)
	margin.Mul(margin, new(big.Rat).Abs(exact))
	if smallest := new(big.Rat).SetFloat64(math.SmallestNonzeroFloat64); margin.Cmp(smallest) < 0 {
		margin = smallest
	}
	n := v.value.number
	least, most := exactly(new(big.Rat).Sub(exact, margin)), exactly(margin.Add(exact, margin))
	prec := uint(256)
	if n.exact == nil {
		prec = max(prec, n.low.Prec(), n.high.Prec())
	}
	below, known := compare(n, least, prec)
	above, known2 := compare(n, most, prec)
	switch {
	case known && below < 0 || known2 && above > 0:
		return Differs
	case known && known2:
		return Agrees
	}
	return Unproved
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// nearest returns the binary64 number nearest to the middle of the bounds.
func (x number) nearest() float64 {
	if x.exact != nil {
		f, _ := x.exact.Float64()
		return f
	}
	middle := plus(float(max(x.low.Prec(), x.high.Prec(), 64)), x.low, x.high)
	f, _ := middle.SetMantExp(middle, -1).Float64()
	return f
}
