package registry

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/shadow"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
)

// Part is a part of a whole, such as 10% or 0.1.
type Part float64

// UnmarshalText implements [encoding.TextUnmarshaler].
func (p *Part) UnmarshalText(text []byte) error {
	digits, percent := strings.CutSuffix(string(text), "%")
	f, err := strconv.ParseFloat(digits, 64)
	if percent {
		f /= 100
	}
	if err != nil || !(f > 0 && f <= 1) {
		return fmt.Errorf("%.40q is not a part: write 10%% or 0.1, above 0%% and at most 100%%", text)
	}
	*p = Part(f)
	return nil
}

// SetShadow has the options of slipstick shadow set.
type SetShadow struct {
	VersionFlags
	Sample Part
	Stop   bool
	Until  *time.Time
}

// Run starts or stops the comparison of a version with the current one.
func (c *SetShadow) Run(ctx context.Context, s command.Streams) error {
	says := evidence.Shadow{Sample: float64(c.Sample), Since: time.Now().UTC().Truncate(time.Second)}
	if c.Until != nil {
		says.Until = c.Until.UTC()
	}
	switch {
	case c.Stop && c.Until != nil:
		return command.Misuse(errors.New("--stop ends it now: leave --until out"))
	case c.Until != nil && !says.Until.After(says.Since):
		return command.Misuse(fmt.Errorf("--until %s is over", says.Until.Format(time.RFC3339)))
	}
	return c.change(ctx, s, func(reg *registry.Registry, capability string) error {
		err := reg.SetShadow(ctx, capability, c.Version, says)
		if err == nil {
			terminal.Shadow(s.Out, capability, c.Version, says)
		}
		return err
	})
}

// ShadowReport has the options of slipstick shadow report.
type ShadowReport struct {
	URL  []string
	JSON bool
}

// Run prints the comparisons that servers made.
func (c *ShadowReport) Run(ctx context.Context, s command.Streams) error {
	report, err := shadow.Get(ctx, c.URL...)
	if err != nil {
		return err
	}
	return terminal.Compared(s.Out, report, c.JSON)
}
