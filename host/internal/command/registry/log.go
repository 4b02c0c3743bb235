package registry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/registry/transparency"
)

// LogFlags has the flags of commands that write a log.
type LogFlags struct {
	Key   string        `env:"SLIPSTICK_LOG_KEY" help:"Secret key (NAME.key) that signs the checkpoint. To trust it, give it the role log or publish." placeholder:"FILE"`
	Valid time.Duration `help:"Time for which the checkpoint counts. Sign a newer one before it ends. Default: the time of the previous checkpoint. The first one does not expire by default." placeholder:"DURATION"`
}

// update brings the log of a registry up to date.
func (k *LogFlags) update(ctx context.Context, s command.Streams, at *source.Place, u registry.LogUpdate) error {
	u.Valid = k.Valid
	options, err := command.SigningFlag{Sign: k.Key}.RegistryOptions(s)
	if err != nil {
		return err
	}
	l, added, err := at.UpdateLog(ctx, options, &u)
	if err != nil {
		return command.Refused(err)
	}
	c := l.Checkpoint()
	text := fmt.Sprintf("%s: %s added, %d in all", c.Origin, terminal.Count(added, "entry"), c.Size)
	if !c.Signed.IsZero() {
		text += ", signed"
	}
	if !c.Until.IsZero() {
		text += " until " + c.Until.Format(time.RFC3339)
	}
	_, err = fmt.Fprintln(s.Out, text)
	return err
}

// InitLog has the options of slipstick log init.
type InitLog struct {
	LogFlags
	command.RegistryFlags
}

// Run starts the transparency log.
func (c *InitLog) Run(ctx context.Context, s command.Streams) error {
	return c.update(ctx, s, c.Place(), registry.LogUpdate{Create: true})
}

// UpdateLog has the options of slipstick log update.
type UpdateLog struct {
	Removed []string
	LogFlags
	command.RegistryFlags
}

// Run adds missing entries to the transparency log.
func (c *UpdateLog) Run(ctx context.Context, s command.Streams) error {
	return c.update(ctx, s, c.Place(), registry.LogUpdate{Removed: c.Removed})
}

// ShowLog has the options of slipstick log show.
type ShowLog struct {
	Capability string
	Checkpoint bool
	JSON       bool
	command.RegistryFlags
}

// Run lists the entries of the transparency log.
func (c *ShowLog) Run(ctx context.Context, s command.Streams) error {
	l, err := c.Place().ReadLog(ctx)
	if err != nil {
		return command.Refused(err)
	}
	if c.Checkpoint {
		_, err = s.Out.Write(l.Checkpoint().Note())
		return err
	}
	return terminal.LogEntries(s.Out, l.Entries(), c.Capability, c.JSON)
}

// CheckLog has the options of slipstick log check.
type CheckLog struct {
	Head []string
	Seen string
	JSON bool
	command.RegistryFlags
	command.TrustFlags
}

// Run compares the transparency log with other checkpoints.
func (c *CheckLog) Run(ctx context.Context, s command.Streams) error {
	var heads []source.Head
	for _, at := range c.Head {
		head, err := source.ReadHead(ctx, at)
		if err != nil {
			return command.Misuse(err)
		}
		heads = append(heads, head)
	}
	if c.Seen != "" {
		seen, err := transparency.Seen(c.Seen)
		if err != nil {
			return command.Misuse(err)
		}
		if seen != nil {
			heads = append(heads, source.Head{Name: c.Seen, Checkpoint: seen, Own: true})
		}
	}
	found, err := c.Place(c.TrustFlags).CheckLog(ctx, heads)
	if err != nil {
		return command.Refused(err)
	}
	if err := terminal.LogHeads(s.Out, found, heads, c.JSON); err != nil {
		return err
	}
	failed, unchecked := 0, 0
	for _, h := range heads {
		switch {
		case errors.Is(h.Err, transparency.ErrNewer) || errors.Is(h.Err, transparency.ErrOther):
			unchecked++
		case h.Err != nil:
			failed++
		}
	}
	if failed > 0 {
		return command.Refused(fmt.Errorf("the log does not agree with %d of %s", failed, terminal.Count(len(heads), "checkpoint")))
	}
	if c.Seen != "" {
		if err := store.Replace(c.Seen, found.Checkpoint.Note()); err != nil {
			return err
		}
	}
	if unchecked > 0 {
		return fmt.Errorf("%d of %s could not be compared", unchecked, terminal.Count(len(heads), "checkpoint"))
	}
	return nil
}

// WitnessLog has the options of slipstick log witness.
type WitnessLog struct {
	Key  string
	Seen string
	command.RegistryFlags
	command.TrustFlags
}

// Run cosigns the checkpoint of the transparency log.
func (c *WitnessLog) Run(ctx context.Context, s command.Streams) error {
	key, err := command.ReadKey(s, c.Key)
	if err != nil {
		return err
	}
	seen, err := transparency.Seen(c.Seen)
	if err != nil {
		return command.Misuse(err)
	}
	l, err := c.Place(c.TrustFlags).Witness(ctx, key, seen, func(last *transparency.Checkpoint) error { return store.Replace(c.Seen, last.Note()) })
	if err != nil {
		return command.Refused(err)
	}
	_, err = fmt.Fprintf(s.Out, "%s: cosigned %s as %s\n", l.Checkpoint().Origin, terminal.Count(int(l.Checkpoint().Size), "entry"), key.KeyID())
	return err
}
