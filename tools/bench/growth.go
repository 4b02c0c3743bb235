package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/slipstick/slipstick/host/tools/bench/internal/forge"
	"github.com/slipstick/slipstick/host/tools/bench/internal/server"
	"github.com/slipstick/slipstick/host/tools/bench/internal/stats"
)

// grown holds the measurements of a server with a forged library.
type grown struct {
	Subject  string  `json:"contestant"`
	Releases int     `json:"releases"`
	Serving  float64 `json:"serving_ms"` // from the start of the process
	PSS      float64 `json:"host_pss_mb"`
	Look     float64 `json:"look_ms"`         // CPU time for one check of the registry without changes
	Changed  float64 `json:"look_changed_ms"` // the same after a version was published
	Pin      float64 `json:"pin_us"`          // time to a description of a pinned version, with the network
	Mismatch float64 `json:"mismatch_us"`     // time to a 409, with the network
}

var (
	libraries = []int{10, 100, 1_000, 10_000} // releases
	lookEach  = 500 * time.Millisecond        // between two checks of the registry
)

const (
	versionsEach = 10
	looks        = 8   // number of measured checks
	askedTimes   = 300 // for pins and for mismatches
)

// growth measures libraries with many releases that never run.
func (b *bench) growth(ctx context.Context) error {
	fmt.Fprintf(b.out, "\n%-18s%12s%12s%10s%10s%16s%10s%10s\n", "growth", "releases", "serving ms", "server MB", "check ms", "changed ms", "pin us", "409 us")
	for _, n := range libraries {
		for _, s := range b.subjects() {
			g, err := b.grow(ctx, s, n)
			if err != nil {
				return fmt.Errorf("%s with %d releases: %w", s.name, n, err)
			}
			b.results.Growth = append(b.results.Growth, g)
			fmt.Fprintf(b.out, "  %-16s%12d%12.0f%10.1f%10.1f%16.1f%10.0f%10.0f\n", g.Subject, g.Releases, g.Serving, g.PSS, g.Look, g.Changed, g.Pin, g.Mismatch)
		}
	}
	return nil
}

func (b *bench) grow(ctx context.Context, s *subject, n int) (g *grown, err error) {
	dir := filepath.Join(s.fleet.Dir, fmt.Sprintf("forged-%d", n))
	if err := errors.Join(os.RemoveAll(dir), os.RemoveAll(dir+".data")); err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := forge.Releases(dir, n/versionsEach, versionsEach); err != nil {
		return nil, err
	}
	host, err := s.serve(ctx, dir, "--follow", lookEach.String())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.stop(s.name+" with a forged library", host)) }()
	g = &grown{Subject: s.name, Releases: n, Serving: micros(host.Took) / 1000}
	time.Sleep(settleTime)
	memory, err := host.Memory()
	if err != nil {
		return nil, err
	}
	g.PSS = megabytes(memory.PSS)
	idle, err := cpuTime(ctx, host, func() error { return nil })
	if err != nil {
		return nil, err
	}
	g.Look = idle / looks
	changed, err := cpuTime(ctx, host, func() error { return forge.Capability(dir, 0, versionsEach+1) })
	if err != nil {
		return nil, err
	}
	g.Changed = max(0, changed-idle) + g.Look
	g.Pin, err = median(func() error {
		_, err := request(ctx, host.URL+"/api/v1/capabilities/"+forge.ID(0)+"?calculation_version="+forge.Version(1), nil, http.StatusOK)
		return err
	})
	if err != nil {
		return nil, err
	}
	g.Mismatch, err = median(func() error {
		_, err := request(ctx, host.URL+"/api/v1/calc/"+forge.Tool(0), []byte(`{"inputs":{},"calculation_version":"9.9.9"}`), http.StatusConflict)
		return err
	})
	return g, err
}

// cpuTime returns the CPU time of a server in milliseconds during some checks of the registry,
// after calling act.
func cpuTime(ctx context.Context, host *server.Server, act func() error) (float64, error) {
	before, err := host.Cost(ctx)
	if err != nil {
		return 0, err
	}
	if err := act(); err != nil {
		return 0, err
	}
	time.Sleep(looks * lookEach)
	after, err := host.Cost(ctx)
	return micros(after.Minus(before).Own.CPU) / 1000, err
}

// median measures an act many times, in microseconds.
func median(act func() error) (float64, error) {
	var took []float64
	for range askedTimes {
		began := time.Now()
		if err := act(); err != nil {
			return 0, err
		}
		took = append(took, micros(time.Since(began)))
	}
	return stats.Median(took), nil
}

// request requests a URL, or posts a body to it. It returns the answer, which must have the status.
func request(ctx context.Context, url string, body []byte, status int) ([]byte, error) {
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != status {
		err = fmt.Errorf("%s: %s: %.300s", url, resp.Status, answer)
	}
	return answer, err
}
