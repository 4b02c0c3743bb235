package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/cmd/bench/internal/figure"
	"github.com/slipstick/slipstick/host/cmd/bench/internal/server"
)

// started holds the figures of a host with that many releases: medians over several starts.
type started struct {
	Releases   int     `json:"releases"`
	Serving    float64 `json:"serving_ms"` // from the start of the process to the line that it serves
	RSS        float64 `json:"host_rss_mb"`
	PSS        float64 `json:"host_pss_mb"`
	Running    float64 `json:"engines_running"`
	Processes  float64 `json:"processes_below"`
	PerEngine  float64 `json:"engine_pss_mb"`      // of all processes below the host, by running engines
	Anonymous  float64 `json:"engine_anon_mb"`     // the part of it that is no executable
	Executable float64 `json:"engine_programs_mb"` // executables kept in memory, by running engines
}

// settleTime is how long a host may settle before its memory is measured.
const settleTime = time.Second

// start measures how long hosts take until they serve with every engine started, and how much
// memory they hold.
func (b *bench) start(ctx context.Context) error {
	times := 3
	if b.Quick {
		times = 1
	}
	fmt.Fprintf(b.out, "\n%-14s%12s%10s%10s%10s%11s%30s\n%48s%21s%12s%8s%10s\n",
		"start", "serving ms", "host RSS", "host PSS", "engines", "processes", "MB an engine:", "", "", "PSS", "heap", "program")
	for _, n := range fleets {
		registry, err := b.fleet.Registry(ctx, n)
		if err != nil {
			return err
		}
		var all []started
		for range times {
			one, err := b.startOnce(ctx, registry, n)
			if err != nil {
				return err
			}
			all = append(all, one)
		}
		s := medians(all)
		b.results.Starts = append(b.results.Starts, s)
		fmt.Fprintf(b.out, "%5d releases%12.0f%10.1f%10.1f%10.0f%11.0f%12.1f%8.1f%10.1f\n",
			n, s.Serving, s.RSS, s.PSS, s.Running, s.Processes, s.PerEngine, s.Anonymous, s.Executable)
	}
	return nil
}

func (b *bench) startOnce(ctx context.Context, registry string, n int) (started, error) {
	before := server.Shared()
	host, err := b.host(ctx, registry, "--warm")
	if err != nil {
		return started{}, err
	}
	s, err := look(ctx, host, n, before)
	if stopped := b.stop(fmt.Sprintf("slipstick with %d releases", n), host); err == nil {
		err = stopped
	}
	return s, err
}

// look measures a host that has just started. Before is the memory of unnamed files before its
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

// running asks a host how many engine processes it has, of all versions or of one.
func running(ctx context.Context, host *server.Server, version string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, host.URL+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return countRunning(resp.Body, version)
}

func countRunning(metrics io.Reader, version string) (int, error) {
	n := 0
	lines := bufio.NewScanner(metrics)
	for lines.Scan() {
		release, value, _ := strings.Cut(lines.Text(), "} ")
		if strings.HasPrefix(release, "slipstick_engine_processes{") && strings.Contains(release, `version="`+version) {
			count, err := strconv.Atoi(value)
			if err != nil {
				return 0, fmt.Errorf("metrics: %s: %w", lines.Text(), err)
			}
			n += count
		}
	}
	return n, lines.Err()
}

// medians takes the median of every figure.
func medians(all []started) started {
	median := func(of func(started) float64) float64 {
		var values []float64
		for _, s := range all {
			values = append(values, of(s))
		}
		return figure.Median(values)
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
