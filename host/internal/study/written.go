package study

import (
	"errors"
	"fmt"
	"strings"

	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Written is a plan from a command line: each member is a text, and values can have units.
type Written struct {
	Kind   string
	ID     string
	Inputs []string // NAME=VALUE
	Pin    string

	Output []string

	Vary    []string // NAME=FROM:TO:COUNT, NAME=VALUE,VALUE or NAME
	Zip     bool
	Against string
	Unknown string // NAME=FROM:TO
	Goal    string
	Change  string

	Uncertain   []string // NAME=DISTRIBUTION:NUMBER
	Correlation []string // A,B=R
	Probability string
	SecondOrder bool
	Draws       string
	Digits      string
	MaxDraws    string
	Seed        string
	Bins        string
}

// FormError reports a text of a [Written] that does not have the form of its member.
type FormError struct{ Err error }

func (e *FormError) Error() string { return e.Err.Error() }

func (e *FormError) Unwrap() error { return e.Err }

// Plan returns the plan for a capability with this Spec, for [Read].
func (w *Written) Plan(spec *sdk.Spec) (strictjson.Value, error) {
	inputs, err := typed.Inputs(spec, w.Inputs)
	if err != nil {
		return strictjson.Value{}, err
	}
	plan := Draft{}
	plan.Set("kind", Word(w.Kind))
	plan.Set("inputs", inputs)
	if w.Output != nil {
		plan.Set("output", List(w.Output...))
	}
	if w.Goal != "" {
		goal, err := w.goal(spec)
		if err != nil {
			return strictjson.Value{}, err
		}
		plan.Set("goal", goal)
	}
	for _, one := range []struct{ name, text string }{
		{"change", w.Change}, {"coverage_probability", w.Probability}, {"draws", w.Draws}, {"digits", w.Digits},
		{"max_draws", w.MaxDraws}, {"seed", w.Seed}, {"bins", w.Bins},
	} {
		if one.text != "" {
			plan.Set(one.name, Typed(one.text))
		}
	}
	for _, one := range []struct {
		name string
		set  bool
	}{{"zip", w.Zip}, {"second_order", w.SecondOrder}} {
		if one.set {
			plan.Set(one.name, strictjson.Value{Kind: strictjson.Bool, Bool: true})
		}
	}
	if w.Against != "" {
		plan.Set("against", Word(w.Against))
	}
	for _, add := range []func(*Draft, *sdk.Spec) error{w.addVary, w.addUnknown, w.addUncertain, w.addCorrelation} {
		err := add(&plan, spec)
		if _, ok := errors.AsType[*sdk.Error](err); ok {
			return strictjson.Value{}, err
		}
		if err != nil {
			return strictjson.Value{}, &FormError{err}
		}
	}
	return plan.Value(), nil
}

// goal returns the goal with the unit of the first named output, or without a unit if the default output is used.
func (w *Written) goal(spec *sdk.Spec) (strictjson.Value, error) {
	if len(w.Output) == 0 {
		return Typed(w.Goal), nil
	}
	return typed.Quantity(spec.Outputs, w.Output[0], "goal", w.Goal)
}

func (w *Written) addVary(plan *Draft, spec *sdk.Spec) error {
	var names []string
	axes := Draft{}
	for _, text := range w.Vary {
		name, values, valued := strings.Cut(text, "=")
		if !valued {
			names = append(names, name)
			continue
		}
		ends := strings.Split(values, ":")
		if len(ends) == 1 {
			list, err := typed.Quantities(spec.Inputs, name, "vary."+name, values)
			if err != nil {
				return err
			}
			axes.Set(name, list)
			continue
		}
		if len(ends) < 3 || len(ends) > 4 || len(ends) == 4 && ends[3] != "log" {
			return fmt.Errorf("--vary %s: write from:to:count, such as %s=0:1:11, then :log for logarithmic steps; or values, such as %s=1,2,5", text, name, name)
		}
		of, err := ParseRange(spec, name, ends[0], ends[1], ends[2], len(ends) == 4)
		if err != nil {
			return err
		}
		axes.Set(name, of)
	}
	switch {
	case names != nil && !axes.Empty():
		return errors.New("--vary: give every input values, or none")
	case names != nil:
		plan.Set("vary", List(names...))
	case !axes.Empty():
		plan.Set("vary", axes.Value())
	}
	return nil
}

func (w *Written) addUnknown(plan *Draft, spec *sdk.Spec) error {
	if w.Unknown == "" {
		return nil
	}
	name, bracket, _ := strings.Cut(w.Unknown, "=")
	from, to, ok := strings.Cut(bracket, ":")
	if !ok {
		return fmt.Errorf("--unknown %s: write the input and two values between which it lies, such as %s=1:100", w.Unknown, name)
	}
	ends, err := ParseBracket(spec, name, from, to)
	if err != nil {
		return err
	}
	plan.Set("unknown", Word(name))
	plan.Set("bracket", ends)
	return nil
}

func (w *Written) addUncertain(plan *Draft, spec *sdk.Spec) error {
	uncertain := Draft{}
	for _, text := range w.Uncertain {
		name, what, ok := strings.Cut(text, "=")
		parts := strings.Split(what, ":")
		if !ok || what == "" {
			return fmt.Errorf("--uncertain %s: write what is known of the input, such as %s=rectangular:0.1", text, name)
		}
		if strings.ContainsAny(parts[0][:1], "0123456789+-.,") {
			parts = append([]string{"normal"}, parts...)
		}
		of, ok, err := ParseDistribution(spec, name, parts[0], parts[1:])
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("--uncertain %s: more numbers than a distribution of this kind has", text)
		}
		uncertain.Set(name, of)
	}
	if !uncertain.Empty() {
		plan.Set("uncertain", uncertain.Value())
	}
	return nil
}

func (w *Written) addCorrelation(plan *Draft, _ *sdk.Spec) error {
	var list []strictjson.Value
	for _, text := range w.Correlation {
		names, r, ok := strings.Cut(text, "=")
		pair := strings.Split(names, ",")
		if !ok || len(pair) != 2 {
			return fmt.Errorf("--correlation %s: write two inputs and a coefficient, such as length,load=0.5", text)
		}
		of := Draft{}
		of.Set("of", List(pair...))
		of.Set("r", Typed(r))
		list = append(list, of.Value())
	}
	if list != nil {
		plan.Set("correlation", strictjson.Value{Kind: strictjson.Array, Items: list})
	}
	return nil
}
