package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/slipstick/slipstick/host/internal/build"
	"github.com/slipstick/slipstick/host/internal/develop"
	"github.com/slipstick/slipstick/host/internal/publish"
	"github.com/slipstick/slipstick/host/internal/terminal"
)

type devCmd struct {
	Dir    string        `arg:"" default:"." help:"Directory of the engine's program."`
	Addr   string        `default:"127.0.0.1:8081" help:"Address to serve it on." placeholder:"HOST:PORT"`
	Every  time.Duration `default:"300ms" hidden:"" help:"How often to look for changes."`
	NoJail bool          `name:"no-jail" env:"SLIPSTICK_NO_JAIL" help:"Run the engine without a jail."`
}

func (c *devCmd) Run(ctx context.Context, s streams) error {
	if err := build.Available(); err != nil {
		return &failure{exitMisuse, err}
	}
	err := develop.Run(ctx, develop.Config{
		Dir: c.Dir, Every: c.Every, Publish: c.publish,
		Serve: func(ctx context.Context, registry, data string) {
			run(ctx, c.like("serve", "--addr", c.Addr, "--registry", registry, "--data", data, "--limit", "calc=0,share=0,page=0,mcp=0,mcp-exec=0"), streams{nil, io.Discard, s.err})
		},
		Tell: func(r publish.Result, err error) { terminal.Developed(s.err, r, err) },
	})
	var dir *develop.DirError
	if errors.As(err, &dir) {
		return &failure{exitMisuse, err}
	}
	return err
}

// publish publishes the engine as slipstick publish does in this environment.
func (c *devCmd) publish(ctx context.Context, registry, engine string) (publish.Result, error) {
	quiet := streams{nil, io.Discard, io.Discard} // the host gives the same warnings
	line := &commandLine{ctx: ctx, args: c.like("publish", "--to", registry, engine), streams: quiet}
	command, _, err := line.parse()
	if err != nil {
		return publish.Result{}, err
	}
	to, launch, end, err := command.Publish.open(ctx, quiet)
	if err != nil {
		return publish.Result{}, err
	}
	defer end()
	return publish.Run(ctx, to, engine, &publish.Options{Launch: launch})
}

// like is the command line of another command, with the flags that it shares with dev.
func (c *devCmd) like(command ...string) []string {
	if c.NoJail {
		return append(command, "--no-jail")
	}
	return command
}
