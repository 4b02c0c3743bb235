// Package develop serves an engine while an author develops it. Whenever its source changes, [Run] publishes
// the engine in a new registry, and starts a server of that registry. If that fails, the server of the last
// good engine continues.
package develop

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/slipstick/slipstick/host/internal/release/publish"
)

// Config configures [Run]. All fields are required.
type Config struct {
	Dir   string        // directory of the engine's program
	Every time.Duration // time between two checks for changes

	// Publish builds and checks the engine in Dir, and publishes it in a new registry, a directory.
	Publish func(ctx context.Context, registry string) (publish.Result, error)
	// Serve runs a server of the registry until ctx ends. Its data directory can come from an earlier
	// server, which has ended.
	Serve func(ctx context.Context, registry, data string)
	// Observe receives the outcome of Publish for every change of the engine.
	Observe func(publish.Result, error)
}

// DirError means that the directory cannot be watched.
type DirError struct{ Err error }

func (e *DirError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *DirError) Unwrap() error { return e.Err }

// Run watches the source, and publishes and serves the engine until ctx ends. The end of ctx is not an
// error. If the directory has no program, the error is a [*DirError].
func Run(ctx context.Context, c Config) error {
	work, err := os.MkdirTemp("", "slipstick-dev-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	d := &development{Config: c, work: work, stop: func() {}}
	defer func() { d.stop() }()
	var w watch
	for {
		saved, err := w.check(c.Dir)
		if err != nil {
			return &DirError{err}
		}
		if saved {
			d.renew(ctx)
		}
		select {
		case <-time.After(c.Every):
		case <-ctx.Done():
			return nil
		}
	}
}

// development is an engine under development, with the server that serves it.
type development struct {
	Config
	work  string // directory of all generated files
	round int
	stop  func() // ends the running server, if there is one
}

// renew publishes and serves the current source, and reports the outcome.
func (d *development) renew(ctx context.Context) {
	d.round++
	registry := filepath.Join(d.work, fmt.Sprintf("registry-%d", d.round))
	published, err := d.Publish(ctx, registry)
	if err == nil {
		d.serve(ctx, registry)
	}
	if err == nil || ctx.Err() == nil { // an interrupted build is not a result about the engine
		d.Observe(published, err)
	}
}

// serve replaces the running server by a server of the registry.
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
