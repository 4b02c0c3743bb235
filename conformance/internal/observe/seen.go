// Package observe answers one question: what does an engine do when it is asked? It starts
// the engine twice, asks it everything that the rules judge, each thing once and for all,
// and ends it. What it saw is a [Seen]; no rule asks the engine anything itself.
package observe

import (
	"github.com/slipstick/slipstick/conformance/cases"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// Seen is everything that was seen of an engine. Each field is gathered in one place:
// starts and descriptions in instance.go, answers to vectors in vectors.go, answers to
// requests made from the Spec in generated.go.
type Seen struct {
	Stopped      error // why the suite did not run to its end
	Harness      error // why evidence is missing through no fault of the engine
	Unread       bool  // the engine carries the vectors, and did not start
	Starts       []Start
	Descriptions []Description // in the order they were asked for
	Spec         *sdk.Spec     // what the first instance said; nil if none did
	Vectors      []vector.Vector
	VectorsErr   error

	Answers  []Answer   // to the first call of each vector
	Again    []Sighting // to the other calls, one after the other: for determinism
	Together []Sighting // to the calls made all at once: for concurrency
	Ended    []Sighting // to calls whose context had ended: for deadline
	Drawings []Drawing  // of every plot, for each vector with an outcome: for plots
	Skipped  []Skipped  // for deadline

	Generated Generation
}

// Start is what became of starting an instance; When is "" for the first start.
type Start struct {
	Instance, When string
	Err            error
}

// Subject names the start in findings.
func (s Start) Subject() report.Subject { return report.Subject{Name: s.Instance, Path: s.When} }

// Description is the Spec of an instance as JSON, or why there is none.
type Description struct {
	Instance, When string
	Text           string
	Err            error
}

// Subject names the description in findings.
func (d Description) Subject() report.Subject {
	return report.Subject{Name: d.Instance, Path: d.When}
}

// Sighting is one answer to a vector, given by its index, beside the first.
type Sighting struct {
	Vector int
	When   string // such as "call 2 of instance 1"
	Answer
}

// Skipped counts the calls that an instance was spared after late ones.
type Skipped struct {
	Instance string
	Calls    int
}

// Drawing is what became of one plot of one vector's calculation.
type Drawing struct {
	Vector int
	Plot   string
	Err    error
}

// Generation is what was seen of requests that are made from the Spec.
type Generation struct {
	Cases []cases.Case
	Index map[string]int // of each id
	First []Answer
	Again []Answer // of another instance; unasked where the first did not reach the engine
}

// Kind says what became of a call.
type Kind uint8

// The kinds of answers.
const (
	Unasked  Kind = iota // the call was not made
	Answered             // with an outcome
	Rejected             // with an *sdk.Error, by the engine or before it
	Failed               // with any other error, or a panic
	Late                 // not by its deadline
)

// Answer is what became of one call.
type Answer struct {
	Kind      Kind
	Early     bool         // rejected before the engine was asked
	Sent      value.Values // to the engine
	Outcome   sdk.Outcome
	Rejection *sdk.Error
	Problem   string // of a failed or late call
}

// ByEngine reports whether the engine gave a definite answer.
func (a *Answer) ByEngine() bool { return a.Kind == Answered || a.Kind == Rejected && !a.Early }
