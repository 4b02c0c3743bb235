// Package develop answers one question: what does the engine under development do now? Run
// builds the engine whenever its source changes, publishes it in a registry of its own, and
// lets a host serve that registry. If any of this fails, the last good engine stays served.
package develop

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/slipstick/slipstick/host/internal/build"
	"github.com/slipstick/slipstick/host/internal/publish"
)

// Config configures Run. All fields are required.
type Config struct {
	Dir   string        // of the engine's program
	Every time.Duration // time between two checks for changes

	// Publish judges the engine in a file and publishes it in a new registry, a directory.
	Publish func(ctx context.Context, registry, engine string) (publish.Result, error)
	// Serve runs a host of the registry until ctx ends. Its data directory may be that of an
	// earlier host, which has ended.
	Serve func(ctx context.Context, registry, data string)
	// Observe receives the outcome for every change of the engine: the error of Publish, or a
	// [*build.FailedError].
	Observe func(publish.Result, error)
}

// DirError says why the directory cannot be watched.
type DirError struct{ Err error }

func (e *DirError) Error() string { return e.Err.Error() }

// Unwrap returns why.
func (e *DirError) Unwrap() error { return e.Err }

// Run develops until ctx ends, which is no error. A directory that holds no program is a
// [*DirError].
func Run(ctx context.Context, c Config) error {
	work, err := os.MkdirTemp("", "slipstick-dev-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	d := &development{Config: c, work: work, stop: func() {}}
	defer func() { d.stop() }()
	var built fingerprint
	for {
		now, err := fingerprintOf(c.Dir)
		if err != nil {
			return &DirError{err}
		}
		if now != built {
			d.rebuild(ctx)
			built = now
		}
		select {
		case <-time.After(c.Every):
		case <-ctx.Done():
			return nil
		}
	}
}

// development is one engine under work, and the host that serves it.
type development struct {
	Config
	work  string // directory of everything that is made
	round int
	stop  func() // ends the host that runs, if one does
}

// rebuild builds, publishes and serves the current source, and reports the outcome.
func (d *development) rebuild(ctx context.Context) {
	d.round++
	registry := filepath.Join(d.work, fmt.Sprintf("registry-%d", d.round))
	engine := filepath.Join(d.work, fmt.Sprintf("engine-%d", d.round))
	var published publish.Result
	err := build.Engine(ctx, d.Dir, engine)
	if err == nil {
		published, err = d.Publish(ctx, registry, engine)
	}
	if err == nil {
		d.serve(ctx, registry)
	}
	if err == nil || ctx.Err() == nil { // an interrupted build says nothing about the engine
		d.Observe(published, err)
	}
}

// serve replaces the running host by a host of the registry.
func (d *development) serve(ctx context.Context, registry string) {
	d.stop()
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.Serve(ctx, registry, filepath.Join(d.work, "data"))
	}()
	d.stop = func() {
		cancel()
		<-done
	}
}
