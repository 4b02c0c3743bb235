package openapi

import (
	"encoding/json"
	"maps"

	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/versions"
)

// example is a request made from a vector of a release.
type example struct {
	inputs json.RawMessage
	reject *vector.Rejection
}

// examplesOf returns two vectors of the release. The first gives a result. The engine rejects the second,
// although the input schema accepts it.
func examplesOf(r *catalog.Release) (accepted, rejected example) {
	content, err := r.Content()
	if err != nil {
		return // the vectors cannot be read now
	}
	vectors, err := vector.ParsePublished(content.Vectors)
	if err != nil {
		return // there are none, or they have a later format
	}
	for _, v := range vectors {
		inputs, err := strictjson.ParseObject([]byte(v.Inputs))
		if err != nil {
			continue
		}
		if _, _, err := request.Read(&r.Spec, inputs); err != nil {
			continue
		}
		x := example{json.RawMessage(v.Inputs), v.Rejection}
		switch {
		case v.Rejection == nil && accepted.inputs == nil:
			accepted = x
		case v.Rejection != nil && rejected.inputs == nil:
			rejected = x
		}
	}
	return accepted, rejected
}

// requests returns the examples of a capability's request body.
func (c *capability) requests() object {
	out := object{}
	if x := c.accepted; x.inputs != nil {
		out["calculation"] = object{"summary": "Gives a result", "value": x.inputs}
		out["pinned"] = object{"summary": "The same calculation with a version pin", "value": object{"inputs": x.inputs, "calculation_version": c.shown.Version}}
	}
	if x := c.rejected; x.inputs != nil {
		out["rejection"] = object{"summary": "Rejected with 400 " + x.reject.Code, "value": x.inputs}
	}
	return out
}

// namedRequest returns an example of a body with the capability in the member name.
func (d *document) namedRequest(name string) object {
	for _, c := range d.capabilities {
		if c.accepted.inputs == nil {
			continue
		}
		id := c.ID
		if name != "capability_id" {
			id = c.shown.Spec.Tool
		}
		return object{"calculation": object{"summary": c.shown.Spec.Title, "value": object{name: id, "inputs": c.accepted.inputs}}}
	}
	return nil
}

// example returns the exact answer to a problem, under a name.
func (d *document) example(name, summary string, p *problem.Problem) object {
	return object{name: object{"summary": summary, "value": json.RawMessage(p.AppendJSON(nil, d.baseURL))}}
}

// unknownID returns the answer to a misspelled id of the capability.
func (d *document) unknownID(c *capability) object {
	_, err := d.catalog.Find(c.shown.Spec.Tool + "x")
	if err == nil {
		return nil
	}
	return d.example("misspelt", "The id is misspelled", problem.Of(err))
}

// missing returns the answer to a request without inputs.
func (d *document) missing(c *capability) object {
	_, _, err := request.Read(&c.shown.Spec, strictjson.Value{Kind: strictjson.Object})
	if err == nil {
		return nil
	}
	return d.example("missing", "No inputs were sent", problem.Of(err))
}

// pinProblems returns the answers to pins that cannot be resolved.
func (d *document) pinProblems(c *capability) object {
	header := versions.Pin{Place: versions.InHeader, Name: versions.HeaderName, Value: c.shown.Version}
	query := versions.Pin{Place: versions.InQuery, Name: "calculation_version", Value: "0.0.0"}
	out := object{}
	if _, err := c.Release([]versions.Pin{header, query}); err != nil {
		maps.Copy(out, d.example("conflict", "The pins disagree", problem.Of(err)))
	}
	if _, err := c.Release([]versions.Pin{query}); err != nil {
		maps.Copy(out, d.example("mismatch", "The version is not published", problem.Of(err)))
	}
	return out
}

// withExamples adds examples to the JSON body of a request or response.
func withExamples(of, examples object) object {
	if len(examples) > 0 {
		of["content"].(object)[jsonMedia].(object)["examples"] = examples
	}
	return of
}
