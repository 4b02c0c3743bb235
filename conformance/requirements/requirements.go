// Package requirements answers one question: what must an engine do to be published? Its
// answer is a frozen set of rules for each month in which they changed.
package requirements

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Set is a set of rules that never changes once it is published. What an
// engine was judged by can so be said in one word, years later. A rule that becomes
// stricter is a new rule, of a new set.
type Set struct {
	Name     string `json:"set"`      // year and month, such as 2026-11
	Contract string `json:"contract"` // version of the engine contract that it judges
	Rules    []Rule `json:"rules"`    // in the order in which they are judged and reported
}

// Rule is one thing that an engine must do to be published.
type Rule struct {
	ID    string `json:"id"`    // kebab case
	Rule  string `json:"rule"`  // a sentence, "an engine must ..."
	Cites string `json:"cites"` // where the interface demands it
}

//go:embed *.json
var files embed.FS

var sets = readSets()

// readSets reads the sets, the oldest first. One that cannot be read is a mistake in
// this package.
func readSets() []*Set {
	entries, err := files.ReadDir(".") // in the order of their names
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

// Sets returns every set, the oldest first.
func Sets() []*Set { return slices.Clone(sets) }

// Newest returns the set that engines are judged by unless another is asked for.
func Newest() *Set { return sets[len(sets)-1] }

// Find returns the set of the name, and Newest for the empty one.
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
