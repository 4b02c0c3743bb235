// Package requirements has the rules that an engine must keep to be published. A [Set] of rules has
// the month of its publication as its name, such as 2026-12, and never changes. A new or stricter
// rule needs a new set. Use [Newest] to judge an engine today, and [Find] to read the set by which
// an older engine was judged. Package conformance applies the rules.
package requirements

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Set is a set of rules. Once published it never changes, so years later its name still
// identifies the rules by which an engine was judged. A rule that becomes stricter is a new
// rule in a new set.
type Set struct {
	Name     string `json:"set"`      // year and month, such as 2026-12
	Contract string `json:"contract"` // version of the engine contract that the rules check
	Rules    []Rule `json:"rules"`    // in the order in which they are judged and reported
}

// Rule is one requirement for an engine to be published.
type Rule struct {
	ID    string `json:"id"`    // kebab case
	Rule  string `json:"rule"`  // a sentence, "an engine must ..."
	Cites string `json:"cites"` // place in the interface that demands it
}

//go:embed *.json
var files embed.FS

var sets = readSets()

// readSets reads the sets, oldest first. It panics if a set cannot be read, which is a
// mistake in this package.
func readSets() []*Set {
	entries, err := files.ReadDir(".") // sorted by name, and so by date
	if err != nil {
		panic(err)
	}
	var list []*Set
	for _, e := range entries {
		data, err := files.ReadFile(e.Name())
		set := new(Set)
		if err == nil {
			err = json.Unmarshal(data, set)
		}
		if err != nil || set.Name+".json" != e.Name() {
			panic(fmt.Sprintf("requirements: %s: it must be the set of its name (%v)", e.Name(), err))
		}
		list = append(list, set)
	}
	return list
}

// Sets returns all sets, oldest first.
func Sets() []*Set { return slices.Clone(sets) }

// Newest returns the set by which engines are judged unless another one is chosen.
func Newest() *Set { return sets[len(sets)-1] }

// Find returns the set with the name, or Newest if the name is empty. The error lists the
// names of all sets.
func Find(name string) (*Set, error) {
	if name == "" {
		return Newest(), nil
	}
	var names []string
	for _, s := range sets {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return nil, fmt.Errorf("there is no set of requirements %q: the sets are %s", name, strings.Join(names, ", "))
}
