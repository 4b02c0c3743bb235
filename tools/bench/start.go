package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/tools/bench/internal/server"
	"github.com/slipstick/slipstick/host/tools/bench/internal/stats"
)

// started holds the measurements of a server with that many releases: medians over several starts.
type started struct {
	Subject    string  `json:"contestant"`
	Releases   int     `json:"releases"`
	Serving    float64 `json:"serving_ms"` // from the start of the process to the line with its URL
	RSS        float64 `json:"host_rss_mb"`
	PSS        float64 `json:"host_pss_mb"`
	Running    float64 `json:"engines_running"`
	Processes  float64 `json:"processes_below"`
	PerEngine  float64 `json:"engine_pss_mb"`      // of all processes below the server, divided by running engines
	Anonymous  float64 `json:"engine_anon_mb"`     // the part of it outside executables
	Executable float64 `json:"engine_programs_mb"` // executables in memory, divided by running engines
}

// settleTime is the time for a server to settle before its memory is measured.
const settleTime = time.Second

// start measures how long servers take until they serve with every engine started, and how much
// memory they use.
func (b *bench) start(ctx context.Context) error {
	times := 3
	if b.Quick {
		times = 1
	}
	fmt.Fprintf(b.out, "\n%-24s%12s%10s%10s%10s%11s%30s\n%58s%21s%12s%8s%10s\n",
		"start", "serving ms", "server RSS", "server PSS", "engines", "processes", "MB per engine:", "", "", "PSS", "heap", "program")
	for _, n := range fleets {
		for _, subject := range b.subjects() {
			s, err := b.startMany(ctx, subject, n, times)
			if err != nil {
				return err
			}
			b.results.Starts = append(b.results.Starts, s)
			fmt.Fprintf(b.out, "%5d releases %-9s%12.0f%10.1f%10.1f%10.0f%11.0f%12.1f%8.1f%10.1f\n",
				n, s.Subject, s.Serving, s.RSS, s.PSS, s.Running, s.Processes, s.PerEngine, s.Anonymous, s.Executable)
		}
	}
	return nil
}

func (b *bench) startMany(ctx context.Context, subject *subject, n, times int) (started, error) {
	registry, err := subject.fleet.Registry(ctx, n)
	if err != nil {
		return started{}, err
	}
	var all []started
	for range times {
		one, err := b.startOnce(ctx, subject, registry, n)
		if err != nil {
			return started{}, err
		}
		all = append(all, one)
	}
	s := medians(all)
	s.Subject = subject.name
	return s, nil
}

func (b *bench) startOnce(ctx context.Context, subject *subject, registry string, n int) (started, error) {
	before := server.Shared()
	host, err := subject.serve(ctx, registry, "--warm")
	if err != nil {
		return started{}, err
	}
	s, err := look(ctx, host, n, before)
	if stopped := b.stop(fmt.Sprintf("%s with %d releases", subject.name, n), host); err == nil {
		err = stopped
	}
	return s, err
}

// look measures a server that has just started. before is the memory of unnamed files before its
// start.
func look(ctx context.Context, host *server.Server, n int, before int64) (started, error) {
	time.Sleep(settleTime)
	running, err := running(ctx, host, "")
	if err != nil {
		return started{}, err
	}
	m, err := host.Memory()
	if err != nil {
		return started{}, err
	}
	engines := max(1, float64(running))
	return started{
		Releases: n, Serving: micros(host.Took) / 1000,
		RSS: megabytes(m.RSS), PSS: megabytes(m.PSS),
		Running: float64(running), Processes: float64(m.Processes),
		PerEngine: megabytes(m.Below) / engines, Anonymous: megabytes(m.BelowAnon) / engines,
		Executable: megabytes(server.Shared()-before) / engines,
	}, nil
}

func megabytes(n int64) float64 { return float64(n) / 1e6 }

// running returns the number of engine processes of a server, of all versions or of one.
func running(ctx context.Context, host *server.Server, version string) (int, error) {
	var count runningCount
	err := host.Metrics(ctx, count.of(version))
	return count.processes, err
}

// runningCount adds up engine processes.
type runningCount struct{ processes int }

// of returns a function that counts the processes of the version, or of all versions if it is empty.
func (c *runningCount) of(version string) func(name, value string) {
	return func(name, value string) {
		if !strings.HasPrefix(name, "slipstick_engine_processes{") || !strings.Contains(name, `version="`+version) {
			return
		}
		n, _ := strconv.ParseFloat(value, 64)
		c.processes += int(n)
	}
}

// medians returns the median of every measurement.
func medians(all []started) started {
	median := func(of func(started) float64) float64 {
		var values []float64
		for _, s := range all {
			values = append(values, of(s))
		}
		return stats.Median(values)
	}
	return started{
		Releases:   all[0].Releases,
		Serving:    median(func(s started) float64 { return s.Serving }),
		RSS:        median(func(s started) float64 { return s.RSS }),
		PSS:        median(func(s started) float64 { return s.PSS }),
		Running:    median(func(s started) float64 { return s.Running }),
		Processes:  median(func(s started) float64 { return s.Processes }),
		PerEngine:  median(func(s started) float64 { return s.PerEngine }),
		Anonymous:  median(func(s started) float64 { return s.Anonymous }),
		Executable: median(func(s started) float64 { return s.Executable }),
	}
}
