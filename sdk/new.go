package sdk

import (
	"context"
	"fmt"
	"math"
	"reflect"

	"github.com/slipstick/slipstick/sdk/value"
)

// Completer is implemented by a pointer to an In struct with fields that depend on each other.
// Complete fills in values that follow from the other inputs, so that the answer can show
// them. It rejects inputs that are missing or must not be combined. It runs after defaults are
// filled in and before ranges are checked. It can add assumptions and warnings through the
// context, as calculate can.
type Completer interface {
	Complete(ctx context.Context) error
}

// New returns an engine that computes with calculate. The fields of In and Out become the
// inputs and outputs of the Spec, in order. The fields of an embedded struct count as fields
// of the outer struct.
//
//   - `name` is the canonical JSON name, `alias` a list of others, `unit` the SI unit, `doc`
//     one line for people.
//   - The types are float64, int, string, bool, [Decimal], structs and slices. A pointer is
//     optional and nil if absent. `default` is the value of an input that is not sent. Every
//     other field is required.
//   - `enum:"dc,ac_single_phase=ac1|single"` lists the values of a string with their aliases.
//     The engine gets only the values.
//   - `range:"(0,)"` is the interval of legal numbers. `range:"[0,length]"` ends at another
//     input, or, in a struct of a list, at another field of the struct. A number outside is
//     rejected with <NAME>_MUST_BE_POSITIVE, _MUST_BE_NONNEGATIVE or _OUT_OF_RANGE, or with
//     `code`.
//   - `unit_by:"dir:kva_to_amps=kVA,amps_to_kva=A"` is for a number with a unit that depends
//     on the value of an enum. With `unit_by:"from"` the unit is that value.
//   - `difference:"true"` is for a difference of two temperatures: 10 degC mean 10 K.
//   - `presets:"data.materials.metals#elastic_modulus"` lists columns of published tables that
//     can give a number. A caller names the row, and the server sends the number to the
//     engine.
//   - `strict:"true"` refuses a number that is sent as one text with its unit, such as "200
//     GPa".
//   - `names:"4/0=-3,3/0=-2"` lists texts that can be sent instead of a number. The engine
//     gets the number.
//   - `symbol:"w_0"` is its LaTeX symbol in formulas, and `label` its label in forms.
//     `advanced:"true"` hides it in forms until the reader asks for it.
//   - `headline:"true"` is for the main number of the result.
//   - `example:"4.5e-5 for commercial steel"` is a number that people can enter, in the unit
//     of the field. Pages show it in the chosen unit. They cannot convert a number in doc.
//   - `money:"true"` is for an amount in any currency. It is shown with cents.
//
// The Definition of the Spec states how each number follows from the inputs. It calls them by
// their symbols in letters. [Spec.Express] makes the formulas from it.
//
// At each call the engine fills an In, completes it (see [Completer]), checks the ranges of
// the inputs and calls calculate. A number of the result that is not finite is rejected with
// NON_FINITE_RESULT. Negative zero becomes zero, and a subnormal number gets the warning
// RESULT_SUBNORMAL. A panic becomes an error. An [*Error] from calculate goes to the caller;
// any other error is a fault of the service.
//
// Calculations can use the same memory one after the other. So calculate must not keep the
// context, or memory that pointers in the In point to, after it has returned.
//
// New panics if the Spec or a tag is wrong. The message explains what to change.
func New[In, Out any](spec Spec, calculate func(context.Context, In) (Out, error)) Engine {
	in, out := codecOf(reflect.TypeFor[In]()), codecOf(reflect.TypeFor[Out]())
	spec.Contract, spec.Version = ContractVersion, versionOf(spec.Version, released, development)
	spec.Inputs, spec.Outputs = in.fields, out.fields
	if err := spec.Validate(); err != nil {
		panic(fmt.Sprintf("sdk: spec of %s: %v", spec.Capability, err))
	}
	for _, f := range spec.Formulas {
		if spec.Definition != "" && (f.Expression != "" || f.LaTeX != "") {
			panic(fmt.Sprintf("sdk: spec of %s: formula %s has an Expression or LaTeX, which are made from the Definition: leave them out", spec.Capability, f.ID))
		}
	}
	spec.Express()
	checkDrawer(&spec, reflect.TypeFor[In]())
	checkCompleter(reflect.TypeFor[In]())
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

// checkCompleter panics if an In embeds two structs with a method Complete and has none
// itself, because Go then promotes neither.
func checkCompleter(in reflect.Type) {
	completer := reflect.TypeFor[Completer]()
	for i := range in.NumField() {
		if sf := in.Field(i); sf.Anonymous && reflect.PointerTo(sf.Type).Implements(completer) && !reflect.PointerTo(in).Implements(completer) {
			panic(fmt.Sprintf("sdk: %v embeds %s, whose Complete would not be called: write a method Complete that calls it", in, sf.Name))
		}
	}
}

// fault turns a nil *Error into a nil error. Authors can return a nil *Error as an error by
// mistake, and such an error is not nil.
func fault(err error) error {
	if e, ok := err.(*Error); ok && e == nil {
		return nil
	}
	return err
}

// Finish rejects an outcome with a number that is not finite, and adds a warning for a subnormal number. Engines of
// [New] call it themselves.
func (s *Spec) Finish(sent value.Values, o *Outcome) error { return finish(s, sent, o) }

// finish rejects a result that is not finite and warns about a subnormal one. It also rejects
// an input that Complete has derived if it is not finite.
func finish(spec *Spec, sent value.Values, o *Outcome) error {
	for i := range o.Inputs {
		if sent[i].Kind() == value.Absent && !finiteValue(&o.Inputs[i]) {
			return beyond(spec.Inputs[i].Name)
		}
	}
	for i := range o.Result {
		v := &o.Result[i]
		if x := math.Abs(v.Number()); v.Kind() == value.Number && (x == 0 || x >= smallestNormal && x <= math.MaxFloat64) {
			continue // the most frequent case
		}
		if err := finishValue(spec.Outputs[i].Name, *v, o); err != nil {
			return err
		}
	}
	return nil
}

// beyond returns the rejection of a number that is not finite.
func beyond(name string) error {
	return Reject(CodeNonFiniteResult, name, "%s is beyond the range of binary64 numbers for these inputs", name).
		Suggest("Use less extreme inputs.")
}

func finiteValue(v *value.Value) bool {
	if v.Kind() == value.Number {
		return math.Abs(v.Number()) <= math.MaxFloat64
	}
	items := v.Items()
	for i := range items {
		if !finiteValue(&items[i]) {
			return false
		}
	}
	return true
}

func finishValue(name string, v value.Value, o *Outcome) error {
	if v.Kind() == value.Number && (math.IsInf(v.Number(), 0) || math.IsNaN(v.Number())) {
		return beyond(name)
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
