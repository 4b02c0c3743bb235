package page_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	rootStyle = regexp.MustCompile(`(?s):root \{(.*?)\}`)
	property  = regexp.MustCompile(`(--[a-z-]+): ([^;]+);`)
)

// colours returns the colours of a style sheet, in light and in dark.
func colours(t *testing.T, file string) (list [2]map[string]string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	light, dark, found := strings.Cut(string(data), "@media (prefers-color-scheme: dark)")
	if !found {
		t.Fatalf("%s has no colours in the dark", file)
	}
	for i, part := range []string{light, dark} {
		list[i] = map[string]string{}
		root := rootStyle.FindStringSubmatch(part)
		if root == nil {
			t.Fatalf("%s has no colours", file)
		}
		for _, p := range property.FindAllStringSubmatch(root[1], -1) {
			list[i][p[1]] = p[2]
		}
	}
	return list
}

// The reference of the API has the colours of the site.
func TestReferenceHasColoursOfSite(t *testing.T) {
	site, reference := colours(t, "site/assets/base.css"), colours(t, "../http/apidocs/page/page.css")
	for i := range reference {
		if len(reference[i]) < 8 {
			t.Errorf("%d colours", len(reference[i]))
		}
		for name, colour := range reference[i] {
			if site[i][name] != colour {
				t.Errorf("%s is %s in the reference, and %s on the site", name, colour, site[i][name])
			}
		}
	}
}
