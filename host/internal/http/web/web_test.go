package web_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/http/web"
)

// The weights of media types determine the answer, and not their order.
func TestMedia(t *testing.T) {
	for _, tt := range []struct {
		accept []string
		offers string
		want   string
	}{
		{nil, "application/json text/html", "application/json"},
		{[]string{""}, "application/json text/html", "application/json"},
		{[]string{"*/*"}, "application/json text/html", "application/json"},
		{[]string{"text/html"}, "application/json text/html", "text/html"},
		{[]string{"TEXT/HTML"}, "application/json text/html", "text/html"},
		{[]string{"text/html; charset=utf-8"}, "application/json text/html", "text/html"},
		{[]string{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}, "application/json text/html", "text/html"},
		{[]string{"application/json, text/html;q=0.5"}, "application/json text/html", "application/json"},
		{[]string{"text/html;q=0.5, application/json"}, "application/json text/html", "application/json"},
		{[]string{"text/html;q=0.001, application/json"}, "application/json text/html", "application/json"},
		{[]string{"text/html;q=0.9", "application/json;q=0.8"}, "application/json text/html", "text/html"},
		{[]string{"text/html, application/json"}, "application/json text/html", "application/json"},
		{[]string{"text/html;q=0, */*"}, "application/json text/html", "application/json"},
		{[]string{"text/*"}, "application/json text/html", "text/html"},
		{[]string{"image/png"}, "application/json text/html", "application/json"},
		{[]string{"application/problem+json;q=0.1, application/json"}, "application/json application/problem+json", "application/json"},
		{[]string{"application/problem+json, application/json;q=0.5"}, "application/json application/problem+json", "application/problem+json"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		if tt.accept != nil {
			r.Header["Accept"] = tt.accept
		}
		if got := web.Media(r, strings.Fields(tt.offers)...); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.accept, got, tt.want)
		}
	}
}

func TestVary(t *testing.T) {
	h := http.Header{"Vary": {"accept-encoding, Accept"}}
	web.Vary(h, "Accept", "Service-Spec-Version", "Accept-Encoding")
	web.Vary(h, "service-spec-version")
	if got := strings.Join(h["Vary"], "; "); got != "accept-encoding, Accept; Service-Spec-Version" {
		t.Error(got)
	}
}

// Large answers are compressed for callers who accept that, and a cache with a compressed answer can revalidate
// it.
func TestCompress(t *testing.T) {
	large := strings.Repeat("0123456789", 1000)
	answer := func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("ETag", `"x"`)
		if r.Header.Get("If-None-Match") == `"x"` {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
		w.Header().Set("Content-Type", web.JSON)
		_, err := io.WriteString(w, large[:len(r.URL.Path)*1000])
		return err
	}
	h := web.New("", []web.Route{{Method: "GET", Pattern: "/{$}", Handler: answer}, {Method: "GET", Pattern: "/12", Handler: answer}}, nil)
	for _, tt := range []struct {
		path, accepts, tag string
		status             int
		zipped             bool
	}{
		{"/12", "gzip", "", 200, true}, {"/12", "br, gzip;q=0.8", "", 200, true}, {"/12", "", "", 200, false}, {"/12", "gzip;q=0", "", 200, false},
		{"/", "gzip", "", 200, false}, {"/12", "gzip", `"x-gzip"`, 304, false}, {"/12", "gzip", `"x"`, 304, false}, {"/12", "gzip", `"y"`, 200, true},
	} {
		r := httptest.NewRequest("GET", tt.path, nil)
		if tt.accepts != "" {
			r.Header.Set("Accept-Encoding", tt.accepts)
		}
		if tt.tag != "" {
			r.Header.Set("If-None-Match", tt.tag)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if zipped := w.Header().Get("Content-Encoding") == "gzip"; w.Code != tt.status || zipped != tt.zipped || w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%+v: %d %v", tt, w.Code, w.Header())
			continue
		}
		if tt.zipped {
			if w.Header().Get("ETag") == `"x"` {
				t.Errorf("%+v: other bytes have the same tag", tt)
			}
			z, err := gzip.NewReader(w.Body)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(z); err != nil || string(body) != large[:len(tt.path)*1000] {
				t.Errorf("%+v: %q, %v", tt, body, err)
			}
		}
	}
}

// A description contains the conditions of a definition as its author wrote them, without escapes.
func TestDescriptionIsLegible(t *testing.T) {
	w := httptest.NewRecorder()
	err := web.WriteDescription(w, httptest.NewRequest(http.MethodGet, "/", nil), map[string]string{"definition": "y = x if x < 2"})
	if got := w.Body.String(); err != nil || got != "{\"definition\":\"y = x if x < 2\"}\n" {
		t.Errorf("%q, %v", got, err)
	}
}
