package system

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHealth(t *testing.T) {
	h := startServer(t)
	for _, args := range [][]string{{"health", h.url}, {"health", h.url, "--live"}} {
		if r := slipstick(t.Context(), args...); r.code != exitOK || !strings.Contains(r.out, `"status"`) || r.err != "" {
			t.Errorf("%v: %+v", args, r)
		}
	}
	t.Setenv("SLIPSTICK_ADDR", strings.Replace(strings.TrimPrefix(h.url, "http://"), "127.0.0.1", "0.0.0.0", 1))
	if r := slipstick(t.Context(), "health"); r.code != exitOK {
		t.Errorf("by the address that it listens on: %+v", r)
	}
	h.stop(t)
	if r := slipstick(t.Context(), "health"); r.code != exitInternal || !strings.Contains(r.err, "does not answer") {
		t.Errorf("of a host that ended: %+v", r)
	}
	if r := slipstick(t.Context(), "health", "localhost"); r.code != exitMisuse || !strings.Contains(r.err, "http://127.0.0.1:8080") {
		t.Errorf("of no address: %+v", r)
	}

	unready := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, `{"status":"unready"}`, http.StatusServiceUnavailable)
	}))
	defer unready.Close()
	if r := slipstick(t.Context(), "health", unready.URL); r.code != exitFailed || r.out != "" || !strings.Contains(r.err, `/readyz answers 503 Service Unavailable: {"status":"unready"}`) {
		t.Errorf("of a host that is not ready: %+v", r)
	}
}
