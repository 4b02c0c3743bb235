package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/slipstick/slipstick/host/tools/bench/internal/beam"
	"github.com/slipstick/slipstick/host/tools/bench/internal/fleet"
	"github.com/slipstick/slipstick/host/tools/bench/internal/server"
	"github.com/slipstick/slipstick/host/tools/bench/internal/wrk"
)

// Names of the peers.
const (
	goRules = "gorules"
	opa     = "opa"
)

const (
	peerPath    = "/v1/data/beam"
	peerPattern = `{"input":` + beam.Pattern + `}`
)

// peerSources is the directory of the programs of the peers in the repository.
var peerSources = filepath.Join("scripts", "node", "peers")

// peers measures programs of others that compute the same beam, if scripts/bench --peers has installed them.
func (b *bench) peers(ctx context.Context, connections int) (err error) {
	names, err := b.contestants(ctx, standard, slipstick)
	if err != nil {
		return err
	}
	t := &table{Section: fmt.Sprintf("peers%d", connections)}
	l := wrk.Load{Connections: connections, Paths: paths(fleet.Tool(0))}
	for _, name := range names {
		t.enter(name, b.servers[name], l)
	}
	l.Paths, l.Pattern = []string{peerPath}, peerPattern
	for _, peer := range []struct {
		name  string
		start func(context.Context) (*server.Server, error)
	}{{goRules, b.startGoRules}, {opa, b.startOPA}} {
		s, err := peer.start(ctx)
		if errors.Is(err, fs.ErrNotExist) {
			b.note("%s is left out, because it is not installed: %v", peer.name, err)
			continue
		}
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, b.stop(peer.name, s)) }()
		if err := checkPeer(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", peer.name, err)
		}
		if err := b.warm(ctx, s, l); err != nil {
			return fmt.Errorf("%s: %w", peer.name, err)
		}
		t.enter(peer.name, s, l)
	}
	return b.takeTurns(ctx, t)
}

// startGoRules starts the server of Fastify, in which Node.js runs the engine of GoRules.
func (b *bench) startGoRules(ctx context.Context) (*server.Server, error) {
	program := filepath.Join(b.Dir, "peers", "server.mjs")
	if _, err := os.Stat(program); err != nil {
		return nil, err
	}
	return server.Start(ctx, "node", program)
}

// startOPA starts the server of OPA with its default settings.
func (b *bench) startOPA(ctx context.Context) (*server.Server, error) {
	program := filepath.Join(b.Dir, "peers", "opa")
	if _, err := os.Stat(program); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") // it does not print its port, so it gets one that is free now
	if err != nil {
		return nil, err
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return nil, err
	}
	return server.StartWith(ctx, server.Options{URL: "http://" + address, Within: server.StartTime},
		program, "run", "--server", "--addr", address, "--log-level", "error", "--skip-version-check", filepath.Join(peerSources, "beam.rego"))
}

// checkPeer compares a response of a peer with the beam.
func checkPeer(ctx context.Context, s *server.Server) error {
	inputs := beam.Inputs(samples[0])
	var in beam.Input
	if err := json.Unmarshal([]byte(inputs), &in); err != nil {
		return err
	}
	out := beam.Middle(in)
	body, err := request(ctx, s.URL+peerPath, []byte(`{"input":`+inputs+`}`), http.StatusOK)
	if err != nil {
		return err
	}
	var got struct{ Result map[string]float64 }
	if err := json.Unmarshal(body, &got); err != nil {
		return fmt.Errorf("%.300s: %w", body, err)
	}
	const tolerance = 1e-12 // relative: peers compute in decimals
	for name, want := range map[string]float64{"deflection": out.Deflection, "moment": out.Moment, "reaction": out.Reaction, "stress": out.Stress} {
		if value, ok := got.Result[name]; !ok || math.Abs(value-want) > tolerance*math.Abs(want) {
			return fmt.Errorf("%s is %v, not %v: %.300s", name, value, want, body)
		}
	}
	return nil
}
