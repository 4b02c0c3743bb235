package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/tools/bench/internal/fleet"
	"github.com/slipstick/slipstick/host/tools/bench/internal/server"
	"github.com/slipstick/slipstick/host/tools/bench/internal/wrk"
)

// load measures the contestants with that many connections.
func (b *bench) load(ctx context.Context, kind string, connections int) error {
	names := []string{socket, fixed, standard, tuned, unary, document, sheet}
	if kind == repeated { // the difference is copies of data in memory
		names = []string{socket, fixed, standard}
	}
	names, err := b.contestants(ctx, b.withSubjects(names...)...)
	if err != nil {
		return err
	}
	t := &table{Section: fmt.Sprintf("%s%d", kind, connections)}
	l := wrk.Load{Connections: connections, Repeated: kind == repeated}
	for _, name := range names {
		l.Paths = paths(toolOf(name))
		t.enter(name, b.servers[name], l)
	}
	return b.takeTurns(ctx, t)
}

// library is n engines of one kind that a server has.
type library struct {
	name     string // of the section
	registry func(f *fleet.Fleet, ctx context.Context, n int) (string, error)
	older    func(f *fleet.Fleet, ctx context.Context, n int) (string, error) // each engine in two versions
	tool     func(number int) string
}

var (
	ofEngines   = library{"spread", (*fleet.Fleet).Registry, (*fleet.Fleet).WithOlder, fleet.Tool}
	ofDocuments = library{"documents", (*fleet.Fleet).Documents, (*fleet.Fleet).DocumentsWithOlder, fleet.DocumentTool}
)

// spread measures one server under a load that is spread over n engines, and one
// handler under the same load for comparison.
func (b *bench) spread(ctx context.Context, of library, n int) error {
	if _, err := b.contestant(ctx, standard); err != nil {
		return err
	}
	floor := fmt.Sprint(relay, " ", n)
	if _, err := b.contestant(ctx, floor); err != nil {
		return err
	}
	tools := make([]string, n)
	for i := range tools {
		tools[i] = of.tool(i)
	}
	t := &table{Section: fmt.Sprintf("%s%d", of.name, n)}
	t.enter(standard, b.servers[standard], wrk.Load{Paths: paths(fleet.Tool(0)), Connections: 64})
	t.enter(relay, b.servers[floor], wrk.Load{Paths: paths(fleet.Tool(0)), Connections: 64})
	registry := func(f *fleet.Fleet, ctx context.Context) (string, error) { return of.registry(f, ctx, n) }
	l := wrk.Load{Paths: paths(tools...), Connections: 64}
	var last *server.Server // the last server of this revision
	return b.withServers(ctx, registry, nil, func(s *subject, host *server.Server) error {
		last = host
		t.enter(s.name, host, l)
		if err := startAll(ctx, host, tools); err != nil {
			return err
		}
		return b.warm(ctx, host, l)
	}, func() error {
		if err := b.takeTurns(ctx, t); err != nil {
			return err
		}
		time.Sleep(settleTime) // until engines have released unused memory
		memory, err := last.Memory()
		if err != nil {
			return err
		}
		t.Held = megabytes(memory.BelowAnon) / float64(n)
		return nil
	})
}

// startAll calls every engine once, and checks that all of them are running then.
func startAll(ctx context.Context, host *server.Server, tools []string) error {
	for _, tool := range tools {
		if _, err := ask(ctx, host, tool, samples[0]); err != nil {
			return err
		}
	}
	if n, err := running(ctx, host, ""); err != nil || n < len(tools) {
		return errors.Join(err, fmt.Errorf("%d of %d engines run", n, len(tools)))
	}
	return nil
}

// takeTurns measures every entry of the table in each round.
func (b *bench) takeTurns(ctx context.Context, t *table) error {
	for range b.rounds {
		for _, e := range t.Entries {
			e.load.Time = time.Duration(b.Seconds) * time.Second
			sample, used, err := b.loadOnce(ctx, e.server, e.load)
			if err != nil {
				return fmt.Errorf("%s: %w", e.Contestant, err)
			}
			e.add(sample, used)
		}
	}
	t.settle()
	b.results.Loads = append(b.results.Loads, t)
	return nil
}
