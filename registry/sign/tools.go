package sign

import (
	"slices"
	"strings"
)

// Lists reports whether the trust file lists the tool id at the key that signed.
func (s *Signature) Lists(tool string) bool { return lists(s.Tools, tool) }

func lists(tools []string, tool string) bool {
	return slices.ContainsFunc(tools, func(t string) bool {
		beginning, open := strings.CutSuffix(t, "*")
		return t == tool || open && strings.HasPrefix(tool, beginning)
	})
}

// KeptFor returns the names of the keys that the trust file keeps a tool id for: those that
// list it. No release that another key signed, or none, may name it. Without such a key
// every publisher may who is not limited to other tools.
func (t *Trust) KeptFor(tool string) (names []string) {
	for _, k := range t.keys {
		if lists(k.Tools, tool) {
			names = append(names, k.Name)
		}
	}
	return names
}
