package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
		{[]string{"--config", unknown}, "base_url"},
		{[]string{"--config", "no-such-file.json"}, "no-such-file.json"},
	} {
		r := slipstick(t.Context(), append([]string{"serve", "--addr", "127.0.0.1:0", "--data", t.TempDir()}, tt.args...)...)
		if r.code != exitMisuse || !strings.Contains(r.err, tt.want) {
			t.Errorf("%v: %d, %q, want %q", tt.args, r.code, r.err, tt.want)
		}
	}
}

// The help of serve shows the default limits of a server.
func TestBoundsAreTheDefaults(t *testing.T) {
	line := &commandLine{ctx: t.Context(), args: []string{"serve"}}
	command, _, err := line.parse()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := command.Serve.bounds.bounds(), (server.Bounds{}).WithDefaults(); got != want {
		t.Errorf("serve has %+v, a host %+v", got, want)
	}
	if d := command.Serve.draining; d.DrainDelay != 5*time.Second || d.DrainTimeout != 10*time.Second {
		t.Errorf("serve drains with %+v", d)
	}
}
