package shadow

import (
	"encoding/json"
	"strings"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/sdk/response"
)

// Limits of recorded differences.
const (
	maxWorst    = 3  // of an output
	maxRefusals = 32 // codes and fields
)

// tally is the result of a comparison.
type tally struct {
	Counts
	outputs   map[string]*Output
	refusals  map[Refusal]uint64
	obstacles map[compare.Obstacle]uint64
	failure   string
}

func newTally() tally {
	return tally{outputs: map[string]*Output{}, refusals: map[Refusal]uint64{}, obstacles: map[compare.Obstacle]uint64{}}
}

// fail counts calculations that the candidate did not answer.
func (t *tally) fail(n int, err error) {
	t.Failed += uint64(n)
	t.failure = err.Error()
}

// obstruct counts inputs that the candidate cannot accept.
func (t *tally) obstruct(o compare.Obstacle) {
	t.Incomparable++
	t.obstacles[o]++ // at most as many as the Specs have inputs, with five reasons
}

// compare counts a comparison; nil if the outcomes are the same.
func (t *tally) compare(c *compare.Comparison, inputs func() json.RawMessage) {
	if c == nil {
		t.Same++
		return
	}
	switch c.Verdict {
	case compare.Changed:
		t.Changed++
		t.differ(c.Differences, inputs)
	case compare.Refused:
		t.Refused++
		t.refuse(Refusal{Code: c.Is.Code, Field: c.Is.Field})
	case compare.Answered:
		t.Answered++
	default:
		t.Reworded++
	}
}

func (t *tally) refuse(r Refusal) {
	if _, known := t.refusals[r]; known || len(t.refusals) < maxRefusals {
		t.refusals[r]++
	}
}

// differ counts the outputs that differ. For an output with several values, the largest difference
// counts.
func (t *tally) differ(list []compare.Difference, inputs func() json.RawMessage) {
	largest := map[string]*compare.Difference{}
	for i := range list {
		d := &list[i]
		name, _, _ := strings.Cut(d.Path, ".")
		if was := largest[name]; was == nil || distanceOf(d).above(distanceOf(was)) {
			largest[name] = d
		}
	}
	for name, d := range largest {
		o := t.outputs[name]
		if o == nil {
			o = &Output{Name: name}
			t.outputs[name] = o
		}
		o.add(d, inputs)
	}
}

// add counts a difference of the output, and keeps it if it is one of the largest.
func (o *Output) add(d *compare.Difference, inputs func() json.RawMessage) {
	distance := distanceOf(d)
	o.Differs++
	if o.Differs == 1 || distance.above(o.Largest) {
		o.Largest = distance
	}
	if len(o.Worst) == maxWorst && !distance.above(o.Worst[maxWorst-1].Distance) {
		return
	}
	if shown := inputs(); shown != nil {
		o.keep(Example{
			Distance: distance, Path: d.Path, Inputs: shown,
			Old: response.AppendValue(nil, d.Was, d.Old), New: response.AppendValue(nil, d.Is, d.New),
		})
	}
}
