package develop_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/release/develop"
)

func get(t *testing.T, address string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

const mistake = "t.calc.md:3:1: <b> is not known\n  <b>\n  ^^^"

// A document that is broken at the start has a page with its mistakes. Later, mistakes are on the page of the last good one.
func TestFront(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		if r.URL.Path == "/data" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"a":"<body>"}`)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, `<html><body class="x"><p>calculator of `+r.Host+`</p></body></html>`)
	}))
	defer server.Close()
	front := develop.NewFront(strings.TrimPrefix(server.URL, "http://"))
	s := httptest.NewServer(front)
	defer s.Close()

	front.Show(mistake, "")
	answer, page := get(t, s.URL+"/calc/a/b")
	if answer.StatusCode != 200 || !strings.Contains(page, "t.calc.md:3:1: &lt;b&gt; is not known\n  &lt;b&gt;\n  ^^^</pre>") || strings.Contains(page, "calculator of") {
		t.Errorf("broken at the start: %d %s", answer.StatusCode, page)
	}
	front.Show("it conforms", "/calc/a/b")
	answer, page = get(t, s.URL+"/calc/a/b")
	if !strings.Contains(page, `<body class="x"><aside class="dev-panel good"`) || !strings.Contains(page, "it conforms") ||
		!strings.Contains(page, "calculator of "+strings.TrimPrefix(s.URL, "http://")) || answer.Header.Get("ETag") != "" {
		t.Errorf("a good one: %v %s", answer.Header, page)
	}
	front.Show(mistake, "")
	_, page = get(t, s.URL+"/calc/a/b")
	if !strings.Contains(page, "&lt;b&gt; is not known") || !strings.Contains(page, "calculator of") || !strings.Contains(page, "This page shows the last version without mistakes.") {
		t.Errorf("broken again: %s", page)
	}
	answer, data := get(t, s.URL+"/data")
	if data != `{"a":"<body>"}` || answer.Header.Get("ETag") == "" {
		t.Errorf("data: %v %s", answer.Header, data)
	}
	for _, path := range []string{"/dev/reload.js", "/dev/panel.css"} {
		answer, _ = get(t, s.URL+path)
		if answer.StatusCode != 200 || !strings.Contains(page, path) {
			t.Errorf("%s: %d", path, answer.StatusCode)
		}
	}
}

// A page that waits gets the number of the next outcome, and not earlier.
func TestFrontWaits(t *testing.T) {
	front := develop.NewFront("127.0.0.1:1")
	s := httptest.NewServer(front)
	defer s.Close()
	for n := range 3 {
		shown := make(chan time.Time, 1)
		go func() {
			time.Sleep(30 * time.Millisecond)
			shown <- time.Now()
			front.Show(mistake, "")
		}()
		_, number := get(t, s.URL+"/dev/wait?after="+strconv.Itoa(n))
		if number != strconv.Itoa(n+1) || time.Now().Before(<-shown) {
			t.Errorf("after %d comes %s", n, number)
		}
	}
	_, number := get(t, s.URL+"/dev/wait?after=0")
	if number != "3" {
		t.Errorf("a page that is late gets %s", number)
	}
}
