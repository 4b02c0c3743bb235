// Package vector reads reference vectors: inputs, and the results that an engine must return for
// them. The vectors are a JSON file that is published with a release. Use [Parse] for a file that
// is to be published, and [ParsePublished] for the vectors of a release. Each [Vector] has its
// inputs as JSON text, the expected result or [Rejection], and the tolerances of its numbers.
// Package conformance sends the inputs to the engine and compares.
package vector

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/visible"
)

// Vector is one reference calculation: inputs, and the result or rejection that an engine must
// return for them.
type Vector struct {
	ID         string
	Kind       string // how the expectation was computed, such as "mpmath"
	Capability string // "" if the vector names none
	Inputs     string // JSON text as a caller sends it; any text if Raw
	Raw        bool   // the inputs were given as inputs_raw

	Expected string // JSON text exactly as in the file; Result or Rejection is its meaning

	Result    strictjson.Value // object with the expected members of the result
	Rejection *Rejection       // expected instead of a result; nil if a result is expected
	Warnings  []string         // codes of warnings that the engine must give
	RTol      float64          // relative tolerance of numbers, dimensionless
	ATol      float64          // absolute tolerance of numbers, in the unit of each; the larger tolerance counts

	Tolerances  map[string]float64 // ATol of single outputs, by their names
	Absent      []string           // outputs that must be absent
	Assumptions int                // how many assumptions the result must have; 0 if any number is right, or none if Complete

	Severities map[string]sdk.Severity // of warnings, by their codes
	Formula    string                  // id of the formula that the engine must use; "" if any is right
	Complete   bool                    // other warnings and assumptions are wrong

	Source   string
	Evidence string
	Tags     []string
	Note     string
}

// Rejection is an expected code and, unless it is empty, the expected name of the input at fault.
type Rejection struct{ Code, Field string }

// Parse reads a JSON array of vectors:
//
//	{"id": "P001", "kind": "mpmath", "capability": "thermo.radiation.grey_surface",
//	 "inputs": {"temperature": 300}, "expected": {"emittance": 459.3}, "rtol": 1e-13,
//	 "warnings": [], "source": "oracle.py", "evidence": "computed", "tags": [], "note": ""}
//
// The members id, inputs and expected are required. A capability must be the capability of the
// engine. Instead of inputs, inputs_raw is a string with the text to send, legal or not. An
// expected object with the members code, or code and field, is a rejection. Any other object
// is a part of the result. Without rtol and atol, numbers must be equal.
//
// Each vector is one document of package strictjson and must keep its limits. Unknown members,
// repeated ids and invisible characters are errors. Inputs can have such characters as escapes
// of JSON. The error names every vector that is wrong.
func Parse(data []byte) ([]Vector, error) {
	return parse(data, func(v *Vector) error {
		list := []string{v.Expected}
		if !v.Raw { // which may be illegal
			list = append(list, v.Inputs)
		}
		for _, text := range v.forPeople() {
			list = append(list, *text)
		}
		for _, text := range list {
			if err := visible.CheckLines(text); err != nil {
				return err
			}
		}
		return nil
	})
}

// forPeople returns the texts that people read.
func (v *Vector) forPeople() []*string {
	list := []*string{&v.ID, &v.Kind, &v.Source, &v.Evidence, &v.Note}
	for i := range v.Tags {
		list = append(list, &v.Tags[i])
	}
	return list
}

// ParsePublished reads the vectors of a release. They can be older than the rule of Parse
// about invisible characters. ParsePublished replaces such characters by U+FFFD in texts for
// people. It leaves out vectors that have them in inputs or in the expectation.
func ParsePublished(data []byte) ([]Vector, error) {
	hidden := map[string]bool{}
	list, err := parse(data, func(v *Vector) error {
		hidden[v.ID] = visible.CheckLines(v.Inputs) != nil || visible.CheckLines(v.Expected) != nil
		return nil
	})
	list = slices.DeleteFunc(list, func(v Vector) bool { return hidden[v.ID] })
	for i := range list {
		for _, text := range list[i].forPeople() {
			*text = visible.Text(*text)
		}
	}
	return list, err
}

func parse(data []byte, check func(*Vector) error) ([]Vector, error) {
	var texts []json.RawMessage // unchanged bytes; strictjson parses each
	if err := json.Unmarshal(data, &texts); err != nil {
		return nil, fmt.Errorf("the vectors are not a JSON array: %w", err)
	}
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("[")) {
		return nil, errors.New("the vectors are null, not a JSON array")
	}
	var errs []error
	vectors := make([]Vector, len(texts))
	seen := map[string]bool{}
	for i, text := range texts {
		v, err := parseVector(text)
		if err == nil {
			err = check(&v)
		}
		if err == nil && seen[v.ID] {
			err = errors.New("an earlier vector has this id")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", nameVector(i, v.ID), err))
		}
		seen[v.ID] = true
		vectors[i] = v
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return vectors, nil
}

