// Package cases makes requests to an engine from its Spec: numbers at the ends of
// their ranges and far beyond, other spellings of the same inputs, and what must be
// refused. The same Spec and the same examples give the same cases, in every run.
package cases

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// Most is how many cases are made for one engine.
const Most = 400

// Kind says what a case is about.
type Kind string

// The kinds of cases.
const (
	Example   Kind = "example"   // an example again, in SI units under canonical names
	Boundary  Kind = "boundary"  // a number at, just inside or just outside an end of its range
	Magnitude Kind = "magnitude" // a number as large or as small as can be written
	Inside    Kind = "inside"    // several inputs moved at once, within their ranges
	Enum      Kind = "enum"      // each value of an enum, each other spelling, and none of them
	Alias     Kind = "alias"     // an input under another name, or under two
	Unit      Kind = "unit"      // an input in another unit, and in an impossible one
	Decimal   Kind = "decimal"   // a number as text
	Type      Kind = "type"      // a value of another type
	Presence  Kind = "presence"  // an input left out, a default spelled out, an unknown input
)

// Case is one request.
type Case struct {
	ID     string // of its own among the cases of an engine
	Kind   Kind
	Inputs string // JSON object, as a caller sends it

	Like        string // id of an earlier case that means the same, "" if there is none
	Code, Field string // of the refusal that is due before the engine is asked; "" if none is
}

// Generate makes at most [Most] cases around examples: values of the inputs, one for
// each field of the Spec, that the engine is known to calculate with. Without an
// example there are no cases. The Spec must be valid.
func Generate(spec *sdk.Spec, examples []value.Values) []Case {
	if len(examples) == 0 {
		return nil
	}
	m := &maker{spec: spec, examples: examples, random: randomOf(spec), made: map[string]bool{}}
	m.ofExamples()
	for i := range spec.Inputs {
		m.presence(i)
		for _, p := range m.places(i) {
			m.aliases(p)
			m.enums(p)
			m.boundaries(p)
			m.magnitudes(p)
			m.units(p)
			m.decimals(p)
			m.types(p)
		}
	}
	m.unknown()
	m.inside()
	return m.thin()
}

// randomOf is seeded by what the engine is, so that a version always has the same
// cases.
func randomOf(spec *sdk.Spec) *rand.Rand {
	seed := fnv.New64a()
	fmt.Fprintf(seed, "%s@%s", spec.Capability, spec.Version)
	return rand.New(rand.NewPCG(seed.Sum64(), 1))
}

type maker struct {
	spec     *sdk.Spec
	examples []value.Values
	random   *rand.Rand
	cases    []Case
	made     map[string]bool // ids
}

// add keeps a case unless there is one of its id. It returns the id.
func (m *maker) add(c Case) string {
	if !m.made[c.ID] {
		m.made[c.ID] = true
		m.cases = append(m.cases, c)
	}
	return c.ID
}

func exampleID(i int) string { return fmt.Sprintf("example %d", i+1) }

// maxExamples are asked again as they are; all are drawn from.
const maxExamples = 8

func (m *maker) ofExamples() {
	for i, e := range m.examples[:min(len(m.examples), maxExamples)] {
		m.add(Case{ID: exampleID(i), Kind: Example, Inputs: m.write(e, nil)})
	}
}

// thin leaves out cases at random until there are few enough, but none that another
// one is like.
func (m *maker) thin() []Case {
	excess := len(m.cases) - Most
	if excess <= 0 {
		return m.cases
	}
	needed, out := map[string]bool{}, map[int]bool{}
	for _, c := range m.cases {
		needed[c.Like] = true
	}
	for _, i := range m.random.Perm(len(m.cases)) {
		if c := &m.cases[i]; len(out) < excess && !needed[c.ID] {
			out[i] = true
		}
	}
	kept := make([]Case, 0, Most)
	for i, c := range m.cases {
		if !out[i] {
			kept = append(kept, c)
		}
	}
	return slices.Clip(kept[:min(len(kept), Most)])
}
