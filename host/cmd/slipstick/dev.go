package main

import (
	"context"
	"io"
	"strconv"
	"time"

	"github.com/slipstick/slipstick/host/internal/cli/setting"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/release"
)

type devCmd struct {
	Dir       string        `arg:"" default:"." help:"Document (NAME.calc.md), or directory of the engine's program."`
	Addr      string        `default:"127.0.0.1:8081" help:"Address to listen on." placeholder:"HOST:PORT"`
	Every     time.Duration `default:"300ms" hidden:"" help:"How often to look for changes."`
	NoSandbox bool          `name:"no-sandbox" env:"SLIPSTICK_NO_SANDBOX" help:"Run the engine without a sandbox."`
}

func (c *devCmd) Run(ctx context.Context, s command.Streams) error {
	return (&release.Dev{Dir: c.Dir, Addr: c.Addr, Every: c.Every, PublishFlags: c.publishFlags, Serve: c.serve}).Run(ctx, s)
}

// publishFlags returns the flags of slipstick publish in this environment.
func (c *devCmd) publishFlags(ctx context.Context, s command.Streams, registry string) (*release.Publish, error) {
	flags, _, err := c.parse(ctx, s, "publish", "--to", registry, c.Dir)
	if err != nil {
		return nil, err
	}
	return (*release.Publish)(&flags.Publish), nil
}

// serve runs a server as slipstick serve does in this environment, without limits.
func (c *devCmd) serve(ctx context.Context, s command.Streams, d *release.Developed) error {
	s = command.Streams{Out: io.Discard, Err: s.Err}
	flags, line, err := c.serveFlags(ctx, s, d)
	if err != nil {
		return err
	}
	return flags.Serve.Run(ctx, s, line)
}

// serveFlags returns the flags of slipstick serve in this environment.
func (c *devCmd) serveFlags(ctx context.Context, s command.Streams, d *release.Developed) (*cli, *commandLine, error) {
	return c.parse(ctx, s, "serve", "--addr", d.Addr, "--base-url", d.URL, "--registry", d.Registry, "--data", d.Data, "--drain-delay", "0", "--limit", "calc=0,share=0,page=0,mcp=0,mcp-exec=0",
		"--engine-log-level", "trace", "--engine-log-rate", strconv.Itoa(release.AuthorLogRate))
}

// parse reads the flags of another command in this environment, with the flags that it shares with
// slipstick dev.
func (c *devCmd) parse(ctx context.Context, s command.Streams, args ...string) (*cli, *commandLine, error) {
	if c.NoSandbox {
		args = append(args, "--no-sandbox")
	}
	line := &commandLine{ctx: ctx, args: args, streams: s}
	flags, parsed, err := line.parse()
	if err == nil {
		line.flags = setting.FlagsOf(parsed)
	}
	return flags, line, err
}
