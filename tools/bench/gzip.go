package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/slipstick/slipstick/host/tools/bench/internal/fleet"
	"github.com/slipstick/slipstick/host/tools/bench/internal/server"
	"github.com/slipstick/slipstick/host/tools/bench/internal/wrk"
)

// gzipped is the suffix of a contestant whose client accepts compressed answers.
const gzipped = " gzip"

// answerSizes are sizes of answers, and the lengths of the lists that give them. Without a list the answer is from engine 0.
var answerSizes = []struct {
	name    string
	numbers int
}{{"2 kB", 0}, {"4 kB", 130}, {"20 kB", 1050}}

// listOf returns inputs with a list of that many numbers, eight of them with marks as in [beam.Pattern].
func listOf(numbers int) string {
	values := make([]string, numbers)
	for i := range values {
		values[i] = fmt.Sprintf("%d.%013d", 10+i%7, i*7919*7919*7919%9999999999973)
		if i < 8 {
			values[i] = "1.#"
		}
	}
	return `{"values":[` + strings.Join(values, ",") + `]}`
}

// compressed measures answers of several sizes for clients that accept compressed answers and for others.
func (b *bench) compressed(ctx context.Context, kind string, connections int) error {
	if _, err := b.contestant(ctx, standard); err != nil {
		return err
	}
	t := &table{Section: fmt.Sprintf("gzip%s%d", kind, connections)}
	l := wrk.Load{Paths: paths(fleet.Tool(0)), Connections: connections, Repeated: kind == repeated}
	t.enter(standard, b.servers[standard], l)
	return b.withServers(ctx, (*fleet.Fleet).Series, nil, func(s *subject, host *server.Server) error {
		for _, size := range answerSizes {
			l := l
			if size.numbers > 0 {
				l.Paths, l.Pattern = paths(fleet.SeriesTool), listOf(size.numbers)
			}
			t.enter(s.name+" "+size.name, host, l)
			l.Gzip = true
			t.enter(s.name+" "+size.name+gzipped, host, l)
			if err := b.warm(ctx, host, l); err != nil {
				return err
			}
		}
		return nil
	}, func() error { return b.takeTurns(ctx, t) })
}
