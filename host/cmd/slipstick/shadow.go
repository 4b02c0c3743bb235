package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/shadow"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/server"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
)

// shadowCmd is about the comparison of candidates with what hosts answer.
type shadowCmd struct {
	Set    shadowSetCmd    `cmd:"" default:"withargs" help:"Let hosts compare a version with the current one, or no longer. The word set can be left out."`
	Report shadowReportCmd `cmd:"" help:"Say what hosts have compared."`
}

// part is a part of a whole, such as 10% or 0.1.
type part float64

// UnmarshalText implements [encoding.TextUnmarshaler].
func (p *part) UnmarshalText(text []byte) error {
	digits, percent := strings.CutSuffix(string(text), "%")
	f, err := strconv.ParseFloat(digits, 64)
	if percent {
		f /= 100
	}
	if err != nil || !(f > 0 && f <= 1) {
		return fmt.Errorf("%.40q is no part: write 10%% or 0.1, above 0%% and at most 100%%", text)
	}
	*p = part(f)
	return nil
}

type shadowSetCmd struct {
	target
	Sample part       `required:"" xor:"what" help:"Part of the inputs to compare, such as 10%. All hosts choose the same ones." placeholder:"PART"`
	Stop   bool       `required:"" xor:"what" help:"End the comparison."`
	Until  *time.Time `format:"2006-01-02T15:04:05Z07:00" help:"When the comparison ends by itself. Default: when it is stopped, or the version is promoted or revoked." placeholder:"TIME"`
}

func (c *shadowSetCmd) Run(ctx context.Context, s streams) error {
	says := evidence.Shadow{Sample: float64(c.Sample), Since: time.Now().UTC().Truncate(time.Second)}
	if c.Until != nil {
		says.Until = c.Until.UTC()
	}
	switch {
	case c.Stop && c.Until != nil:
		return &failure{exitMisuse, errors.New("--stop ends it now: leave --until out")}
	case c.Until != nil && !says.Until.After(says.Since):
		return &failure{exitMisuse, fmt.Errorf("--until %s is over", says.Until.Format(time.RFC3339))}
	}
	return c.change(ctx, s, func(reg *registry.Registry, capability string) error {
		err := reg.SetShadow(ctx, capability, c.Version, says)
		if err == nil {
			terminal.Shadow(s.out, capability, c.Version, says)
		}
		return err
	})
}

type shadowReportCmd struct {
	URL  []string `arg:"" help:"Addresses of hosts, such as http://127.0.0.1:8080. Those of several are added."`
	JSON bool     `help:"Print one object with everything that was counted."`
}

func (c *shadowReportCmd) Run(ctx context.Context, s streams) error {
	report, err := shadow.Get(ctx, c.URL...)
	if err != nil {
		return err
	}
	return terminal.Compared(s.out, report, c.JSON)
}

// shadowing says whether a host compares candidates.
type shadowing struct {
	Shadow string `enum:"off,counts,inputs" default:"counts" env:"SLIPSTICK_SHADOW" help:"What is kept where the registry lets a version be compared with the current one: counts; inputs, for each output also the three inputs with the largest differences, which everybody is shown who asks this host; or nothing, for off compares nothing."`
}

func (o *shadowing) shadow() server.Shadow {
	return server.Shadow{Off: o.Shadow == "off", Inputs: o.Shadow == "inputs"}
}
