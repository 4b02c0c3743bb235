package rules

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"time"

	"github.com/slipstick/slipstick/conformance/internal/observe"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/text"
	"github.com/slipstick/slipstick/sdk/value"
)

const (
	mutantTime   = 2 * time.Minute // for all mutants of a document
	alikeWithin  = 5e-12           // of the larger of two numbers: they have the same 12 digits
	mostSlow     = 40              // requests that the fast path leaves to the exact evaluator
	mostKillers  = 20              // differing requests; the shortest is printed
	mostKeyedRow = 12              // rows of a table that needs a vector for each row
)

// mutantState is what the vectors and the requests show of a mutant.
type mutantState uint8

const (
	equivalent mutantState = iota // it answers every request alike
	killed                        // a vector finds it
	close12                       // it answers some request differently, though with the same 12 digits and codes
	survivor                      // it answers some request differently, and no vector finds it
	unjudged                      // the time was over
)

type mutantResult struct {
	text.Mutant
	state  mutantState
	killer string // of a survivor: the inputs of a request that it answers differently, as a vector without results
}

// judgeMutants judges all mutants of the document, once.
func (d *written) judgeMutants(o *evidence) []mutantResult {
	if d.mutants != nil {
		return d.mutants
	}
	d.mutants = []mutantResult{}
	d.ask(o)
	until := time.Now().Add(mutantTime)
	shell := &evidence{Seen: &observe.Seen{Spec: o.Spec, Vectors: o.Vectors, Answers: make([]observe.Answer, len(o.Answers))}}
	for _, m := range d.Mutants() {
		one := mutantResult{Mutant: m, state: unjudged}
		if time.Now().Before(until) {
			one.state, one.killer = d.judgeMutant(o, shell, &m)
		}
		d.mutants = append(d.mutants, one)
	}
	return d.mutants
}

// judgeMutant asks a mutant all vectors until one finds it, and then all requests unless a vector finds it.
func (d *written) judgeMutant(o, shell *evidence, m *text.Mutant) (state mutantState, killer string) {
	ask := m.Engine().Repeat()
	for _, i := range d.cheapest {
		answer := answerOf(ask, o.Answers[i].Sent)
		shell.Answers[i] = answer
		if answer.Kind == observe.Failed || !agreed(shell, i) {
			return killed, ""
		}
	}
	killers := 0
	for i := range d.requests {
		r := &d.requests[i]
		answer := answerOf(ask, r.sent)
		same, near := alike(&r.answer, &answer)
		switch {
		case same:
		case near:
			state = max(state, close12)
		default:
			state = survivor
			spelled := d.Spell(r.sent)
			if killer == "" || effort(spelled) < effort(killer) {
				killer = spelled
			}
			killers++
			if killers == mostKillers {
				return state, killer
			}
		}
	}
	return state, killer
}

var exponentForm = regexp.MustCompile(`[0-9]e-?[0-9]`)

// effort estimates the work of computing a vector by hand. Very large and very small numbers are unusual.
func effort(vector string) int { return len(vector) + 100*len(exponentForm.FindAllString(vector, -1)) }

// answerOf makes one call. The answer is valid until the next one.
func answerOf(ask func(context.Context, value.Values) (*sdk.Outcome, error), in value.Values) observe.Answer {
	o, err := ask(context.Background(), in)
	a := observe.Answer{Kind: observe.Answered, Sent: in}
	switch {
	case err == nil:
		a.Outcome = *o
	case errors.As(err, &a.Rejection):
		a.Kind = observe.Rejected
	default:
		a.Kind, a.Problem = observe.Failed, err.Error()
	}
	return a
}

// alike compares two answers: whether they are the same, and whether they have the same codes and 12 digits.
func alike(a, b *observe.Answer) (same, near bool) {
	if a.Kind != b.Kind {
		return false, false
	}
	switch a.Kind {
	case observe.Rejected:
		same = a.Rejection.Code == b.Rejection.Code && a.Rejection.Field == b.Rejection.Field
		return same, same
	case observe.Failed:
		return true, true
	}
	p, q := &a.Outcome, &b.Outcome
	codes := p.Formula == q.Formula && len(p.Assumptions) == len(q.Assumptions) && slices.EqualFunc(p.Warnings, q.Warnings, func(v, w sdk.Warning) bool {
		return v.Code == w.Code && v.Severity == w.Severity
	})
	if !codes || len(p.Result) != len(q.Result) {
		return false, false
	}
	same, near = true, true
	for i := range p.Result {
		s, n := alikeValues(p.Result[i], q.Result[i])
		same, near = same && s, near && n
	}
	return same, near
}

func alikeValues(v, w value.Value) (same, near bool) {
	switch {
	case v.Equal(w):
		return true, true
	case v.Kind() == value.Number && w.Kind() == value.Number:
		x, y := v.Number(), w.Number()
		return false, math.Abs(x-y) <= alikeWithin*max(math.Abs(x), math.Abs(y))
	case v.Kind() != w.Kind() || len(v.Items()) != len(w.Items()) || len(v.Items()) == 0:
		return false, false
	}
	near = true
	for i := range v.Items() {
		_, n := alikeValues(v.Items()[i], w.Items()[i])
		near = near && n
	}
	return false, near
}

