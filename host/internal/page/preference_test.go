package page_test

import (
	"slices"
	"strings"
	"testing"
)

// A browser gets pages if there are any, and a program never does.
func TestPreference(t *testing.T) {
	s := newSite(t)
	const browser = "text/html,application/xhtml+xml,*/*;q=0.8"
	for _, tt := range []struct {
		method, path, accept string
		status               int
		want                 string
	}{
		{"GET", "/", browser, 200, "<h1"},
		{"GET", "/calc/beams/shelf?length=2", browser, 200, "<h1"},
		{"POST", "/calc/beams/shelf", browser, 415, "<h1"},
		{"POST", "/calc/beams/shelf/freeze", browser, 415, "<h1"},
		{"POST", "/api/v1/calc/shelf", browser, 200, "<section"},
		{"POST", "/api/v1/calc", browser, 400, `"code":"MISSING_REQUIRED_INPUT"`},
		{"POST", "/api/v1/calc/shelf", "*/*", 200, `"delta":`},
		{"GET", "/api/v1/capabilities/shelf/evidence", browser, 200, "<h1"},
		{"GET", "/api/v1/capabilities/shelf/evidence", "application/json", 200, `"release_digest"`},
		{"GET", "/problems/length-out-of-range", browser, 200, "<h1"},
		{"GET", "/problems/length-out-of-range", "*/*", 200, `"code":"LENGTH_OUT_OF_RANGE"`},
		{"POST", "/api/v1/calc/shelf", "application/json, text/html;q=0.5", 200, `"delta":`},
		{"POST", "/api/v1/calc/shelf", "text/html;q=0.001, application/json", 200, `"delta":`},
		{"GET", "/api/v1/capabilities/shelf/evidence", "text/html;q=0.1, application/json", 200, `"release_digest"`},
		{"GET", "/problems/length-out-of-range", "text/html;q=0.1, application/json", 200, `"code":"LENGTH_OUT_OF_RANGE"`},
		{"GET", "/nothing", "text/html;q=0.1, application/problem+json", 404, `"status":404`},
		{"GET", "/nothing", browser, 404, "<h1"},
		{"GET", "/nothing", "*/*", 404, `"code":"NOT_FOUND"`},
		{"GET", "/api/v1/calc/nothing", browser, 404, `"code":"ENGINE_NOT_FOUND"`},
		{"POST", "/nothing", browser, 404, `"code":"NOT_FOUND"`},
		{"PUT", "/calc/beams/shelf", browser, 405, `"code":"METHOD_NOT_ALLOWED"`},
	} {
		a := s.ask(t, tt.method, tt.path, `{"length":2,"mode":"hard"}`, "Accept", tt.accept, "Content-Type", "application/json")
		if a.status != tt.status || !strings.Contains(a.text, tt.want) {
			t.Errorf("%s %s %s: %d %s, want %d %s", tt.method, tt.path, tt.accept, a.status, a.text, tt.status, tt.want)
		}
		own := strings.HasPrefix(tt.path, "/calc/") || tt.path == "/" // URLs with pages only
		if vary := strings.Split(strings.Join(a.header.Values("Vary"), ", "), ", "); !slices.Contains(vary, "Accept") && (!own || tt.status == 405) {
			t.Errorf("%s %s %s: Vary %q", tt.method, tt.path, tt.accept, vary)
		}
		if html := strings.HasPrefix(a.header.Get("Content-Type"), "text/html"); html != strings.HasPrefix(tt.want, "<") {
			t.Errorf("%s %s %s: %s", tt.method, tt.path, tt.accept, a.header.Get("Content-Type"))
		}
	}
}