func nameVector(i int, id string) string {
	if id == "" {
		return fmt.Sprintf("vector number %d", i+1)
	}
	return fmt.Sprintf("vector %q", id)
}

func parseVector(text []byte) (Vector, error) {
	var v Vector
	object, err := strictjson.ParseObject(text)
	if err != nil {
		return v, err
	}
	if id, _ := object.Member("id"); id.Kind == strictjson.String {
		v.ID = id.Text
	}
	for _, m := range object.Members {
		read, known := members[m.Name]
		if !known {
			return v, fmt.Errorf("unknown member %q; the members are %s", m.Name,
				strings.Join(slices.Sorted(maps.Keys(members)), ", "))
		}
		if err := read(&v, m.Value); err != nil {
			return v, fmt.Errorf("%s %w", m.Name, err)
		}
	}
	if err := keepTexts(&v, object, text); err != nil {
		return v, err
	}
	switch _, expects := object.Member("expected"); {
	case v.ID == "":
		return v, errors.New("id is missing or empty")
	case !expects:
		return v, errors.New("expected is missing")
	case v.Rejection == nil && len(v.Result.Members) == 0 && len(v.Absent) == 0 && len(v.Warnings) == 0 && v.Assumptions == 0 && v.Formula == "":
		return v, errors.New("expected is an object; it must be an object with at least one member")
	case v.Rejection != nil && len(v.Warnings) > 0:
		return v, errors.New("warnings are expected of a rejection, which gives none")
	}
	return v, nil
}

// keepTexts keeps the JSON text of the inputs, so that an engine receives exactly the literals
// of the file. It also keeps the JSON text of the expectation, so that pages show it
// unchanged.
func keepTexts(v *Vector, object strictjson.Value, text []byte) error {
	inputs, given := object.Member("inputs")
	_, v.Raw = object.Member("inputs_raw")
	switch {
	case given == v.Raw:
		return errors.New("one of inputs and inputs_raw is needed, and only one")
	case given && inputs.Kind != strictjson.Object:
		return fmt.Errorf("inputs is %s, not an object", inputs.Kind)
	}
	var texts map[string]json.RawMessage
	if err := json.Unmarshal(text, &texts); err != nil {
		return err
	}
	v.Expected = string(texts["expected"])
	if given {
		v.Inputs = string(texts["inputs"])
	}
	return nil
}

// members has the reader of each member of a vector.
var members = map[string]func(*Vector, strictjson.Value) error{
	"id":          text(func(v *Vector) *string { return &v.ID }),          // its own name; required
	"kind":        text(func(v *Vector) *string { return &v.Kind }),        // how the expectation was computed, such as mpmath
	"capability":  text(func(v *Vector) *string { return &v.Capability }),  // the capability of the engine, or none
	"inputs":      func(*Vector, strictjson.Value) error { return nil },    // what is sent, with aliases and units as callers write them
	"inputs_raw":  text(func(v *Vector) *string { return &v.Inputs }),      // in place of inputs: a text that is sent as it is, legal JSON or not
	"expected":    readExpected,                                            // some or all outputs, or a rejection as a code, or as a code and a field; required
	"warnings":    texts(func(v *Vector) *[]string { return &v.Warnings }), // codes of warnings that the result must have, among others
	"rtol":        tolerance(func(v *Vector) *float64 { return &v.RTol }),  // how far numbers may be off, as a part of them; 0 if it is left out
	"atol":        tolerance(func(v *Vector) *float64 { return &v.ATol }),  // how far they may be off in their unit; the larger tolerance counts
	"tolerances":  readTolerances,                                          // atol of single outputs, by their names
	"absent":      texts(func(v *Vector) *[]string { return &v.Absent }),   // outputs that the result must not have
	"assumptions": readAssumptions,                                         // how many assumptions the result must have, without the assumptions of the Spec
	"severities":  readSeverities,                                          // severities of warnings, by their codes
	"formula":     text(func(v *Vector) *string { return &v.Formula }),     // id of the formula that the engine must use
	"complete":    readComplete,                                            // true: the result has no other warnings and assumptions than these
	"source":      text(func(v *Vector) *string { return &v.Source }),      // where the expected numbers are from
	"evidence":    text(func(v *Vector) *string { return &v.Evidence }),    // of what sort the source is, such as computed or published
	"tags":        texts(func(v *Vector) *[]string { return &v.Tags }),     // words of the author
	"note":        text(func(v *Vector) *string { return &v.Note }),        // what the vector is for
}

