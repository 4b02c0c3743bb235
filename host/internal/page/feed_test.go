package page_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestFeeds(t *testing.T) {
	s := newSite(t)
	for address, want := range map[string]struct{ media, title, home string }{
		"/feed.atom":                  {"application/atom+xml", "<title>Slipstick: versions and changes</title>", `href="` + base + `/"`},
		"/feed.json":                  {"application/feed+json", `"title":"Slipstick: versions and changes"`, `"home_page_url":"` + base + `/"`},
		"/calc/beams/shelf/feed.atom": {"application/atom+xml", "<title>Shelf &lt;beam&gt; &amp; more: versions", `href="` + base + `/calc/beams/shelf"`},
		"/calc/beams/shelf/feed.json": {"application/feed+json", `"title":"Shelf <beam> & more: versions`, `"home_page_url":"` + base + `/calc/beams/shelf"`},
	} {
		a := s.get(t, address)
		if a.status != 200 || a.header.Get("Content-Type") != want.media || !strings.Contains(a.text, want.title) || !strings.Contains(a.text, want.home) ||
			!strings.Contains(a.text, base+address) || !strings.Contains(a.text, base+"/calc/beams/shelf?calculation_version=2.0.0") {
			t.Errorf("%s: %d %s\n%s", address, a.status, a.header, a.text)
		}
		if got := a.header.Get("Last-Modified"); got != "Fri, 02 Jan 2026 03:04:05 GMT" || a.header.Get("Cache-Control") != "public, max-age=60" {
			t.Errorf("%s: modified %s, %s", address, got, a.header.Get("Cache-Control"))
		}
		for _, tt := range []struct {
			headers []string
			status  int
		}{
			{[]string{"If-None-Match", a.header.Get("ETag")}, 304},
			{[]string{"If-None-Match", `"other"`}, 200},
			{[]string{"If-Modified-Since", "Fri, 02 Jan 2026 03:04:05 GMT"}, 304},
			{[]string{"If-Modified-Since", "Fri, 02 Jan 2026 03:04:04 GMT"}, 200},
			{[]string{"If-Modified-Since", "yesterday"}, 200},
			{[]string{"If-None-Match", `"other"`, "If-Modified-Since", "Fri, 02 Jan 2026 03:04:05 GMT"}, 200},
		} {
			if got := s.get(t, address, tt.headers...); got.status != tt.status || got.status == 304 && got.text != "" {
				t.Errorf("%s with %q: %d", address, tt.headers, got.status)
			}
		}
	}
	if a := s.get(t, "/calc/other/shelf/feed.json"); a.status != 308 || a.header.Get("Location") != "/calc/beams/shelf/feed.json" {
		t.Errorf("of another group: %d %s", a.status, a.header)
	}
	if a := s.get(t, "/calc/beams/shelve/feed.atom"); a.status != 404 {
		t.Errorf("of nothing: %d", a.status)
	}
}

// Pages name the URLs of their feeds for feed readers.
func TestPagesNameTheirFeeds(t *testing.T) {
	s := newSite(t)
	feeds := func(path string) (list []string) {
		a := s.get(t, path)
		for _, n := range a.all(func(n *html.Node) bool { return n.Data == "link" && attr(n, "rel") == "alternate" }) {
			list = append(list, attr(n, "type")+" "+attr(n, "href"))
		}
		return list
	}
	if got := strings.Join(feeds("/"), ", "); got != "application/atom+xml /feed.atom" {
		t.Errorf("the index: %s", got)
	}
	if got := strings.Join(feeds("/calc/beams/shelf"), ", "); got != "application/atom+xml /feed.atom, application/atom+xml /calc/beams/shelf/feed.atom" {
		t.Errorf("a calculator: %s", got)
	}
}
