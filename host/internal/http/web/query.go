package web

import (
	"maps"
	"net/url"
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/versions"
)

// Query declares the parameters of a route. New checks every query before it calls the handler, because
// ignoring a misspelt parameter gives the wrong answer. The zero value declares a route without parameters.
type Query struct {
	Parameters []Parameter
	Others     Others // policy for other parameters
	Hint       string // what else to do about another parameter that is not similar to these
}

// Parameter is one parameter of a query.
type Parameter struct {
	Name string
	Many bool // it can have several values
}

// Others is the policy for parameters that a route does not declare.
type Others uint8

const (
	// Refused parameters are INVALID_QUERY.
	Refused Others = iota
	// Foreign parameters are ignored, because mail and social networks add them to the URLs of pages.
	// Parameters similar to a declared one are refused.
	Foreign
	// Open passes other parameters to the handler. They are inputs, for example.
	Open
)

// PinParameters are the parameters that pin a version. Package versions compares their values.
var PinParameters = []Parameter{{versions.PinName, true}, {versions.AsOfName, true}}

// Names returns the names of the declared parameters.
func (q *Query) Names() []string {
	names := make([]string, len(q.Parameters))
	for i, p := range q.Parameters {
		names[i] = p.Name
	}
	return names
}

// check returns the problem of a query with parameters that the route does not declare.
func (q *Query) check(raw string) error {
	if raw == "" {
		return nil
	}
	query, err := url.ParseQuery(raw)
	if err != nil && q.Others == Refused {
		return problem.InvalidQuery(raw, err)
	}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(query)) {
		known, err := q.checkOne(name, query[name])
		if err != nil {
			return err
		}
		if !known {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		return problem.UnknownParameters(unknown, q.Names(), q.Hint)
	}
	return nil
}

// checkOne reports whether the route accepts a parameter of this name. The error is about its values.
func (q *Query) checkOne(name string, values []string) (known bool, err error) {
	at := slices.IndexFunc(q.Parameters, func(p Parameter) bool { return p.Name == name })
	switch {
	case at >= 0 && q.Parameters[at].Many:
		return true, nil
	case at >= 0:
		for _, other := range values[1:] {
			if other != values[0] {
				return true, problem.InvalidParameter(name, "Send it once.", "%s is sent as %.40q and as %.40q", name, values[0], other)
			}
		}
		return true, nil
	case q.Others == Foreign:
		_, near := problem.GuessParameter(name, q.Names())
		return !near, nil
	}
	return q.Others == Open, nil
}
