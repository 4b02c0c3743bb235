package main

import (
	"context"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/cmd/bench/internal/fleet"
	"github.com/slipstick/slipstick/host/cmd/bench/internal/wrk"
)

// load measures the contestants with that many connections.
func (b *bench) load(ctx context.Context, kind string, connections int) error {
	names := []string{fixed, standard, tuned, unary, slipstick}
	if kind == repeated { // what differs there are copies of what is in memory
		names = []string{fixed, standard, slipstick}
	}
	names, err := b.contestants(ctx, names...)
	if err != nil {
		return err
	}
	t := &table{Section: fmt.Sprintf("%s%d", kind, connections)}
	l := wrk.Load{Paths: paths([]string{fleet.Tool(0)}), Connections: connections, Repeated: kind == repeated}
	for _, name := range names {
		t.enter(name, b.servers[name], l)
	}
	return b.rounds(ctx, t)
}

// spread measures one host under a load that is spread over n engines, and for comparison one
// handler under the same load.
func (b *bench) spread(ctx context.Context, n int) error {
	if _, err := b.contestant(ctx, standard); err != nil {
		return err
	}
	registry, err := b.fleet.Registry(ctx, n)
	if err != nil {
		return err
	}
	host, err := b.host(ctx, registry)
	if err != nil {
		return err
	}
	tools := make([]string, n)
	for i := range tools {
		tools[i] = fleet.Tool(i)
	}
	t := &table{Section: fmt.Sprintf("spread%d", n)}
	t.enter(standard, b.servers[standard], wrk.Load{Paths: paths(tools[:1]), Connections: 64})
	t.enter(slipstick, host, wrk.Load{Paths: paths(tools), Connections: 64})
	if err = b.warm(ctx, host, tools...); err == nil {
		err = b.rounds(ctx, t)
	}
	if stopped := b.stop(fmt.Sprintf("slipstick with %d engines", n), host); err == nil {
		err = stopped
	}
	return err
}

// rounds measures every entry of the table in each round.
func (b *bench) rounds(ctx context.Context, t *table) error {
	for range b.Rounds {
		for _, e := range t.Entries {
			e.load.Time = time.Duration(b.cli.Seconds) * time.Second
			sample, err := b.loadOnce(ctx, e.server, e.load)
			if err != nil {
				return fmt.Errorf("%s: %w", e.Contestant, err)
			}
			e.add(sample)
		}
	}
	t.settle()
	b.results.Loads = append(b.results.Loads, t)
	t.print(b.out)
	return nil
}
