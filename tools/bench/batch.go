package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/slipstick/slipstick/host/tools/bench/internal/fleet"
	"github.com/slipstick/slipstick/host/tools/bench/internal/rows"
	"github.com/slipstick/slipstick/host/tools/bench/internal/stats"
)

// batchRows is the number of calculations in one request.
const batchRows = 10_000

// batches is the measurement of requests with many calculations.
type batches struct {
	Rows    int      `json:"rows"`
	Entries []*batch `json:"contestants"`
}

// batch is the result of one contestant: the median and the measured values.
type batch struct {
	Contestant string    `json:"contestant"`
	PerSecond  float64   `json:"rows_per_second"`
	ToTuned    float64   `json:"ratio_to_tuned"`
	Rounds     []float64 `json:"rounds"`

	server string // name of the contestant that serves it
	query  string
	begin  string // of every line
}

func (b *batches) entry(name string) *batch {
	for _, e := range b.Entries {
		if e.Contestant == name {
			return e
		}
	}
	return nil
}

const fullLine, leanLine = `{"id":"`, `{"result":{`

// batch measures requests of many calculations.
func (b *bench) batch(ctx context.Context) error {
	if _, err := b.contestants(ctx, b.withSubjects(standard, tuned, document, sheet)...); err != nil {
		return err
	}
	all := &batches{Rows: batchRows, Entries: []*batch{
		{Contestant: standard, server: standard, begin: fullLine},
		{Contestant: tuned, server: tuned, begin: fullLine},
	}}
	client := new(rows.Client)
	found, err := b.sameRows(ctx, client)
	if err != nil {
		return err
	}
	if b.base != nil {
		all.Entries = append(all.Entries, &batch{Contestant: base, server: base, begin: fullLine})
	}
	if found {
		all.Entries = append(all.Entries,
			&batch{Contestant: slipstick, server: slipstick, begin: fullLine},
			&batch{Contestant: slipstick + " lean", server: slipstick, query: "?output=result", begin: leanLine},
			&batch{Contestant: document, server: document, begin: fullLine},
			&batch{Contestant: document + " lean", server: document, query: "?output=result", begin: leanLine},
			&batch{Contestant: sheet, server: sheet, begin: fullLine},
			&batch{Contestant: sheet + " lean", server: sheet, query: "?output=result", begin: leanLine})
	} else {
		b.note("slipstick has no %s: its batches are left out", rows.Path)
	}
	for round := range b.rounds + 1 { // the first round warms up
		for _, e := range all.Entries {
			rate, err := b.sendBatch(ctx, client, e)
			if err != nil {
				return fmt.Errorf("%s: %w", e.Contestant, err)
			}
			if round > 0 {
				e.Rounds = append(e.Rounds, rate)
			}
		}
	}
	all.settle()
	b.results.Batch = all
	all.print(b.out)
	return nil
}

// sameRows compares the contestants' answers to a few calculations in one request. It returns
// false if Slipstick does not support batches.
func (b *bench) sameRows(ctx context.Context, client *rows.Client) (found bool, err error) {
	const few = 100
	b.runs++
	body := rows.Make(fleet.Tool(0), b.runs, few)
	var want []byte
	for _, name := range []string{slipstick, tuned, standard} {
		answer, status, _, err := client.Send(ctx, b.servers[name].URL+rows.Path, body)
		if err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
		if name == slipstick && status == http.StatusNotFound {
			continue
		}
		if status != http.StatusOK {
			return false, fmt.Errorf("%s: status %d: %.500s", name, status, answer)
		}
		if err := rows.Check(answer, few, fullLine); err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
		found = found || name == slipstick
		if want == nil {
			want = bytes.Clone(answer)
		}
		if !bytes.Equal(answer, want) {
			return found, fmt.Errorf("%s does not answer the rows as the others", name)
		}
	}
	return found, nil
}

// sendBatch sends one batch and returns its rows per second.
func (b *bench) sendBatch(ctx context.Context, client *rows.Client, e *batch) (float64, error) {
	b.runs++
	body := rows.Make(toolOf(e.server), b.runs, batchRows)
	answer, status, took, err := client.Send(ctx, b.servers[e.server].URL+rows.Path+e.query, body)
	if err != nil {
		return 0, err
	}
	if status != http.StatusOK {
		return 0, fmt.Errorf("status %d: %.500s", status, answer)
	}
	return batchRows / took.Seconds(), rows.Check(answer, batchRows, e.begin)
}

func (b *batches) settle() {
	base := b.entry(tuned)
	for _, e := range b.Entries {
		e.PerSecond = stats.Median(e.Rounds)
		e.ToTuned = stats.Ratio(e.Rounds, base.Rounds)
	}
}

func (b *batches) print(w io.Writer) {
	fmt.Fprintf(w, "\n%-16s%12s%10s\n", "batch", "rows/s", "to tuned")
	for _, e := range b.Entries {
		fmt.Fprintf(w, "  %-14s%12.0f%10.2f\n", e.Contestant, e.PerSecond, e.ToTuned)
	}
}
