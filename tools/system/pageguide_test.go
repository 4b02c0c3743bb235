package system

import (
	"html"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The tutorial of pages names a search, fields, controls and a number that a server shows.
func TestPageGuide(t *testing.T) {
	guide := string(mustRead(t, filepath.Join(root, "docs", "start", "page-user.md")))
	h := startAll(t)
	asked := regexp.MustCompile("Type `([^`]+)` in the search box").FindStringSubmatch(guide)
	link := regexp.MustCompile(regexp.QuoteMeta(readmeAddress) + `(/calc/\S+)`).FindStringSubmatch(guide)
	if asked == nil || link == nil {
		t.Fatal("the guide has no search or no link")
	}
	calculator, _, _ := strings.Cut(link[1], "?")
	_, found := h.get(t, "/?q="+url.QueryEscape(asked[1]))
	if !strings.Contains(found, `href="`+calculator+`"`) && !strings.Contains(found, `href="`+h.url+calculator+`"`) {
		t.Errorf("the search for %q does not find %s", asked[1], calculator)
	}
	status, page := h.get(t, link[1])
	if status != http.StatusOK || !strings.Contains(page, "1.84641") || !strings.Contains(guide, "1.84641 mm") {
		t.Errorf("%s: %d, without the deflection of the guide", link[1], status)
	}
	shown := html.UnescapeString(found + page)
	words := regexp.MustCompile(`\*\*([^*]+)\*\*`).FindAllStringSubmatch(guide, -1)
	if len(words) < 20 {
		t.Errorf("only %d words of pages were found", len(words))
	}
	for _, w := range words {
		if !strings.Contains(shown, w[1]) {
			t.Errorf("no page has %q", w[1])
		}
	}
}
