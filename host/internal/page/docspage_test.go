package page_test

import (
	"regexp"
	"strings"
	"testing"
)

// The documentation is part of the site: its index, a page, a search, and pages that do not exist.
func TestDocumentationPages(t *testing.T) {
	s := newSite(t)
	for path, want := range map[string][]string{
		"/docs":                        {"<h1", `href="/docs/start/document-author"`, `href="/docs/api"`, "belongs to slipstick 1.2.3", `rel="next"`},
		"/docs/start/document-author":  {`<a href="/docs/start/document-author" aria-current="page">`, `<nav class="here"`, `rel="canonical"`},
		"/docs/start/document-author/": {`<a href="/docs/start/document-author" aria-current="page">`},
		"/docs?q=goal+seek":            {`<ol class="found">`, `/docs/guides/studies#`},
		"/docs?q=%3Cscript%3E":         {"&lt;script&gt;"},
		"/docs?q=zzzzz":                {"No page has the words “zzzzz”"},
		"/docs?utm_source=mail":        {`href="/docs/start/document-author"`},
		"/docs/reference/benchmarks":   {"<table>"},
	} {
		w := s.get(t, path)
		body := w.text
		if w.status != 200 || w.header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %d %s", path, w.status, w.header.Get("Content-Type"))
		}
		for _, link := range regexp.MustCompile(`(?:href|src)="([^"#]*)`).FindAllStringSubmatch(body, -1) {
			if to := link[1]; strings.HasPrefix(to, "/docs/") && to != "/docs/api" && s.get(t, to).status != 200 || strings.Contains(to, "root") {
				t.Errorf("%s links to %s", path, to)
			}
		}
		for _, text := range want {
			if !strings.Contains(body, text) {
				t.Errorf("%s lacks %s", path, text)
			}
		}
	}
	for _, path := range []string{"/docs/nothing", "/docs/README.md", "/docs/..%2fgo.mod", "/docs/docs.go"} {
		if w := s.get(t, path); w.status != 404 {
			t.Errorf("%s: %d", path, w.status)
		}
	}
}

// The page of each code of the service links to its place in the documentation.
func TestProblemsLinkToDocumentation(t *testing.T) {
	s := newSite(t)
	manual := s.get(t, "/docs/reference/errors").text
	linked := 0
	for _, doc := range s.service.Catalog().Codes() {
		link := regexp.MustCompile(`href="/docs/reference/errors#([a-z_0-9]+)"`).FindStringSubmatch(s.get(t, "/problems/"+doc.Slug(), "Accept", "text/html").text)
		if (link == nil) != (len(doc.DeclaredBy) > 0) {
			t.Errorf("%s: the link is %q", doc.Code, link)
		}
		if link != nil && !strings.Contains(manual, `id="`+link[1]+`"`) {
			t.Errorf("%s: the documentation has no #%s", doc.Code, link[1])
		}
		if link != nil {
			linked++
		}
	}
	if linked < 50 {
		t.Errorf("only %d codes have a link", linked)
	}
}
