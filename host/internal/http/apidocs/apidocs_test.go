package apidocs_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/slipstick/slipstick/host/internal/http/apidocs"
	"github.com/slipstick/slipstick/host/internal/http/web"
)

// built returns the files that scripts/node/assets writes.
func built() fstest.MapFS {
	files := fstest.MapFS{".gitignore": {Data: []byte("*")}, "VERSION": {Data: []byte("5")}}
	for _, name := range []string{"swagger-ui-bundle.js", "swagger-ui-bundle.js.LICENSE.txt", "swagger-ui.css", "favicon-32x32.png", "LICENSE", "NOTICE"} {
		files[name] = &fstest.MapFile{Data: []byte("content of " + name)}
	}
	return files
}

func get(t *testing.T, h http.Handler, method, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

var (
	loaded = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	inline = regexp.MustCompile(`(?i)<style|<script[^>]*>[^<]|\son[a-z]+=|\sstyle=|javascript:`)
)

// The page loads only files of this server, and each has the right media type.
func TestPageLoadsOnlyFromHere(t *testing.T) {
	h := web.New("", apidocs.RoutesOf(built()), nil)
	page := get(t, h, "GET", "/docs/api")
	if page.Code != 200 || page.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("page: %d %s", page.Code, page.Header().Get("Content-Type"))
	}
	want := map[string]string{
		"api/favicon-32x32.png": "image/png", "api/swagger-ui.css": "text/css; charset=utf-8", "api/page.css": "text/css; charset=utf-8",
		"api/swagger-ui-bundle.js": "text/javascript; charset=utf-8", "api/start.js": "text/javascript; charset=utf-8", "../openapi.json": "",
	}
	for _, m := range loaded.FindAllStringSubmatch(page.Body.String(), -1) {
		media, ok := want[m[1]]
		if !ok && !slices.Contains([]string{"#reference", "../", "../tables", "../docs", "api"}, m[1]) { // the navigation of the site
			t.Errorf("the page loads %s", m[1])
		}
		if media == "" {
			continue
		}
		if file := get(t, h, "GET", "/docs/"+m[1]); file.Code != 200 || file.Header().Get("Content-Type") != media {
			t.Errorf("%s: %d %s", m[1], file.Code, file.Header().Get("Content-Type"))
		}
		delete(want, m[1])
	}
	if len(want) != 1 {
		t.Errorf("the page does not load %v", want)
	}
	if found := inline.FindString(page.Body.String()); found != "" {
		t.Errorf("the page has inline %q, which its policy forbids", found)
	}
	if start := get(t, h, "GET", "/docs/api/start.js").Body.String(); !strings.Contains(start, "validatorUrl: null") || strings.Contains(start, "://") {
		t.Errorf("the page loads from another server: %s", start)
	}
}

// Every answer has a policy that forbids everything the page does not need.
func TestPolicy(t *testing.T) {
	h := web.New("", apidocs.RoutesOf(built()), nil)
	const want = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
	for _, path := range []string{"/docs/api", "/docs/api/start.js", "/docs/api/swagger-ui-bundle.js", "/docs/api/nothing"} {
		header := get(t, h, "GET", path).Header()
		if got := header.Get("Content-Security-Policy"); got != want {
			t.Errorf("%s: policy %q", path, got)
		}
		if header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: may be sniffed", path)
		}
	}
}

// The page has the navigation of the site with and without Swagger UI.
func TestNavigation(t *testing.T) {
	for name, files := range map[string]fstest.MapFS{"with": built(), "without": {".gitignore": {Data: []byte("*")}}} {
		body := get(t, web.New("", apidocs.RoutesOf(files), nil), "GET", "/docs/api").Body.String()
		for _, link := range []string{`href="../">Calculators</a>`, `href="../tables">Tables</a>`, `href="../docs">Docs</a>`, `href="api" aria-current="page">API</a>`, `class="skip" href="#reference"`, `href="api/page.css"`} {
			if !strings.Contains(body, link) {
				t.Errorf("%s Swagger UI the page lacks %s", name, link)
			}
		}
	}
}

// A build without Swagger UI shows how to get it.
func TestMissingAssets(t *testing.T) {
	h := web.New("", apidocs.RoutesOf(fstest.MapFS{".gitignore": {Data: []byte("*")}}), nil)
	page := get(t, h, "GET", "/docs/api")
	body := page.Body.String()
	if page.Code != 200 || !strings.Contains(body, "scripts/node/assets") || !strings.Contains(body, `href="../openapi.json"`) {
		t.Errorf("%d %s", page.Code, body)
	}
	for _, m := range loaded.FindAllStringSubmatch(body, -1) {
		if strings.HasPrefix(m[1], "api/") && get(t, h, "GET", "/docs/"+m[1]).Code != 200 {
			t.Errorf("the page loads %s, which is missing", m[1])
		}
	}
}

func TestOtherRequests(t *testing.T) {
	h := web.New("", apidocs.RoutesOf(built()), nil)
	for _, tt := range []struct {
		method, path string
		status       int
	}{
		{"HEAD", "/docs/api", 200},
		{"POST", "/docs/api", 405},
		{"GET", "/docs/api/.gitignore", 404},
		{"GET", "/docs/api/VERSION", 404},
		{"GET", "/docs/api/docs.html", 404},
		{"GET", "/docs/api/LICENSE", 200},
	} {
		if w := get(t, h, tt.method, tt.path); w.Code != tt.status {
			t.Errorf("%s %s: %d, want %d", tt.method, tt.path, w.Code, tt.status)
		}
	}
	for path, to := range map[string]string{"/docs/api/": "../api", "/docs/api/?capability=ohms-law": "../api?capability=ohms-law"} {
		if w := get(t, h, "GET", path); w.Code != 308 || w.Header().Get("Location") != to {
			t.Errorf("%s leads to %q with %d", path, w.Header().Get("Location"), w.Code)
		}
	}
	tag := get(t, h, "GET", "/docs/api/start.js").Header().Get("ETag")
	if w := get(t, h, "GET", "/docs/api/start.js", "If-None-Match", tag); tag == "" || w.Code != 304 {
		t.Errorf("If-None-Match %s: %d", tag, w.Code)
	}
}

// The handler of this build serves a page, with or without Swagger UI.
func TestHandler(t *testing.T) {
	if w := get(t, web.New("", apidocs.Routes(), nil), "GET", "/docs/api"); w.Code != 200 || !strings.Contains(w.Body.String(), "openapi.json") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
