package main

import (
	"fmt"

	"github.com/slipstick/slipstick/host/tools/bench/internal/stats"
)

// goal is a performance goal of the service.
type goal struct {
	name   string
	atMost bool // an upper limit instead of a lower limit
	wanted float64
	unit   string
	figure func(*results) (value float64, measured bool)
}

// goals are the performance goals of the service.
var goals = []goal{
	{"flagship, 64 connections: requests relative to json", false, 1.1, "", rate("flagship64", slipstick, standard)},
	{"flagship, 64 connections: requests relative to tuned", false, 0.72, "", rate("flagship64", slipstick, tuned)},
	{"flagship, 64 connections: p99 relative to json", true, 1, "", tail("flagship64", standard)},
	{"flagship, one connection: p50 above json", true, 40, " us", beyond("flagship1", standard)},
	{"flagship, one connection: p99 relative to json", true, 1, "", tail("flagship1", standard)},
	{"new numbers, 64 connections: requests relative to json", false, 1.4, "", rate("unique64", slipstick, standard)},
	{"new numbers, 64 connections: requests relative to tuned", false, 0.8, "", rate("unique64", slipstick, tuned)},
	{"new numbers, 64 connections: p99 relative to json", true, 1, "", tail("unique64", standard)},
	{"new numbers, one connection: p50 above json", true, 40, " us", beyond("unique1", standard)},
	{"limits on: requests relative to limits off", false, 0.95, "", rate("limits64", slipstick+limitsOn, slipstick)},
	{"a ledger of new numbers: requests relative to none", false, 0.95, "", rate("ledgerunique64", slipstick+hashesKept, slipstick)},
	{"a ledger with the inputs of new numbers: the same", false, 0.95, "", rate("ledgerunique64", slipstick+inputsKept, slipstick)},
	{"a ledger of the same numbers: requests relative to none", false, 0.95, "", rate("ledgerrepeated64", slipstick+hashesKept, slipstick)},
	{"a ledger with the inputs of the same numbers: the same", false, 0.95, "", rate("ledgerrepeated64", slipstick+inputsKept, slipstick)},
	{"traces of 1 % of the requests: CPU time relative to none", true, 1.05, "", serverTime("traces64", slipstick+someTraced, slipstick)},
	{"traces of all requests: CPU time relative to none", true, 1.4, "", serverTime("traces64", slipstick+allTraced, slipstick)},
	{"compressed answers of 2 kB: requests relative to plain ones", false, 0.9, "", rate("gzipunique64", slipstick+" 2 kB"+gzipped, slipstick+" 2 kB")},
	{"compressed answers of 4 kB", false, 0.9, "", rate("gzipunique64", slipstick+" 4 kB"+gzipped, slipstick+" 4 kB")},
	{"compressed answers of 20 kB", false, 0.9, "", rate("gzipunique64", slipstick+" 20 kB"+gzipped, slipstick+" 20 kB")},
	{"compressed answers of 2 kB that are kept", false, 0.9, "", rate("gziprepeated64", slipstick+" 2 kB"+gzipped, slipstick+" 2 kB")},
	{"compressed answers of 4 kB that are kept", false, 0.9, "", rate("gziprepeated64", slipstick+" 4 kB"+gzipped, slipstick+" 4 kB")},
	{"compressed answers of 20 kB that are kept", false, 0.9, "", rate("gziprepeated64", slipstick+" 20 kB"+gzipped, slipstick+" 20 kB")},
	{"same numbers, 64 connections: requests relative to fixed", false, 1.3, "", rate("repeated64", slipstick, fixed)},
	{"spread over 50 engines: requests relative to json", false, 0.6, "", rate("spread50", slipstick, standard)},
	{"spread over 200 engines: requests relative to json", false, 0.6, "", rate("spread200", slipstick, standard)},
	{"a document, 64 connections: requests relative to Go", false, 0.8, "", rate("unique64", document, slipstick)},
	{"a document, batch: rows relative to Go", false, 0.8, "", documentRows},
	{"spread over 200 documents: requests relative to json", false, 0.6, "", rate("documents200", slipstick, standard)},
	{"batch: rows relative to the tuned loop", false, 0.75, "", rowRate(tuned)},
	{"a row of Parquet: CPU time of the server", true, 2, " us/row", commandTime(parquetForm)},
	{"first answer of a document that never ran", true, 30, " ms", firstAnswer(func(c *coldStart) float64 { return c.Unseen })},
	{"first answer of a document that was ended", true, 15, " ms", firstAnswer(func(c *coldStart) float64 { return c.Kept })},
	{"memory of an idle engine that cannot be reclaimed", true, 3.5, " MB", engineMemory},
	{"the same after a load that is spread over 50 engines", true, 3.5, " MB", loadedMemory},
}

