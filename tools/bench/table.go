package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/slipstick/slipstick/host/tools/bench/internal/server"
	"github.com/slipstick/slipstick/host/tools/bench/internal/stats"
	"github.com/slipstick/slipstick/host/tools/bench/internal/wrk"
)

// table is the result of one load.
type table struct {
	Section string   `json:"section"`
	Held    float64  `json:"held_by_an_engine_mb,omitempty"` // memory without a file, after the load
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
	Single     bool    `json:"percentiles_of_all_requests,omitempty"` // not medians over the rounds
	Cost       cost    `json:"cost_per_request"`
	Rounds     series  `json:"rounds"`

	server *server.Server
	load   wrk.Load
	times  []time.Duration // of all requests in all rounds, of a lone caller
}

// cost is the cost of one request for a server: the median over the rounds.
type cost struct {
	Own     float64 `json:"own_us"`     // CPU time
	Engines float64 `json:"engines_us"` // CPU time of the engines
	Waits   float64 `json:"waits"`      // of the server's threads
	Engine  float64 `json:"engine_waits"`
	Faults  float64 `json:"faults"`  // page faults of the server and its engines
	Objects float64 `json:"objects"` // allocated
	Bytes   float64 `json:"bytes"`
}

// series are measurements by round.
type series struct {
	PerSecond []float64 `json:"requests_per_second"`
	P50       []float64 `json:"p50_us"`
	P99       []float64 `json:"p99_us"`
	Costs     []cost    `json:"costs"`
}

func (t *table) enter(name string, s *server.Server, l wrk.Load) {
	t.Entries = append(t.Entries, &entry{Contestant: name, server: s, load: l})
}

// entry returns the entry of the contestant, or nil if there is none.
func (t *table) entry(name string) *entry {
	for _, e := range t.Entries {
		if e.Contestant == name {
			return e
		}
	}
	return nil
}

func (e *entry) add(s wrk.Sample, used server.Cost) {
	e.Rounds.PerSecond = append(e.Rounds.PerSecond, s.Rate)
	e.Rounds.P50 = append(e.Rounds.P50, micros(s.P50))
	e.Rounds.P99 = append(e.Rounds.P99, micros(s.P99))
	e.times = append(e.times, s.Latencies...)
	e.Rounds.Costs = append(e.Rounds.Costs, cost{
		Own: micros(used.Own.CPU) / s.Requests, Engines: micros(used.Below.CPU) / s.Requests,
		Waits: used.Own.Waits / s.Requests, Engine: used.Below.Waits / s.Requests,
		Faults:  (used.Own.Faults + used.Below.Faults) / s.Requests,
		Objects: used.Objects / s.Requests, Bytes: used.Bytes / s.Requests,
	})
}

// own returns the CPU time of the server for a request in each round.
func (s series) own() (times []float64) {
	for _, c := range s.Costs {
		times = append(times, c.Own)
	}
	return times
}

// median returns the median of every measurement.
func (s series) median() cost {
	of := func(figureOf func(cost) float64) float64 {
		var values []float64
		for _, c := range s.Costs {
			values = append(values, figureOf(c))
		}
		return stats.Median(values)
	}
	return cost{
		Own: of(func(c cost) float64 { return c.Own }), Engines: of(func(c cost) float64 { return c.Engines }),
		Waits: of(func(c cost) float64 { return c.Waits }), Engine: of(func(c cost) float64 { return c.Engine }),
		Faults:  of(func(c cost) float64 { return c.Faults }),
		Objects: of(func(c cost) float64 { return c.Objects }), Bytes: of(func(c cost) float64 { return c.Bytes }),
	}
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// settle computes the medians.
func (t *table) settle() {
	base := t.entry(standard)
	for _, e := range t.Entries {
		e.PerSecond = stats.Median(e.Rounds.PerSecond)
		e.P50, e.P99 = stats.Median(e.Rounds.P50), stats.Median(e.Rounds.P99)
		if e.times != nil {
			slices.Sort(e.times)
			e.Single, e.P50, e.P99 = true, micros(stats.Percentile(e.times, 50)), micros(stats.Percentile(e.times, 99))
		}
		e.Cost = e.Rounds.median()
		e.ToJSON = stats.Ratio(e.Rounds.PerSecond, base.Rounds.PerSecond)
	}
}

func (t *table) print(w io.Writer) {
	fmt.Fprintf(w, "\n%-23s%8s%9s%9s%9s%16s%14s%8s%10s%7s\n", t.Section, "req/s", "to json", "p50 us", "p99 us",
		"cpu us + below", "waits", "faults", "objects", "kB")
	for _, e := range t.Entries {
		c := e.Cost
		fmt.Fprintf(w, "  %-21s%8.0f%9.2f%9.0f%9.0f%9.1f +%5.1f%7.2f +%5.2f%8.2f%10.1f%7.1f\n", e.Contestant, e.PerSecond, e.ToJSON, e.P50, e.P99,
			c.Own, c.Engines, c.Waits, c.Engine, c.Faults, c.Objects, c.Bytes/1000)
	}
	if t.Held > 0 {
		fmt.Fprintf(w, "  an engine of %s holds %.1f MB after the load\n", slipstick, t.Held)
	}
}
