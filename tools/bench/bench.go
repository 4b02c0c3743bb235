package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/tools/bench/internal/server"
	"github.com/slipstick/slipstick/host/tools/bench/internal/wrk"
)

// bench is one run of the command.
type bench struct {
	*cli
	streams
	ours    *subject
	base    *subject // the revision to compare with, or nil
	wrk     *wrk.Wrk
	rounds  int    // of the current section
	runs    int    // of wrk and of batches so far: each has different inputs
	answer  string // file with an answer of Slipstick
	servers map[string]*server.Server
	unknown map[string]bool // flags that Slipstick does not support
	results results
}

// measure measures the sections one after the other. If one fails, it continues with the others.
func measure(ctx context.Context, c *cli, picked []section, s streams) error {
	began := usageNow()
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return err
	}
	b := &bench{
		cli: c, streams: s, servers: map[string]*server.Server{}, unknown: map[string]bool{},
		answer: filepath.Join(c.Dir, "answer.json"),
		ours:   newSubject(slipstick, c.Dir, s.err),
	}
	if c.Base != "" {
		b.base = newSubject(base, filepath.Join(c.Dir, "base"), s.err)
	}
	var err error
	b.wrk, err = wrk.New(filepath.Join(c.Dir, "load.lua"))
	if err != nil {
		return err
	}
	b.results.describe()
	if err := b.learn(ctx); err != nil {
		return errors.Join(err, b.stopAll())
	}
	b.results.printStart(b.out)
	failed := b.measure(ctx, picked)
	failed = append(failed, b.stopAll())
	if ctx.Err() != nil {
		failed = append(failed, ctx.Err()) // sections that were measured are kept
	}
	b.results.judge()
	others := began.others() // contestants that have not ended count as others, so sections have the share of the run
	for i := range b.results.Sections {
		b.results.Sections[i].Others = others
	}
	if others > fewOthers {
		b.note("others used %.0f %% of the machine during the run: measure again when it is free", 100*others)
	}
	b.results.printEnd(b.out, len(c.Only) == 0, time.Since(began.when))
	return errors.Join(append(failed, b.results.keep(filepath.Join(c.Dir, resultsFile)))...)
}

func (b *bench) measure(ctx context.Context, picked []section) (failed []error) {
	for _, section := range picked {
		if ctx.Err() != nil {
			break
		}
		b.logProgress("%s", section.name)
		b.rounds = b.roundsOf(section)
		began, measured := usageNow(), len(b.results.Loads)
		if err := section.measure(ctx, b); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", section.name, err))
		} else {
			b.results.Sections = append(b.results.Sections, measuredSection{
				Name: section.name, Began: began.when.UTC().Truncate(time.Second), Seconds: time.Since(began.when).Seconds(),
				Rounds: b.rounds, Turn: b.Seconds, Revision: revision(ctx),
			})
		}
		for _, t := range b.results.Loads[measured:] {
			t.print(b.out)
		}
	}
	return failed
}

// revision returns the revision of the work tree, or "" without Git.
func revision(ctx context.Context) string {
	out, _ := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--exclude", "*").Output()
	return strings.TrimSpace(string(out))
}

// logProgress shows the progress of the bench.
func (b *bench) logProgress(format string, args ...any) {
	fmt.Fprintf(b.err, "bench: "+format+"\n", args...)
}

// note adds a remark to the results.
func (b *bench) note(format string, args ...any) {
	b.logProgress(format, args...)
	b.results.Notes = append(b.results.Notes, fmt.Sprintf(format, args...))
}
