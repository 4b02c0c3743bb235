package batch

import (
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/sdk/value"
)

// A Table is an Input all of whose rows one release computes, and that can tell the bare numbers
// of a row from everything else in it.
type Table interface {
	Input

	// Numbers appends the bare numbers of a row, and to the rest all else that the row asks for,
	// which includes the inputs that the numbers are for: the requests of rows with the same rest
	// differ in these numbers alone. It reports false for a row that only Request can read. It is
	// called concurrently.
	Numbers(numbers []Number, rest []byte, row string) ([]Number, []byte, bool)
}

// Number is a number of a row, for the input at an index of the Spec, which takes it: as a request
// with that number alone would be read.
type Number struct {
	Input int
	Value value.Value
}

// maxAlike is how many patterns are kept of a job.
const maxAlike = 64

// alike keeps what rows of a [Table] that differ in numbers alone have in common, as [form] does for
// rows of JSON. It is valid for one job.
type alike struct {
	patterns map[string]*pattern // by the rest of their rows
	numbers  []Number            // of the row that was read last
	rest     []byte              // of that row; empty if it cannot be read so
}

// pattern is what rows with one rest have in common.
type pattern struct {
	resolved calc.Resolved // of the row that it was learned from
	id       string
	group    int // index of the release's group in the job
}

// read reads a row whose pattern is known, and returns nil for any other row. The values are
// those that the row would be resolved to.
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

// learn makes a pattern of the row that was read last, and then resolved.
func (a *alike) learn(resolved *calc.Resolved, id string, group int) {
	if len(a.rest) == 0 || len(a.patterns) >= maxAlike {
		return
	}
	for i := range a.numbers {
		if slices.ContainsFunc(a.numbers[:i], func(n Number) bool { return n.Input == a.numbers[i].Input }) {
			return // an input under two names, whose numbers must be equal
		}
	}
	if a.patterns == nil {
		a.patterns = map[string]*pattern{}
	}
	a.patterns[string(a.rest)] = &pattern{*resolved, id, group}
}

// forget forgets all patterns, and keeps the memory.
func (a *alike) forget() {
	clear(a.patterns)
	clear(a.numbers)
	*a = alike{patterns: a.patterns, numbers: a.numbers[:0], rest: a.rest[:0]}
}
