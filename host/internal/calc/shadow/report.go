package shadow

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/registry/evidence"
)

// Report has the comparisons of servers since their start.
type Report struct {
	Comparisons []Comparison `json:"comparisons"`
}

// Comparison has the results for one candidate and one current release.
type Comparison struct {
	Capability string    `json:"capability_id"`
	Candidate  Release   `json:"candidate"`
	Current    Release   `json:"current"`
	Sample     float64   `json:"sample"`
	Since      time.Time `json:"since,omitzero"` // of the statement that declares the candidate
	Until      time.Time `json:"until,omitzero"`
	Running    bool      `json:"running"`
	Began      time.Time `json:"began"` // earliest time of a compared answer
	Counts
	Outputs   []Output   `json:"outputs"`           // with differences
	Refusals  []Refusals `json:"refusals"`          // of the candidate, for inputs that the current release answered
	Obstacles []Obstacle `json:"obstacles"`         // reasons why inputs cannot be compared
	Failure   string     `json:"failure,omitempty"` // the last failure of the candidate
	Examples  bool       `json:"examples"`          // the server keeps the inputs of the largest differences
}

// Part returns the sample for people: 10 %.
func (c *Comparison) Part() string { return (&evidence.Shadow{Sample: c.Sample}).Part() }

// Release identifies one of the two releases.
type Release struct {
	Version string `json:"calculation_version"`
	Digest  string `json:"release_digest"`
	Engine  string `json:"engine_digest"`
}

// Counts are counts of sampled answers. The first five were compared.
type Counts struct {
	Same     uint64 `json:"same"`              // bit-identical, or refused in the same way
	Changed  uint64 `json:"changed"`           // another result
	Refused  uint64 `json:"refused_now"`       // by the candidate, and answered by the current release
	Answered uint64 `json:"answered_now"`      // by the candidate, and refused by the current release
	Reworded uint64 `json:"refused_otherwise"` // by both, with another code or for another field

	Incomparable uint64  `json:"cannot_compare"` // the candidate cannot accept these inputs
	Failed       uint64  `json:"failed"`         // the candidate did not answer
	Dropped      Dropped `json:"dropped"`        // the candidate was not called
}

// Compared returns the number of compared answers.
func (c *Counts) Compared() uint64 {
	return c.Same + c.Changed + c.Refused + c.Answered + c.Reworded
}

func (c *Counts) add(o *Counts) {
	c.Same, c.Changed, c.Refused, c.Answered, c.Reworded = c.Same+o.Same, c.Changed+o.Changed, c.Refused+o.Refused, c.Answered+o.Answered, c.Reworded+o.Reworded
	c.Incomparable, c.Failed = c.Incomparable+o.Incomparable, c.Failed+o.Failed
	c.Dropped = Dropped{c.Dropped.Busy + o.Dropped.Busy, c.Dropped.Large + o.Dropped.Large, c.Dropped.Memory + o.Dropped.Memory}
}

// Dropped counts answers that were sampled but not compared.
type Dropped struct {
	Busy   uint64 `json:"busy"`   // the queue was full
	Large  uint64 `json:"large"`  // more than 64 KiB of inputs and results
	Memory uint64 `json:"memory"` // not enough memory to start the candidate
}

// All returns the total.
func (d Dropped) All() uint64 { return d.Busy + d.Large + d.Memory }

// Distance is the difference of two values. It has no numbers if the values are not numbers. It has no
// relative distance if the current value is zero.
type Distance struct {
	Relative *float64 `json:"relative,omitempty"` // relative to the magnitude of the current release's value
	Ulps     uint64   `json:"ulps,omitempty"`     // in units in the last place
}

func distanceOf(d *compare.Difference) Distance {
	if !d.Numbers {
		return Distance{}
	}
	if math.IsInf(d.Relative, 0) {
		return Distance{Ulps: d.Ulps}
	}
	return Distance{new(d.Relative), d.Ulps}
}

// above reports whether d is larger than o.
func (d Distance) above(o Distance) bool {
	return cmp.Or(cmp.Compare(d.size(), o.size()), cmp.Compare(d.Ulps, o.Ulps)) > 0
}

func (d Distance) size() float64 {
	switch {
	case d.Relative != nil:
		return *d.Relative
	case d.Ulps > 0:
		return math.Inf(1)
	}
	return -1
}

// Output is an output with differences.
type Output struct {
	Name    string    `json:"name"`
	Differs uint64    `json:"differs"` // number of comparisons with a difference
	Largest Distance  `json:"largest"`
	Worst   []Example `json:"worst,omitempty"` // the largest first
}

// Example is a difference, and the inputs that cause it.
type Example struct {
	Distance
	Path   string          `json:"path"` // of the value, such as layers.0.thickness
	Inputs json.RawMessage `json:"inputs"`
	Old    json.RawMessage `json:"current"`
	New    json.RawMessage `json:"candidate"`
}

