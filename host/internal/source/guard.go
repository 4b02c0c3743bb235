package source

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/registry/transparency"
)

// Guard compares what a host serves with the log of its registry, at every look. A log that
// contradicts what was seen before, or whose checkpoint does not count, is not taken over:
// what was served before goes on being served. All methods are safe for concurrent use.
type Guard struct {
	log *slog.Logger
	now func() time.Time

	mu       sync.Mutex
	registry *registry.Registry
	memory   string                   // file with the checkpoint that was accepted last; "" if none is kept
	expires  bool                     // a checkpoint may expire: a trust file says who signs the next
	seen     *transparency.Checkpoint // accepted last, nil if none was
	tree     *transparency.Log        // accepted, nil if there is none
	by       sign.Endorsement         // who signed it
	logged   *registry.Logged         // what it says, nil if there is none
	fresh    bool                     // it has changed since the last call of apply
	wrong    error                    // why the log is not accepted
	ended    bool                     // it was logged that the checkpoint has expired
}

// newGuard returns a Guard that has read nothing but its memory.
func newGuard(reg *registry.Registry, memory string, trust Trust, log *slog.Logger) (*Guard, error) {
	g := &Guard{registry: reg, memory: memory, expires: trust.File != "", log: log, now: time.Now}
	if memory == "" {
		return g, nil
	}
	var err error
	g.seen, err = transparency.Seen(memory)
	if err != nil {
		return nil, fmt.Errorf("what was seen of the log of the registry: %w: restore the file, or remove it to begin anew", err)
	}
	return g, nil
}

// memoryOf is the file below a data directory with what was seen of a registry.
func memoryOf(data, address, kind string) string {
	name := fmt.Sprintf("%x", sha256.Sum256([]byte(address)))
	return filepath.Join(data, "seen", name[:16]+kind)
}

// renew takes over what is new in the log of the registry, which was as it is here at a time;
// that is zero if the registry was not reached. The error is why it does not.
func (g *Guard) renew(asOf time.Time) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	err := g.take()
	switch {
	case err == nil && g.wrong != nil:
		g.log.Info("the log of the registry counts again", "entries", g.size())
	case err != nil && (g.wrong == nil || g.wrong.Error() != err.Error()):
		g.log.Error("the log of the registry is not accepted: what was published before is served, and nothing new", "entries", g.size(), "error", err)
	}
	g.wrong = err
	if err == nil && g.logged != nil && !asOf.IsZero() {
		g.logged.Span().Read(asOf)
	}
	over := g.expired()
	if over != nil && !g.ended {
		g.log.Error("the host is not ready, and calls are answered all the same", "error", over)
	}
	g.ended = over != nil
	return err
}

func (g *Guard) size() int64 {
	if g.tree == nil {
		return 0
	}
	return g.tree.Checkpoint().Size
}

func (g *Guard) expired() error {
	if g.tree == nil || !g.expires {
		return nil
	}
	return g.tree.Checkpoint().Expired(g.now())
}

func (g *Guard) take() error {
	next, err := g.registry.Log(g.tree)
	if err != nil {
		return err
	}
	if next == nil && g.seen != nil {
		return &transparency.Fault{Kind: transparency.Shortened, Detail: fmt.Sprintf("it is gone, and %d entries were seen before", g.seen.Size)}
	}
	if next != nil && g.tree != nil && g.wrong == nil && bytes.Equal(next.Checkpoint().Note(), g.tree.Checkpoint().Note()) {
		return nil
	}
	if next != nil && g.seen != nil {
		if err := next.Continues(g.seen); err != nil {
			return err
		}
	}
	by, err := g.registry.Endorsement(next)
	if err != nil || next == nil {
		return err
	}
	g.tree, g.by, g.logged, g.seen, g.fresh = next, by, registry.LoggedIn(next), next.Checkpoint(), true
	return nil
}

// keep stores the checkpoint that was accepted last.
func (g *Guard) keep() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.seen == nil || g.memory == "" {
		return nil
	}
	return store.Replace(g.memory, g.seen.Note())
}

