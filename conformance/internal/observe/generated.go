package observe

import (
	"context"
	"time"

	"github.com/slipstick/slipstick/conformance/cases"
	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

const (
	caseTime    = 20 * time.Second // for all generated requests to one instance
	maxFailures = 10               // generated requests that may fail before no more are made
)

// askGenerated generates requests from the vectors that were answered with a result, and sends
// each of them to two instances. The second instance gets only the requests that the first
// engine answered itself: a refusal by the server is the same everywhere.
func (s *observer) askGenerated(ctx context.Context) {
	if s.Spec.Validate() != nil || len(s.running) == 0 {
		return
	}
	g := &s.Generated
	g.Cases = cases.Generate(s.Spec, s.examples())
	if len(g.Cases) == 0 {
		return
	}
	s.progress("generated-answers")
	g.Index = make(map[string]int, len(g.Cases))
	for i := range g.Cases {
		g.Index[g.Cases[i].ID] = i
	}
	every := func(int) bool { return true }
	g.First = s.askCases(ctx, s.running[0], every)
	g.Repeated = s.askCases(ctx, s.running[len(s.running)-1], func(i int) bool { return g.First[i].ByEngine() })
}

// Generated returns the requests that askGenerated makes, assuming that the engine answers
// each vector as expected.
func Generated(spec *sdk.Spec, vectors []byte) ([]cases.Case, error) {
	list, err := vector.Parse(vectors)
	if err == nil {
		err = spec.Validate()
	}
	if err != nil {
		return nil, err
	}
	var examples []value.Values
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

// examples returns the inputs of the vectors that were answered with a result.
func (s *observer) examples() []value.Values {
	var list []value.Values
	for i := range s.Answers {
		if a := &s.Answers[i]; a.Kind == Answered && len(a.Sent) == len(s.Spec.Inputs) {
			list = append(list, a.Sent)
		}
	}
	return list
}

// askCases sends the wanted requests to an instance, until too many calls have failed or were
// late, or caseTime is over. Requests that were not sent have the kind Unasked.
func (s *observer) askCases(ctx context.Context, in *instance, wanted func(int) bool) []Answer {
	answers := make([]Answer, len(s.Generated.Cases))
	until, lates, failures := time.Now().Add(caseTime), 0, 0
	for i := range answers {
		if ctx.Err() != nil || !in.usable() || lates >= MostLate || failures >= maxFailures || time.Now().After(until) {
			break
		}
		if !wanted(i) {
			continue
		}
		answers[i] = ask(ctx, in.engine, s.Spec, s.Generated.Cases[i].Inputs, s.deadline, s.grace)
		switch answers[i].Kind {
		case Late:
			lates++
		case Failed:
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