// keep adds an example if it is one of the largest.
func (o *Output) keep(e Example) {
	i := slices.IndexFunc(o.Worst, func(w Example) bool { return e.above(w.Distance) })
	if i < 0 {
		i = len(o.Worst)
	}
	if same := func(w Example) bool { return string(w.Inputs) == string(e.Inputs) }; slices.ContainsFunc(o.Worst, same) {
		return
	}
	o.Worst = slices.Insert(o.Worst, i, e)
	o.Worst = o.Worst[:min(len(o.Worst), maxWorst)]
}

// Refusal is a code and the field that it names.
type Refusal struct {
	Code  string `json:"code"`
	Field string `json:"field,omitempty"`
}

// Refusals counts a refusal.
type Refusals struct {
	Refusal
	Count uint64 `json:"count"`
}

// Obstacle is the reason why the candidate cannot accept inputs of the current release.
type Obstacle struct {
	compare.Obstacle
	Count uint64 `json:"count"`
}

// report returns the results of the pair.
func (p *pair) report() Comparison {
	c := Comparison{
		Capability: p.candidate.Capability,
		Candidate:  Release{p.candidate.Version, p.candidate.Digest, p.candidate.EngineDigest},
		Current:    Release{p.current.Version, p.current.Digest, p.current.EngineDigest},
		Sample:     p.declaration.Sample, Since: p.declaration.Since, Until: p.declaration.Until, Began: p.started,
		Running:  p.ctx.Err() == nil && p.declaration.At(p.shadow.options.Now()),
		Examples: p.shadow.options.Inputs,
		Outputs:  []Output{}, Refusals: []Refusals{}, Obstacles: []Obstacle{},
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c.Counts, c.Failure = p.tally.Counts, p.tally.failure
	c.Dropped = Dropped{p.busy.Load(), p.large.Load(), p.withoutMem.Load()}
	for _, o := range p.tally.outputs {
		one := *o
		one.Worst = slices.Clone(o.Worst)
		c.Outputs = append(c.Outputs, one)
	}
	for r, n := range p.tally.refusals {
		c.Refusals = append(c.Refusals, Refusals{r, n})
	}
	for o, n := range p.tally.obstacles {
		c.Obstacles = append(c.Obstacles, Obstacle{o, n})
	}
	c.sort()
	return c
}

// sort sorts by size or count, largest first.
func (c *Comparison) sort() {
	slices.SortFunc(c.Outputs, func(a, b Output) int {
		return cmp.Or(cmp.Compare(b.Largest.size(), a.Largest.size()), cmp.Compare(a.Name, b.Name))
	})
	slices.SortFunc(c.Refusals, func(a, b Refusals) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Field, b.Field))
	})
	slices.SortFunc(c.Obstacles, func(a, b Obstacle) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Reason, b.Reason))
	})
}

// Add returns the combined report of several servers.
func Add(reports ...Report) Report {
	type key struct{ capability, candidate, current, since string }
	all := map[key]Comparison{}
	for _, r := range reports {
		for _, c := range r.Comparisons {
			k := key{c.Capability, c.Candidate.Digest, c.Current.Digest, c.Since.UTC().Format(time.RFC3339Nano)}
			if was, known := all[k]; known {
				c = was.plus(&c)
			}
			all[k] = c
		}
	}
	sum := Report{Comparisons: slices.Collect(maps.Values(all))}
	sum.sort()
	return sum
}

// plus returns the combined comparison of two servers.
func (c Comparison) plus(o *Comparison) Comparison {
	c.Counts.add(&o.Counts)
	c.Running, c.Examples, c.Failure = c.Running || o.Running, c.Examples || o.Examples, cmp.Or(c.Failure, o.Failure)
	if o.Began.Before(c.Began) {
		c.Began = o.Began
	}
	c.Outputs = slices.Clone(c.Outputs)
	for _, theirs := range o.Outputs {
		i := slices.IndexFunc(c.Outputs, func(ours Output) bool { return ours.Name == theirs.Name })
		if i < 0 {
			c.Outputs = append(c.Outputs, theirs)
			continue
		}
		ours := &c.Outputs[i]
		ours.Differs += theirs.Differs
		if theirs.Largest.above(ours.Largest) {
			ours.Largest = theirs.Largest
		}
		ours.Worst = slices.Clone(ours.Worst)
		for _, e := range theirs.Worst {
			ours.keep(e)
		}
	}
	c.Refusals = added(c.Refusals, o.Refusals, func(a, b Refusals) bool { return a.Refusal == b.Refusal }, func(r *Refusals) *uint64 { return &r.Count })
	c.Obstacles = added(c.Obstacles, o.Obstacles, func(a, b Obstacle) bool { return a.Obstacle == b.Obstacle }, func(o *Obstacle) *uint64 { return &o.Count })
	c.sort()
	return c
}

// added adds the counts of a list to the counts of another list.
func added[T any](ours, theirs []T, same func(a, b T) bool, count func(*T) *uint64) []T {
	ours = slices.Clone(ours)
	for _, t := range theirs {
		if i := slices.IndexFunc(ours, func(o T) bool { return same(o, t) }); i >= 0 {
			*count(&ours[i]) += *count(&t)
		} else {
			ours = append(ours, t)
		}
	}
	return ours
}
