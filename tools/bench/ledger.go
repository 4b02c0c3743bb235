package main

import (
	"context"
	"errors"
	"os"

	"github.com/slipstick/slipstick/host/tools/bench/internal/fleet"
	"github.com/slipstick/slipstick/host/tools/bench/internal/wrk"
)

// Suffixes of a contestant with a ledger, which records the hash of the inputs or the
// inputs themselves.
const (
	hashesKept = " hash"
	inputsKept = " inputs"
)

// ledger measures a server without a ledger and two servers with one.
func (b *bench) ledger(ctx context.Context, section string, l wrk.Load) (err error) {
	if _, err := b.contestant(ctx, standard); err != nil {
		return err
	}
	registry, err := one(&b.ours.fleet, ctx)
	if err != nil {
		return err
	}
	t := &table{Section: section}
	l.Paths = paths(fleet.Tool(0))
	t.enter(standard, b.servers[standard], l)
	for _, kept := range []struct {
		name   string
		record string
	}{{"", ""}, {hashesKept, "hash"}, {inputsKept, "inputs"}} {
		var flags []string
		if kept.record != "" {
			dir, err := os.MkdirTemp(b.cli.Dir, "ledger-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			flags = []string{"--data", registry + ".data" + kept.record, "--ledger", dir, "--ledger-record", kept.record}
		}
		host, err := b.ours.serve(ctx, registry, flags...)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, b.stop(b.ours.name, host)) }()
		if err := b.warm(ctx, host, l); err != nil {
			return err
		}
		t.enter(b.ours.name+kept.name, host, l)
	}
	return b.takeTurns(ctx, t)
}
