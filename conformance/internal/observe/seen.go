// Package observe records how an engine responds. [Engine] starts the engine twice, makes every
// call that the rules judge, and ends the engine. The result is a [Seen]. Rules do not call the
// engine, so each call is made once for all rules.
package observe

import (
	"github.com/slipstick/slipstick/conformance/cases"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// Seen has all observations of an engine. Each field is recorded in one place: starts and
// descriptions in instance.go, answers to vectors in vectors.go, answers to generated requests
// in generated.go.
//
// Slices with one element per vector or per case are in the order of Vectors and of
// Generated.Cases.
type Seen struct {
	Stopped      error         // why the suite did not finish
	Harness      error         // why evidence is missing, if that is not the engine's fault
	Unread       bool          // the engine carries the vectors, but did not start
	Starts       []Start       // in order
	Descriptions []Description // in the order of the calls
	Spec         *sdk.Spec     // from the first instance that described itself; nil if none did
	Vectors      []vector.Vector
	VectorsErr   error // why the vectors cannot be read

	Answers  []Answer   // of the first call of each vector
	Repeated []Sighting // of further calls, one after the other; for determinism
	Together []Sighting // of calls made at the same time; for concurrency
	Ended    []Sighting // of calls whose context had ended before; for deadline
	Drawings []Drawing  // of every plot, for each vector with an outcome; for plots
	Skipped  []Skipped  // calls that were not made; for deadline

	Generated Generation

	HasScript func(path string) bool // see [Options.HasScript]
}

// Start is the result of starting an instance. When is "" for its first start.
type Start struct {
	Instance, When string
	Err            error
}

// Subject names the start in findings.
func (s Start) Subject() report.Subject { return report.Subject{Name: s.Instance, Path: s.When} }

// Description is the Spec of an instance as JSON, or an error.
type Description struct {
	Instance, When string
	Text           string
	Err            error
}

// Subject names the description in findings.
func (d Description) Subject() report.Subject {
	return report.Subject{Name: d.Instance, Path: d.When}
}

// Sighting is a further answer to a vector, after the one in Answers.
type Sighting struct {
	Vector int    // index of the vector
	When   string // such as "call 2 of instance 1"
	Answer
}

// Skipped counts the calls that were not made to an instance after too many late ones.
type Skipped struct {
	Instance string
	Calls    int
}

// Drawing is the result of drawing one plot for the inputs of one vector.
type Drawing struct {
	Vector int    // index of the vector
	Plot   string // id of the plot
	Err    error
}

// Generation has the observations of the requests that are generated from the Spec.
type Generation struct {
	Cases    []cases.Case
	Index    map[string]int // position in Cases, by id
	First    []Answer       // of the first instance, one per case
	Repeated []Answer       // of another instance; Unasked if the first answer did not come from the engine
}

// Kind is the result of a call.
type Kind uint8

// The kinds of answers.
const (
	Unasked  Kind = iota // the call was not made
	Answered             // with an outcome
	Rejected             // with an *sdk.Error, by the engine or by the server before it
	Failed               // with any other error, or a panic
	Late                 // it did not return by its deadline
)

// Answer is the result of one call.
type Answer struct {
	Kind      Kind
	Early     bool         // rejected by the server, before the engine was called
	Sent      value.Values // values that were sent to the engine
	Outcome   sdk.Outcome  // if Answered
	Rejection *sdk.Error   // if Rejected
	Problem   string       // if Failed or Late
}

// ByEngine reports whether the engine itself gave a definite answer.
func (a *Answer) ByEngine() bool { return a.Kind == Answered || a.Kind == Rejected && !a.Early }
