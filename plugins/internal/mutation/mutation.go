// Package mutation answers one question: would it be noticed if an engine computed something
// else? host/cmd/mutants writes copies of an engine in which one operation at a time can be
// another one, and the test that it adds to them calls [Judge], and [JudgeTexts] for the text of
// its formula.
package mutation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// active is the number of the mutant that computes, from 1; 0 for the engine as it is.
var active atomic.Int64

// On reports whether the mutant computes.
func On(mutant int64) bool { return active.Load() == mutant }

// tolerance is how far a number may be from that of the engine: the rule formula-values notices
// more, because the number of the engine is that of its formula.
const tolerance = 1e-12

// patience is for one answer. An engine that is not done by then has been noticed.
const patience = 2 * time.Second

// ErrHung is returned if a mutant does not end. The process cannot go on with others.
var ErrHung = errors.New("a mutant hangs")

// Judge asks each mutant from one number to another what the vectors and the generated requests
// ask, and writes a line for each: its number, and the request by which it was noticed, or "-".
func Judge(w io.Writer, engine sdk.Engine, vectors []byte, from, to int64) error {
	requests, err := requestsOf(engine, vectors)
	if err != nil {
		return err
	}
	active.Store(0)
	var asked []asking
	for _, r := range requests {
		if a, ok := answerOf(engine, r.in); ok {
			r.answer = a
			asked = append(asked, r)
		}
	}
	for mutant := from; mutant <= to; mutant++ {
		active.Store(mutant)
		by := "-"
		for _, r := range asked {
			a, ok := answerOf(engine, r.in)
			if !ok || !alike(r.answer, a) {
				by = r.id
			}
			if !ok {
				fmt.Fprintf(w, "%d\t%s\n", mutant, by)
				return ErrHung
			}
			if by != "-" {
				break
			}
		}
		fmt.Fprintf(w, "%d\t%s\n", mutant, by)
	}
	return nil
}

// asking is a request with the answer of the engine as it is.
type asking struct {
	id     string
	in     value.Values
	answer answer
}

func requestsOf(engine sdk.Engine, vectors []byte) (list []asking, err error) {
	spec := engine.Spec()
	add := func(id, inputs string) {
		object, err := strictjson.ParseObject([]byte(inputs))
		if err != nil {
			return
		}
		if values, _, err := request.Read(&spec, object); err == nil {
			list = append(list, asking{id: id, in: values})
		}
	}
	known, err := vector.Parse(vectors)
	if err != nil {
		return nil, err
	}
	for i := range known {
		add(known[i].ID, known[i].Inputs)
	}
	generated, err := conformance.Generated(&spec, vectors)
	if err != nil {
		return nil, err
	}
	for _, c := range generated {
		add(c.ID, c.Inputs)
	}
	return list, nil
}

// answer is an outcome, or why there is none.
type answer struct {
	outcome sdk.Outcome
	refusal string
}

// answerOf asks the engine. It is not ok if the engine does not return.
func answerOf(engine sdk.Engine, in value.Values) (answer, bool) {
	done := make(chan answer, 1)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	go func() {
		var a answer
		defer func() {
			if r := recover(); r != nil {
				a = answer{refusal: fmt.Sprint("panic: ", r)}
			}
			done <- a
		}()
		outcome, err := engine.Calculate(ctx, in)
		if rejection, ok := err.(*sdk.Error); ok {
			a.refusal = rejection.Code + " " + rejection.Field
		} else if err != nil {
			a.refusal = err.Error()
		} else {
			a.outcome = outcome
		}
	}()
	select {
	case a := <-done:
		return a, true
	case <-time.After(2 * patience):
		return answer{}, false
	}
}

// alike reports whether nobody could notice a difference: the formula id, the codes of warnings
// and the words are equal, and numbers are within the tolerance.
func alike(a, b answer) bool {
	if a.refusal != b.refusal || a.outcome.Formula != b.outcome.Formula || len(a.outcome.Warnings) != len(b.outcome.Warnings) {
		return false
	}
	for i := range a.outcome.Warnings {
		if a.outcome.Warnings[i].Code != b.outcome.Warnings[i].Code {
			return false
		}
	}
	return near(a.outcome.Result, b.outcome.Result) && near(a.outcome.Inputs, b.outcome.Inputs)
}

func near(a, b []value.Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !nearOne(a[i], b[i]) {
			return false
		}
	}
	return true
}

func nearOne(a, b value.Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case value.Number:
		x, y := a.Number(), b.Number()
		return x == y || math.Abs(x-y) <= tolerance*math.Abs(x)
	case value.List, value.Record:
		return near(a.Items(), b.Items())
	}
	return a.Equal(b)
}
