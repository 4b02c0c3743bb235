package mcp

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/outputs"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// arguments are the arguments of a tool: a scanned object with all required members.
type arguments struct{ strictjson.Value }

// readArguments returns the arguments of a call. If the message was not scanned before (over
// stdio), it scans them now.
func readArguments(front *scanned, sent json.RawMessage, expected shape) (arguments, error) {
	if front == nil {
		front = scanArguments(sent)
	}
	v, err := front.value, front.err
	if err != nil {
		p := problem.InvalidObject(err)
		p.Detail = "arguments: " + p.Detail
		return arguments{}, p
	}
	for _, name := range expected.required {
		if !v.Has(name) {
			return arguments{}, missing(name, v)
		}
	}
	return arguments{v}, arguments{v}.rejectUnknown(expected)
}

func scanArguments(sent json.RawMessage) *scanned {
	if len(sent) == 0 {
		return &noArguments
	}
	v, err := strictjson.ParseObject(sent)
	return &scanned{v, err}
}

const capabilityArgument = "capability_id"

// otherIDs are the names that REST accepts for capabilityArgument.
var otherIDs = []string{"id", "tool", "tool_id"}

func missing(name string, sent strictjson.Value) error {
	e := sdk.Missing(name, "the argument %s is missing", name)
	if i := slices.IndexFunc(otherIDs, sent.Has); i >= 0 && name == capabilityArgument {
		return e.Suggest("Send " + otherIDs[i] + " as " + name + ".")
	}
	return e
}

// rejectUnknown returns an error if there are arguments that the tool does not have.
func (a arguments) rejectUnknown(expected shape) error {
	names := expected.names()
	for _, m := range a.Members {
		if slices.Contains(names, m.Name) {
			continue
		}
		name := request.Clip(m.Name)
		e := sdk.Reject(request.CodeUnknownInput, name, "%q is not an argument of this tool", name)
		switch {
		case slices.Contains(otherIDs, name) && slices.Contains(names, capabilityArgument):
			return e.Suggest("Leave it out: " + capabilityArgument + " names the capability, by its id or its tool id.")
		case slices.Contains(names, inputsArgument):
			return e.Suggest("Move it into " + inputsArgument + " if it is an input of the calculation; else leave it out.")
		}
		return e.Suggest("Leave it out. The arguments are " + strings.Join(names, ", ") + ".")
	}
	return nil
}

const inputsArgument = "inputs"

// invalidArgument returns the problem of an argument that violates the tool's input schema.
func invalidArgument(name, suggestion, format string, args ...any) error {
	p := problem.New(problem.CodeInvalidArgument, suggestion, format, args...)
	p.Field = name
	return p
}

// text returns a string argument, or "" if it was not sent.
func (a arguments) text(name string) (string, error) {
	v, sent := a.Member(name)
	if !sent {
		return "", nil
	}
	if v.Kind != strictjson.String {
		return "", invalidArgument(name, "Send "+name+" as a string.", "%s must be a string; %s was sent", name, v.Kind)
	}
	return v.Text, nil
}

// Arguments of calculations that are not part of a REST envelope.
const (
	stepsArgument  = "steps"
	unitsArgument  = "units"
	unitArgument   = "unit"
	schemaArgument = "schema"
)

// units returns the units that the arguments ask for, as the query of REST does.
func (a arguments) units() (system customary.System, inUnits []string, err error) {
	text, err := a.text(unitsArgument)
	if err != nil {
		return "", nil, err
	}
	if _, sent := a.Member(unitsArgument); sent && !slices.Contains(outputs.Systems, text) {
		return "", nil, invalidArgument(unitsArgument, "Send us, metric or si, or leave it out.", "%q is not a system of units", request.Clip(text))
	}
	v, sent := a.Member(unitArgument)
	if sent && v.Kind != strictjson.Array {
		return "", nil, invalidArgument(unitArgument, `Send a list, such as ["delta=mm"].`, "%s must be a list; %s was sent", unitArgument, v.Kind)
	}
	for i := range v.Items {
		if v.Items[i].Kind != strictjson.String {
			return "", nil, invalidArgument(unitArgument, `Send a list of texts, such as ["delta=mm"].`, "item %d of %s must be a string; %s was sent", i+1, unitArgument, v.Items[i].Kind)
		}
		inUnits = append(inUnits, v.Items[i].Text)
	}
	return customary.System(text), inUnits, nil
}

// format writes the result for people in the units that the arguments ask for.
func (a arguments) format(answer *calc.Answer) error {
	system, inUnits, err := a.units()
	if err != nil || system == customary.AsEntered && inUnits == nil {
		return err
	}
	choice, err := outputs.Choose(answer.Success.Spec, nil, inUnits)
	if err == nil {
		answer.Success.Formatted, err = choice.In(system).Formatted(&answer.Success.Outcome)
	}
	return err
}

// flag returns a boolean argument, or false if it was not sent.
func (a arguments) flag(name string) (bool, error) {
	v, sent := a.Member(name)
	if sent && v.Kind != strictjson.Bool {
		return false, invalidArgument(name, "Send "+name+" as true or false, without quotes.", "%s must be true or false; %s was sent", name, v.Kind)
	}
	return sent && v.Bool, nil
}

// without returns the arguments except the ones with these names.
func (a arguments) without(names ...string) strictjson.Value {
	v := a.Value
	v.Members = slices.DeleteFunc(slices.Clone(v.Members), func(m strictjson.Member) bool { return slices.Contains(names, m.Name) })
	return v
}

// isObject returns an error unless the argument is an object.
func (a arguments) isObject(name string) error {
	if v, sent := a.Member(name); sent && v.Kind != strictjson.Object {
		return invalidArgument(name, "Send "+name+" as an object, not as text or a list.", "%s must be an object; %s was sent", name, v.Kind)
	}
	return nil
}

// integer returns an integer argument from 1 to most, or the default if it was not sent.
func (a arguments) integer(name string, most, otherwise int) (int, error) {
	v, sent := a.Member(name)
	if !sent {
		return otherwise, nil
	}
	if n := int(v.Float); v.Kind == strictjson.Number && v.Range == strictjson.InRange && v.Float >= 1 && v.Float <= float64(most) && float64(n) == v.Float {
		return n, nil
	}
	return 0, sdk.Reject(request.CodeInvalidNumber, name, "%s must be a whole number from 1 to %d", name, most).Suggest("Leave it out for the default.")
}
