package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/tools/bench/internal/contestant"
	"github.com/slipstick/slipstick/host/tools/bench/internal/fleet"
	"github.com/slipstick/slipstick/host/tools/bench/internal/server"
	"github.com/slipstick/slipstick/host/tools/bench/internal/wrk"
)

// Names of the contestants.
const (
	socket    = contestant.Socket
	relay     = contestant.Relay
	fixed     = contestant.Fixed
	standard  = contestant.JSON
	tuned     = contestant.Tuned
	unary     = "unary"
	document  = "document"
	sheet     = "sheet"
	base      = "base"
	slipstick = "slipstick"
)

// baseURL is the base of the links in all answers, so that the answers are byte-identical.
const baseURL = "http://127.0.0.1:8080"

// supports reports whether slipstick serve has the flag. If not, it adds a note.
func (b *bench) supports(ctx context.Context, flag, without string) bool {
	if b.unknown[flag] {
		return false
	}
	err := exec.CommandContext(ctx, b.ours.fleet.Slipstick, "serve", flag, "--help").Run()
	b.unknown[flag] = err != nil
	if err != nil {
		b.note("slipstick serve has no flag %s: %s", flag, without)
	}
	return err == nil
}

// contestant returns the server of a contestant. The first call starts it.
func (b *bench) contestant(ctx context.Context, name string) (*server.Server, error) {
	if s, ok := b.servers[name]; ok {
		return s, nil
	}
	s, err := b.startContestant(ctx, name)
	if err != nil {
		return nil, err
	}
	b.servers[name] = s
	if name == standard || name == tuned || name == unary { // the others answer other requests, or always the same
		if err := b.compare(ctx, name, s); err != nil {
			return nil, err
		}
	}
	return s, b.warm(ctx, s, wrk.Load{Paths: paths(toolOf(name)), Connections: 64})
}

func (b *bench) startContestant(ctx context.Context, name string) (*server.Server, error) {
	var flags []string
	subject := b.subject(name)
	if name == unary {
		subject, flags = b.ours, []string{"--unary"}
	}
	if name == document || name == sheet {
		registry, err := b.ours.fleet.Documents(ctx, 1)
		if name == sheet {
			registry, err = b.ours.fleet.Sheet(ctx)
		}
		if err != nil {
			return nil, err
		}
		return b.ours.serve(ctx, registry)
	}
	if subject != nil {
		registry, err := subject.fleet.Registry(ctx, 1)
		if err != nil {
			return nil, err
		}
		return subject.serve(ctx, registry, flags...)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	name, processes, _ := strings.Cut(name, " ")
	return server.Start(ctx, self, "--contestant", name, "--answer", b.answer, "--processes", cmp.Or(processes, "0"))
}

// contestants returns the available ones among the named contestants.
func (b *bench) contestants(ctx context.Context, names ...string) ([]string, error) {
	var there []string
	for _, name := range names {
		if name == unary && !b.supports(ctx, "--unary", "the contestant of that name is left out") {
			continue
		}
		if _, err := b.contestant(ctx, name); err != nil {
			return nil, err
		}
		there = append(there, name)
	}
	return there, nil
}

// loadOnce loads a server once, with inputs that it has not received before, and returns the cost for
// the server.
func (b *bench) loadOnce(ctx context.Context, s *server.Server, l wrk.Load) (wrk.Sample, server.Cost, error) {
	b.runs++
	l.URL, l.Run = s.URL, b.runs
	before, err := s.Cost(ctx)
	if err != nil {
		return wrk.Sample{}, before, err
	}
	load := b.wrk.Load
	if l.Connections == 1 {
		load = wrk.Lone
	}
	sample, err := load(ctx, l)
	if err != nil {
		return sample, before, err
	}
	after, err := s.Cost(ctx)
	return sample, after.Minus(before), err
}

// warm loads a server for a second.
func (b *bench) warm(ctx context.Context, s *server.Server, l wrk.Load) error {
	l.Time = time.Second
	_, _, err := b.loadOnce(ctx, s, l)
	return err
}

// toolOf returns the tool id of the calculation of a contestant.
func toolOf(name string) string {
	switch name {
	case document:
		return fleet.DocumentTool(0)
	case sheet:
		return fleet.SheetTool
	}
	return fleet.Tool(0)
}

func paths(tools ...string) []string {
	var all []string
	for _, tool := range tools {
		all = append(all, "/api/v1/calc/"+tool)
	}
	return all
}

// stopAll ends all contestants.
func (b *bench) stopAll() error {
	var errs []error
	for name, s := range b.servers {
		errs = append(errs, b.stop(name, s))
	}
	return errors.Join(errs...)
}

// stop ends a server, and records its error messages.
func (b *bench) stop(name string, s *server.Server) error {
	err := s.Stop()
	lines := slices.DeleteFunc(s.Transcript(), func(line string) bool {
		// wrk disconnects at the end of its time. Log entries about the registry and warnings of OPA about root are not errors.
		return strings.Contains(line, "context canceled") || strings.Contains(line, "level=INFO") || strings.Contains(line, `"level":"warning"`)
	})
	if len(lines) > 0 {
		b.note("%s printed %d lines on stderr, the first: %.300s", name, len(lines), lines[0])
	}
	if err != nil {
		return fmt.Errorf("stop %s: %w", name, err)
	}
	return nil
}
