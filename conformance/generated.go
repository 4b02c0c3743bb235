package conformance

import (
	"context"
	"time"

	"github.com/slipstick/slipstick/conformance/cases"
	"github.com/slipstick/slipstick/sdk"
)

const (
	caseTime    = 20 * time.Second // for all generated requests to one instance
	maxFailures = 10               // of generated requests, after which no more are made
)

// generation is what was seen of requests that are made from the Spec.
type generation struct {
	cases []cases.Case
	index map[string]int // of each id
	first []answer
	again []answer // of another instance; unasked where the first did not reach the engine
	legal []error  // what is wrong with each first answer, once it was judged
}

// askGenerated makes the requests around the vectors that have a result, and asks two
// instances each of them.
func (s *observer) askGenerated(ctx context.Context) {
	if s.spec.Validate() != nil || len(s.running) == 0 {
		return
	}
	g := &s.generated
	g.cases = cases.Generate(s.spec, s.examples())
	if len(g.cases) == 0 {
		return
	}
	s.progress("generated-answers")
	g.index = make(map[string]int, len(g.cases))
	for i := range g.cases {
		g.index[g.cases[i].ID] = i
	}
	every := func(int) bool { return true }
	g.first = s.askCases(ctx, s.running[0], every)
	g.again = s.askCases(ctx, s.running[len(s.running)-1], func(i int) bool { return g.first[i].byEngine() })
}

// Generated returns the requests that Check makes beside the vectors, to an engine that
// answers each vector as expected.
func Generated(spec *sdk.Spec, vectors []byte) ([]cases.Case, error) {
	list, err := ParseVectors(vectors)
	if err == nil {
		err = spec.Validate()
	}
	if err != nil {
		return nil, err
	}
	var examples []sdk.Values
	for i := range list {
		if list[i].Rejection != nil {
			continue
		}
		values, rejection, err := read(spec, list[i].Inputs)
		if err == nil && rejection == nil {
			examples = append(examples, values)
		}
	}
	return cases.Generate(spec, examples), nil
}

// examples are what the vectors that are answered with a result sent.
func (s *observer) examples() []sdk.Values {
	var list []sdk.Values
	for i := range s.answers {
		if a := &s.answers[i]; a.kind == answered && len(a.sent) == len(s.spec.Inputs) {
			list = append(list, a.sent)
		}
	}
	return list
}

// askCases asks an instance until it has failed, or been late, too often, or the time
// is up.
func (s *observer) askCases(ctx context.Context, in *instance, wanted func(int) bool) []answer {
	answers := make([]answer, len(s.generated.cases))
	until, lates, failures := time.Now().Add(caseTime), 0, 0
	for i := range answers {
		if ctx.Err() != nil || !in.usable() || lates >= patience || failures >= maxFailures || time.Now().After(until) {
			break
		}
		if !wanted(i) {
			continue
		}
		answers[i] = ask(ctx, in.engine, s.spec, s.generated.cases[i].Inputs, s.deadline, s.grace)
		switch answers[i].kind {
		case late:
			lates++
		case failed:
			failures++
		default:
			continue
		}
		if ctx.Err() == nil {
			s.restart(ctx, in)
		}
	}
	return answers
}

// subjectOf names a case.
func (o *observed) subjectOf(i int) string {
	return "generated: " + o.generated.cases[i].ID
}
