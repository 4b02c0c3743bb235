package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/slipstick/slipstick/host/internal/archive/audit"
	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/platform/fetch"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/host/internal/study"
	"github.com/slipstick/slipstick/versions"
)

type verifyCmd struct {
	Target string `arg:"" optional:"" complete:"release" help:"CAPABILITY, CAPABILITY@VERSION, the file of a snapshot or of a receipt, or the id or address of a snapshot: one that carries itself (cx_e1_...), or one that is kept in --data; with --keys, an address is asked for the others. Default: the whole registry."`
	Keys   string `env:"SLIPSTICK_KEYS" help:"Public keys of the host that froze a snapshot or recorded an answer: the document that it publishes, or the host itself (https://HOST), or a registry that has them. No secret key is needed then." placeholder:"FILE|URL|REGISTRY"`
	JSON   bool   `help:"Print one object with every finding."`
	Rows   string `help:"File of the rows, if the receipt is of a batch; how it is written, the ending of its name tells." placeholder:"FILE"`
	Again  bool   `name:"run" help:"Compute a snapshot, a record or the rows of a batch again and compare, bit for bit."`

	Data        string   `default:"${data}" env:"SLIPSTICK_DATA" help:"Directory of snapshots and of the keys that sign them." placeholder:"DIR"`
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
	o := &audit.Options{Data: c.Data, Rows: c.Rows, Seeds: c.SnapshotKey, Log: &source.Log{Place: *c.place(c.trusting), Data: c.Data, Checkpoint: c.Checkpoint}}
	if c.Keys != "" {
		o.Keys, err = source.ReadHostKeys(ctx, c.Keys, *c.place())
		if err != nil {
			return err
		}
		o.Fetch = func(ctx context.Context, address string) ([]byte, error) {
			return fetch.Get(ctx, address, &fetch.Options{Limit: snapshot.MaxRecord})
		}
	}
	if c.Again {
		o.Start = func() (audit.Calculator, func(), error) {
			own := c.origin.own()
			own.Data, own.Trust, own.Checkpoint = cmp.Or(c.Data, own.Data), c.Trust, c.Checkpoint
			engines, err := c.confinement.start(s.err, slog.New(slog.DiscardHandler), own)
			if err != nil {
				return nil, nil, err
			}
			return calculator{calc.New(catalog, engines, nil), engines}, engines.Close, nil
		}
	}
	found, err := audit.Run(ctx, catalog, c.Target, o)
	if err != nil {
		return err
	}
	if c.JSON {
		err = terminal.FindingsJSON(terminal.Plain(s.out), found)
	} else {
		err = terminal.Findings(s.out, found)
	}
	if err != nil {
		return err
	}
	if n := found.Count(audit.Fails); n > 0 {
		return &failure{exitFailed, fmt.Errorf("%d of %d do not hold", n, len(found.Findings))}
	}
	if n := found.Count(audit.Unchecked); n > 0 {
		return fmt.Errorf("%d of %d could not be checked", n, len(found.Findings))
	}
	return nil
}

// calculator computes snapshots and records again.
type calculator struct {
	*calc.Service
	engines calc.Engines
}

// Batch implements [audit.Calculator].
func (c calculator) Batch(ctx context.Context, catalog *catalog.Catalog, rows batch.Input, pins []versions.Pin, only []record.Span) (whole *record.Record, err error) {
	service := calc.New(catalog, c.engines, nil)
	err = batch.Run(ctx, service, rows, batch.LeanLine(service.BaseURL()), io.Discard, &batch.Options{
		Pins: pins, Only: only, Whole: func(r *record.Record) { whole = r },
	})
	return whole, err
}

// Study implements [audit.Calculator].
func (c calculator) Study(ctx context.Context, result []byte) ([]byte, error) {
	_, again, err := study.Recompute(ctx, c.Service, result, nil)
	if err != nil {
		return nil, err
	}
	return again.AppendJSON(nil)
}
