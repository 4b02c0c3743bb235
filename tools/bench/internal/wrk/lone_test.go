package wrk

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A lone caller sends other inputs in every request, and measures each of them.
func TestLone(t *testing.T) {
	s := &seen{bodies: map[string]int{}, paths: map[string]int{}}
	server := httptest.NewServer(s)
	defer server.Close()
	l := Load{URL: server.URL, Paths: []string{"/a", "/b"}, Connections: 1, Time: 50 * time.Millisecond}
	requests := 0
	for l.Run = range 2 {
		sample, err := Lone(t.Context(), l)
		if err != nil {
			t.Fatal(err)
		}
		n := len(sample.Latencies)
		if n == 0 || float64(n) != sample.Requests || sample.P50 > sample.P99 || sample.P99 > sample.Latencies[n-1] {
			t.Errorf("%d response times, %v requests, p50 %v, p99 %v", n, sample.Requests, sample.P50, sample.P99)
		}
		requests += n
	}
	if s.broken != "" || len(s.bodies) != requests || s.paths["/a"] == 0 || s.paths["/b"] == 0 {
		t.Errorf("%d bodies and paths %v in %d requests; broken: %s", len(s.bodies), s.paths, requests, s.broken)
	}
}

func TestLoneError(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no such beam", http.StatusNotFound)
	}))
	defer server.Close()
	_, err := Lone(t.Context(), Load{URL: server.URL, Paths: []string{"/"}, Connections: 1, Time: time.Second})
	if err == nil || !strings.Contains(err.Error(), "404 Not Found: no such beam") {
		t.Errorf("status 404: %v", err)
	}
}
