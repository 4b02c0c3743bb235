package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/slipstick/slipstick/host/cmd/bench/internal/figure"
	"github.com/slipstick/slipstick/host/cmd/bench/internal/fleet"
	"github.com/slipstick/slipstick/host/cmd/bench/internal/server"
)

// coldStart is how long the first answer of an engine takes that does not run yet, and the
// second answer, in milliseconds.
type coldStart struct {
	Engines int     `json:"engines"`
	First   float64 `json:"first_answer_ms"`
	Slowest float64 `json:"slowest_first_answer_ms"`
	Second  float64 `json:"second_answer_ms"`
}

// coldEngines is how many engines are started by a request.
const coldEngines = 15

// cold measures calculations with older versions, whose engines start on the first request.
func (b *bench) cold(ctx context.Context) error {
	registry, err := b.fleet.WithOlder(ctx, coldEngines)
	if err != nil {
		return err
	}
	host, err := b.host(ctx, registry)
	if err != nil {
		return err
	}
	early, err := running(ctx, host, fleet.Older)
	if err == nil && early > 0 {
		b.note("%d of %d older versions run before they are asked for: no cold start was measured", early, coldEngines)
	} else if err == nil {
		b.results.Cold, err = coldAnswers(ctx, host)
	}
	if stopped := b.stop("slipstick with older versions", host); err == nil {
		err = stopped
	}
	if c := b.results.Cold; c != nil {
		fmt.Fprintf(b.out, "\ncold: the first answer takes %.1f ms, the slowest of %d %.1f ms; the second %.2f ms\n",
			c.First, c.Engines, c.Slowest, c.Second)
	}
	return err
}

func coldAnswers(ctx context.Context, host *server.Server) (*coldStart, error) {
	var first, second []float64
	for i := range coldEngines {
		// The current version warms the connection, and the host, but not the engine.
		for j, version := range []string{fleet.Current, fleet.Older, fleet.Older} {
			began := time.Now()
			if _, err := ask(ctx, host, fleet.Tool(i), samples[j], version); err != nil {
				return nil, err
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
	return &coldStart{coldEngines, figure.Median(first), slices.Max(first), figure.Median(second)}, nil
}
