package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/tools/bench/internal/wrk"
)

// section is one part of the measurement.
type section struct {
	name    string
	quick   bool // part of --quick
	asked   bool // measured only if it is named
	peers   bool // measured only if it is named, or with --peers
	measure func(context.Context, *bench) error
}

// kinds are the kinds of sections, in the order of measurement. Their texts are in --help and on the page.
var kinds = []struct{ name, about string }{
	{"unique", "new numbers in every request, over this number of connections"},
	{"repeated", "the same numbers in every request"},
	{"flagship", "new numbers for the flagship, which is correctly rounded; json and tuned compute the simple beam"},
	{"peers", "the simple beam by programs of others: GoRules and OPA"},
	{"limits", "unique64 from 4,000 client addresses, with limits off and on"},
	{"ledgerunique", "unique64 without a ledger, with a ledger of input hashes, and with a ledger of inputs"},
	{"ledgerrepeated", "repeated64 with the same ledgers"},
	{"gzipunique", "responses of 2, 4 and 20 kB for clients that accept compressed responses, and for others"},
	{"gziprepeated", "the same with the same numbers in every request"},
	{"traces", "unique64 without traces, with traces of 1 % of the requests, and with traces of all"},
	{"spread", "64 connections, requests spread over this number of engines"},
	{"documents", "64 connections, requests spread over this number of documents"},
	{"batch", "10,000 rows in one request"},
	{"files", "1,000,000 rows of the flagship computed by slipstick calc, as CSV, NDJSON, Parquet and Arrow"},
	{"start", "time until the server serves, and its memory, by the number of releases"},
	{"cold", "first response of a document, or of an engine in Go, that never ran, and of one that was ended"},
	{"growth", "libraries of 10 to 10,000 forged releases: start, memory, registry checks, pins"},
	{"publish", "one document published into an empty registry, and into a registry of 10,000 forged releases"},
	{"packages", "benchmarks of Go packages"},
	{"profile", "CPU time of the server by component"},
	{"setup", "first scripts/serve, with nothing compiled; takes minutes, so only if it is named"},
}

// aboutKind returns the text of the kind of a section.
func aboutKind(kind string) string {
	for _, k := range kinds {
		if k.name == kind {
			return k.about
		}
	}
	return ""
}

// kind returns the name of the section without its number.
func (s section) kind() string { return strings.TrimRight(s.name, "0123456789") }

// Kinds of inputs.
const (
	unique   = "unique"
	repeated = "repeated"
)

var (
	connections = []int{1, 8, 64, 256}
	fleets      = []int{1, 50, 200} // engines loaded at the same time
)

// sections lists all sections in the order of measurement.
func sections() []section {
	var all []section
	for _, kind := range []string{unique, repeated} {
		for _, n := range connections {
			all = append(all, section{
				name: kind + strconv.Itoa(n), quick: n == 64 || kind == unique && n == 1,
				measure: func(ctx context.Context, b *bench) error { return b.load(ctx, kind, n) },
			})
		}
	}
	for _, n := range []int{1, 64} {
		all = append(all, section{
			name: "flagship" + strconv.Itoa(n), quick: true,
			measure: func(ctx context.Context, b *bench) error { return b.flagship(ctx, n) },
		})
	}
	for _, n := range []int{1, 64} {
		all = append(all, section{
			name: "peers" + strconv.Itoa(n), peers: true,
			measure: func(ctx context.Context, b *bench) error { return b.peers(ctx, n) },
		})
	}
	all = append(all, section{
		name: "limits64", quick: true,
		measure: func(ctx context.Context, b *bench) error { return b.limits(ctx, 64) },
	})
	for _, kind := range []string{unique, repeated} {
		name := "ledger" + kind + "64"
		all = append(all, section{
			name: name, quick: true,
			measure: func(ctx context.Context, b *bench) error {
				return b.ledger(ctx, name, wrk.Load{Connections: 64, Repeated: kind == repeated})
			},
		})
	}
	for _, kind := range []string{unique, repeated} {
		all = append(all, section{
			name: "gzip" + kind + "64", quick: true,
			measure: func(ctx context.Context, b *bench) error { return b.compressed(ctx, kind, 64) },
		})
	}
	all = append(all, section{
		name: "traces64", quick: true,
		measure: func(ctx context.Context, b *bench) error { return b.traces(ctx, 64) },
	})
	for _, of := range []library{ofEngines, ofDocuments} {
		for _, n := range fleets[1:] {
			all = append(all, section{
				name: of.name + strconv.Itoa(n), quick: true,
				measure: func(ctx context.Context, b *bench) error { return b.spread(ctx, of, n) },
			})
		}
	}
	return append(all,
		section{name: "batch", quick: true, measure: func(ctx context.Context, b *bench) error { return b.batch(ctx) }},
		section{name: "files", measure: func(ctx context.Context, b *bench) error { return b.files(ctx) }},
		section{name: "start", quick: true, measure: func(ctx context.Context, b *bench) error { return b.start(ctx) }},
		section{name: "cold", quick: true, measure: func(ctx context.Context, b *bench) error { return b.cold(ctx) }},
		section{name: "growth", measure: func(ctx context.Context, b *bench) error { return b.growth(ctx) }},
		section{name: "publish", measure: func(ctx context.Context, b *bench) error { return b.publish(ctx) }},
		section{name: "packages", measure: func(ctx context.Context, b *bench) error { return b.packages(ctx) }},
		section{name: "profile", quick: true, measure: func(ctx context.Context, b *bench) error { return b.profile(ctx) }},
		section{name: "setup", asked: true, measure: func(ctx context.Context, b *bench) error { return b.setup(ctx) }},
	)
}

// pick returns the sections with the given names, or with names that start with one. Without
// names it returns all sections, or the sections of --quick.
func (c *cli) pick() ([]section, error) {
	all := sections()
	if len(c.Only) == 0 {
		return slices.DeleteFunc(all, func(s section) bool { return c.Quick && !s.quick && !s.peers || s.asked || s.peers && !c.Peers }), nil
	}
	var picked []section
	for _, s := range all {
		if slices.ContainsFunc(c.Only, s.is) {
			picked = append(picked, s)
		}
	}
	for _, name := range c.Only {
		if !slices.ContainsFunc(all, func(s section) bool { return s.is(name) }) {
			return nil, fmt.Errorf("--only %s: there is no such section", name)
		}
	}
	return picked, nil
}

// roundsOf returns the number of rounds of the section. Sections with a measurement in README have more, because a
// virtual machine is slower for seconds now and then.
func (c *cli) roundsOf(s section) int {
	switch {
	case c.Rounds > 0:
		return c.Rounds
	case c.Quick:
		return 3
	case inReadme(s.name):
		return 15
	}
	return 5
}

// is reports whether the name selects the section. unique selects all sections that start with it;
// unique6 selects none.
func (s section) is(name string) bool { return s.name == name || name != "" && s.kind() == name }
