package develop_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
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

	front.Bad("it does not conform yet:", mistake, "t.calc.md:9:1: no unit")
	answer, page := get(t, s.URL+"/calc/a/b")
	if answer.StatusCode != 200 || !strings.Contains(page, "t.calc.md:3:1: &lt;b&gt; is not known\n  &lt;b&gt;\n  ^^^</pre></li>\n<li><pre tabindex=\"0\">t.calc.md:9:1: no unit</pre></li>") || strings.Contains(page, "calculator of") {
		t.Errorf("broken at the start: %d %s", answer.StatusCode, page)
	}
	front.Good("it conforms", "/calc/a/b")
	answer, page = get(t, s.URL+"/calc/a/b")
	if !strings.Contains(page, `<body class="x"><aside class="dev-panel good"`) || !strings.Contains(page, "it conforms") || !strings.Contains(page, "This version is not published.") ||
		!strings.Contains(page, "calculator of "+strings.TrimPrefix(s.URL, "http://")) || answer.Header.Get("ETag") != "" {
		t.Errorf("a good one: %v %s", answer.Header, page)
	}
	front.Bad(mistake)
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

// A page that waits gets the start of the next check, and then its outcome, and not earlier.
func TestFrontWaits(t *testing.T) {
	front := develop.NewFront("127.0.0.1:1")
	s := httptest.NewServer(front)
	defer s.Close()
	state := "0+" // the first check runs
	for _, tt := range []struct {
		do   func()
		want string
	}{
		{func() { front.Good("it conforms", "/") }, "1"}, {front.Check, "1+"}, {func() { front.Bad(mistake) }, "2"}, {front.Check, "2+"},
	} {
		done := make(chan time.Time, 1)
		go func() {
			time.Sleep(30 * time.Millisecond)
			done <- time.Now()
			tt.do()
		}()
		_, got := get(t, s.URL+"/dev/wait?after="+url.QueryEscape(state))
		if got != tt.want || time.Now().Before(<-done) {
			t.Errorf("after %s comes %s, not %s", state, got, tt.want)
		}
		state = got
	}
	if _, got := get(t, s.URL+"/dev/wait?after=0"); got != "2+" {
		t.Errorf("a page that is late gets %s", got)
	}
}

// The panel is neither good nor bad during a check.
func TestFrontChecks(t *testing.T) {
	front := develop.NewFront("127.0.0.1:1")
	s := httptest.NewServer(front)
	defer s.Close()
	for _, tt := range []struct {
		do       func()
		class    string
		checking bool
	}{
		{func() {}, "checking", true}, {func() { front.Bad(mistake) }, "bad", false}, {front.Check, "checking", true}, {func() { front.Bad(mistake) }, "bad", false},
	} {
		tt.do()
		_, page := get(t, s.URL)
		if !strings.Contains(page, `class="dev-panel `+tt.class+`"`) || strings.Contains(page, "The engine is being checked.") != tt.checking {
			t.Errorf("not %s: %s", tt.class, page)
		}
	}
}
