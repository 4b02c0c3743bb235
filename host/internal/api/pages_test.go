package api_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/api"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/snapshot"
)

// paper is pages that say what they are.
type paper struct{}

func (paper) Gets() map[string]http.Handler {
	return map[string]http.Handler{"/{$}": sayer("index"), "/assets/{name}": sayer("asset"), "/calc/{group}/{tool}": sayer("calculator")}
}

func (paper) Posts() map[string]http.Handler {
	return map[string]http.Handler{"/calc/{group}/{tool}": sayer("posted"), "/calc/{group}/{tool}/freeze": sayer("frozen")}
}

func sayer(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { paper{}.Write(w, r, http.StatusOK, []byte(text)) })
}

func (paper) Result(_ context.Context, a *calc.Answer) ([]byte, error) {
	return fmt.Appendf(nil, "result of %s", a.Release.Version), nil
}

func (paper) Snapshot(_ context.Context, s snapshot.Snapshot) ([]byte, error) {
	return fmt.Appendf(nil, "snapshot %s", s.ID), nil
}

func (paper) Evidence(r *calc.Release) ([]byte, error) {
	return fmt.Appendf(nil, "evidence of %s", r.Version), nil
}

func (paper) Problem(doc calc.CodeDoc) ([]byte, error) {
	return fmt.Appendf(nil, "code %s", doc.Code), nil
}

func (paper) Failure(p *calc.Problem) ([]byte, error) {
	return fmt.Appendf(nil, "failure %s", p.Code), nil
}

func (paper) Write(w http.ResponseWriter, _ *http.Request, status int, html []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(html)
}

// A browser gets pages where there are any, and a program never does.
func TestPages(t *testing.T) {
	s := serveWith(t, &api.Options{Pages: paper{}})
	const browser = "text/html,application/xhtml+xml,*/*;q=0.8"
	for _, tt := range []struct {
		method, path, accept string
		status               int
		want                 string
	}{
		{"GET", "/", browser, 200, "index"},
		{"GET", "/calc/geometry/volume?side=2", browser, 200, "calculator"},
		{"POST", "/calc/geometry/volume", browser, 200, "posted"},
		{"POST", "/calc/geometry/volume/freeze", browser, 200, "frozen"},
		{"POST", "/api/v1/calc/volume", browser, 200, "result of 2.0.0"},
		{"POST", "/api/v1/calc/volume", "*/*", 200, `"volume":16`},
		{"GET", "/api/v1/capabilities/volume/evidence", browser, 200, "evidence of 2.0.0"},
		{"GET", "/api/v1/capabilities/volume/evidence", "application/json", 200, `"release_digest"`},
		{"GET", "/problems/side-must-be-positive", browser, 200, "code SIDE_MUST_BE_POSITIVE"},
		{"GET", "/problems/side-must-be-positive", "*/*", 200, `"code":"SIDE_MUST_BE_POSITIVE"`},
		{"POST", "/api/v1/calc/volume", "application/json, text/html;q=0.5", 200, `"volume":16`},
		{"POST", "/api/v1/calc/volume", "text/html;q=0.001, application/json", 200, `"volume":16`},
		{"GET", "/api/v1/capabilities/volume/evidence", "text/html;q=0.1, application/json", 200, `"release_digest"`},
		{"GET", "/problems/side-must-be-positive", "text/html;q=0.1, application/json", 200, `"code":"SIDE_MUST_BE_POSITIVE"`},
		{"GET", "/nothing", "text/html;q=0.1, application/problem+json", 404, `"status":404`},
		{"GET", "/nothing", browser, 404, "failure NOT_FOUND"},
		{"GET", "/nothing", "*/*", 404, `"code":"NOT_FOUND"`},
		{"GET", "/api/v1/calc/nothing", browser, 404, `"code":"ENGINE_NOT_FOUND"`},
		{"POST", "/nothing", browser, 404, `"code":"NOT_FOUND"`},
		{"PUT", "/calc/geometry/volume", browser, 405, `"code":"METHOD_NOT_ALLOWED"`},
	} {
		resp := send(t, s, tt.method, tt.path, `{"side":2}`, "Accept", tt.accept)
		if resp.StatusCode != tt.status || !strings.Contains(resp.text, tt.want) {
			t.Errorf("%s %s %s: %d %s, want %d %s", tt.method, tt.path, tt.accept, resp.StatusCode, resp.text, tt.status, tt.want)
		}
		if vary := strings.Join(resp.Header.Values("Vary"), ", "); strings.HasPrefix(tt.path, "/api/") || strings.HasPrefix(tt.path, "/problems/") || resp.StatusCode >= 400 {
			if !slices.Contains(strings.Split(vary, ", "), "Accept") {
				t.Errorf("%s %s %s: Vary %q", tt.method, tt.path, tt.accept, vary)
			}
		}
		if html := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html"); html == strings.Contains(tt.want, `"`) {
			t.Errorf("%s %s %s: %s", tt.method, tt.path, tt.accept, resp.Header.Get("Content-Type"))
		}
	}
}
