package replay

import (
	"cmp"
	"slices"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/host/internal/archive/stored"
)

// How many examples are kept.
const (
	MaxExamples   = 10 // of what differs, of each release
	maxObstructed = 3  // of each obstacle
	maxGaps       = 20
)

// Report is what stored results came to.
type Report struct {
	Read   uint64 // calculations that were read
	Others uint64 // of these, of capabilities that were not asked for
	Groups []*Group
	Gaps   []stored.Gap // the first ones
	Missed uint64       // calculations in gaps, as far as that is known
	Holes  uint64       // gaps
}

// Group is what the results of one release came to.
type Group struct {
	stored.Release                              // as it is published, or as it was stored if it is not
	With           string                       // version that computed now; "" if none did
	Obstacle       Obstacle                     // why none did
	Why            string                       // likewise
	Verdicts       [compare.Reworded + 1]uint64 // how many of each
	Examples       []Example                    // of what differs, in the order of reading; of an effect, without changed results
	Obstructed     []*Obstructed                // what could not be computed
}

// Obstructed is what could not be computed for one reason.
type Obstructed struct {
	Obstacle Obstacle
	Count    uint64
	Examples []Example
}

// Example is one stored result.
type Example struct {
	Name       string
	Comparison *compare.Comparison // nil if it was not computed
	Why        string              // then
	n          uint64
}

// String says in one line what is so.
func (e *Example) String() string {
	if e.Comparison != nil {
		return e.Comparison.String()
	}
	return e.Why
}

// Read counts the results of a group.
func (g *Group) Read() uint64 {
	return g.Verdicts[compare.Same] + g.Different() + g.Blocked()
}

// Different counts the results of a group that differ in any way.
func (g *Group) Different() (n uint64) {
	for _, count := range g.Verdicts[compare.Changed:] {
		n += count
	}
	return n
}

// Blocked counts the results of a group that could not be computed.
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

// Same counts the results that are the same to the bit.
func (r *Report) Same() uint64 {
	return r.sum(func(g *Group) uint64 { return g.Verdicts[compare.Same] })
}

// Different counts the results that differ in any way.
func (r *Report) Different() uint64 { return r.sum((*Group).Different) }

// Blocked counts the results that could not be computed.
func (r *Report) Blocked() uint64 { return r.sum((*Group).Blocked) }

// Whole reports whether everything that was stored was computed and compared.
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
