package main

import (
	"fmt"

	"github.com/slipstick/slipstick/host/cmd/bench/internal/figure"
)

// goal is something that the service must reach.
type goal struct {
	name   string
	atMost bool // instead of at least
	wanted float64
	unit   string
	figure func(*results) (value float64, measured bool)
}

// goals are those of the issue "Speed".
var goals = []goal{
	{"new numbers, 64 connections: requests to those of json", false, 1.0, "", rate("unique64", standard)},
	{"new numbers, 64 connections: requests to those of tuned", false, 0.7, "", rate("unique64", tuned)},
	{"new numbers, 64 connections: p99 to that of json", true, 2.0, "", tail("unique64", standard)},
	{"new numbers, one connection: p50 beyond that of json", true, 130, " us", beyond("unique1", standard)},
	{"same numbers, 64 connections: requests to those of fixed", false, 0.9, "", rate("repeated64", fixed)},
	{"spread over 50 engines: requests to those of json", false, 0.5, "", rate("spread50", standard)},
	{"spread over 200 engines: requests to those of json", false, 0.45, "", rate("spread200", standard)},
	{"batch: rows to those of the tuned loop", false, 0.5, "", rowRate(tuned)},
	{"batch: rows to those of the json loop", false, 4, "", rowRate(standard)},
}

// against compares Slipstick with another contestant of a section.
func against(section, other string, compare func(ours, theirs series) float64) func(*results) (float64, bool) {
	return func(r *results) (float64, bool) {
		ours, theirs := r.load(section, slipstick), r.load(section, other)
		if ours == nil || theirs == nil {
			return 0, false
		}
		return compare(ours.Rounds, theirs.Rounds), true
	}
}

func rate(section, other string) func(*results) (float64, bool) {
	return against(section, other, func(ours, theirs series) float64 {
		return figure.Ratio(ours.PerSecond, theirs.PerSecond)
	})
}

func tail(section, other string) func(*results) (float64, bool) {
	return against(section, other, func(ours, theirs series) float64 { return figure.Ratio(ours.P99, theirs.P99) })
}

func beyond(section, other string) func(*results) (float64, bool) {
	return against(section, other, func(ours, theirs series) float64 { return figure.Excess(ours.P50, theirs.P50) })
}

func rowRate(other string) func(*results) (float64, bool) {
	return func(r *results) (float64, bool) {
		if r.Batch == nil || r.Batch.entry(slipstick) == nil {
			return 0, false
		}
		return figure.Ratio(r.Batch.entry(slipstick).Rounds, r.Batch.entry(other).Rounds), true
	}
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
	sign := ">="
	if v.AtMost {
		sign = "<="
	}
	measured := "-"
	if v.Outcome != notMeasured {
		measured = fmt.Sprintf("%.*f%s", v.digits(), v.Measured, v.Unit)
	}
	wanted := fmt.Sprintf("%s %.*f%s", sign, v.digits(), v.Wanted, v.Unit)
	return fmt.Sprintf("%-56s%10s%10s  %s", v.Goal, measured, wanted, v.Outcome)
}

// digits is the number of decimals: none for times.
func (v verdict) digits() int {
	if v.Unit != "" {
		return 0
	}
	return 2
}
