package server_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
	"github.com/slipstick/slipstick/host/internal/server"
	"github.com/slipstick/slipstick/host/internal/source"
)

// config returns the settings of a server without engines.
func config(t *testing.T) *server.Config {
	return &server.Config{
		Addr:    "127.0.0.1:0",
		Source:  source.Options{Place: source.Place{Registry: t.TempDir()}, Data: t.TempDir()},
		Engines: server.Engines{Confine: sandbox.Options{None: true}},
	}
}

// A server can be created without a command line. It serves until its context ends.
func TestRun(t *testing.T) {
	s, err := server.New(t.Context(), config(t))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if sum := s.Summary(); sum.Capabilities != 0 || len(sum.Out) != 0 || s.Sandbox().Absence() != sandbox.Unwanted {
		t.Errorf("%+v, sandbox %q", sum, s.Sandbox().Absence())
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	for path, want := range map[string]int{"/livez": 200, "/readyz": 503, "/openapi.json": 200, "/": 200, "/nowhere": 404} {
		if status := get(t, "http://"+s.Addr().String()+path); status != want {
			t.Errorf("%s: %d, want %d", path, status, want)
		}
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func get(t *testing.T, url string) int {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode
}

// New returns an error with a type if the server cannot start. It releases everything, and the
// address can be used again.
func TestNewRefuses(t *testing.T) {
	for name, change := range map[string]func(*server.Config){
		"no address":   func(c *server.Config) { c.Addr = "here" },
		"no registry":  func(c *server.Config) { c.Source.Registry += "/none" },
		"no URL":       func(c *server.Config) { c.Snapshots.Redis = "http://127.0.0.1" },
		"no lock file": func(c *server.Config) { c.Source.Lock = c.Source.Data + "/lock" },
		"no trust":     func(c *server.Config) { c.Source.Trust.Required = true },
	} {
		c := config(t)
		change(c)
		_, err := server.New(t.Context(), c)
		var setting *source.SettingError
		if !errors.As(err, &setting) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// reloads is a Reloader that requests one reload.
type reloads struct {
	requests chan os.Signal
	config   *server.Config
	err      error
	applied  chan struct{}
}

func (r *reloads) Requests() <-chan os.Signal { return r.requests }

func (r *reloads) Read() (*server.Config, error) {
	if r.err != nil {
		defer close(r.applied)
	}
	return r.config, r.err
}

func (r *reloads) InForce() (now, later []string) {
	close(r.applied)
	return nil, nil
}

// Reloaded settings are in force before InForce is called. Invalid settings are not used.
func TestReload(t *testing.T) {
	c := config(t)
	c.Clients.Limits = map[string]int{"page": 1}
	next := *c
	next.Clients.Limits = map[string]int{"page": 0}
	for _, tt := range []struct {
		err  error
		want int
	}{{nil, 200}, {errors.New("bad"), 429}} {
		r := &reloads{requests: make(chan os.Signal, 1), config: &next, err: tt.err, applied: make(chan struct{})}
		c.Reloader = r
		s, err := server.New(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithTimeout(t.Context(), time.Minute)
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()
		page := "http://" + s.Addr().String() + "/"
		if status := get(t, page); status != 200 {
			t.Errorf("the first: %d", status)
		}
		if status := get(t, page); status != 429 {
			t.Errorf("the second: %d", status)
		}
		r.requests <- os.Interrupt
		<-r.applied
		if status := get(t, page); status != tt.want {
			t.Errorf("after it was read again (%v): %d, want %d", tt.err, status, tt.want)
		}
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		s.Close()
	}
}
