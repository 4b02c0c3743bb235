package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/slipstick/slipstick/host/internal/audit"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/host/internal/terminal"
	"github.com/slipstick/slipstick/registry"
)

type verifyCmd struct {
	Target string `arg:"" optional:"" help:"CAPABILITY, CAPABILITY@VERSION, the file of a snapshot, or the id or address of one that carries itself (cx_e1_...). Default: the whole registry."`
	JSON   bool   `help:"Print one object with every finding."`
	Again  bool   `name:"run" help:"Compute a snapshot again and compare, bit for bit."`

	Data        string   `default:"${data}" env:"SLIPSTICK_DATA" help:"Directory of the keys that sign snapshots." placeholder:"DIR"`
	SnapshotKey []string `env:"SLIPSTICK_SNAPSHOT_KEY" help:"Seed of the key that signs snapshots, as for serve." placeholder:"SEED"`

	origin
	trusting
	checkpointing
	confinement
}

func (c *verifyCmd) Run(ctx context.Context, s streams) error {
	catalog, err := c.catalog(ctx, s.err, true, c.trusting)
	if err != nil {
		return err
	}
	o := &audit.Options{Data: c.Data, Seeds: c.SnapshotKey}
	if c.Again {
		o.Start = func() (audit.Calculator, func(), error) {
			own := slices.Concat(dataFiles(c.Data), c.origin.files(), c.trusting.files(), c.checkpointing.files())
			engines, end, err := c.confinement.start(s.err, slog.New(slog.DiscardHandler), own)
			if err != nil {
				return nil, nil, err
			}
			return calc.New(catalog, engines, nil), end, nil
		}
	}
	audited := audit.New(catalog, o)
	if c.Checkpoint != "" {
		if err := c.holdAgainst(audited, catalog); err != nil {
			return err
		}
	}
	if err := audited.Target(ctx, c.Target); err != nil {
		return err
	}
	findings := terminal.NewFindings(audited)
	if c.JSON {
		err = findings.WriteJSON(terminal.Plain(s.out))
	} else {
		err = findings.WriteText(s.out)
	}
	if err != nil {
		return err
	}
	return verdictOf(audited)
}

// holdAgainst holds the registry against the checkpoint.
func (c *verifyCmd) holdAgainst(audited *audit.Audit, catalog *calc.Catalog) error {
	var published []registry.Capability
	for _, e := range catalog.Entries() {
		published = append(published, e.Capability)
	}
	state, err := c.checkpointing.check(c.trusting, c.Data, published)
	if is[*source.SettingError](err) {
		return err
	}
	audited.Checkpoint(&state, err)
	return nil
}

// verdictOf is the error of a verification in which not everything holds.
func verdictOf(a *audit.Audit) error {
	if n := a.Count(audit.Fails); n > 0 {
		return &failure{exitFailed, fmt.Errorf("%d of %d do not hold", n, len(a.Findings))}
	}
	if n := a.Count(audit.Unchecked); n > 0 {
		return fmt.Errorf("%d of %d could not be checked", n, len(a.Findings))
	}
	return nil
}