// ask asks the document everything that its mutants are asked: the vectors, the generated requests, and requests at the
// equality of each comparison.
func (d *written) ask(o *evidence) {
	known, slow := map[string]bool{}, 0
	var key []byte
	add := func(in value.Values) {
		key = value.AppendKey(key[:0], in)
		if len(in) != len(o.Spec.Inputs) || known[string(key)] {
			return
		}
		known[string(key)] = true
		if !d.Fast(in) {
			slow++
			if slow > mostSlow {
				return
			}
		}
		outcome, err := d.Calculate(context.Background(), in)
		a := answerOf(func(context.Context, value.Values) (*sdk.Outcome, error) { return &outcome, err }, in)
		if !isUndecided(&a) { // document-decided reports it
			d.requests = append(d.requests, request{in, a})
		}
	}
	var bases []value.Values
	for i := range o.Answers {
		a := &o.Answers[i]
		if a.ByEngine() {
			add(a.Sent)
		}
		if a.Kind == observe.Answered && len(a.Sent) == len(o.Spec.Inputs) {
			bases = append(bases, a.Sent)
		}
	}
	for i := range o.Generated.First {
		a := &o.Generated.First[i]
		if a.ByEngine() {
			add(a.Sent)
		}
	}
	newThresholds(o.Spec, d.Engine, bases, add).find()
}

// judgeDocumentMutants checks that a vector finds each mutant of the formula and of the checks, unless it answers every
// request alike.
func judgeDocumentMutants(o *evidence, d *written, j *judgement) {
	left := 0
	for _, m := range d.judgeMutants(o) {
		if m.Cell != nil {
			continue
		}
		switch m.state {
		case unjudged:
			left++
		case close12:
			j.note("%s differs in the last digits of results only", nameOfMutant(&m))
			j.checks++
		case survivor:
			j.check(false, placeOf(&m), "no vector that fails with "+m.What, "results from a book, a program or by hand, for inputs such as "+m.killer)
		default:
			j.checks++
		}
	}
	if left > 0 {
		j.check(false, ofDocument, fmt.Sprintf("%d mutants that were not judged within %v", left, mutantTime), "a formula of fewer steps, or fewer vectors")
	}
}

func placeOf(m *mutantResult) report.Subject { return placeIn(m.Place) }

func nameOfMutant(m *mutantResult) string { return fmt.Sprintf("line %d: %s", m.Place.Line, m.What) }

// judgeDocumentCells checks that a vector finds a wrong cell in each column of the tables. In a small table with words of
// an input, it checks each row, too.
func judgeDocumentCells(o *evidence, d *written, j *judgement) {
	all := d.judgeMutants(o)
	for t := range d.Document().Tables { // published tables have rules of their own
		table := &o.Spec.Tables[t]
		finds := func(column string, row int) (found bool, killer string) {
			for i := range all {
				m := &all[i]
				if m.Cell == nil || m.Cell.Table != table.Name || column != "" && m.Cell.Column != column || row >= 0 && m.Cell.Row != row {
					continue
				}
				found = found || m.state == killed
				if m.state == survivor && (killer == "" || effort(m.killer) < effort(killer)) {
					killer = m.killer
				}
			}
			return found, killer
		}
		place := placeIn(d.Document().Tables[t].Name.Place)
		for _, c := range table.Columns {
			if found, killer := finds(c.Name, -1); killer != "" {
				j.check(found, place, fmt.Sprintf("no vector finds a wrong cell in the column %s of %s", c.Name, table.Name), "a vector with these inputs: "+killer)
			} else {
				j.checks++
			}
		}
		if !isKeyed(o.Spec, table.Name, d) {
			continue
		}
		for row := range table.Rows {
			if found, killer := finds("", row); killer != "" {
				j.check(found, placeIn(d.Document().Tables[t].Rows[row][0].Place), fmt.Sprintf("no vector finds a wrong cell in row %d of %s", row+1, table.Name),
					"a vector with these inputs: "+killer)
			} else {
				j.checks++
			}
		}
	}
}

// isKeyed reports whether a small table has a column with words of an input.
func isKeyed(spec *sdk.Spec, name string, d *written) bool {
	for t := range spec.Tables {
		table := &spec.Tables[t]
		if table.Name != name || len(table.Rows) > mostKeyedRow {
			continue
		}
		for c := range table.Columns {
			if !table.Columns[c].Word {
				continue
			}
			for i := range spec.Inputs {
				words := spec.Inputs[i].Enum
				if len(words) > 0 && !slices.ContainsFunc(table.Rows, func(row []string) bool { return !slices.Contains(words, row[c]) }) {
					return true
				}
			}
		}
	}
	return false
}
