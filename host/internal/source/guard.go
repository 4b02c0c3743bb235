package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/slipstick/slipstick/host/internal/telemetry"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/sign"
)

// Checkpoint is the file of a checkpoint, and what says whether it counts.
type Checkpoint struct {
	File  string
	Trust string // the trust file
	Data  string // directory in which the newest one is remembered
}

// seenFile remembers the newest checkpoint, in the data directory.
const seenFile = "checkpoint.json"

// Check returns the checkpoint, and why the registry, or the checkpoint, is not accepted.
// A [SettingError] says that there was nothing to compare.
func (c Checkpoint) Check(published []registry.Capability) (sign.State, error) {
	g, err := c.guard(nil)
	if err != nil {
		return sign.State{}, err
	}
	file, err := readCheckpoint(c.File)
	if err != nil {
		return sign.State{}, &SettingError{err}
	}
	state, err := g.accepted(file)
	if err == nil {
		err = state.Valid(g.now())
	}
	if err == nil {
		err = registry.Behind(published, &state)
	}
	return state, err
}

// accept refuses a registry that has fallen behind the checkpoint, and remembers one that
// was passed. What is returned holds the registry against it from then on; it is nil if
// there is no checkpoint.
func (c Checkpoint) accept(published []registry.Capability, log *slog.Logger) (*Guard, error) {
	if c.File == "" {
		return nil, nil
	}
	state, err := c.Check(published)
	var setting *SettingError
	if errors.As(err, &setting) {
		return nil, err
	}
	if err != nil {
		return nil, &CheckpointError{c.File, err}
	}
	g, err := c.guard(log)
	if err != nil {
		return nil, err
	}
	g.state = &state
	return g, state.Remember(g.memory)
}

func (c Checkpoint) guard(log *slog.Logger) (*Guard, error) {
	if c.Trust == "" {
		return nil, &SettingError{errors.New("--checkpoint needs --trust FILE: who may have signed it?")}
	}
	if _, err := sign.ReadTrustFile(c.Trust); err != nil {
		return nil, &SettingError{err}
	}
	return &Guard{path: c.File, trust: c.Trust, memory: filepath.Join(c.Data, seenFile), log: log, now: time.Now}, nil
}

// Guard holds what a host serves against the newest checkpoint, at every look. The newest
// goes on counting when its file is gone, or replaced by one that does not count. All of
// its methods are safe for concurrent use; those of a nil Guard do nothing.
type Guard struct {
	path, trust, memory string // files: the checkpoint, the trust file, the newest that was accepted
	log                 *slog.Logger
	now                 func() time.Time

	mu    sync.Mutex
	file  []byte      // as it was read last
	state *sign.State // the newest that counts
	fresh bool        // it is another than at the last hold
	wrong error       // why the file does not count
	ended bool        // it was logged that the checkpoint has expired
}

// accepted returns the checkpoint in a file, if it counts and none that is newer was
// accepted before. It may have expired.
func (g *Guard) accepted(file []byte) (sign.State, error) {
	trust, err := sign.ReadTrustFile(g.trust)
	if err != nil {
		return sign.State{}, err
	}
	state, _, err := trust.ReadState(file, g.now())
	if errors.Is(err, sign.ErrExpired) {
		err = nil
	}
	if err == nil {
		err = state.CheckNewest(g.memory)
	}
	return state, err
}

// renew takes over the checkpoint in the file, if that has changed.
func (g *Guard) renew() {
	if g == nil {
		return
	}
	file, err := readCheckpoint(g.path)
	g.mu.Lock()
	defer g.mu.Unlock()
	if err == nil && (g.wrong != nil || !bytes.Equal(file, g.file)) {
		err = g.take(file)
	}
	switch {
	case err == nil && g.wrong != nil:
		g.log.Info("the checkpoint counts again", "number", g.state.Number)
	case err != nil && (g.wrong == nil || g.wrong.Error() != err.Error()):
		g.log.Error("the checkpoint cannot be taken over; the one before goes on counting", "file", g.path, "number", g.state.Number, "error", err)
	}
	g.wrong = err
	over := g.state.Valid(g.now())
	if over != nil && !g.ended {
		g.log.Error("the checkpoint has expired: the host is not ready, and calls are answered all the same", "number", g.state.Number, "error", over)
	}
	g.ended = over != nil
}

func (g *Guard) take(file []byte) error {
	state, err := g.accepted(file)
	if err == nil {
		err = state.Remember(g.memory)
	}
	if err != nil {
		return err
	}
	if g.state.Number != state.Number {
		g.log.Info("checkpoint taken over", "number", state.Number, "expires", state.Expires)
		g.fresh = true
	}
	g.file, g.state = file, &state
	return nil
}

// adoptNames says whose tool ids are by a checkpoint that was taken over since the last hold.
func (g *Guard) adoptNames(names *registry.Names) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fresh {
		names.AdoptCheckpoint(g.state)
	}
}

// hold returns the capabilities as they may be served, and whether the checkpoint is
// another than at the last time.
func (g *Guard) hold(list []registry.Capability) (held []registry.Capability, fresh bool) {
	if g == nil {
		return list, false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	fresh, g.fresh = g.fresh, false
	return registry.ApplyCheckpoint(list, g.state), fresh
}

// Ready says in words how the checkpoint is: "" if there is none, ok, or what is wrong;
// and whether its time is over.
func (g *Guard) Ready() (text string, expired bool) {
	if g == nil {
		return "", false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch err := g.state.Valid(g.now()); {
	case err != nil:
		return err.Error(), true
	case g.wrong != nil:
		return fmt.Sprintf("the file does not count, number %d goes on counting; the log says why", g.state.Number), false
	}
	return "ok", false
}

// Observe shows in the metrics for how long the checkpoint counts.
func (g *Guard) Observe(m *telemetry.Metrics) {
	if g == nil {
		return
	}
	m.Gauge("slipstick_checkpoint_valid_seconds", "Time until the checkpoint expires, below zero after that.", func() float64 {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.state.Expires.Sub(g.now()).Seconds()
	})
}

// readCheckpoint reads the file of a checkpoint. It does not wait for what is no regular
// file: a host does so again and again.
func readCheckpoint(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is no regular file", path))
	}
	return io.ReadAll(io.LimitReader(f, sign.MaxCheckpoint+1))
}
