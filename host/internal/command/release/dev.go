package release

import (
	"context"
	"io"
	"time"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/develop"
	"github.com/slipstick/slipstick/host/internal/release/document"
	"github.com/slipstick/slipstick/host/internal/release/publish"
)

// Dev has the options of slipstick dev.
type Dev struct {
	Dir   string
	Every time.Duration

	// PublishFlags returns the flags with which slipstick publish publishes Dir to a registry.
	PublishFlags func(ctx context.Context, s command.Streams, registry string) (*Publish, error)
	// Serve runs a server of a registry until ctx ends.
	Serve func(ctx context.Context, s command.Streams, registry, data string) error
}

// Run publishes and serves the engine again after every change, until ctx ends.
func (c *Dev) Run(ctx context.Context, s command.Streams) error {
	if !document.Is(c.Dir) {
		err := build.Available()
		if err != nil {
			return err
		}
	}
	return develop.Run(ctx, develop.Config{
		Dir: c.Dir, Every: c.Every, Publish: c.publish,
		Serve: func(ctx context.Context, registry, data string) {
			command.End(s.Err, c.Serve(ctx, s, registry, data))
		},
		Observe: func(r publish.Result, err error) { terminal.Developed(s.Err, r, err) },
	})
}

func (c *Dev) publish(ctx context.Context, registry string) (publish.Result, error) {
	quiet := command.Streams{Out: io.Discard, Err: io.Discard} // the server prints the same warnings
	flags, err := c.PublishFlags(ctx, quiet, registry)
	if err != nil {
		return publish.Result{}, err
	}
	to, launch, end, err := flags.open(ctx, quiet)
	if err != nil {
		return publish.Result{}, err
	}
	defer end()
	return publish.Run(ctx, to, c.Dir, &publish.Options{Launch: launch})
}
