package pool_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
)

// logged is the log of a pool.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements [io.Writer].
func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// The line of an engine has the release of its process, and the id of the call.
func TestEngineLog(t *testing.T) {
	log := new(logged)
	p, _, _ := newPoolWith(t, pool.Options{Log: slog.New(slog.NewTextHandler(log, nil))})
	r, _ := self(t)
	if _, err := p.Calculate(calc.WithCall(t.Context(), "request-7"), time.Minute, r, values(2, "log")); err != nil {
		t.Fatal(err)
	}
	p.Close()
	want := ` level=WARN msg="engine logged" capability=test.pool.square version=1.0.0 id=request-7 text="close to a pole" fields.x=2` + "\n"
	if got := log.String(); !strings.HasSuffix(got, want) || strings.Count(got, "\n") != 1 {
		t.Errorf("logged %q", got)
	}
}