// replace goes on with the registry and the state of another Guard.
func (g *Guard) replace(next *Guard) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.registry, g.memory, g.expires = next.registry, next.memory, next.expires
	g.tree, g.by, g.logged, g.seen, g.fresh, g.wrong = next.tree, next.by, next.logged, next.seen, next.fresh, next.wrong
}

// isFresh reports whether the log has changed since the last call of apply.
func (g *Guard) isFresh() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fresh
}

// adoptNames gives the owners of tool ids in the log to names.
func (g *Guard) adoptNames(names *registry.Names) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.logged != nil {
		names.AdoptLog(g.logged)
	}
}

// apply returns the capabilities as they may be served under the log, and whether the log has
// changed since the last call.
func (g *Guard) apply(list []registry.Capability) (held []registry.Capability, fresh bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	fresh, g.fresh = g.fresh, false
	switch {
	case g.logged != nil:
		list = g.logged.Apply(list)
	case g.wrong != nil:
		list = registry.WithoutHistory(list, g.wrong)
	}
	return list, fresh
}

// Ready describes the checkpoint of the log: "" if there is none, "ok", or what is wrong. It
// also reports whether the checkpoint has expired.
func (g *Guard) Ready() (text string, expired bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	err := g.expired()
	switch {
	case g.wrong != nil:
		return fmt.Sprintf("%v: what was published before, with %d entries in the log, is served, and nothing new", g.wrong, g.size()), err != nil
	case err != nil:
		return err.Error(), true
	case g.tree == nil:
		return "", false
	}
	return "ok", false
}

// Checkpoint returns the checkpoint that was accepted last, nil if there is none.
func (g *Guard) Checkpoint() *transparency.Checkpoint {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.tree == nil {
		return nil
	}
	return g.tree.Checkpoint()
}

// Observe adds the remaining validity of the checkpoint to the metrics, if it may expire.
func (g *Guard) Observe(m *telemetry.Metrics) {
	if c := g.Checkpoint(); c == nil || c.Until.IsZero() || !g.expires {
		return
	}
	m.Gauge("slipstick_checkpoint_valid_seconds", "Time until the checkpoint of the registry's log expires, below zero after that.", func() float64 {
		return g.Checkpoint().Until.Sub(g.now()).Seconds()
	})
}

// accept returns an error unless the log was accepted, is not expired, and continues the
// checkpoint in a file; "" is no file.
func (g *Guard) accept(file string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	err := g.wrong
	if err == nil {
		err = g.expired()
	}
	if err == nil && file != "" {
		var other *transparency.Checkpoint
		other, err = transparency.Seen(file)
		switch {
		case err != nil:
			return &SettingError{err}
		case other == nil:
			return &SettingError{fmt.Errorf("--checkpoint %s: there is no such file", file)}
		case g.tree == nil:
			err = registry.ErrNoLog
		default:
			err = g.tree.Continues(other)
		}
	}
	if err != nil {
		return &LogError{err}
	}
	return nil
}

// Log is the log of a registry, and what it is compared with.
type Log struct {
	Place      Place
	Data       string // directory of a host, which has what was seen of the log; "" or not there: nothing
	Checkpoint string // file with a checkpoint that the log must continue; "" for none
}

// Judged is a log that was accepted.
type Judged struct {
	Checkpoint *transparency.Checkpoint // nil if there is no log
	By         sign.Endorsement
}

// Check judges the log. One that is accepted is remembered. A [SettingError] means that there was
// nothing to compare.
func (l *Log) Check() (Judged, error) {
	reg, address, err := l.Place.local()
	if err != nil {
		return Judged{}, err
	}
	memory := ""
	if info, err := os.Stat(l.Data); l.Data != "" && err == nil && info.IsDir() {
		memory = memoryOf(l.Data, address, logMemory)
	}
	g, err := newGuard(reg, memory, l.Place.Trust, slog.New(slog.DiscardHandler))
	if err != nil {
		return Judged{}, &SettingError{err}
	}
	_ = g.renew(time.Time{}) // accept tells
	err = g.accept(l.Checkpoint)
	if err == nil {
		err = g.keep()
	}
	return Judged{g.Checkpoint(), g.by}, err
}
