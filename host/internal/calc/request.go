package calc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/versions"
)

const pinName = versions.PinName

// IDNames are the members of a request that name the capability.
var IDNames = []string{"id", "tool", "tool_id", "capability_id"}

// ReadObject scans the JSON object of a request. The error is a *problem.Problem.
func ReadObject(data []byte) (strictjson.Value, error) {
	if len(data) > strictjson.MaxBytes {
		return strictjson.Value{}, problem.TooLarge()
	}
	v, err := strictjson.ParseObject(data)
	if err != nil {
		return v, problem.InvalidObject(err)
	}
	return v, nil
}

// ReadRequest reads a scanned request body. The body is either an envelope {"inputs": {...},
// "calculation_version": "...", "id": "..."} with reserved names only, or the inputs object itself.
// The id is the id in the URL, or "" if the URL has none.
func ReadRequest(id string, body strictjson.Value) (Request, error) {
	req := Request{ID: id, Inputs: strictjson.Value{Kind: strictjson.Object}}
	pinned := pinName
	inputs, enveloped := body.Member("inputs")
	if enveloped {
		if err := req.readEnvelope(body, inputs); err != nil {
			return Request{}, err
		}
		body, pinned = inputs, "inputs."+pinName
	}
	if err := req.readInputs(body, pinned, enveloped); err != nil {
		return Request{}, err
	}
	if req.ID == "" {
		return Request{}, noCapability(body, enveloped)
	}
	return req, nil
}

// noCapability returns the problem of a request that names no capability. If there is an id
// among the inputs, the suggestion is to move it out of them.
func noCapability(inputs strictjson.Value, enveloped bool) *problem.Problem {
	for _, name := range IDNames {
		id, sent := inputs.Member(name)
		if !sent || enveloped {
			continue
		}
		text := "..."
		if id.Kind == strictjson.String {
			text = request.Clip(id.Text)
		}
		return problem.Rejecting(sdk.Missing("inputs", "%s is among the inputs, so it is an input and does not name a capability", name).
			Suggest(fmt.Sprintf("Put everything else into inputs: {%q: %q, \"inputs\": {...}}.", name, text)))
	}
	return problem.Rejecting(sdk.Missing("id", "the request names no capability").
		Suggest("Send {\"id\": \"...\", \"inputs\": {...}}; GET /api/v1/calc lists the ids."))
}

// readInputs reads the inputs object. It may contain a pin and, if there is no envelope, an
// id.
func (r *Request) readInputs(body strictjson.Value, pinned string, enveloped bool) error {
	if !slices.ContainsFunc(sdk.Reserved, func(name string) bool { return body.Has(name) }) {
		r.Inputs = body // the common case: only inputs
		return nil
	}
	for _, m := range body.Members {
		var err error
		switch {
		case m.Name == pinName:
			err = r.addPin(pinned, m.Value)
		case !enveloped && slices.Contains(IDNames, m.Name) && onlyReserved(body):
			err = r.addID(m)
		default:
			r.Inputs.Members = append(r.Inputs.Members, m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readEnvelope reads the members of the envelope other than the inputs.
func (r *Request) readEnvelope(body, inputs strictjson.Value) error {
	if inputs.Kind != strictjson.Object {
		return fieldProblem("inputs", "Send inputs as an object of names and values.", "inputs must be an object; %s was sent", inputs.Kind)
	}
	for _, m := range body.Members {
		var err error
		switch {
		case m.Name == "inputs":
		case m.Name == pinName:
			err = r.addPin(pinName, m.Value)
		case m.Name == versions.AsOfName:
			err = r.addTime(m.Value)
		case slices.Contains(IDNames, m.Name):
			err = r.addID(m)
		default:
			name := request.Clip(m.Name)
			err = problem.Rejecting(sdk.Reject(request.CodeUnknownInput, name, "%q is next to inputs", name).
				Suggest("Move it into inputs. Next to inputs the request can have " + strings.Join(sdk.Reserved[1:], ", ") + " and " + versions.AsOfName + "."))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func onlyReserved(body strictjson.Value) bool {
	return !slices.ContainsFunc(body.Members, func(m strictjson.Member) bool {
		return !slices.Contains(sdk.Reserved, m.Name)
	})
}

// addPin collects a pin of the body as it was sent. Package versions judges its type.
func (r *Request) addPin(name string, v strictjson.Value) error {
	if err := request.RangeError(pinName, v); err != nil {
		return err
	}
	r.Pins = append(r.Pins, versions.Pin{Place: versions.InBody, Name: name, Value: PinValue(v)})
	return nil
}

// addTime collects a time of the envelope, for the version that was current then.
func (r *Request) addTime(v strictjson.Value) error {
	if err := request.RangeError(versions.AsOfName, v); err != nil {
		return err
	}
	r.Pins = append(r.Pins, versions.Pin{Place: versions.InBody, Name: versions.AsOfName, Value: PinValue(v), Means: versions.AsOf})
	return nil
}

// PinValue returns a JSON value as the value of a pin. Arrays and objects are returned
// empty: only their type matters, since they are never valid pins.
func PinValue(v strictjson.Value) any {
	switch v.Kind {
	case strictjson.String:
		return v.Text
	case strictjson.Number:
		return v.Float
	case strictjson.Bool:
		return v.Bool
	case strictjson.Array:
		return []any{}
	case strictjson.Object:
		return map[string]any{}
	}
	return nil
}

func (r *Request) addID(m strictjson.Member) error {
	if err := request.RangeError(m.Name, m.Value); err != nil {
		return err
	}
	switch {
	case m.Value.Kind != strictjson.String:
		return fieldProblem(m.Name, "Send "+m.Name+" as a string.", "%s must be the id of a capability or tool; %s was sent", m.Name, m.Value.Kind)
	case m.Value.Text == "":
		return problem.Rejecting(sdk.Missing(m.Name, "%s is an empty string, which is the id of no capability or tool", m.Name).
			Suggest("Send an id in " + m.Name + ". GET /api/v1/calc lists them."))
	}
	if r.ID == "" {
		r.ID = m.Value.Text
	} else {
		r.sameAs = append(r.sameAs, m)
	}
	return nil
}

func fieldProblem(field, suggestion, format string, args ...any) *problem.Problem {
	p := problem.New(problem.CodeInvalidJSON, suggestion, format, args...)
	p.Field = field
	return p
}
