package replay

import (
	"cmp"
	"slices"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/host/internal/archive/stored"
)

// Limits of the examples that are kept.
const (
	MaxExamples   = 10 // of differences, of each release
	maxObstructed = 3  // of each obstacle
	maxGaps       = 20
)

// Report is the result of a replay.
type Report struct {
	Read   uint64 // calculations read
	Others uint64 // of these, calculations of other capabilities
	Groups []*Group
	Gaps   []stored.Gap // the first ones
	Missed uint64       // calculations in gaps, as far as the number is known
	Holes  uint64       // number of gaps
}

// Group is the result for the calculations of one release.
type Group struct {
	stored.Release                              // as published; as stored if it is not published
	With           string                       // version that computed now; "" if none did
	Obstacle       Obstacle                     // why no version computed
	Why            string                       // text of the obstacle
	Verdicts       [compare.Reworded + 1]uint64 // number of each
	Examples       []Example                    // of differences, in the order of reading; in an Effect, without changed results
	Obstructed     []*Obstructed                // results that could not be computed
}

// Obstructed is the results that could not be computed for one reason.
type Obstructed struct {
	Obstacle Obstacle
	Count    uint64
	Examples []Example
}

// Example is one stored result.
type Example struct {
	Name       string
	Comparison *compare.Comparison // nil if it was not computed
	Why        string              // why it was not computed; otherwise ""
	n          uint64
}

// String returns the difference, or why the result was not computed, in one line.
func (e *Example) String() string {
	if e.Comparison != nil {
		return e.Comparison.String()
	}
	return e.Why
}

// Read returns the number of results in a group.
func (g *Group) Read() uint64 {
	return g.Verdicts[compare.Same] + g.Different() + g.Blocked()
}

// Different returns the number of results in a group that differ in any way.
func (g *Group) Different() (n uint64) {
	for _, count := range g.Verdicts[compare.Changed:] {
		n += count
	}
	return n
}

// Blocked returns the number of results in a group that could not be computed.
func (g *Group) Blocked() (n uint64) {
	for _, o := range g.Obstructed {
		n += o.Count
	}
	return n
}

func (r *Report) sum(of func(*Group) uint64) (n uint64) {
	for _, g := range r.Groups {
		n += of(g)
	}
	return n
}

// Same returns the number of results that are bit-identical.
func (r *Report) Same() uint64 {
	return r.sum(func(g *Group) uint64 { return g.Verdicts[compare.Same] })
}

// Different returns the number of results that differ in any way.
func (r *Report) Different() uint64 { return r.sum((*Group).Different) }

// Blocked returns the number of results that could not be computed.
func (r *Report) Blocked() uint64 { return r.sum((*Group).Blocked) }

// Whole reports whether all stored results were recomputed and compared.
func (r *Report) Whole() bool { return r.Blocked() == 0 && r.Holes == 0 }

func (r *Report) gap(g stored.Gap) {
	r.Holes++
	r.Missed += g.Count
	if len(r.Gaps) < maxGaps {
		r.Gaps = append(r.Gaps, g)
	}
}

func (r *Report) finish() {
	slices.SortFunc(r.Groups, func(a, b *Group) int {
		return cmp.Or(cmp.Compare(a.Capability, b.Capability), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Engine, b.Engine), cmp.Compare(a.Platform, b.Platform), cmp.Compare(a.Digest, b.Digest), cmp.Compare(a.Form.In, b.Form.In), cmp.Compare(a.Form.Units, b.Form.Units))
	})
	for _, g := range r.Groups {
		slices.SortFunc(g.Obstructed, func(a, b *Obstructed) int { return cmp.Compare(a.Obstacle, b.Obstacle) })
	}
}
