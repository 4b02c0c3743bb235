// Package mutation answers one question: would it be noticed if an engine computed something
// else? tools/mutants writes copies of an engine in which one operation at a time can be
// another one, and the test that it adds to them calls [Answer].
package mutation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
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

// exactly reports whether the quick ways are closed.
var exactly atomic.Bool

// A mutant in the environment computes from the start of the program: tests are run so, and what
// is computed only once. None may take all memory.
func init() {
	const most = 8 << 30
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: most, Max: most})
	number, _ := strconv.ParseInt(os.Getenv("MUTANT"), 10, 64)
	active.Store(number)
}

// On reports whether the mutant computes.
func On(mutant int64) bool { return active.Load() == mutant }

// Exactly reports whether bounds may decide nothing, so that everything is computed with all
// digits.
func Exactly() bool { return exactly.Load() }

// tolerance is how far a number may be from that of the engine: the rule formula-values notices
// more, because the number of the engine is that of its formula.
const tolerance = 1e-12

// patience is for one answer. An engine that is not done by then has been noticed.
const patience = 5 * time.Second

// ErrHung is returned if a mutant does not end. The process cannot go on with others.
var ErrHung = errors.New("a mutant hangs")

// ExitCode returns what the process ends with after an error.
func ExitCode(err error) int {
	if errors.Is(err, ErrHung) {
		return 4
	}
	return 3
}

// Answer judges the mutants of the code with these numbers, such as 1,2,5, or all of the text.
func Answer(w io.Writer, engine sdk.Engine, vectors []byte, mutants string) error {
	if mutants == "texts" {
		return judgeTexts(w, engine, vectors)
	}
	var numbers []int64
	for number := range strings.SplitSeq(mutants, ",") {
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			numbers = append(numbers, n)
		}
	}
	return judge(w, engine, vectors, numbers)
}

// judge asks each mutant what the vectors and the generated requests ask: first as the engine
// computes, then with all digits. It writes a line for each: its number, and the request by which
// it was noticed, or "-". It is an error if the engine itself has two answers.
func judge(w io.Writer, engine sdk.Engine, vectors []byte, mutants []int64) error {
	requests, err := requestsOf(engine, vectors)
	if err != nil {
		return err
	}
	active.Store(0)
	quick := ask(engine, requests)
	exactly.Store(true)
	exact := ask(engine, quick)
	exactly.Store(false)
	for _, r := range exact {
		if q := quick[r.at]; !r.alike(q.answer, 0) {
			return fmt.Errorf("%s: with all digits the answer is %+v, and %+v without", r.id, r.answer, q.answer)
		}
	}
	for _, mutant := range mutants {
		active.Store(mutant)
		by, err := noticed(engine, quick)
		if by == "-" && err == nil {
			exactly.Store(true)
			by, err = noticed(engine, exact)
			exactly.Store(false)
		}
		fmt.Fprintf(w, "%d\t%s\n", mutant, by)
		if err != nil {
			return err
		}
	}
	return nil
}

// asking is a request with the answer of the engine as it is.
type asking struct {
	id     string
	in     value.Values
	at     int // in the list of all that are answered
	vector bool
	equal  bool // the vector has all numbers to the last digit
	answer answer
}

// ask returns the requests with their answers, but those that take too long.
func ask(engine sdk.Engine, requests []asking) (asked []asking) {
	for _, r := range requests {
		if a, ok := answerOf(engine, r.in); ok {
			r.answer = a
			if !exactly.Load() {
				r.at = len(asked)
			}
			asked = append(asked, r)
		}
	}
	return asked
}

// noticed returns by which request a mutant is noticed, or "-".
func noticed(engine sdk.Engine, requests []asking) (by string, err error) {
	for i := range requests {
		r := &requests[i]
		a, ok := answerOf(engine, r.in)
		if !ok {
			return r.id, ErrHung
		}
		within := tolerance
		if r.equal {
			within = 0
		}
		if !r.alike(a, within) {
			return r.id, nil
		}
	}
	return "-", nil
}

func requestsOf(engine sdk.Engine, vectors []byte) (list []asking, err error) {
	spec := engine.Spec()
	add := func(id, inputs string, r asking) {
		object, err := strictjson.ParseObject([]byte(inputs))
		if err != nil {
			return
		}
		if values, _, err := request.Read(&spec, object); err == nil {
			r.id, r.in = id, values
			list = append(list, r)
		}
	}
	known, err := vector.Parse(vectors)
	if err != nil {
		return nil, err
	}
	for i := range known {
		v := &known[i]
		add(v.ID, v.Inputs, asking{vector: true, equal: v.RTol == 0 && v.ATol == 0 && len(v.Result.Members) == len(spec.Outputs)})
	}
	generated, err := conformance.Generated(&spec, vectors)
	if err != nil {
		return nil, err
	}
	for _, c := range generated {
		add(c.ID, c.Inputs, asking{})
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
func (r *asking) alike(b answer, within float64) bool {
	a := r.answer
	if a.refusal != b.refusal || a.outcome.Formula != b.outcome.Formula || len(a.outcome.Warnings) != len(b.outcome.Warnings) {
		return false
	}
	for i := range a.outcome.Warnings {
		if a.outcome.Warnings[i].Code != b.outcome.Warnings[i].Code {
			return false
		}
	}
	return near(a.outcome.Result, b.outcome.Result, within) && near(a.outcome.Inputs, b.outcome.Inputs, within)
}

func near(a, b []value.Value, within float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !nearOne(a[i], b[i], within) {
			return false
		}
	}
	return true
}

func nearOne(a, b value.Value, within float64) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case value.Number:
		x, y := a.Number(), b.Number()
		return x == y || math.Abs(x-y) <= within*math.Abs(x)
	case value.List, value.Record:
		return near(a.Items(), b.Items(), within)
	}
	return a.Equal(b)
}
