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
	measure func(context.Context, *bench) error
}

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
		section{name: "profile", quick: true, measure: func(ctx context.Context, b *bench) error { return b.profile(ctx) }},
		section{name: "setup", asked: true, measure: func(ctx context.Context, b *bench) error { return b.setup(ctx) }},
	)
}

// pick returns the sections with the given names, or with names that start with one. Without
// names it returns all sections, or the sections of --quick.
func pick(names []string, quick bool) ([]section, error) {
	all := sections()
	if len(names) == 0 {
		return slices.DeleteFunc(all, func(s section) bool { return quick && !s.quick || s.asked }), nil
	}
	var picked []section
	for _, s := range all {
		if slices.ContainsFunc(names, s.is) {
			picked = append(picked, s)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(s section) bool { return s.is(name) }) {
			return nil, fmt.Errorf("--only %s: there is no such section", name)
		}
	}
	return picked, nil
}

// is reports whether the name selects the section. unique selects all sections that start with it;
// unique6 selects none.
func (s section) is(name string) bool {
	return s.name == name || name != "" && strings.TrimRight(s.name, "0123456789") == name
}
