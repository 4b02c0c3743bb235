package preset

import (
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk/internal/pattern"
)

// sizePattern matches a part of a nominal size: NPS 2, sch 40, DN 50, 1 1/2 in or 2".
var sizePattern = pattern.New(`(nps|dn|schedule|sched|sch)\.? *` + sizeNumber + `|` + sizeNumber + ` *(inches|inch|in|"|″|'')`)

const sizeNumber = `(\d+(?:(?: |-)\d+/\d+|/\d+)?)`

// readSizes returns the parts of a nominal size in the spelling of names, such as "nps 2" and "schedule 40". It also
// returns the rest of the text.
func readSizes(text string) (sizes []string, rest string) {
	rest = sizePattern.ReplaceAllStringFunc(strings.ToLower(text), func(part string) string {
		m := sizePattern.FindStringSubmatch(part)
		kind, number := m[1], m[2]
		switch {
		case m[4] != "": // a nominal size in inches
			kind, number = "nps", m[3]
		case strings.HasPrefix(kind, "sch"):
			kind = "schedule"
		}
		sizes = append(sizes, kind+" "+strings.ReplaceAll(number, " ", "-"))
		return ""
	})
	return sizes, rest
}

// BySize finds the only row with a nominal size as people write it: "2 in sch 40" is "NPS 2 (DN 50), schedule 40". It
// returns nil if the text contains anything else, or if no row or several rows have the size.
func (t *Table) BySize(text string) *Row {
	sizes, rest := readSizes(text)
	rest = strings.Trim(rest, " ,()")
	if len(sizes) == 0 || rest != "" && rest != t.Noun {
		return nil
	}
	var found *Row
	for i := range t.Rows {
		has, _ := readSizes(t.Rows[i].Name)
		if slices.ContainsFunc(sizes, func(s string) bool { return !slices.Contains(has, s) }) {
			continue
		}
		if found != nil {
			return nil
		}
		found = &t.Rows[i]
	}
	return found
}
