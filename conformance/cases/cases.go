// Package cases generates requests that test the promises of a Spec. Use [Generate] to test an
// engine with more requests than its author wrote. The cases have numbers at the ends of their
// ranges and far beyond, other spellings of the same inputs, and requests that must be refused.
// Each [Case] states its [Kind], and the refusal or the equal case that is expected. The same Spec
// and the same examples give the same cases in every run.
package cases

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// Most is the largest number of cases for one engine.
const Most = 400

// Kind is the property that a case tests.
type Kind string

// The kinds of cases.
const (
	Example   Kind = "example"   // an example, in SI units under canonical names
	Boundary  Kind = "boundary"  // a number at, just inside or just outside an end of its range
	Magnitude Kind = "magnitude" // zero, or a number as large or as small as binary64 allows
	Inside    Kind = "inside"    // several inputs changed at once, within their ranges
	Enum      Kind = "enum"      // each value of an enum, each alias of a value, and an illegal value
	Alias     Kind = "alias"     // an input under another name, or under two names at once
	Unit      Kind = "unit"      // an input in another unit, or in a unit that cannot be converted
	Decimal   Kind = "decimal"   // a number as text
	Type      Kind = "type"      // a value of another type
	Presence  Kind = "presence"  // an input left out, a default spelled out, an unknown input
	Branch    Kind = "branch"    // an input at either side of a condition of the Definition
)

// Case is one request.
type Case struct {
	ID     string // unique among the cases of an engine
	Kind   Kind
	Inputs string // JSON object, as a caller sends it

	Like        string // id of an earlier case with the same meaning; "" if there is none
	Code, Field string // of the expected refusal before the engine is called; "" if none is expected
}

// Generate returns at most [Most] cases, which are variations of the examples. An example
// has one value for each input field of the Spec, and the engine is known to answer it
// with a result. Without an example there are no cases. The Spec must be valid.
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
	m.branches()
	return m.thin()
}

// randomOf returns a generator whose seed is the capability and version of the engine, so
// that a version always has the same cases.
func randomOf(spec *sdk.Spec) *rand.Rand {
	seed := fnv.New64a()
	fmt.Fprintf(seed, "%s@%s", spec.Capability, spec.Version)
	return rand.New(rand.NewPCG(seed.Sum64(), 1))
}

// maker collects the cases of one engine.
type maker struct {
	spec     *sdk.Spec
	examples []value.Values
	random   *rand.Rand
	cases    []Case
	made     map[string]bool // by id of a case
}

// add appends a case, unless a case with its id exists already. It returns the id.
func (m *maker) add(c Case) string {
	if !m.made[c.ID] {
		m.made[c.ID] = true
		m.cases = append(m.cases, c)
	}
	return c.ID
}

func exampleID(i int) string { return fmt.Sprintf("example %d", i+1) }

// maxExamples is how many examples are sent unchanged. Other kinds of cases may be variations
// of any example.
const maxExamples = 8

func (m *maker) ofExamples() {
	for i, e := range m.examples[:min(len(m.examples), maxExamples)] {
		m.add(Case{ID: exampleID(i), Kind: Example, Inputs: m.write(e, nil)})
	}
}

// thin drops cases at random until at most Most are left. It keeps every case that another one
// refers to by Like, and the cases at the conditions of the Definition.
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
		if c := &m.cases[i]; len(out) < excess && !needed[c.ID] && c.Kind != Branch {
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
