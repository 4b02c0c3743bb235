package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/release"
	commands "github.com/slipstick/slipstick/host/internal/command/server"
	"github.com/slipstick/slipstick/host/internal/server"
)

func TestBadSettings(t *testing.T) {
	unknown := filepath.Join(t.TempDir(), "unknown.json")
	if err := os.WriteFile(unknown, []byte(`{"base_url": "https://calc.example.org"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--limit", "cals=3"}, "cals"},
		{[]string{"--limit", "calc=-3"}, "-3"},
		{[]string{"--trusted-proxy", "localhost"}, "localhost"},
		{[]string{"--redis", "http://x"}, "--redis"},
		{[]string{"--log-format", "xml"}, "xml"},
		{[]string{"--timeout", "0s"}, "--timeout"},
		{[]string{"--engine-log-level", "all"}, "error"},
		{[]string{"--engine-log-rate", "0"}, "--engine-log-rate"},
		{[]string{"--config", unknown}, "base_url"},
		{[]string{"--config", "no-such-file.json"}, "no-such-file.json"},
	} {
		r := slipstick(t.Context(), append([]string{"serve", "--addr", "127.0.0.1:0", "--data", t.TempDir()}, tt.args...)...)
		if r.code != command.ExitMisuse || !strings.Contains(r.err, tt.want) {
			t.Errorf("%v: %d, %q, want %q", tt.args, r.code, r.err, tt.want)
		}
	}
}

// A server of slipstick dev shows all lines of the engine, whatever the environment sets for servers.
func TestDevShowsEngineLogs(t *testing.T) {
	t.Setenv("SLIPSTICK_ENGINE_LOG_LEVEL", "error")
	flags, _, err := new(devCmd).serveFlags(t.Context(), command.Streams{}, &release.Developed{Registry: t.TempDir(), Data: t.TempDir(), Addr: "127.0.0.1:8082", URL: "http://127.0.0.1:8081"})
	if err != nil {
		t.Fatal(err)
	}
	if s := flags.Serve; s.EngineLogLevel != "trace" || s.EngineLogRate != release.AuthorLogRate {
		t.Errorf("level %s, %d lines per second", s.EngineLogLevel, s.EngineLogRate)
	}
	line := &commandLine{ctx: t.Context(), args: []string{"serve"}}
	other, _, err := line.parse()
	if err != nil || other.Serve.EngineLogLevel != "error" || other.Serve.EngineLogRate != 10 {
		t.Errorf("serve: level %s, %d lines per second, %v", other.Serve.EngineLogLevel, other.Serve.EngineLogRate, err)
	}
}

// The help of serve shows the default limits of a server.
func TestBoundsAreTheDefaults(t *testing.T) {
	line := &commandLine{ctx: t.Context(), args: []string{"serve"}}
	flags, _, err := line.parse()
	if err != nil {
		t.Fatal(err)
	}
	serve := (*commands.Serve)(&flags.Serve)
	if got, want := serve.Bounds(), (server.Bounds{}).WithDefaults(); got != want {
		t.Errorf("serve has %+v, a server %+v", got, want)
	}
	if serve.DrainDelay != 5*time.Second || serve.DrainTimeout != 10*time.Second {
		t.Errorf("serve drains for %s and %s", serve.DrainDelay, serve.DrainTimeout)
	}
}
