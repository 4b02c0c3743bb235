package main

import (
	"fmt"
	"io"
	"time"

	"github.com/slipstick/slipstick/host/cmd/bench/internal/figure"
	"github.com/slipstick/slipstick/host/cmd/bench/internal/server"
	"github.com/slipstick/slipstick/host/cmd/bench/internal/wrk"
)

// table is what one load measured.
type table struct {
	Section string   `json:"section"`
	Entries []*entry `json:"contestants"`
}

// entry is one contestant of a table: medians and the measured values. Times are in
// microseconds.
type entry struct {
	Contestant string  `json:"contestant"`
	PerSecond  float64 `json:"requests_per_second"`
	ToJSON     float64 `json:"ratio_to_json"`
	P50        float64 `json:"p50_us"`
	P99        float64 `json:"p99_us"`
	Rounds     series  `json:"rounds"`

	server *server.Server
	load   wrk.Load
}

// series are figures by round.
type series struct {
	PerSecond []float64 `json:"requests_per_second"`
	P50       []float64 `json:"p50_us"`
	P99       []float64 `json:"p99_us"`
}

func (t *table) enter(name string, s *server.Server, l wrk.Load) {
	t.Entries = append(t.Entries, &entry{Contestant: name, server: s, load: l})
}

// entry returns the entry of the contestant, nil if there is none.
func (t *table) entry(name string) *entry {
	for _, e := range t.Entries {
		if e.Contestant == name {
			return e
		}
	}
	return nil
}

func (e *entry) add(s wrk.Sample) {
	e.Rounds.PerSecond = append(e.Rounds.PerSecond, s.Rate)
	e.Rounds.P50 = append(e.Rounds.P50, micros(s.P50))
	e.Rounds.P99 = append(e.Rounds.P99, micros(s.P99))
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// settle computes the medians.
func (t *table) settle() {
	base := t.entry(standard)
	for _, e := range t.Entries {
		e.PerSecond = figure.Median(e.Rounds.PerSecond)
		e.P50, e.P99 = figure.Median(e.Rounds.P50), figure.Median(e.Rounds.P99)
		e.ToJSON = figure.Ratio(e.Rounds.PerSecond, base.Rounds.PerSecond)
	}
}

func (t *table) print(w io.Writer) {
	fmt.Fprintf(w, "\n%-14s%10s%10s%12s%12s\n", t.Section, "req/s", "to json", "p50 us", "p99 us")
	for _, e := range t.Entries {
		fmt.Fprintf(w, "  %-12s%10.0f%10.2f%12.0f%12.0f\n", e.Contestant, e.PerSecond, e.ToJSON, e.P50, e.P99)
	}
}
