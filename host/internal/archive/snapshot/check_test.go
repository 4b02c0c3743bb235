package snapshot_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/platform/redis"
)

func TestCheckStore(t *testing.T) {
	client := connect(t, startRedis(t).addr)
	for _, tt := range []struct {
		policy, aof, save string
		want              []string // of the error; none if the store is fine
	}{
		{"noeviction", "yes", "", nil},
		{"noeviction", "no", "3600 1", nil},
		{"noeviction", "yes", "3600 1", nil},
		{"noeviction", "no", "", []string{"set appendonly yes", "--ephemeral-snapshots"}},
		{"allkeys-lru", "yes", "", []string{"allkeys-lru", "set maxmemory-policy noeviction", "--ephemeral-snapshots"}},
		{"volatile-ttl", "no", "", []string{"volatile-ttl", "set maxmemory-policy noeviction", "set appendonly yes"}},
	} {
		for name, value := range map[string]string{"maxmemory-policy": tt.policy, "appendonly": tt.aof, "save": tt.save} {
			ask(t, client, "config", "set", name, value)
		}
		wantRefusal(t, snapshot.CheckStore(t.Context(), client), tt.want)
	}
}

// wantRefusal checks the error of a store that responded.
func wantRefusal(t *testing.T, err error, want []string) {
	t.Helper()
	if err == nil && len(want) == 0 {
		return
	}
	if err == nil || len(want) == 0 || errors.Is(err, snapshot.ErrUnavailable) {
		t.Errorf("error %v, want one about %q", err, want)
		return
	}
	for _, words := range want {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("error %q does not contain %q", err, words)
		}
	}
}

func TestCheckOldStore(t *testing.T) {
	p := startProxy(t, startRedis(t).addr)
	p.set(func(p *proxy) { p.rewrite = [2]string{"redis_version:7.", "redis_version:6."} })
	wantRefusal(t, snapshot.CheckStore(t.Context(), connect(t, p.addr)), []string{`Redis "6.`, "use Redis 7"})
}

func TestCheckStoreThatRefusesToAnswer(t *testing.T) {
	closed := startRedis(t, "--requirepass", "hunter2")
	wantRefusal(t, snapshot.CheckStore(t.Context(), connect(t, closed.addr)), []string{"password"})
	mute := startRedis(t, "--rename-command", "CONFIG", "")
	wantRefusal(t, snapshot.CheckStore(t.Context(), connect(t, mute.addr)), []string{"allow CONFIG GET", "--ephemeral-snapshots"})
}

func TestCheckStoreThatIsDown(t *testing.T) {
	server := startRedis(t)
	p := startProxy(t, server.addr)
	p.set(func(p *proxy) { p.hold = make(chan struct{}) })
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := snapshot.CheckStore(ctx, connect(t, p.addr)); !errors.Is(err, snapshot.ErrUnavailable) {
		t.Errorf("hanging: %v, want ErrUnavailable", err)
	}
	p.set(func(p *proxy) { p.hold, p.replace = nil, "-LOADING Redis is loading the dataset in memory\r\n" })
	loading := connect(t, p.addr+"?max_retries=0")
	if err := snapshot.CheckStore(t.Context(), loading); !errors.Is(err, snapshot.ErrUnavailable) || !redis.IsRefusal(err, "LOADING ") {
		t.Errorf("loading: %v, want ErrUnavailable", err)
	}
	server.stop()
	if err := snapshot.CheckStore(t.Context(), connect(t, server.addr)); !errors.Is(err, snapshot.ErrUnavailable) {
		t.Errorf("stopped: %v, want ErrUnavailable", err)
	}
}
