package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/slipstick/slipstick/host/tools/bench/internal/fleet"
	"github.com/slipstick/slipstick/host/tools/bench/internal/wrk"
)

// Suffixes of a contestant that sends traces of one request in a hundred, or of all requests.
const (
	someTraced = " 1 %"
	allTraced  = " 100 %"
)

// traces measures a server without traces and two servers that send traces to a collector, which drops them.
func (b *bench) traces(ctx context.Context, connections int) (err error) {
	if _, err := b.contestant(ctx, standard); err != nil {
		return err
	}
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	defer collector.Close()
	t := &table{Section: "traces64"}
	l := wrk.Load{Paths: paths(fleet.Tool(0)), Connections: connections}
	t.enter(standard, b.servers[standard], l)
	for _, of := range []struct{ name, share string }{{"", ""}, {someTraced, "0.01"}, {allTraced, "1"}} {
		for _, s := range b.subjects() {
			dir, err := one(&s.fleet, ctx)
			if err != nil {
				return err
			}
			flags, env := []string{"--data", dir + ".data" + of.share}, []string(nil)
			if of.share != "" {
				flags = append(flags, "--traces", collector.URL+"/v1/traces")
				env = []string{"OTEL_TRACES_SAMPLER=parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG=" + of.share}
			}
			host, err := s.serveWith(ctx, env, dir, flags...)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, b.stop(s.name+of.name, host)) }()
			t.enter(s.name+of.name, host, l)
			if err := b.warm(ctx, host, l); err != nil {
				return err
			}
		}
	}
	return b.takeTurns(ctx, t)
}
