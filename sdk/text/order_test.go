package text

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A document with each section at its place in the table of the guide has no mistake. Two neighbours in the other order are
// a mistake, unless both are for people.
func TestSectionsAreInTheOrderOfTheGuide(t *testing.T) {
	_, reference, _ := strings.Cut(read(t, formatPage), "\n## Sections\n")
	table, _, _ := strings.Cut(reference, "<!-- end -->")
	var order []string
	for _, row := range regexp.MustCompile("(?m)^\\| `## ([^`]+)` \\|").FindAllStringSubmatch(table, -1) {
		order = append(order, row[1])
	}
	source, err := os.ReadFile("testdata/transformer.calc.md")
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(source), "\n## ")
	parts := map[string]string{
		"Rules":           "\n- at most 1 of t, d\n",
		"Tables":          "\n```table sizes\n# A list\nsize\n1\n```\n",
		"Plots":           "\n```plots\ntime \"Time\"\n  x \"Time\" = t from 1 to 2\n  y \"Time\" = t\n```\n",
		"Sign convention": "\n- None.\n", "Changes": "\n- None.\n", "Notes": "\nNone.\n", "Assumptions": "\n- None.\n",
	}
	for _, part := range strings.Split(rest, "\n## ") {
		name, content, _ := strings.Cut(part, "\n")
		parts[name] = content
	}
	document := func(order []string) []byte {
		text := head
		for _, name := range order {
			if parts[name] == "" {
				t.Fatalf("the test has no section %s", name)
			}
			text += "\n## " + name + "\n" + parts[name]
		}
		return []byte(text)
	}
	parsed := func(order []string) string {
		_, err := Parse("t.calc.md", document(order))
		if err == nil {
			return ""
		}
		return err.Error()
	}
	if len(order) != len(sectionNames) || !slices.Contains(order, "Formulas") {
		t.Fatalf("the table of the guide has the sections %v", order)
	}
	for _, m := range strings.Split(parsed(order), "\n") {
		if strings.Contains(m, "belongs before") {
			t.Error(m)
		}
	}
	for i := range order[1:] {
		swapped := slices.Clone(order)
		swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
		want := "the section " + order[i] + " belongs before " + order[i+1]
		if found := strings.Contains(parsed(swapped), want); found == (isProse(i) && isProse(i+1)) {
			t.Errorf("%s after %s: the mistake is %v", order[i], order[i+1], found)
		}
	}
}
