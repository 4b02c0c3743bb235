package conformance

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Requirements is a set of rules that never changes once it is published. What an
// engine was judged by can so be said in one word, years later. A rule that becomes
// stricter is a new rule, of a new set.
type Requirements struct {
	Set      string `json:"set"`      // year and month, such as 2026-11
	Contract string `json:"contract"` // version of the engine contract that it judges
	Rules    []Rule `json:"rules"`    // in the order in which they are judged and reported
}

// Rule is one thing that an engine must do to be published.
type Rule struct {
	ID    string `json:"id"`    // kebab case
	Rule  string `json:"rule"`  // a sentence, "an engine must ..."
	Cites string `json:"cites"` // where the interface demands it
}

//go:embed requirements/*.json
var requirementFiles embed.FS

var sets = readSets()

// readSets reads the sets, the oldest first. One that cannot be read is a mistake in
// this package.
func readSets() []*Requirements {
	const dir = "requirements"
	entries, err := requirementFiles.ReadDir(dir) // in the order of their names
	if err != nil {
		panic(err)
	}
	var list []*Requirements
	for _, e := range entries {
		data, err := requirementFiles.ReadFile(path.Join(dir, e.Name()))
		set := new(Requirements)
		if err == nil {
			err = json.Unmarshal(data, set)
		}
		if err != nil || set.Set+".json" != e.Name() {
			panic(fmt.Sprintf("conformance: %s: it must be the set of its name (%v)", e.Name(), err))
		}
		list = append(list, set)
	}
	return list
}

// Sets returns every set of requirements, the oldest first.
func Sets() []*Requirements { return slices.Clone(sets) }

// Newest returns the set that engines are judged by unless another is asked for.
func Newest() *Requirements { return sets[len(sets)-1] }

// FindSet returns the set of the name, and Newest for the empty one.
func FindSet(name string) (*Requirements, error) {
	if name == "" {
		return Newest(), nil
	}
	var names []string
	for _, s := range sets {
		if s.Set == name {
			return s, nil
		}
		names = append(names, s.Set)
	}
	return nil, fmt.Errorf("there is no set of requirements %q: the sets are %s", name, strings.Join(names, ", "))
}

// Rules returns the rules of the newest set.
func Rules() []Rule { return slices.Clone(Newest().Rules) }
