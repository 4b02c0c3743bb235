// Package develop answers one question: what does the engine under development do now? Run
// publishes the engine in a registry of its own whenever its source changes, and lets a host
// serve that registry. If any of this fails, the last good engine stays served.
package develop

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/slipstick/slipstick/host/internal/release/publish"
)

// Config configures Run. All fields are required.
type Config struct {
	Dir   string        // of the engine's program
	Every time.Duration // time between two checks for changes

	// Publish builds and judges the engine in Dir, and publishes it in a new registry, a directory.
	Publish func(ctx context.Context, registry string) (publish.Result, error)
	// Serve runs a host of the registry until ctx ends. Its data directory may be that of an
	// earlier host, which has ended.
	Serve func(ctx context.Context, registry, data string)
	// Observe receives the outcome of Publish for every change of the engine.
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
	var seen fingerprint
	for {
		now, err := fingerprintOf(c.Dir)
		if err != nil {
			return &DirError{err}
		}
		if now != seen {
			d.renew(ctx)
			seen = now
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

// renew publishes and serves the current source, and reports the outcome.
func (d *development) renew(ctx context.Context) {
	d.round++
	registry := filepath.Join(d.work, fmt.Sprintf("registry-%d", d.round))
	published, err := d.Publish(ctx, registry)
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
