package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/slipstick/slipstick/host/tools/bench/internal/fleet"
	"github.com/slipstick/slipstick/host/tools/bench/internal/server"
	"github.com/slipstick/slipstick/host/tools/bench/internal/stats"
)

// coldStart is the time to the first answer of an engine that is not running, in milliseconds:
// medians over the engines.
type coldStart struct {
	Subject string  `json:"contestant"`
	Library string  `json:"library"`
	Engines int     `json:"engines"`
	Unseen  float64 `json:"never_ran_ms"` // the server has not read the program
	Kept    float64 `json:"ended_ms"`     // the engine ran before
	Second  float64 `json:"second_answer_ms"`
	Slowest float64 `json:"slowest_ms"`
}

// coldEngines is the number of engines that are started by a request.
const coldEngines = 15

// cold measures calculations with older versions. Their engines start on the first request.
func (b *bench) cold(ctx context.Context) error {
	fmt.Fprintf(b.out, "\n%-30s%14s%14s%14s%14s\n", "cold, first answer", "never ran ms", "ended ms", "slowest ms", "running ms")
	for _, s := range b.subjects() {
		for _, of := range []library{ofDocuments, ofEngines} {
			if of.name == ofDocuments.name && !s.hasRuntime() {
				b.note("%s has no runtime of documents: no cold start of one was measured", s.name)
				continue
			}
			c, err := b.coldOf(ctx, s, of)
			if err != nil || c == nil {
				return err
			}
			b.results.Cold = append(b.results.Cold, c)
			fmt.Fprintf(b.out, "  %-12s%-16s%14.1f%14.1f%14.1f%14.2f\n", c.Subject, c.Library, c.Unseen, c.Kept, c.Slowest, c.Second)
		}
	}
	return nil
}

func (b *bench) coldOf(ctx context.Context, s *subject, of library) (c *coldStart, err error) {
	registry, err := of.older(&s.fleet, ctx, coldEngines)
	if err != nil {
		return nil, err
	}
	host, err := s.serve(ctx, registry, b.endEarly(ctx, s)...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.stop(s.name+" with older versions", host)) }()
	early, err := running(ctx, host, fleet.Older)
	if err != nil {
		return nil, err
	}
	if early > 0 {
		b.note("%d of %d older versions run before they are asked for: no cold start was measured", early, coldEngines)
		return nil, nil
	}
	c = &coldStart{Subject: s.name, Library: of.name, Engines: coldEngines}
	unseen, second, err := coldAnswers(ctx, host, of)
	if err != nil {
		return nil, err
	}
	c.Unseen, c.Second = stats.Median(unseen), stats.Median(second)
	if b.unknown[idleStop] || s == b.base {
		c.Slowest = slices.Max(unseen)
		return c, nil
	}
	if err := awaitEnds(ctx, host); err != nil {
		return nil, err
	}
	kept, _, err := coldAnswers(ctx, host, of)
	if err != nil {
		return nil, err
	}
	c.Kept, c.Slowest = stats.Median(kept), slices.Max(append(unseen, kept...))
	return c, nil
}

// idleStop makes engines end soon after their last call.
const idleStop = "--idle-stop=2s"

// endEarly returns the flag idleStop if the subject supports it; a base may not.
func (b *bench) endEarly(ctx context.Context, s *subject) []string {
	if s != b.base && b.supports(ctx, idleStop, "no first answer of an engine that had ended was measured") {
		return []string{idleStop}
	}
	return nil
}

// coldAnswers calls every older version twice.
func coldAnswers(ctx context.Context, host *server.Server, of library) (first, second []float64, err error) {
	for i := range coldEngines {
		// The current version warms up the connection and the server, but not the engine.
		for j, version := range []string{fleet.Current, fleet.Older, fleet.Older} {
			began := time.Now()
			if _, err := ask(ctx, host, of.tool(i), samples[j], version); err != nil {
				return nil, nil, err
			}
			took := micros(time.Since(began)) / 1000
			switch j {
			case 1:
				first = append(first, took)
			case 2:
				second = append(second, took)
			}
		}
	}
	return first, second, nil
}

// awaitEnds returns when no engine is running.
func awaitEnds(ctx context.Context, host *server.Server) error {
	for until := time.Now().Add(endWait); ; time.Sleep(lookEvery) {
		n, err := running(ctx, host, "")
		if err != nil || n == 0 {
			return err
		}
		if time.Now().After(until) {
			return fmt.Errorf("%d unused engines have not ended", n)
		}
	}
}

const (
	endWait   = 30 * time.Second
	lookEvery = 100 * time.Millisecond
)
