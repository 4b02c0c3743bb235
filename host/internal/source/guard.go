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

// Checkpoint is the file of a checkpoint, and what decides whether it counts.
type Checkpoint struct {
	File  string
	Trust string // the trust file
	Data  string // directory in which the newest accepted checkpoint is stored
}

// seenFile is the file in the data directory that stores the newest accepted checkpoint.
const seenFile = "checkpoint.json"

// Check returns the checkpoint, and an error if the registry or the checkpoint is not
// accepted. A [SettingError] means that there was nothing to compare.
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

// accept returns an error if the registry has fallen behind the checkpoint. Otherwise it
// stores the checkpoint, and returns a Guard that compares the registry with it from then on.
// The Guard is nil if there is no checkpoint.
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

// Guard compares what a host serves with the newest checkpoint, at every look. That
// checkpoint still counts if its file is removed, or replaced by one that does not count. All
// methods are safe for concurrent use. Those of a nil Guard do nothing.
type Guard struct {
	path, trust, memory string // files: the checkpoint, the trust file, the newest that was accepted
	log                 *slog.Logger
	now                 func() time.Time

	mu    sync.Mutex
	file  []byte      // content at the last reading
	state *sign.State // the newest checkpoint that counts
	fresh bool        // it has changed since the last call of apply
	wrong error       // why the file does not count
	ended bool        // it was logged that the checkpoint has expired
}

// accepted returns the checkpoint in a file. The error means that it does not count, or that
// a newer one was accepted before. The checkpoint may have expired.
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

// renew adopts the checkpoint in the file, if the file has changed.
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

// isFresh reports whether the checkpoint has changed since the last call of apply.
func (g *Guard) isFresh() bool {
	if g == nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fresh
}

// adoptNames gives the owners of tool ids in a new checkpoint to names.
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

// apply returns the capabilities as they may be served under the checkpoint, and whether the
// checkpoint has changed since the last call.
func (g *Guard) apply(list []registry.Capability) (held []registry.Capability, fresh bool) {
	if g == nil {
		return list, false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	fresh, g.fresh = g.fresh, false
	return registry.ApplyCheckpoint(list, g.state), fresh
}

// Ready describes the checkpoint: "" if there is none, "ok", or what is wrong. It also reports
// whether the checkpoint has expired.
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

// Observe adds the remaining validity of the checkpoint to the metrics.
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

// readCheckpoint reads the file of a checkpoint. It refuses everything but a regular file, so
// that a host which reads it again and again cannot hang.
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
