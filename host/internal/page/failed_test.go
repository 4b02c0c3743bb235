package page_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/http/web"
)

// The log and the metrics have the code of every page that fails, and the log also has the id of its request.
func TestFailedPagesAreObserved(t *testing.T) {
	s := newSite(t)
	var log strings.Builder
	var seen web.Observation
	h := web.New(base, s.pages.Routes(), &web.Options{
		Log: slog.New(slog.NewTextHandler(&log, nil)), LogRequests: true, FailurePage: s.pages.Failure,
		Observe: func(o web.Observation) { seen = o },
	})
	for _, tt := range []struct {
		path   string
		status int
		code   string
	}{
		{"/calc/beams/shelf?length=2&mode=hard", 200, ""},
		{"/calc/beams/shelf?length=x", 200, ""}, // the inputs are to blame: the page works
		{"/calc/beams/shelf?length=2&mode=hard&wet=true&point_load=9e6", 500, "INTERNAL_ERROR"},
		{"/calc/beams/nothing", 404, "ENGINE_NOT_FOUND"},
		{"/calc/nothing", 404, "ENGINE_NOT_FOUND"},
		{"/nothing", 404, "NOT_FOUND"},
	} {
		log.Reset()
		path, query, _ := strings.Cut(tt.path, "?")
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.URL.RawQuery = query
		r.Header.Set("X-Request-Id", "my-id")
		h.ServeHTTP(httptest.NewRecorder(), r)
		if seen.Status != tt.status || seen.Code != tt.code {
			t.Errorf("%s: observed %+v, want %d %s", tt.path, seen, tt.status, tt.code)
		}
		line := "msg=request id=my-id method=GET path=" + path
		if got := log.String(); !strings.Contains(got, line) || tt.code != "" && !strings.Contains(got, "code="+tt.code) {
			t.Errorf("%s: logged %s", tt.path, got)
		}
		if failed := strings.Contains(log.String(), `msg="request failed" id=my-id`); failed != (tt.status >= 500) {
			t.Errorf("%s: logged %s", tt.path, &log)
		}
	}
}
