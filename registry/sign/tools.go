package sign

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// checkTools refuses tools that are no ids, and those of a key that names none.
func (k *Key) checkTools() error {
	if k.Tools == nil {
		return nil
	}
	if !slices.Contains(k.Roles, Publishes) {
		return fmt.Errorf("it has tools, which only a key with the role %s names", Publishes)
	}
	if len(k.Tools) == 0 {
		return errors.New(`tools is empty: leave it out, or give ids, beginnings such as pipe-*, or "*" for all`)
	}
	for _, tool := range k.Tools {
		if i := strings.IndexByte(tool, '*'); tool == "" || i >= 0 && (i != len(tool)-1 || len(tool) > 1 && !strings.HasSuffix(tool, "-*")) {
			return fmt.Errorf("tool %.100q is no id, no beginning such as pipe-*, and not *", tool)
		}
	}
	return nil
}

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

// mayName returns why a key may not name one of the tool ids.
func (t *Trust) mayName(k *Key, tools []string) error {
	for _, tool := range tools {
		if !lists(k.Tools, tool) && (k.Tools != nil || len(t.KeptFor(tool)) > 0) {
			return fmt.Errorf("the key %q may not say whose the tool id %.100q is", k.Name, tool)
		}
	}
	return nil
}
