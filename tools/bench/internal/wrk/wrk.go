// Package wrk loads an HTTP server with wrk.
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

// Load is what is sent to a server and how.
type Load struct {
	URL         string
	Paths       []string // taken in turn; repeated inputs go to the first
	Connections int
	Time        time.Duration // whole seconds
	Repeated    bool          // always the same inputs instead of new ones
	Pattern     string        // of the inputs, with eight marks as [beam.Pattern], which is the default
	Clients     int           // requests name so many client addresses in turn, as a proxy does; 0: none
	Run         int           // number of the run; every run has different inputs
}

// Sample is the result of a load.
type Sample struct {
	Requests float64 // that were answered
	Rate     float64 // answers a second
	P50, P99 time.Duration
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

// Load runs the load. Any answer but a good one is an error.
func (w *Wrk) Load(ctx context.Context, l Load) (Sample, error) {
	kind := "unique"
	if l.Repeated {
		kind = "repeated"
	}
	pattern := cmp.Or(l.Pattern, beam.Pattern)
	cmd := exec.CommandContext(ctx, "wrk",
		"--threads", strconv.Itoa(min(l.Connections, runtime.NumCPU(), 9)), // one digit of the inputs is the thread's
		"--connections", strconv.Itoa(l.Connections),
		"--duration", strconv.Itoa(int(l.Time/time.Second))+"s",
		"--script", w.script, l.URL, "--",
		kind, digits(l.Run), pattern, strings.Join(l.Paths, ","), strconv.Itoa(l.Clients))
	out, err := cmd.CombinedOutput()
	if err != nil {
		return Sample{}, fmt.Errorf("wrk: %w: %.500s", err, out)
	}
	return parse(out)
}

// digits of a run; wrk's threads and their requests have the other eight.
func digits(run int) string { return fmt.Sprintf("%0*d", beam.Digits-8, run%1000) }

// parse reads the line that the script prints.
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
