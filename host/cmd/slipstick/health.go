package main

import (
	"context"
	"time"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/server"
)

type healthCmd struct {
	URL     string        `arg:"" optional:"" help:"URL of the server, such as http://127.0.0.1:8080. Default: where serve listens on this machine, by SLIPSTICK_ADDR."`
	Live    bool          `help:"Request /livez instead of /readyz, to check only that the process answers."`
	Timeout time.Duration `default:"3s" help:"Time to wait for the answer. Default: ${default}." placeholder:"TIME"`

	Addr string `hidden:"" default:"127.0.0.1:8080" env:"SLIPSTICK_ADDR"`
}

func (c *healthCmd) Run(ctx context.Context, s command.Streams) error {
	return (*server.Health)(c).Run(ctx, s)
}
