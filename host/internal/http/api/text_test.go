package api_test

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/http/api"
)

// document is what version 2.0.0 computes by.
const document = "# Volume\n\nV < 8 & a \"cube\" – ```\n"

// The document comes byte for byte, with the headers of other descriptions. A version that is a program has none.
func TestText(t *testing.T) {
	s := serveWith(t, &api.Options{})
	got := send(t, s, "GET", "/api/v1/capabilities/volume/text", "")
	if got.StatusCode != 200 || got.text != document || got.Header.Get("Content-Type") != "text/markdown; charset=utf-8" {
		t.Errorf("%d %v %q", got.StatusCode, got.Header, got.text)
	}
	described := send(t, s, "GET", "/api/v1/capabilities/volume", "")
	for _, name := range []string{"Cache-Control", "Vary", "Slipstick-Engine-Digest", "Calculation-Version"} {
		if got.Header.Get(name) != described.Header.Get(name) {
			t.Errorf("%s is %q, and %q in the description", name, got.Header.Get(name), described.Header.Get(name))
		}
	}
	again := send(t, s, "GET", "/api/v1/capabilities/volume/text", "", "If-None-Match", got.Header.Get("ETag"))
	if got.Header.Get("ETag") == "" || again.StatusCode != 304 || again.text != "" {
		t.Errorf("with its ETag: %d %q", again.StatusCode, again.text)
	}
	links, _ := described.body["links"].(map[string]any)
	if links["text"] != base+"/api/v1/capabilities/test.geometry.volume/text?calculation_version=2.0.0" {
		t.Errorf("links: %v", links)
	}
	for query, want := range map[string]struct {
		status int
		code   string
	}{
		"?calculation_version=1.0.0": {404, "NOT_FOUND"},
		"?calculation_version=9.0.0": {409, "VERSION_MISMATCH"},
		"?side=2":                    {400, "INVALID_QUERY"},
	} {
		refused := send(t, s, "GET", "/api/v1/capabilities/volume/text"+query, "")
		if refused.StatusCode != want.status || !strings.Contains(refused.text, want.code) {
			t.Errorf("%s: %d %s", query, refused.StatusCode, refused.text)
		}
	}
}
