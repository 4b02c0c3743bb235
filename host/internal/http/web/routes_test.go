package web_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/web"
)

// echo returns a route that answers with its pattern.
func echo(method, pattern string) web.Route {
	return web.Route{Method: method, Pattern: pattern, Handler: func(w http.ResponseWriter, _ *http.Request) error {
		web.WriteJSON(w, http.StatusOK, []byte(pattern))
		return nil
	}}
}

// failing returns a route with a handler that returns the error.
func failing(pattern string, err error, fail web.ErrorWriter) web.Route {
	return web.Route{Method: "GET", Pattern: pattern, Fail: fail, Handler: func(http.ResponseWriter, *http.Request) error { return err }}
}

var missing = problem.New(problem.CodeNotFound, "", "it is gone")

// Errors of handlers are written once, by the route or as a problem. Their codes are observed and logged in
// both cases.
func TestErrors(t *testing.T) {
	answered := func(w http.ResponseWriter, _ *http.Request) error {
		w.WriteHeader(http.StatusServiceUnavailable)
		return &web.Answered{Problem: problem.Unavailable("a", "1.0.0", errors.New("secret cause"))}
	}
	var log strings.Builder
	var seen web.Observation
	h := web.New("https://a.example", []web.Route{
		failing("/problem", missing, nil),
		failing("/own", missing, func(w http.ResponseWriter, _ *http.Request, p *problem.Problem) {
			http.Error(w, "own words", p.Status())
		}),
		failing("/fault", errors.New("secret cause"), nil),
		{Method: "GET", Pattern: "/answered", Handler: answered},
		{Method: "GET", Pattern: "/panic", Handler: func(http.ResponseWriter, *http.Request) error { panic("secret cause") }},
		echo("GET", "/fine"),
	}, &web.Options{Log: slog.New(slog.NewTextHandler(&log, nil)), Observe: func(o web.Observation) { seen = o }})
	for _, tt := range []struct {
		path      string
		status    int
		text      string // part of the body
		code, log string
	}{
		{"/problem", 404, `"code":"NOT_FOUND"`, "NOT_FOUND", ""},
		{"/own", 404, "own words", "NOT_FOUND", ""},
		{"/fault", 500, `"code":"INTERNAL_ERROR"`, "INTERNAL_ERROR", `msg="request failed" id=my-id`},
		{"/answered", 503, "", "ENGINE_UNAVAILABLE", `msg="request failed" id=my-id method=GET path=/answered code=ENGINE_UNAVAILABLE error="secret cause"`},
		{"/panic", 500, `"code":"INTERNAL_ERROR"`, "INTERNAL_ERROR", `msg="handler panicked" id=my-id`},
		{"/fine", 200, "/fine", "", ""},
		{"/nothing", 404, `"code":"NOT_FOUND"`, "NOT_FOUND", ""},
	} {
		log.Reset()
		r := httptest.NewRequest("GET", tt.path, nil)
		r.Header.Set("X-Request-Id", "my-id")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		body := w.Body.String()
		if w.Code != tt.status || !strings.Contains(body, tt.text) || tt.text == "" && body != "" || strings.Contains(body, "secret") {
			t.Errorf("%s: %d %s", tt.path, w.Code, body)
		}
		if seen.Code != tt.code || seen.Status != tt.status {
			t.Errorf("%s: observed %+v", tt.path, seen)
		}
		if got := log.String(); !strings.Contains(got, tt.log) || tt.log == "" && got != "" {
			t.Errorf("%s: logged %s, want %s", tt.path, got, tt.log)
		}
	}
}

// The caller's preference selects between a page and data at one URL. A page without a data route answers all
// callers.
func TestPreference(t *testing.T) {
	page, alone := echo("GET", "/both"), echo("GET", "/alone")
	page.Page, alone.Page = true, true
	page.Handler = func(w http.ResponseWriter, r *http.Request) error {
		web.WritePage(w, r, http.StatusOK, []byte("<p>page"))
		return nil
	}
	for _, routes := range [][]web.Route{{echo("GET", "/both"), page, alone}, {alone, page, echo("GET", "/both")}} {
		h := web.New("", routes, nil)
		for _, tt := range []struct{ path, accept, want, vary string }{
			{"/both", "text/html", "<p>page", "Accept-Encoding, Accept"},
			{"/both", "*/*", "/both", "Accept-Encoding, Accept"},
			{"/both", "", "/both", "Accept-Encoding, Accept"},
			{"/alone", "text/html", "/alone", "Accept-Encoding"},
			{"/alone", "application/json", "/alone", "Accept-Encoding"},
		} {
			r := httptest.NewRequest("GET", tt.path, nil)
			r.Header.Set("Accept", tt.accept)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if vary := strings.Join(w.Header()["Vary"], ", "); w.Body.String() != tt.want || vary != tt.vary {
				t.Errorf("%s %q: %s, Vary %s", tt.path, tt.accept, w.Body, vary)
			}
		}
	}
}
