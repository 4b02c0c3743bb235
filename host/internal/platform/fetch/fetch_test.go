package fetch_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/platform/fetch"
)

func TestGet(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/small":
			_, _ = w.Write([]byte("four"))
		case "/away":
			http.Redirect(w, r, "http://192.0.2.1/small", http.StatusFound)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		case "/once":
			http.Redirect(w, r, "/small", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	for _, path := range []string{"/small", "/once"} {
		if body, err := fetch.Get(t.Context(), s.URL+path, &fetch.Options{Limit: 4, Authentic: true}); err != nil || string(body) != "four" {
			t.Errorf("%s: %q, %v", path, body, err)
		}
	}
	for _, tt := range []struct {
		address string
		o       *fetch.Options
		want    string
	}{
		{s.URL + "/small", &fetch.Options{Limit: 3}, "more than the 3 bytes"},
		{s.URL + "/nothing", nil, "404 Not Found"},
		{s.URL + "/round", nil, "redirects too often"},
		{s.URL + "/away", &fetch.Options{Authentic: true}, "without TLS"},
		{"http://192.0.2.1/keys", &fetch.Options{Authentic: true}, "without TLS"},
		{"ftp://192.0.2.1/keys", nil, "not a URL"},
		{"https:///keys", nil, "not a URL"},
		{"https://[", nil, "missing ']'"},
	} {
		if _, err := fetch.Get(t.Context(), tt.address, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.address, err, tt.want)
		}
	}
}
