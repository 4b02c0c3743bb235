package sdk

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/slipstick/slipstick/sdk/value"
)

// Completer is implemented by a pointer to an In struct whose fields depend on
// each other. Complete fills in what follows from the other inputs, so that the
// answer can show it, and rejects inputs that are missing or must not be combined.
// It runs after defaults are filled in and before ranges are checked. It can add
// assumptions and warnings through the context, as calculate can.
type Completer interface {
	Complete(ctx context.Context) error
}

// New returns an engine that computes with calculate. The fields of In and Out
// become the inputs and outputs of the Spec, in order:
//
//   - `name` is the canonical JSON name, `alias` a list of others, `unit` the SI
//     unit, `doc` one line for people;
//   - float64, int, string, bool, [Decimal], structs and slices are the types; a
//     pointer is optional and nil when absent; `default` fills in what is not sent;
//     everything else is required;
//   - `enum:"dc,ac_single_phase=ac1|single"` lists the values of a string with
//     their aliases, and the engine sees only the values;
//   - `range:"(0,)"` is the interval of legal numbers, `range:"[0,length]"` one that
//     ends at another input. A number outside is rejected with <NAME>_MUST_BE_POSITIVE,
//     _MUST_BE_NONNEGATIVE or _OUT_OF_RANGE, or with `code`;
//   - `symbol:"w_0"` is its LaTeX symbol in formulas, `label` its label in forms, and
//     `advanced:"true"` hides it in forms until the reader asks for it.
//
// At each call the engine fills an In, completes it (see [Completer]), checks the
// ranges of what was sent and calls calculate. A number of the result that is not
// finite is rejected with NON_FINITE_RESULT, negative zero becomes zero, and a
// subnormal number gets the warning RESULT_SUBNORMAL. A panic becomes an error. An
// [*Error] from calculate goes to the caller; any other error is a fault of the service.
//
// Calculations may use the same memory one after the other, so calculate must not keep the
// context, or what the pointers in the In point to, after it has returned.
//
// New panics if the Spec or a tag is wrong. The message explains what to change.
func New[In, Out any](spec Spec, calculate func(context.Context, In) (Out, error)) Engine {
	in, out := codecOf(reflect.TypeFor[In]()), codecOf(reflect.TypeFor[Out]())
	spec.Contract = ContractVersion
	spec.Inputs, spec.Outputs = in.fields, out.fields
	if err := spec.Validate(); err != nil {
		panic(fmt.Sprintf("sdk: spec of %s: %v", spec.Capability, err))
	}
	checkDrawer(&spec, reflect.TypeFor[In]())
	return &typed[In, Out]{spec, in, out, calculate}
}

type typed[In, Out any] struct {
	spec      Spec
	in, out   *codec
	calculate func(context.Context, In) (Out, error)
}

func (e *typed[In, Out]) Spec() Spec { return e.spec }

func (e *typed[In, Out]) Calculate(ctx context.Context, values value.Values) (Outcome, error) {
	o, err := newCalculation(e).compute(ctx, values)
	if err != nil {
		return Outcome{}, err
	}
	return *o, nil
}

// fault turns a nil *Error into a nil error. An author may well return such a value as an
// error, which is then not nil.
func fault(err error) error {
	if e, ok := err.(*Error); ok && e == nil {
		return nil
	}
	return err
}

// checkRanges rejects all numbers outside the ranges of their fields together. It first
// checks ranges with fixed ends. Only if all numbers are within these does it check ranges
// that end at another input.
func checkRanges(fields []Field, sent, completed []value.Value) error {
	number := func(name string) (float64, bool) {
		for i := range fields { // by index: a Field is large
			if fields[i].Name != name {
				continue
			}
			switch v := completed[i]; v.Kind() {
			case value.Number:
				return v.Number(), true
			case value.Exact:
				return decimalOf(v).Float, true
			}
		}
		return 0, false
	}
	for _, bound := range []bool{false, true} {
		var first *Error
		for i := range fields {
			f := &fields[i]
			if f.Range == nil || sent[i].Kind() == value.Absent || bound && f.Range.MinInput == "" && f.Range.MaxInput == "" {
				continue
			}
			within := f.Range
			if bound {
				within = f.Range.Within(number)
			}
			if !outside(within, sent[i]) {
				continue
			}
			constraint := "must be " + f.Range.Words(nil)
			if first == nil {
				first = Reject(f.Range.Code, f.Name, "%s is %s: it %s%s", f.Name, describe(sent[i]), constraint, within.given(f.Range))
				first.Suggestion = fmt.Sprintf("Send a value of %s %s%s.", f.Name, f.Range.Words(nil), inUnit(f.Unit))
			}
			first.Invalid = append(first.Invalid, InvalidParameter{f.Name, constraint})
		}
		if first != nil {
			return first
		}
	}
	return nil // not first: a nil *Error is not a nil error
}

// given describes the values of the inputs at which the range ends.
func (r *Range) given(declared *Range) string {
	var text []string
	for _, end := range []struct {
		name string
		at   *float64
	}{{declared.MinInput, r.Min}, {declared.MaxInput, r.Max}} {
		if end.name != "" && end.at != nil {
			text = append(text, end.name+" is "+formatShortest(*end.at))
		}
	}
	if len(text) == 0 {
		return ""
	}
	return ", and " + strings.Join(text, ", ")
}

func outside(r *Range, v value.Value) bool {
	switch v.Kind() {
	case value.Number:
		return !r.Contains(v.Number())
	case value.Exact:
		return !r.Contains(decimalOf(v).Float)
	case value.List:
		for _, item := range v.Items() {
			if outside(r, item) {
				return true
			}
		}
	}
	return false
}

func describe(v value.Value) string {
	switch v.Kind() {
	case value.Number:
		return formatShortest(v.Number())
	case value.List:
		return "a list with a value outside"
	}
	return v.Text()
}

func inUnit(unit string) string {
	if unit == "" {
		return ""
	}
	return ", in " + unit
}

// finish rejects a result that is not finite and warns of a subnormal one.
func finish(fields []Field, o *Outcome) error {
	for i := range o.Result {
		v := &o.Result[i]
		if x := math.Abs(v.Number()); v.Kind() == value.Number && (x == 0 || x >= smallestNormal && x <= math.MaxFloat64) {
			continue // as usual
		}
		if err := finishValue(fields[i].Name, *v, o); err != nil {
			return err
		}
	}
	return nil
}

func finishValue(name string, v value.Value, o *Outcome) error {
	if v.Kind() == value.Number && (math.IsInf(v.Number(), 0) || math.IsNaN(v.Number())) {
		return Reject(CodeNonFiniteResult, name, "%s is beyond the range of binary64 numbers for these inputs", name).
			Suggest("Use inputs of smaller magnitude.")
	}
	if v.Kind() == value.Number && subnormal(v.Number()) {
		o.Warnings = append(o.Warnings, Warning{
			Code: WarnResultSubnormal, Severity: Caution,
			Detail:     fmt.Sprintf("%s = %s is below the normal range of binary64 numbers and has fewer significant digits.", name, formatShortest(v.Number())),
			Suggestion: "Use inputs of larger magnitude if the digits matter.",
		})
	}
	for _, item := range v.Items() {
		if err := finishValue(name, item, o); err != nil {
			return err
		}
	}
	return nil
}
