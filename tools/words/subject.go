package words

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	subject  = regexp.MustCompile(`^[a-z0-9][\w./, -]*: ([a-z][\w-]*)\b.*$`)
	otherWay = regexp.MustCompile(`^(?:an?|the|this|that|these|no|it|all|each|every|some|its|is|are|\w+(?:[^s]s|ed|ing))$`)
	verbs    = regexp.MustCompile(`^(?:bring|ping|swing|string|(?:em)?bed|feed|heed|need|seed|speed|shed|proceed|exceed|succeed|bias|focus|canvas|redis)$`)
)

// CheckSubject returns the problem of a commit subject, or "".
func CheckSubject(s string) string {
	if n := utf8.RuneCountInString(s); n > 72 {
		return "a subject has at most 72 characters"
	}
	m := subject.FindStringSubmatch(s)
	if m == nil || strings.HasSuffix(s, ".") || otherWay.MatchString(m[1]) && !verbs.MatchString(m[1]) {
		return "a subject is `area: imperative`, such as `publish: resolve tool ids without a scan`"
	}
	return ""
}
