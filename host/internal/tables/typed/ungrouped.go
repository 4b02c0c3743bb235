package typed

import (
	"regexp"
	"strings"
)

var (
	marked      = regexp.MustCompile(`[0-9.,]+`)
	commaGroups = regexp.MustCompile(`^[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?$`)
)

// Ungrouped returns a typed text without the commas that separate groups of three digits: 350000 for 350,000. Use it for a
// reader in whose language a comma never precedes decimals.
func Ungrouped(text string) string {
	return marked.ReplaceAllStringFunc(text, func(number string) string {
		if commaGroups.MatchString(number) {
			return strings.ReplaceAll(number, ",", "")
		}
		return number
	})
}
