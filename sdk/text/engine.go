package text

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// CodeLengthMismatch rejects lists of different lengths.
const CodeLengthMismatch = "LENGTH_MISMATCH"

// Engine computes a document: ranges, rules, definitions, checks that reject, results, and then warnings and
// assumptions. Results are the binary64 numbers nearest to the exact ones.
type Engine struct {
	document *Document
	spec     sdk.Spec
	text     *formula.Text
	units    map[string]string // of definitions, by name
	symbols  []string          // of the inputs
	results  []string          // symbols of the outputs
	derived  []int             // inputs whose default is the formula
	needs    map[string]bool   // definitions that are rounded to binary64
	rules    []rule
	vectors  []boundVector
	checks   []*check
}

// check is a check with its texts.
type check struct {
	*Check
	holds            string // name of the definition of its condition
	field            string // of a rejection
	text, suggestion message
}

// message is a text with values.
type message struct {
	holes []hole
	rest  string
}

// rule is a rule with the indexes of its inputs.
type rule struct {
	*Rule
	inputs []int
}

// Spec implements [sdk.Engine].
func (e *Engine) Spec() sdk.Spec { return e.spec }

// Document returns the document of the engine.
func (e *Engine) Document() *Document { return e.document }

// Calculate implements [sdk.Engine].
func (e *Engine) Calculate(ctx context.Context, in value.Values) (sdk.Outcome, error) {
	err := ctx.Err()
	if err != nil {
		return sdk.Outcome{}, err
	}
	return e.calculate(in)
}

func (e *Engine) calculate(in value.Values) (sdk.Outcome, error) {
	err := e.spec.CheckRanges(in, in)
	if err != nil {
		return sdk.Outcome{}, err
	}
	for i := range e.rules {
		if rejection := e.rules[i].broken(&e.spec, in); rejection != nil {
			return sdk.Outcome{}, rejection
		}
	}
	r := e.text.Evaluate(e.spec.FormulaInputs(in), nil, e.enough)
	return e.outcome(r, in)
}

// enough reports whether the bounds of a value are narrow enough: results are rounded to binary64, and numbers in
// texts have 4 digits.
func (e *Engine) enough(v *formula.Value) bool {
	if e.needs[v.Name] {
		return v.Rounded()
	}
	x, isNumber := v.Number()
	return !isNumber || !strings.HasPrefix(v.Name, "shown__") || v.Compare(x, 1e-6) == formula.Agrees
}

// outcome makes the outcome of the values of all definitions.
func (e *Engine) outcome(r *formula.Result, in value.Values) (sdk.Outcome, error) {
	var o sdk.Outcome
	err := e.reject(r)
	if err != nil {
		return o, err
	}
	o.Result, o.Inputs = make(value.Values, len(e.results)), slices.Clone(in)
	for i, name := range e.results {
		err = e.result(&o, i, r.Value(name), in)
		if err != nil {
			return sdk.Outcome{}, err
		}
	}
	for _, at := range e.derived {
		v := r.Value(e.symbols[at])
		derived := v.Value()
		if o.Inputs[at].Kind() == value.Absent && finite(derived) { // results need not need it
			o.Inputs[at] = derived
		}
	}
	o.Formula = e.formula(r)
	err = e.notes(&o, r)
	if err != nil {
		return sdk.Outcome{}, err
	}
	err = e.spec.Finish(in, &o)
	if err != nil {
		return sdk.Outcome{}, err
	}
	return o, nil
}

// formula returns the id of the formula that the case of an output belongs to.
func (e *Engine) formula(r *formula.Result) string {
	for i := range r.Values {
		if r.Values[i].ID != "" {
			return r.Values[i].ID
		}
	}
	return ""
}

