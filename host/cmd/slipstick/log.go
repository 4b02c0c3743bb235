package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/registry/transparency"
)

// logCmd is about the log of what is published in a registry.
type logCmd struct {
	Init    logInitCmd    `cmd:"" help:"Begin the log of a registry."`
	Update  logUpdateCmd  `cmd:"" help:"Log what is not logged yet, and sign the checkpoint anew."`
	Show    logShowCmd    `cmd:"" help:"List the entries of the log."`
	Check   logCheckCmd   `cmd:"" help:"Compare the log with checkpoints that others saw."`
	Witness logWitnessCmd `cmd:"" help:"Cosign the checkpoint, unless it contradicts what was seen before."`
}

// logKeeping is the flags of who keeps a log.
type logKeeping struct {
	Key   string        `env:"SLIPSTICK_LOG_KEY" help:"Secret key (NAME.key) that signs the checkpoint. Who trusts it gives it the role log or publish." placeholder:"FILE"`
	Valid time.Duration `help:"For how long the checkpoint counts; there must be a newer one before. Default: as long as the one before, and the first for ever." placeholder:"DURATION"`
}

// update brings the log of a registry up to date.
func (k *logKeeping) update(ctx context.Context, s streams, at *source.Place, u registry.LogUpdate) error {
	u.Valid = k.Valid
	options, err := signing{k.Key}.options(s)
	if err != nil {
		return err
	}
	l, added, err := at.UpdateLog(ctx, options, &u)
	if err != nil {
		return &failure{exitFailed, err}
	}
	c := l.Checkpoint()
	text := fmt.Sprintf("%s: %s added, %d in all", c.Origin, terminal.Count(added, "entry"), c.Size)
	if !c.Signed.IsZero() {
		text += ", signed"
	}
	if !c.Until.IsZero() {
		text += " until " + c.Until.Format(time.RFC3339)
	}
	_, err = fmt.Fprintln(s.out, text)
	return err
}

type logInitCmd struct {
	logKeeping
	origin
}

func (c *logInitCmd) Run(ctx context.Context, s streams) error {
	return c.update(ctx, s, c.place(), registry.LogUpdate{Create: true})
}

type logUpdateCmd struct {
	Removed []string `help:"Log that a capability, or a version of one (CAPABILITY@VERSION), was removed from the registry on purpose." placeholder:"ID"`
	logKeeping
	origin
}

func (c *logUpdateCmd) Run(ctx context.Context, s streams) error {
	return c.update(ctx, s, c.place(), registry.LogUpdate{Removed: c.Removed})
}

type logShowCmd struct {
	Capability string `arg:"" optional:"" complete:"capability" help:"Only entries of this capability or tool."`
	Checkpoint bool   `help:"Print the checkpoint with its signatures instead, as another host compares it."`
	JSON       bool   `help:"Print one JSON object per entry."`
	origin
}

func (c *logShowCmd) Run(ctx context.Context, s streams) error {
	l, err := c.place().ReadLog(ctx)
	if err != nil {
		return &failure{exitFailed, err}
	}
	if c.Checkpoint {
		_, err = s.out.Write(l.Checkpoint().Note())
		return err
	}
	return terminal.LogEntries(s.out, l.Entries(), c.Capability, c.JSON)
}

type logCheckCmd struct {
	Head []string `help:"Checkpoint that somebody else was shown: a file, or the address of a host (https://HOST), which shows the last that it saw. Can be given several times." placeholder:"FILE|URL"`
	Seen string   `help:"File with the last checkpoint that was seen here. The log must continue it; then the file has the new one. If it is not there, it is made." placeholder:"FILE"`
	JSON bool     `help:"Print one object with every finding."`
	origin
	trusting
}

func (c *logCheckCmd) Run(ctx context.Context, s streams) error {
	var heads []source.Head
	for _, at := range c.Head {
		head, err := source.ReadHead(ctx, at)
		if err != nil {
			return &failure{exitMisuse, err}
		}
		heads = append(heads, head)
	}
	if c.Seen != "" {
		seen, err := transparency.Seen(c.Seen)
		if err != nil {
			return &failure{exitMisuse, err}
		}
		if seen != nil {
			heads = append(heads, source.Head{Name: c.Seen, Checkpoint: seen, Own: true})
		}
	}
	found, err := c.place(c.trusting).CheckLog(ctx, heads)
	if err != nil {
		return &failure{exitFailed, err}
	}
	if err := terminal.LogHeads(s.out, found, heads, c.JSON); err != nil {
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
		return &failure{exitFailed, fmt.Errorf("the log does not agree with %d of %s", failed, terminal.Count(len(heads), "checkpoint"))}
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

type logWitnessCmd struct {
	Key  string `required:"" help:"Secret key of the witness (NAME.key). Who trusts it gives it the role witness." placeholder:"FILE"`
	Seen string `required:"" help:"File with the last checkpoint that this witness has cosigned. The log must continue it; then the file has the new one. If it is not there, it is made." placeholder:"FILE"`
	origin
	trusting
}

func (c *logWitnessCmd) Run(ctx context.Context, s streams) error {
	key, err := readKey(s, c.Key)
	if err != nil {
		return err
	}
	seen, err := transparency.Seen(c.Seen)
	if err != nil {
		return &failure{exitMisuse, err}
	}
	l, err := c.place(c.trusting).Witness(ctx, key, seen, func(last *transparency.Checkpoint) error { return store.Replace(c.Seen, last.Note()) })
	if err != nil {
		return &failure{exitFailed, err}
	}
	_, err = fmt.Fprintf(s.out, "%s: cosigned %s as %s\n", l.Checkpoint().Origin, terminal.Count(int(l.Checkpoint().Size), "entry"), key.KeyID())
	return err
}