// against compares two contestants of a section.
func against(section, our, other string, compare func(ours, theirs series) float64) func(*results) (float64, bool) {
	return func(r *results) (float64, bool) {
		ours, theirs := r.load(section, our), r.load(section, other)
		if ours == nil || theirs == nil {
			return 0, false
		}
		return compare(ours.Rounds, theirs.Rounds), true
	}
}

func rate(section, our, other string) func(*results) (float64, bool) {
	return against(section, our, other, func(ours, theirs series) float64 {
		return stats.Ratio(ours.PerSecond, theirs.PerSecond)
	})
}

// serverTime compares the CPU time of two servers for a request.
func serverTime(section, our, other string) func(*results) (float64, bool) {
	return against(section, our, other, func(ours, theirs series) float64 { return stats.Ratio(ours.own(), theirs.own()) })
}

// tail compares response times that 1 % of the requests exceed: of all requests if they were measured one by one, or
// else in each round.
func tail(section, other string) func(*results) (float64, bool) {
	return func(r *results) (float64, bool) {
		ours, theirs := r.load(section, slipstick), r.load(section, other)
		if ours == nil || theirs == nil {
			return 0, false
		}
		if ours.Single {
			return ours.P99 / theirs.P99, true
		}
		return stats.Ratio(ours.Rounds.P99, theirs.Rounds.P99), true
	}
}

func beyond(section, other string) func(*results) (float64, bool) {
	return against(section, slipstick, other, func(ours, theirs series) float64 { return stats.Excess(ours.P50, theirs.P50) })
}

func rowRate(other string) func(*results) (float64, bool) {
	return func(r *results) (float64, bool) {
		if r.Batch == nil || r.Batch.entry(slipstick) == nil {
			return 0, false
		}
		return stats.Ratio(r.Batch.entry(slipstick).Rounds, r.Batch.entry(other).Rounds), true
	}
}

func documentRows(r *results) (float64, bool) {
	if r.Batch == nil || r.Batch.entry(slipstick) == nil {
		return 0, false
	}
	return stats.Ratio(r.Batch.entry(document).Rounds, r.Batch.entry(slipstick).Rounds), true
}

func firstAnswer(figureOf func(*coldStart) float64) func(*results) (float64, bool) {
	return func(r *results) (float64, bool) {
		for _, c := range r.Cold {
			if c.Subject == slipstick && c.Library == ofDocuments.name {
				return figureOf(c), true
			}
		}
		return 0, false
	}
}

// engineMemory returns the memory of an engine in the largest library that was started, including the
// copy of its program in the server's memory.
func engineMemory(r *results) (megabytes float64, measured bool) {
	for _, s := range r.Starts {
		if s.Subject == slipstick {
			megabytes, measured = s.Anonymous+s.Executable, true
		}
	}
	return megabytes, measured
}

func loadedMemory(r *results) (megabytes float64, measured bool) {
	for _, t := range r.Loads {
		if t.Section == "spread50" {
			return t.Held, true
		}
	}
	return 0, false
}

// Outcomes of a goal.
const (
	met         = "MET"
	missed      = "MISSED"
	notMeasured = "not measured"
)

// verdict is the outcome of a goal.
type verdict struct {
	Goal     string  `json:"goal"`
	Measured float64 `json:"measured"`
	Wanted   float64 `json:"wanted"`
	AtMost   bool    `json:"at_most"`
	Unit     string  `json:"unit,omitempty"`
	Outcome  string  `json:"outcome"`
}

// judge compares the measurements with the goals.
func (r *results) judge() {
	r.Goals = nil
	for _, g := range goals {
		r.Goals = append(r.Goals, g.judge(r))
	}
}

func (g *goal) judge(r *results) verdict {
	v := verdict{Goal: g.name, Wanted: g.wanted, AtMost: g.atMost, Unit: g.unit, Outcome: notMeasured}
	value, measured := g.figure(r)
	if !measured {
		return v
	}
	v.Measured, v.Outcome = value, missed
	if g.atMost && value <= g.wanted || !g.atMost && value >= g.wanted {
		v.Outcome = met
	}
	return v
}

func (v verdict) String() string {
	return fmt.Sprintf("%-56s%10s%12s  %s", v.Goal, v.measured(), v.wanted(), v.Outcome)
}

func (v verdict) measured() string {
	if v.Outcome == notMeasured {
		return "-"
	}
	return fmt.Sprintf("%.*f%s", v.digits(), v.Measured, v.Unit)
}

func (v verdict) wanted() string {
	sign := ">="
	if v.AtMost {
		sign = "<="
	}
	return fmt.Sprintf("%s %.*f%s", sign, v.digits(), v.Wanted, v.Unit)
}

// digits returns the number of decimals: none for microseconds.
func (v verdict) digits() int {
	switch v.Unit {
	case " us":
		return 0
	case "":
		return 2
	}
	return 1
}
