package mcp

import (
	"encoding/json"
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/envelope"
	"github.com/slipstick/slipstick/sdk/strictjson"
)

// arguments are those of a tool: a scanned object that has what the tool requires.
type arguments struct{ strictjson.Value }

// readArguments scans the arguments of a call with the scanner of all requests. They are
// those that the front has kept, or else those in the message.
func readArguments(kept, sent json.RawMessage, expected shape) (arguments, error) {
	if kept == nil {
		kept = sent
	}
	if len(kept) == 0 {
		kept = json.RawMessage("{}")
	}
	v, err := strictjson.ParseObject(kept)
	if err != nil {
		return arguments{}, calc.NewProblem(calc.CodeInvalidJSON, "Send one JSON object (RFC 8259, UTF-8, no duplicate names).", "arguments: %v", err)
	}
	for _, name := range expected.required {
		if !v.Has(name) {
			return arguments{}, sdk.Missing(name, "the argument %s is missing", name)
		}
	}
	return arguments{v}, nil
}

// only refuses arguments that the tool does not have.
func (a arguments) only(expected shape) error {
	names := expected.names()
	for _, m := range a.Members {
		if !slices.Contains(names, m.Name) {
			name := envelope.Clip(m.Name)
			return sdk.Reject(sdk.CodeUnknownInput, name, "%q is no argument of this tool", name).
				Suggest("Leave it out. Inputs of the calculation stand in inputs.")
		}
	}
	return nil
}

// text returns a string argument, "" if it was not sent.
func (a arguments) text(name string) (string, error) {
	v, sent := a.Member(name)
	if !sent {
		return "", nil
	}
	if v.Kind != strictjson.String {
		p := calc.NewProblem(calc.CodeInvalidJSON, "Correct the type.", "%s must be a string; %s was sent", name, v.Kind)
		p.Field = name
		return "", p
	}
	return v.Text, nil
}

// whole returns a whole number from 1 to most, or the default.
func (a arguments) whole(name string, most, otherwise int) (int, error) {
	v, sent := a.Member(name)
	if !sent {
		return otherwise, nil
	}
	if n := int(v.Float); v.Kind == strictjson.Number && v.Range == strictjson.InRange && v.Float >= 1 && v.Float <= float64(most) && float64(n) == v.Float {
		return n, nil
	}
	return 0, sdk.Reject(sdk.CodeInvalidNumber, name, "%s must be a whole number from 1 to %d", name, most).Suggest("Leave it out for the default.")
}
