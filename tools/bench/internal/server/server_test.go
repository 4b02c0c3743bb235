package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// If this variable is set, the test binary plays the program.
const playVar = "BENCH_TEST_PLAY"

func TestMain(m *testing.M) {
	switch os.Getenv(playVar) {
	case "serve":
		end := make(chan os.Signal, 1)
		signal.Notify(end, syscall.SIGTERM)
		fmt.Fprintln(os.Stderr, "program: something is odd")
		fmt.Fprintln(os.Stderr, "program: serving http://127.0.0.1:1234 with 2 capabilities")
		<-end
	case "fail":
		fmt.Fprintln(os.Stderr, "program: no registry")
		os.Exit(3)
	default:
		os.Exit(m.Run())
	}
}

func play(t *testing.T, part string) (*Server, error) {
	t.Helper()
	t.Setenv(playVar, part)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Start(t.Context(), self)
}

func TestServer(t *testing.T) {
	s, err := play(t, "serve")
	if err != nil {
		t.Fatal(err)
	}
	if s.URL != "http://127.0.0.1:1234" || s.Took <= 0 {
		t.Errorf("URL %q after %s", s.URL, s.Took)
	}
	if lines := s.Transcript(); !slices.Equal(lines, []string{"program: something is odd"}) {
		t.Errorf("the transcript is %q", lines)
	}
	if err := s.Stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
}

func TestServerThatDoesNotServe(t *testing.T) {
	_, err := play(t, "fail")
	if err == nil || !strings.Contains(err.Error(), "no registry") {
		t.Errorf("error = %v, want the message of the program", err)
	}
}

// A program that does not print its URL serves when it answers /health. It is an error if it ends before.
func TestServerWithURL(t *testing.T) {
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/health" {
			http.NotFound(w, r)
		}
	}))
	defer program.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s, err := StartWith(t.Context(), Options{Env: []string{playVar + "=serve"}, URL: program.URL, Within: StartTime}, self)
	if err != nil {
		t.Fatal(err)
	}
	if s.URL != program.URL || s.Took <= 0 {
		t.Errorf("URL %q after %s", s.URL, s.Took)
	}
	if err := s.Stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	program.Close()
	_, err = StartWith(t.Context(), Options{Env: []string{playVar + "=fail"}, URL: program.URL, Within: StartTime}, self)
	if err == nil || !strings.Contains(err.Error(), "no registry") {
		t.Errorf("error = %v, want the message of the program", err)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("SLIPSTICK_LIMIT", "calc=1")
	t.Setenv("BENCH_TEST_KEPT", "1")
	got := environment()
	if slices.Contains(got, "SLIPSTICK_LIMIT=calc=1") || !slices.Contains(got, "BENCH_TEST_KEPT=1") {
		t.Errorf("environment %q", got)
	}
}