func text(member func(*Vector) *string) func(*Vector, strictjson.Value) error {
	return func(v *Vector, value strictjson.Value) error {
		if value.Kind != strictjson.String {
			return fmt.Errorf("is %s, not a string", value.Kind)
		}
		*member(v) = value.Text
		return nil
	}
}

func texts(member func(*Vector) *[]string) func(*Vector, strictjson.Value) error {
	return func(v *Vector, value strictjson.Value) error {
		if value.Kind != strictjson.Array {
			return fmt.Errorf("is %s, not an array of strings", value.Kind)
		}
		for _, item := range value.Items {
			if item.Kind != strictjson.String {
				return fmt.Errorf("has %s among its strings", item.Kind)
			}
			*member(v) = append(*member(v), item.Text)
		}
		return nil
	}
}

func tolerance(member func(*Vector) *float64) func(*Vector, strictjson.Value) error {
	return func(v *Vector, value strictjson.Value) error {
		switch {
		case value.Kind != strictjson.Number:
			return fmt.Errorf("is %s, not a number", value.Kind)
		case value.Range != strictjson.InRange || value.Float < 0:
			return fmt.Errorf("is %s, not a tolerance", value.Text)
		}
		*member(v) = value.Float
		return nil
	}
}

func readTolerances(v *Vector, value strictjson.Value) error {
	if value.Kind != strictjson.Object {
		return fmt.Errorf("is %s, not an object with a tolerance for each output", value.Kind)
	}
	v.Tolerances = map[string]float64{}
	for _, m := range value.Members {
		var one Vector
		err := tolerance(func(v *Vector) *float64 { return &v.ATol })(&one, m.Value)
		if err != nil {
			return fmt.Errorf("of %s %w", m.Name, err)
		}
		v.Tolerances[m.Name] = one.ATol
	}
	return nil
}

func readSeverities(v *Vector, value strictjson.Value) error {
	if value.Kind != strictjson.Object {
		return fmt.Errorf("is %s, not an object with a severity for each warning", value.Kind)
	}
	v.Severities = map[string]sdk.Severity{}
	for _, m := range value.Members {
		if m.Value.Kind != strictjson.String {
			return fmt.Errorf("of %s is %s, not a string", m.Name, m.Value.Kind)
		}
		v.Severities[m.Name] = sdk.Severity(m.Value.Text)
	}
	return nil
}

func readComplete(v *Vector, value strictjson.Value) error {
	if value.Kind != strictjson.Bool {
		return fmt.Errorf("is %s, not true or false", value.Kind)
	}
	v.Complete = value.Bool
	return nil
}

func readAssumptions(v *Vector, value strictjson.Value) error {
	if value.Kind != strictjson.Number || value.Float < 1 || value.Float > 1000 || value.Float != float64(int(value.Float)) {
		return errors.New("is not a number of assumptions")
	}
	v.Assumptions = int(value.Float)
	return nil
}

func readExpected(v *Vector, value strictjson.Value) error {
	if value.Kind != strictjson.Object {
		return fmt.Errorf("is %s; it must be an object with at least one member", value.Kind)
	}
	if path, bad, found := value.FirstOutOfRange(); found {
		return fmt.Errorf("has at %s the number %s, which binary64 cannot hold", path, bad.Text)
	}
	if path, found := firstNull(value); found {
		return fmt.Errorf("has null at %s; a result never has: leave it out", path)
	}
	v.Rejection = rejectionOf(value)
	if v.Rejection == nil {
		v.Result = value
	}
	return nil
}

// rejectionOf returns the rejection that an expected object describes, or nil if it
// describes a result.
func rejectionOf(value strictjson.Value) *Rejection {
	code, hasCode := value.Member("code")
	field, hasField := value.Member("field")
	switch {
	case !hasCode || code.Kind != strictjson.String:
		return nil
	case len(value.Members) == 1:
		return &Rejection{Code: code.Text}
	case len(value.Members) == 2 && hasField && field.Kind == strictjson.String:
		return &Rejection{Code: code.Text, Field: field.Text}
	}
	return nil
}

// firstNull returns the path of the first null within v, such as "layers.0.name".
func firstNull(v strictjson.Value) (path string, found bool) {
	step := func(name string, inner strictjson.Value) (string, bool) {
		if inner.Kind == strictjson.Null {
			return name, true
		}
		path, found := firstNull(inner)
		return name + "." + path, found
	}
	for _, m := range v.Members {
		if path, found := step(m.Name, m.Value); found {
			return path, true
		}
	}
	for i, item := range v.Items {
		if path, found := step(fmt.Sprint(i), item); found {
			return path, true
		}
	}
	return "", false
}
