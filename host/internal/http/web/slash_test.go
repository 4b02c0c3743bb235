package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/http/web"
)

// A superfluous slash at the end is redirected with the query, for every method, to the existing URL. This also
// works below a path.
func TestSlashes(t *testing.T) {
	handler := web.New("", []web.Route{
		echo("GET", "/{$}"), echo("GET", "/calc/{group}/{tool}"), echo("GET", "/api/v1/calc"), echo("POST", "/api/v1/calc/{id}"),
		echo("GET", "/readyz"), echo("GET", "/problems/{slug}"),
	}, nil)
	below := http.NewServeMux()
	below.Handle("/below/", http.StripPrefix("/below", handler))
	for _, root := range []string{"", "/below"} {
		s := httptest.NewServer(handler)
		if root != "" {
			s.Config.Handler = below
		}
		t.Cleanup(s.Close)
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		for _, tt := range []struct{ method, path, to string }{
			{"GET", "/api/v1/calc/", "/api/v1/calc"},
			{"POST", "/api/v1/calc/volume/?calculation_version=1.0.0", "/api/v1/calc/volume?calculation_version=1.0.0"},
			{"GET", "/calc/geometry/volume/?side=2&x=%20", "/calc/geometry/volume?side=2&x=%20"},
			{"GET", "/calc/geometry/a%2Fb:c/", "/calc/geometry/a%2Fb:c"},
			{"GET", "/calc/?q=beam", "/?q=beam"},
			{"GET", "/calc", "/"},
			{"GET", "/readyz/", "/readyz"},
			{"GET", "/nothing/", ""},
			{"GET", "/problems/", ""},
			{"GET", "/", ""},
			{"GET", "//evil.example/", ""},
		} {
			req, err := http.NewRequestWithContext(t.Context(), tt.method, s.URL+root+tt.path, strings.NewReader(""))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if tt.to == "" {
				if resp.StatusCode == http.StatusPermanentRedirect {
					t.Errorf("%s%s: %s", root, tt.path, resp.Header.Get("Location"))
				}
				continue
			}
			to, err := url.Parse(resp.Header.Get("Location"))
			if err != nil {
				t.Fatal(err)
			}
			if got := req.URL.ResolveReference(to).String(); resp.StatusCode != http.StatusPermanentRedirect || got != s.URL+root+tt.to {
				t.Errorf("%s%s: %d %s, want %s", root, tt.path, resp.StatusCode, got, tt.to)
			}
		}
	}
}

// OPTIONS * is answered like any OPTIONS.
func TestOptionsOfAll(t *testing.T) {
	r := httptest.NewRequest("OPTIONS", "*", nil)
	w := httptest.NewRecorder()
	web.New("", nil, nil).ServeHTTP(w, r)
	if w.Code != http.StatusNoContent || w.Header().Get("Allow") == "" || w.Header().Get("Access-Control-Allow-Methods") == "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}