// reject returns the rejection of the first check whose condition holds. A condition without a value does not hold,
// unless it cannot be computed.
func (e *Engine) reject(r *formula.Result) error {
	for _, c := range e.checks {
		if c.Kind != Reject {
			continue
		}
		v := r.Value(c.holds)
		is, known := v.Bool()
		switch {
		case known && is:
			rejection := sdk.Reject(c.Code.Text, c.field, "%s", e.say(&c.text, r))
			return rejection.Suggest(e.say(&c.suggestion, r))
		case v.State == formula.Fault || v.State == formula.Undecided:
			return e.unknown(v, c.Condition.Text)
		}
	}
	return nil
}

// unknown returns the rejection of inputs for which a value cannot be computed, or cannot be decided.
func (e *Engine) unknown(v *formula.Value, what string) *sdk.Error {
	code, suggestion := sdk.CodeUndefined, "Send other inputs."
	if v.State == formula.Undecided {
		code, suggestion = sdk.CodeUndecided, "Send slightly different inputs."
	}
	return sdk.Reject(code, e.inputOf(v.Name), "%s has no value for these inputs: %s", what, v.Why).Suggest(suggestion)
}

// inputOf returns the name of the first input that a definition depends on.
func (e *Engine) inputOf(name string) string {
	used := e.text.Sent([]string{name}, nil).Needed
	for i, symbol := range e.symbols {
		if slices.Contains(used, symbol) {
			return e.spec.Inputs[i].Name
		}
	}
	return ""
}

// result sets an output.
func (e *Engine) result(o *sdk.Outcome, i int, v *formula.Value, in value.Values) error {
	f := &e.spec.Outputs[i]
	if v == nil { // an input that is also an output, and has no definition
		o.Result[i] = in[slices.Index(e.symbols, e.results[i])]
		return nil
	}
	switch v.State {
	case formula.Fault, formula.Undecided:
		return e.unknown(v, f.Name)
	case formula.Absent:
		if f.Required {
			return fmt.Errorf("the document gives no value for the output %s, which is not marked by ?", f.Name)
		}
		return nil
	}
	if v.Vanishes() {
		o.Warnings = append(o.Warnings, underflow(f.Name))
	}
	o.Result[i] = v.Value()
	if !finite(o.Result[i]) {
		return nil // Finish rejects it
	}
	return sdk.CheckValues(e.spec.Outputs[i:i+1], o.Result[i:i+1])
}

// finite reports whether all numbers of a value are within binary64.
func finite(v value.Value) bool {
	return !math.IsInf(v.Number(), 0) && !slices.ContainsFunc(v.Items(), func(item value.Value) bool { return !finite(item) })
}

// underflow returns the warning of a result that is not 0, and rounds to 0.
func underflow(name string) sdk.Warning {
	return sdk.Warning{
		Code: sdk.WarnResultUnderflow, Severity: sdk.Caution,
		Detail:     name + " is not zero but smaller than any binary64 number, and was rounded to zero.",
		Suggestion: "Use inputs of larger magnitude if the value matters.",
	}
}

// notes adds the warnings and assumptions whose conditions hold.
func (e *Engine) notes(o *sdk.Outcome, r *formula.Result) error {
	for _, c := range e.checks {
		if c.Kind == Reject {
			continue
		}
		v := r.Value(c.holds)
		is, known := v.Bool()
		switch {
		case v.State == formula.Fault || v.State == formula.Undecided:
			return e.unknown(v, c.Condition.Text)
		case !known || !is:
		case c.Kind == Assume:
			o.Assumptions = append(o.Assumptions, e.say(&c.text, r))
		default:
			severity := map[string]sdk.Severity{"info": sdk.Info, "caution": sdk.Caution, "critical": sdk.Critical}[c.Severity]
			o.Warnings = append(o.Warnings, sdk.Warning{Code: c.Code.Text, Severity: severity, Detail: e.say(&c.text, r), Suggestion: e.say(&c.suggestion, r)})
		}
	}
	return nil
}

// say returns a text with its values.
func (e *Engine) say(m *message, r *formula.Result) string {
	var b strings.Builder
	for i := range m.holes {
		h := &m.holes[i]
		b.WriteString(h.lead)
		b.WriteString(inUnit(r.Value(h.name), h.unit))
	}
	b.WriteString(m.rest)
	return b.String()
}

