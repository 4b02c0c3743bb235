package words

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Ratchet counts the findings in older texts. The key of a finding is its module, its rule and a digest of its
// sentence without the folders of paths. An entry follows its sentence to another line, file or module, and a path
// in it to another folder. It is lost when the sentence changes.
type Ratchet map[Entry]int

// folders matches the folders of a path.
var folders = regexp.MustCompile(`(?:[\w.-]*/)+`)

// Entry is a line of a ratchet.
type Entry struct{ Module, Rule, Digest string }

// String returns the line of the file.
func (e Entry) String() string { return e.Module + " " + e.Rule + " " + e.Digest }

// Entry returns the entry of a finding. Its module is the first directory of the path if modules has it,
// and otherwise "root".
func (f *Finding) Entry(modules []string) Entry {
	module, _, _ := strings.Cut(f.Path, "/")
	if !slices.Contains(modules, module) {
		module = "root"
	}
	sum := sha256.Sum256([]byte(folders.ReplaceAllString(f.Body, "")))
	return Entry{module, f.Rule, hex.EncodeToString(sum[:6])}
}

// ParseRatchet reads the text of a ratchet.
func ParseRatchet(text string) (Ratchet, error) {
	r := Ratchet{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return nil, fmt.Errorf("%q is not a line with a module, a rule and a digest", line)
		}
		r[Entry{fields[0], fields[1], fields[2]}]++
	}
	return r, nil
}

// String returns the text of a ratchet: a line for each finding, in order.
func (r Ratchet) String() string {
	var text strings.Builder
	for _, e := range slices.SortedFunc(maps.Keys(r), func(a, b Entry) int { return cmp.Compare(a.String(), b.String()) }) {
		for range r[e] {
			fmt.Fprintln(&text, e)
		}
	}
	return text.String()
}

// Compare returns the findings that are not in the ratchet, and the ratchet with the entries that were found. The
// entry of a sentence that moved to another module moves with it.
func (r Ratchet) Compare(found []Finding, modules []string) (fresh []Finding, kept Ratchet) {
	kept = Ratchet{}
	var others []Finding
	for _, f := range found {
		e := f.Entry(modules)
		if kept[e] == r[e] {
			others = append(others, f)
			continue
		}
		kept[e]++
	}
	left := r.without(kept)
	for _, f := range others {
		e := f.Entry(modules)
		if !left.takeMoved(e) {
			fresh = append(fresh, f)
			continue
		}
		kept[e]++
	}
	return fresh, kept
}

// without returns the entries that are not in the other ratchet.
func (r Ratchet) without(other Ratchet) Ratchet {
	rest := Ratchet{}
	for e, n := range r {
		if n > other[e] {
			rest[e] = n - other[e]
		}
	}
	return rest
}

// takeMoved removes an entry that equals e or differs only in its module, and reports whether there is one.
func (r Ratchet) takeMoved(e Entry) bool {
	for from, n := range r {
		if n > 0 && from.Rule == e.Rule && from.Digest == e.Digest {
			r[from]--
			return true
		}
	}
	return false
}

// Totals counts the findings of each module.
func (r Ratchet) Totals() map[string]int {
	totals := map[string]int{}
	for e, n := range r {
		totals[e.Module] += n
	}
	return totals
}

// Risen returns the modules with more findings in r than in an older ratchet. A finding that moved to another module
// counts in both ratchets for the new module. An empty ratchet has no limits.
func (r Ratchet) Risen(older Ratchet) []string {
	if len(older) == 0 {
		return nil
	}
	before := older.Totals()
	gone := older.without(r)
	for e, n := range r.without(older) {
		for ; n > 0 && gone.takeMoved(e); n-- {
			before[e.Module]++
		}
	}
	var modules []string
	for module, n := range r.Totals() {
		if n > before[module] {
			modules = append(modules, module)
		}
	}
	slices.Sort(modules)
	return modules
}
