package batch

import (
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/sdk/value"
)

// A Table is an Input with one release for all rows. It can separate the bare numbers of a row from the
// rest of the row.
type Table interface {
	Input

	// Numbers appends the bare numbers of a row to numbers, and all other parts of the request to rest.
	// The rest includes the inputs of the numbers. Requests of rows with the same rest differ only in
	// these numbers. Numbers reports false for a row that only Request can read. It is called concurrently.
	Numbers(numbers []Number, rest []byte, row string) ([]Number, []byte, bool)
}

// Number is a number in a row, for the input at an index of the Spec. The input accepts it, with the same
// value as in a request with that bare number.
type Number struct {
	Input int
	Value value.Value
}

// maxAlike is the maximum number of patterns of a job.
const maxAlike = 64

// alike caches the common part of rows of a [Table] that differ only in numbers, as [form] does for
// rows of JSON. It is valid for one job.
type alike struct {
	patterns map[string]*pattern // the key is the rest of their rows
	numbers  []Number            // of the row that was read last
	rest     []byte              // of the same row; empty if it has no pattern
}

// pattern is the common part of rows with the same rest.
type pattern struct {
	resolved calc.Resolved // of the row that it was learned from
	id       string
	group    int // index of the release's group in the job
}

// read reads a row with a known pattern, and returns nil for any other row. The values are the same as
// in the resolved row.
func (a *alike) read(in Table, row string, arena *valueArena) (value.Values, *pattern) {
	var ok bool
	a.numbers, a.rest, ok = in.Numbers(a.numbers[:0], a.rest[:0], row)
	if !ok {
		a.rest = a.rest[:0]
		return nil, nil
	}
	k := a.patterns[string(a.rest)]
	if k == nil {
		return nil, nil
	}
	values := arena.Values(len(k.resolved.Inputs))
	copy(values, k.resolved.Inputs)
	for i := range a.numbers {
		values[a.numbers[i].Input] = a.numbers[i].Value
	}
	return values, k
}

// learn creates a pattern from the row that was read last and then resolved.
func (a *alike) learn(resolved *calc.Resolved, id string, group int) {
	if len(a.rest) == 0 || len(a.patterns) >= maxAlike {
		return
	}
	for i := range a.numbers {
		if slices.ContainsFunc(a.numbers[:i], func(n Number) bool { return n.Input == a.numbers[i].Input }) {
			return // an input has two names, and the numbers must be equal
		}
	}
	if a.patterns == nil {
		a.patterns = map[string]*pattern{}
	}
	a.patterns[string(a.rest)] = &pattern{*resolved, id, group}
}

// forget removes all patterns, and keeps the memory.
func (a *alike) forget() {
	clear(a.patterns)
	clear(a.numbers)
	*a = alike{patterns: a.patterns, numbers: a.numbers[:0], rest: a.rest[:0]}
}
