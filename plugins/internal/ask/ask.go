// Package ask computes with an engine in an author's test as the server does. It reads the inputs
// as a request, and compares the answer with the Spec.
package ask

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/text"
	"github.com/slipstick/slipstick/sdk/value"
)

// In are the inputs of one question, under any of their names.
type In = map[string]any

// With returns the inputs with more of them, or other ones. A nil one is left out.
func With(in, more In) In {
	out := maps.Clone(in)
	maps.Copy(out, more)
	maps.DeleteFunc(out, func(_ string, v any) bool { return v == nil })
	return out
}

// Answer is what an engine answered, by name. Absent outputs and inputs have no
// entry.
type Answer struct {
	Number      map[string]float64 // results
	Text        map[string]string  // results
	Echo        map[string]any     // inputs, each a float64 or a string
	Formula     string
	Assumptions []string // of this answer, in addition to the Spec's
	Warnings    map[string]sdk.Severity
}

// Tester is what this package needs of *testing.T and *rapid.T.
type Tester interface {
	Helper()
	Context() context.Context
	Fatalf(format string, args ...any)
}

// Document returns the engine of a document. It panics if the document has mistakes, because tests call it
// before they start.
func Document(file string) sdk.Engine {
	source, err := text.Read(file)
	if err != nil {
		panic(err)
	}
	engine, err := text.BindWith(file, source)
	if err != nil {
		panic(err)
	}
	return engine
}

// Vectors returns the inputs of vectors, without vectors that are rejected before a calculation. It panics if the
// vectors have mistakes.
func Vectors(engine sdk.Engine, data []byte) (list []value.Values) {
	vectors, err := vector.Parse(data)
	if err != nil {
		panic(err)
	}
	spec := engine.Spec()
	for i := range vectors {
		object, err := strictjson.ParseObject([]byte(vectors[i].Inputs))
		if err != nil {
			continue
		}
		values, _, err := request.Read(&spec, object)
		if err == nil {
			list = append(list, values)
		}
	}
	return list
}

// For returns the answer to the inputs and fails the test if there is none.
func For(t Tester, engine sdk.Engine, in In) Answer {
	t.Helper()
	a, err := Try(t, engine, in)
	if err != nil {
		t.Fatalf("%v: %v", in, err)
	}
	return a
}

// Code returns the code and the field that the inputs are rejected with, and fails
// the test if they are not.
func Code(t Tester, engine sdk.Engine, in In) (code, field string) {
	t.Helper()
	_, err := Try(t, engine, in)
	rejection, ok := err.(*sdk.Error)
	if !ok {
		t.Fatalf("%v: error %v, want a rejection", in, err)
	}
	return rejection.Code, rejection.Field
}

// Try returns the answer to the inputs or the error. It fails the test if either
// breaks the contract of the Spec.
func Try(t Tester, engine sdk.Engine, in In) (Answer, error) {
	t.Helper()
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatalf("%v: %v", in, err)
	}
	object, err := strictjson.ParseObject(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	spec := engine.Spec()
	values, _, err := request.Read(&spec, object)
	if err != nil {
		return Answer{}, err
	}
	o, err := engine.Calculate(t.Context(), values)
	if rejection, ok := err.(*sdk.Error); ok {
		if err := spec.CheckRejection(rejection); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	if err != nil {
		return Answer{}, err
	}
	if err := spec.CheckOutcome(values, o); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return answerOf(&spec, o), nil
}

func answerOf(spec *sdk.Spec, o sdk.Outcome) Answer {
	a := Answer{
		Number: map[string]float64{}, Text: map[string]string{}, Echo: map[string]any{},
		Formula: o.Formula, Assumptions: o.Assumptions, Warnings: map[string]sdk.Severity{},
	}
	for i, v := range o.Result {
		switch v.Kind() {
		case value.Number:
			a.Number[spec.Outputs[i].Name] = v.Number()
		case value.Text:
			a.Text[spec.Outputs[i].Name] = v.Text()
		}
	}
	for i, v := range o.Inputs {
		switch v.Kind() {
		case value.Number:
			a.Echo[spec.Inputs[i].Name] = v.Number()
		case value.Text:
			a.Echo[spec.Inputs[i].Name] = v.Text()
		}
	}
	for _, w := range o.Warnings {
		a.Warnings[w.Code] = w.Severity
	}
	return a
}
