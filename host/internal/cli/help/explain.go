package help

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/slipstick/slipstick/docs"
	"github.com/slipstick/slipstick/sdk/spelling"
)

// errorsPage is the page of the documentation about codes.
const errorsPage = "reference/errors"

// Explain returns the section of the documentation about a code of an error or warning, or about the exit codes, as text for
// a terminal. A code that only engines have is in the section about their codes.
func Explain(code string) (string, error) {
	page, err := docs.Files.ReadFile(errorsPage + ".md")
	if err != nil {
		return "", err
	}
	heading := strings.ToUpper(strings.NewReplacer("-", "_", " ", "_").Replace(code))
	if exitCode.MatchString(code) {
		heading = "Exit codes"
	}
	text, known := section(string(page), heading)
	guess, near := spelling.Guess(heading, codesIn(string(page)))
	switch {
	case known:
	case near:
		return "", fmt.Errorf("there is no code %s, did you mean %s?", heading, guess)
	case !engineCode.MatchString(heading):
		return "", fmt.Errorf("%q is not a code, such as INVALID_NUMBER, nor an exit code, such as 3", code)
	default:
		heading = "Codes of engines"
		text, _ = section(string(page), heading)
	}
	return plain(text) + "\n\nEvery server has this page at /docs/" + errorsPage + "#" + docs.Slug(heading) + "\n", nil
}

var (
	exitCode   = regexp.MustCompile(`^[0-3]$`)
	engineCode = regexp.MustCompile(`^[A-Z0-9]+(_[A-Z0-9]+)+$`)
	headings   = regexp.MustCompile(`(?m)^##+ (.+)$`)
	codes      = regexp.MustCompile(`(?m)^### ([A-Z0-9_]+)$`)
)

func codesIn(page string) (all []string) {
	for _, found := range codes.FindAllStringSubmatch(page, -1) {
		all = append(all, found[1])
	}
	return all
}

// section returns the text of a page from a heading to the next one.
func section(page, heading string) (text string, ok bool) {
	all := headings.FindAllStringSubmatchIndex(page, -1)
	for i, at := range all {
		if page[at[2]:at[3]] != heading {
			continue
		}
		end := len(page)
		if i+1 < len(all) {
			end = all[i+1][0]
		}
		return heading + "\n\n" + strings.TrimSpace(page[at[1]:end]), true
	}
	return "", false
}

var (
	links  = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)
	marked = strings.NewReplacer("**", "", "`", "")
	rule   = regexp.MustCompile(`^\|(?: --- \|)+$`)
)

// plain returns Markdown as text: examples are indented, and other lines have no marks.
func plain(markdown string) string {
	var lines []string
	fenced := false
	for line := range strings.SplitSeq(strings.TrimSpace(markdown), "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case fenced:
			lines = append(lines, strings.TrimRight("    "+line, " "))
		case rule.MatchString(line):
		case strings.HasPrefix(line, "| "):
			lines = append(lines, marked.Replace(strings.ReplaceAll(strings.Trim(line, "| "), " | ", "  ")))
		default:
			lines = append(lines, marked.Replace(links.ReplaceAllString(line, "$1")))
		}
	}
	return strings.Join(lines, "\n")
}
