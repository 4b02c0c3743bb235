package batch

import (
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// form is the common part of a row and a previous row with the same bytes around its
// numbers. Such rows have the same inputs for the same release in the same order, so only their
// numbers have to be read. Only resolved rows become forms, so an invalid row is always read in full.
//
// A form is valid for one job, because it depends on the catalog, pins and text of the job.
type form struct {
	parts    []string // the text of the row before, between and after the numbers; nil without a form
	fields   []*sdk.Field
	inputs   []int         // index of the input of each number
	resolved calc.Resolved // of the row that it was learned from
	id       string
	group    int // index of the release's group in the job

	hits, misses int // rows with the form, and rows that were resolved without it
}

// maxMisses is the largest excess of misses over hits before learning stops.
const maxMisses = 16

// read reads the numbers of a row with the form, and reports false for any other row. The
// values are the same as in the resolved row.
func (f *form) read(row string, arena *valueArena) (value.Values, bool) {
	if len(f.parts) == 0 || !strings.HasPrefix(row, f.parts[0]) {
		return nil, false
	}
	values, rest := arena.Values(len(f.resolved.Inputs)), row[len(f.parts[0]):]
	copy(values, f.resolved.Inputs)
	for i, input := range f.inputs {
		number, ok := strictjson.NumberPrefix(rest)
		if !ok {
			return nil, false
		}
		values[input], ok = request.ReadNumber(f.fields[i], &number)
		if !ok {
			return nil, false
		}
		rest, ok = strings.CutPrefix(rest[len(number.Text):], f.parts[i+1])
		if !ok {
			return nil, false
		}
	}
	if rest != "" {
		return nil, false
	}
	f.hits++
	return values, true
}

// learn replaces the form by a resolved row, unless too few rows have matched
// the forms so far. If the numbers of the row cannot be separated from the rest, there is no form.
func (f *form) learn(row string, inputs *strictjson.Value, resolved *calc.Resolved, id string, group int) {
	f.parts, f.fields, f.inputs = f.parts[:0], f.fields[:0], f.inputs[:0]
	f.misses++
	if f.misses > f.hits+maxMisses || !f.split(row, inputs, &resolved.Release.Spec) {
		f.parts = f.parts[:0]
		return
	}
	f.resolved, f.id, f.group = *resolved, id, group
}

// split splits the row at the numbers of its inputs. It reports false if there are none, or if
// the meaning of the row depends on more than the value of each number.
func (f *form) split(row string, inputs *strictjson.Value, spec *sdk.Spec) bool {
	numbers, from := numbersIn(row), 0
	for i := range inputs.Members {
		m := &inputs.Members[i]
		n := countNumbers(&m.Value)
		if n > len(numbers) {
			return false
		}
		if m.Value.Kind == strictjson.Number {
			input := spec.Input(m.Name)
			if slices.Contains(f.inputs, input) { // an input has two names, and the numbers must be equal
				return false
			}
			f.parts = append(f.parts, row[from:numbers[0].from])
			f.fields, f.inputs = append(f.fields, &spec.Inputs[input]), append(f.inputs, input)
			from = numbers[0].to
		}
		numbers = numbers[n:] // numbers in lists and objects belong to the text around
	}
	f.parts = append(f.parts, row[from:])
	return len(f.inputs) > 0 && len(numbers) == 0
}

// forget removes the form, and keeps its memory.
func (f *form) forget() {
	clear(f.parts)
	clear(f.fields)
	*f = form{parts: f.parts[:0], fields: f.fields[:0], inputs: f.inputs[:0]}
}

// span is a part of a text.
type span struct{ from, to int }

// numbersIn finds the numbers of a JSON text that the scanner has accepted.
func numbersIn(text string) (numbers []span) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case c == '-' || '0' <= c && c <= '9':
			end := i + 1
			for end < len(text) && strings.IndexByte("0123456789+-.eE", text[end]) >= 0 {
				end++
			}
			numbers = append(numbers, span{i, end})
			i = end - 1
		}
	}
	return numbers
}

// countNumbers counts the numbers in a value.
func countNumbers(v *strictjson.Value) (n int) {
	if v.Kind == strictjson.Number {
		return 1
	}
	for i := range v.Items {
		n += countNumbers(&v.Items[i])
	}
	for i := range v.Members {
		n += countNumbers(&v.Members[i].Value)
	}
	return n
}
