// Package wrk loads an HTTP server: with many connections of wrk, or with one caller. See [Wrk.Load] and [Lone].
package wrk

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/tools/bench/internal/beam"
)

//go:embed load.lua
var script []byte

// Load describes the requests to a server.
type Load struct {
	URL         string
	Paths       []string // used in turn; repeated inputs use the first
	Connections int
	Time        time.Duration // whole seconds
	Repeated    bool          // always the same inputs instead of new ones
	Pattern     string        // of the inputs, with eight marks as in [beam.Pattern], which is the default
	Clients     int           // number of client addresses that requests name in turn, as a proxy does; 0: none
	Gzip        bool          // the client accepts compressed answers
	Run         int           // number of the run; every run has different inputs
}

// Sample is the result of a load.
type Sample struct {
	Requests float64 // with an answer
	Rate     float64 // answers per second
	P50, P99 time.Duration

	Latencies []time.Duration // of all requests, sorted; only from [Lone]
}

// Wrk is the program with its script.
type Wrk struct{ script string }

// New writes the script into the file and returns a Wrk that uses it.
func New(file string) (*Wrk, error) {
	if _, err := exec.LookPath("wrk"); err != nil {
		return nil, fmt.Errorf("%w; apt-get install wrk", err)
	}
	return &Wrk{file}, os.WriteFile(file, script, 0o644)
}

// Load runs the load. It returns an error if any answer is not a success.
func (w *Wrk) Load(ctx context.Context, l Load) (Sample, error) {
	kind := "unique"
	if l.Repeated {
		kind = "repeated"
	}
	pattern := cmp.Or(l.Pattern, beam.Pattern)
	accepts := "" // encodings
	if l.Gzip {
		accepts = "gzip"
	}
	cmd := exec.CommandContext(ctx, "wrk",
		"--threads", strconv.Itoa(min(l.Connections, runtime.NumCPU(), 9)), // the thread has one digit of the inputs
		"--connections", strconv.Itoa(l.Connections),
		"--duration", strconv.Itoa(int(l.Time/time.Second))+"s",
		"--script", w.script, l.URL, "--",
		kind, runDigits(l.Run), pattern, strings.Join(l.Paths, ","), strconv.Itoa(l.Clients), accepts)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return Sample{}, fmt.Errorf("wrk: %w: %.500s", err, out)
	}
	return parse(out)
}

// runDigits returns the digits of a run; threads and requests add the other eight.
func runDigits(run int) string { return fmt.Sprintf("%0*d", beam.Digits-8, run%1000) }

// parse parses the output of the script.
func parse(out []byte) (Sample, error) {
	_, line, found := bytes.Cut(out, []byte("sample "))
	if !found {
		return Sample{}, fmt.Errorf("wrk printed no sample: %.500s", out)
	}
	line, _, _ = bytes.Cut(line, []byte("\n"))
	var s struct {
		Requests, Micros, P50, P99            int64
		Connect, Read, Write, Timeout, Status int64
	}
	if err := json.Unmarshal(line, &s); err != nil {
		return Sample{}, fmt.Errorf("wrk printed %.500q: %w", line, err)
	}
	var errs []error
	for _, e := range []struct {
		count int64
		what  string
	}{
		{s.Connect, "connections failed"}, {s.Read, "reads failed"}, {s.Write, "writes failed"},
		{s.Timeout, "answers came too late"}, {s.Status, "answers had a status of 400 or more"},
	} {
		if e.count > 0 {
			errs = append(errs, fmt.Errorf("%d %s", e.count, e.what))
		}
	}
	if s.Requests == 0 || s.Micros == 0 {
		errs = append(errs, errors.New("nothing was answered"))
	}
	return Sample{
		Requests: float64(s.Requests),
		Rate:     float64(s.Requests) / (float64(s.Micros) / 1e6),
		P50:      time.Duration(s.P50) * time.Microsecond, P99: time.Duration(s.P99) * time.Microsecond,
	}, errors.Join(errs...)
}
