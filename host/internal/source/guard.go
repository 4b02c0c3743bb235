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

// Guard compares the releases that a server serves with the transparency log of its registry, at every
// look. It does not accept a log that contradicts an earlier checkpoint, or that has no accepted
// checkpoint. The server then continues with the releases that it served before. All methods are safe
// for concurrent use.
type Guard struct {
	log *slog.Logger
	now func() time.Time

	mu       sync.Mutex
	registry *registry.Registry
	memory   string                   // file with the checkpoint that was accepted last; "" for none
	expires  bool                     // checkpoints can expire, because a trust file names the signers of the next one
	seen     *transparency.Checkpoint // accepted last, nil if none was
	tree     *transparency.Log        // the accepted log, nil if there is none
	by       sign.Endorsement         // the signer of the log
	logged   *registry.Logged         // the entries of the log, nil if there is none
	fresh    bool                     // the log has changed since the last call of apply
	wrong    error                    // why the log is not accepted
	expiry   bool                     // the log output has a message that the checkpoint has expired
}

// newGuard returns a [Guard] that has read only the checkpoint in its memory file.
func newGuard(reg *registry.Registry, memory string, trust Trust, log *slog.Logger) (*Guard, error) {
	g := &Guard{registry: reg, memory: memory, expires: trust.File != "", log: log, now: time.Now}
	if memory == "" {
		return g, nil
	}
	var err error
	g.seen, err = transparency.Seen(memory)
	if err != nil {
		return nil, fmt.Errorf("the stored checkpoint of the registry's transparency log: %w: restore the file, or remove it to start again", err)
	}
	return g, nil
}

// memoryOf returns the path of a registry's file in the trust-on-first-use store of a data directory.
func memoryOf(data, address, kind string) string {
	name := fmt.Sprintf("%x", sha256.Sum256([]byte(address)))
	return filepath.Join(data, "seen", name[:16]+kind)
}

// renew reads the log of the registry. It returns an error if the log is not accepted. The local copy had
// the state of the registry at the time asOf, which is zero if the registry was not reached.
func (g *Guard) renew(asOf time.Time) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	err := g.read()
	switch {
	case err == nil && g.wrong != nil:
		g.log.Info("the server accepts the transparency log again", "entries", g.size())
	case err != nil && (g.wrong == nil || g.wrong.Error() != err.Error()):
		g.log.Error("the server does not accept the transparency log; it serves the known versions, and no new ones", "entries", g.size(), "error", err)
	}
	g.wrong = err
	if err == nil && g.logged != nil && !asOf.IsZero() {
		g.logged.Span().Read(asOf)
	}
	over := g.expired()
	if over != nil && !g.expiry {
		g.log.Error("the server is not ready, but answers calls", "error", over)
	}
	g.expiry = over != nil
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

// read accepts the log of the registry, or returns the reason why not.
func (g *Guard) read() error {
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

// save stores the checkpoint that was accepted last.
func (g *Guard) save() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.seen == nil || g.memory == "" {
		return nil
	}
	return store.Replace(g.memory, g.seen.Note())
}

// replace takes over the registry and the state of another Guard.
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

// adoptNames adds the owners of tool ids in the log to names.
func (g *Guard) adoptNames(names *registry.Names) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.logged != nil {
		names.AdoptLog(g.logged)
	}
}

// apply returns the capabilities as the log allows to serve them. It reports whether the log has changed
// since the last call.
func (g *Guard) apply(list []registry.Capability) (allowed []registry.Capability, fresh bool) {
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

// Ready describes the checkpoint of the log: "" if there is none, "ok", or the problem. It also reports
// whether the checkpoint has expired.
func (g *Guard) Ready() (text string, expired bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	err := g.expired()
	switch {
	case g.wrong != nil:
		return fmt.Sprintf("%v: the server serves the known versions, with %d entries in the log, and no new ones", g.wrong, g.size()), err != nil
	case err != nil:
		return err.Error(), true
	case g.tree == nil:
		return "", false
	}
	return "ok", false
}

// Checkpoint returns the checkpoint that was accepted last, or nil if there is none.
func (g *Guard) Checkpoint() *transparency.Checkpoint {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.tree == nil {
		return nil
	}
	return g.tree.Checkpoint()
}

// Observe adds the remaining validity of the checkpoint to the metrics, if it can expire.
func (g *Guard) Observe(m *telemetry.Metrics) {
	if c := g.Checkpoint(); c == nil || c.Until.IsZero() || !g.expires {
		return
	}
	m.Gauge("slipstick_checkpoint_valid_seconds", "Time until the checkpoint of the registry's transparency log expires; negative afterwards.", func() float64 {
		return g.Checkpoint().Until.Sub(g.now()).Seconds()
	})
}

// accept returns an error unless the log is accepted, has not expired, and continues the checkpoint in
// the file. With "" it compares no file.
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
			return &SettingError{fmt.Errorf("--checkpoint %s: the file does not exist", file)}
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

// Log is the transparency log of a registry, with the checkpoints to compare it with.
type Log struct {
	Place      Place
	Data       string // data directory of a server, with the checkpoint that it saw last; "" for none
	Checkpoint string // file with a checkpoint that the log must continue; "" for none
}

// Judged is the result for an accepted log.
type Judged struct {
	Checkpoint *transparency.Checkpoint // nil if there is no log
	By         sign.Endorsement         // its signer
}

// Check returns whether the log is accepted, and stores its checkpoint in Data then. A [SettingError]
// means that a file or directory of the Log cannot be read.
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
	_ = g.renew(time.Time{}) // accept returns the error
	err = g.accept(l.Checkpoint)
	if err == nil {
		err = g.save()
	}
	return Judged{g.Checkpoint(), g.by}, err
}