// inUnit returns a value with 4 digits in a unit; "-" if it has none.
func inUnit(v *formula.Value, unit string) string {
	of := v.Value()
	switch of.Kind() {
	case value.Text:
		return of.Text()
	case value.Bool:
		if of.Bool() {
			return "yes"
		}
		return "no"
	case value.Number:
	default:
		return "-"
	}
	x := of.Number()
	u, listed := units.Lookup(unit)
	if unit == "%" {
		x *= 100
	} else if exact := new(big.Rat).SetFloat64(x); listed && exact != nil {
		x, _ = units.Convert(exact, units.SI(u.Quantity), u).Float64()
	}
	text := formula.Rounded(x, 4)
	if unit != "" {
		text += " " + formula.FormatUnit(unit)
	}
	return text
}

// broken returns the rejection of inputs that break the rule, or nil.
func (r *rule) broken(spec *sdk.Spec, in value.Values) *sdk.Error {
	var all, sent, absent []string
	for _, at := range r.inputs {
		name := spec.Inputs[at].Name
		all = append(all, name)
		if in[at].Kind() == value.Absent {
			absent = append(absent, name)
		} else {
			sent = append(sent, name)
		}
	}
	switch r.Kind {
	case Exactly, AtLeast, AtMost:
		return r.count(all, sent, absent)
	case SameLength:
		return r.lengths(spec, in)
	}
	if in[r.inputs[0]].Kind() == value.Absent {
		return nil
	}
	for _, at := range r.inputs[1:] {
		name, isSent := spec.Inputs[at].Name, in[at].Kind() != value.Absent
		if r.Kind == Needs && !isSent {
			return sdk.Missing(name, "%s is needed with %s", name, all[0])
		}
		if r.Kind == Excludes && isSent {
			return sdk.Conflict(name, "%s cannot be combined with %s", name, all[0]).Suggest("Leave out one of them.")
		}
	}
	return nil
}

// count returns the rejection of too few or too many inputs, or nil.
func (r *rule) count(all, sent, absent []string) *sdk.Error {
	last := len(all) - 1
	text := fmt.Sprintf("%s %s of %s and %s must be sent, not %d", r.Kind, numeral(r.Count), strings.Join(all[:last], ", "), all[last], len(sent))
	switch {
	case len(sent) < r.Count && r.Kind != AtMost:
		e := sdk.Missing(absent[0], "%s", text).Suggest(fmt.Sprintf("Send %s of %s.", numeral(r.Count-len(sent)), strings.Join(absent, ", ")))
		return listed(e, absent, "can be sent: "+text)
	case len(sent) > r.Count && r.Kind != AtLeast:
		e := sdk.Conflict(sent[r.Count], "%s", text).Suggest("Leave out what is to be computed.")
		return listed(e, sent, "must perhaps be left out: "+text)
	}
	return nil
}

// lengths returns the rejection of lists of different lengths, or nil.
func (r *rule) lengths(spec *sdk.Spec, in value.Values) *sdk.Error {
	first := -1
	for _, at := range r.inputs {
		switch {
		case in[at].Kind() != value.List:
		case first < 0:
			first = at
		case len(in[at].Items()) != len(in[first].Items()):
			a, b := spec.Inputs[first].Name, spec.Inputs[at].Name
			return sdk.Reject(CodeLengthMismatch, b, "%s has %d items, and %s %d", b, len(in[at].Items()), a, len(in[first].Items())).
				Suggest("Send lists of the same length.")
		}
	}
	return nil
}

func listed(e *sdk.Error, names []string, constraint string) *sdk.Error {
	for _, name := range names {
		e.Invalid = append(e.Invalid, sdk.InvalidParameter{Name: name, Constraint: constraint})
	}
	return e
}

// numeral is a small number as a word.
func numeral(n int) string {
	words := []string{"none", "one", "two", "three", "four"}
	if n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}
