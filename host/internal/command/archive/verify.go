package archive

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
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/platform/fetch"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/host/internal/study"
	"github.com/slipstick/slipstick/versions"
)

// Verify has the options of slipstick verify.
type Verify struct {
	Target string
	Keys   string
	JSON   bool
	Rows   string
	Again  bool

	Data        string
	SnapshotKey []string

	command.RegistryFlags
	command.TrustFlags
	command.CheckpointFlag
	command.SandboxFlags
}

// Run checks a registry, a release, a snapshot or a receipt.
func (c *Verify) Run(ctx context.Context, s command.Streams) error {
	server := source.IsServer(c.Registry)
	if server && c.Again {
		return command.Misuse(fmt.Errorf("--run needs engines, and the server %s keeps its own: name a registry with --registry", c.Registry))
	}
	catalog, err := c.Catalog(ctx, s.Err, !server, c.TrustFlags)
	if err != nil {
		return err
	}
	o := &audit.Options{Data: c.Data, Rows: c.Rows, Seeds: c.SnapshotKey, Stated: server}
	if !server {
		o.Log = &source.Log{Place: *c.Place(c.TrustFlags), Data: c.Data, Checkpoint: c.Checkpoint}
	}
	if c.Keys != "" {
		o.Keys, err = source.ReadHostKeys(ctx, c.Keys, *c.Place())
		if err != nil {
			return err
		}
		o.Fetch = func(ctx context.Context, address string) ([]byte, error) {
			return fetch.Get(ctx, address, &fetch.Options{Limit: snapshot.MaxRecord})
		}
	}
	if c.Again {
		o.Start = func() (audit.Calculator, func(), error) {
			own := c.RegistryFlags.Own()
			own.Data, own.Trust, own.Checkpoint = cmp.Or(c.Data, own.Data), c.Trust, c.Checkpoint
			engines, err := c.NewPool(s.Err, &pool.Options{Log: slog.New(slog.DiscardHandler)}, own)
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
		err = terminal.FindingsJSON(terminal.Plain(s.Out), found)
	} else {
		err = terminal.Findings(s.Out, found)
	}
	if err != nil {
		return err
	}
	if n := found.Count(audit.Fails); n > 0 {
		return command.Refused(fmt.Errorf("%d of %d do not hold", n, len(found.Findings)))
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
