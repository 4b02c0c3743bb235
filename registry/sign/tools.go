package sign

import (
	"slices"
	"strings"
)

// Lists reports whether the trust file lists the tool id for the key that signed.
func (s *Signature) Lists(tool string) bool { return lists(s.Tools, tool) }

func lists(tools []string, tool string) bool {
	return slices.ContainsFunc(tools, func(t string) bool {
		beginning, open := strings.CutSuffix(t, "*")
		return t == tool || open && strings.HasPrefix(tool, beginning)
	})
}

// KeptFor returns the names of the keys for which the trust file reserves a tool id, because
// they list it. Only releases that these keys signed may name it. If there is no such key,
// every publisher may name it who is not limited to other tools.
func (t *Trust) KeptFor(tool string) (names []string) {
	for _, k := range t.keys {
		if lists(k.Tools, tool) {
			names = append(names, k.Name)
		}
	}
	return names
}
