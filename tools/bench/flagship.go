package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/slipstick/slipstick/host/tools/bench/internal/fleet"
	"github.com/slipstick/slipstick/host/tools/bench/internal/server"
	"github.com/slipstick/slipstick/host/tools/bench/internal/wrk"
)

// flagshipInputs are eight numbers for the flagship, with marks as in [beam.Pattern]: a steel
// cantilever under loads of both signs.
const flagshipInputs = `{"length":4.#,"elastic_modulus":2#,"second_moment_of_area":0.0001#,"triangle_peak_load":4321.#,` +
	`"outer_uniform_load":-2500.#,"outer_start":1.#,"tip_moment":150.#,"position":2.#}`

// flagship measures an engine of the library with correctly rounded results. It is
// compared with the handlers for the engine of the bench. That engine has as many
// inputs and an answer of the same length, but a far simpler calculation.
func (b *bench) flagship(ctx context.Context, connections int) error {
	if _, err := b.contestants(ctx, standard, tuned); err != nil {
		return err
	}
	t := &table{Section: fmt.Sprintf("flagship%d", connections)}
	l := wrk.Load{Paths: paths(fleet.Tool(0)), Connections: connections}
	t.enter(standard, b.servers[standard], l)
	t.enter(tuned, b.servers[tuned], l)
	l.Paths, l.Pattern = paths(fleet.FlagshipTool), flagshipInputs
	return b.withServers(ctx, (*fleet.Fleet).OfFlagship, nil, func(s *subject, host *server.Server) error {
		t.enter(s.name, host, l)
		return b.warm(ctx, host, l)
	}, func() error { return b.takeTurns(ctx, t) })
}

// limits measures a server with limits on and a server with limits off. The requests name
// many clients, as requests of a proxy do, because a client can make only 10,000 calls per minute.
func (b *bench) limits(ctx context.Context, connections int) error {
	if _, err := b.contestant(ctx, standard); err != nil {
		return err
	}
	const clients = 4000
	t := &table{Section: fmt.Sprintf("limits%d", connections)}
	l := wrk.Load{Paths: paths(fleet.Tool(0)), Connections: connections, Clients: clients}
	t.enter(standard, b.servers[standard], l)
	enter := func(name string) func(*subject, *server.Server) error {
		return func(s *subject, host *server.Server) error {
			t.enter(s.name+name, host, l)
			return b.warm(ctx, host, l)
		}
	}
	proxied := []string{"--trusted-proxy", "127.0.0.1/32"}
	limited := append([]string{"--limit", "calc=10000"}, proxied...)
	return b.withServers(ctx, one, proxied, enter(""), func() error {
		return b.withServers(ctx, one, limited, enter(limitsOn), func() error { return b.takeTurns(ctx, t) })
	})
}

// limitsOn is the suffix of a contestant with limits on.
const limitsOn = " limits"

// one is the registry of one engine of the bench.
func one(f *fleet.Fleet, ctx context.Context) (string, error) { return f.Registry(ctx, 1) }

// withServers starts a server of every subject with the registry and the flags, and passes each to
// enter. When all are running, it calls measure. Then it stops them.
func (b *bench) withServers(ctx context.Context, registry func(*fleet.Fleet, context.Context) (string, error), flags []string,
	enter func(*subject, *server.Server) error, measure func() error,
) (err error) {
	for _, s := range b.subjects() {
		dir, err := registry(&s.fleet, ctx)
		if err != nil {
			return err
		}
		host, err := s.serve(ctx, dir, flags...)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, b.stop(s.name, host)) }()
		if err := enter(s, host); err != nil {
			return err
		}
	}
	return measure()
}
