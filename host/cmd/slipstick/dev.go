package main

import (
	"context"
	"io"
	"time"

	"github.com/slipstick/slipstick/host/internal/cli/setting"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/develop"
	"github.com/slipstick/slipstick/host/internal/release/publish"
)

type devCmd struct {
	Dir       string        `arg:"" default:"." help:"Directory of the engine's program."`
	Addr      string        `default:"127.0.0.1:8081" help:"Address to serve it on." placeholder:"HOST:PORT"`
	Every     time.Duration `default:"300ms" hidden:"" help:"How often to look for changes."`
	NoSandbox bool          `name:"no-sandbox" env:"SLIPSTICK_NO_SANDBOX" help:"Run the engine without a sandbox."`
}

func (c *devCmd) Run(ctx context.Context, s streams) error {
	if err := build.Available(); err != nil {
		return err
	}
	return develop.Run(ctx, develop.Config{
		Dir: c.Dir, Every: c.Every, Publish: c.publish,
		Serve:   func(ctx context.Context, registry, data string) { ended(s.err, c.serve(ctx, s, registry, data)) },
		Observe: func(r publish.Result, err error) { terminal.Developed(s.err, r, err) },
	})
}

// publish publishes the engine as slipstick publish does in this environment.
func (c *devCmd) publish(ctx context.Context, registry string) (publish.Result, error) {
	quiet := streams{nil, io.Discard, io.Discard} // the host gives the same warnings
	flags, _, err := c.like(ctx, quiet, "publish", "--to", registry, c.Dir)
	if err != nil {
		return publish.Result{}, err
	}
	to, launch, end, err := flags.Publish.open(ctx, quiet)
	if err != nil {
		return publish.Result{}, err
	}
	defer end()
	return publish.Run(ctx, to, c.Dir, &publish.Options{Launch: launch})
}

// serve is a host as slipstick serve makes one in this environment, without limits.
func (c *devCmd) serve(ctx context.Context, s streams, registry, data string) error {
	s = streams{nil, io.Discard, s.err}
	flags, line, err := c.like(ctx, s, "serve", "--addr", c.Addr, "--registry", registry, "--data", data, "--drain-delay", "0", "--limit", "calc=0,share=0,page=0,mcp=0,mcp-exec=0")
	if err != nil {
		return err
	}
	return flags.Serve.Run(ctx, s, line)
}

// like reads the settings of another command as they are in this environment, with the
// flags that it shares with dev.
func (c *devCmd) like(ctx context.Context, s streams, args ...string) (*cli, *commandLine, error) {
	if c.NoSandbox {
		args = append(args, "--no-sandbox")
	}
	line := &commandLine{ctx: ctx, args: args, streams: s}
	flags, command, err := line.parse()
	if err == nil {
		line.flags = setting.FlagsOf(command)
	}
	return flags, line, err
}
