package wrk

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

const printed = `Running 1s test @ http://127.0.0.1:40123
  2 threads and 64 connections
Requests/sec:  90123.45
sample {"requests":180000,"micros":2000000,"p50":607,"p99":6950,"connect":0,"read":0,"write":0,"timeout":0,"status":0}
`

func TestParse(t *testing.T) {
	got, err := parse([]byte(printed))
	want := Sample{Requests: 180000, Rate: 90000, P50: 607 * time.Microsecond, P99: 6950 * time.Microsecond}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("parse = %v, %v, want %v", got, err, want)
	}
}

// A sample with other answers than successes is an error that describes them.
func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ from, to, want string }{
		{`"status":0`, `"status":3`, "3 answers had a status of 400 or more"},
		{`"timeout":0`, `"timeout":2`, "2 answers came too late"},
		{`"connect":0`, `"connect":1`, "1 connections failed"},
		{`"read":0`, `"read":1`, "1 reads failed"},
		{`"write":0`, `"write":1`, "1 writes failed"},
		{`"requests":180000`, `"requests":0`, "nothing was answered"},
		{`sample {`, `sample [`, "wrk printed"},
		{`sample `, `simple `, "no sample"},
	} {
		if _, err := parse([]byte(strings.Replace(printed, tt.from, tt.to, 1))); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.to, err, tt.want)
		}
	}
}

// seen is the content of the requests to a server.
type seen struct {
	sync.Mutex
	bodies map[string]int
	paths  map[string]int
	broken string
}

func (s *seen) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	s.Lock()
	defer s.Unlock()
	s.bodies[string(body)]++
	s.paths[r.URL.Path]++
	var inputs map[string]float64
	if err != nil || json.Unmarshal(body, &inputs) != nil || len(inputs) != 8 || r.Header.Get("Content-Type") != "application/json" {
		s.broken = string(body)
	}
}

func watched(t *testing.T, loads ...Load) *seen {
	t.Helper()
	if testing.Short() {
		t.Skip("it needs wrk")
	}
	if _, err := exec.LookPath("wrk"); err != nil {
		t.Skip("wrk is not installed; scripts/bench installs it")
	}
	w, err := New(filepath.Join(t.TempDir(), "load.lua"))
	if err != nil {
		t.Fatal(err)
	}
	s := &seen{bodies: map[string]int{}, paths: map[string]int{}}
	server := httptest.NewServer(s)
	defer server.Close()
	for _, l := range loads {
		l.URL, l.Time = server.URL, time.Second
		if sample, err := w.Load(t.Context(), l); err != nil || sample.Rate == 0 {
			t.Fatalf("load: %v, %v", sample, err)
		}
	}
	if s.broken != "" {
		t.Errorf("a request has the body %s", s.broken)
	}
	return s
}

// All inputs differ, also between threads and runs, and every path is used in turn.
func TestUniqueInputs(t *testing.T) {
	paths := []string{"/a", "/b", "/c"}
	s := watched(t, Load{Paths: paths, Connections: 4, Run: 1}, Load{Paths: paths, Connections: 4, Run: 2})
	for body, times := range s.bodies {
		if times > 1 {
			t.Fatalf("%d requests have the body %s", times, body)
		}
	}
	for _, path := range paths {
		if s.paths[path] == 0 {
			t.Errorf("no request went to %s", path)
		}
	}
}

func TestRepeatedInputs(t *testing.T) {
	s := watched(t, Load{Paths: []string{"/a"}, Connections: 4, Run: 1, Repeated: true})
	if len(s.bodies) != 1 {
		t.Errorf("%d bodies, want one", len(s.bodies))
	}
}
