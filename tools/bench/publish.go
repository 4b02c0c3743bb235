package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/slipstick/slipstick/host/tools/bench/internal/fleet"
	"github.com/slipstick/slipstick/host/tools/bench/internal/forge"
	"github.com/slipstick/slipstick/host/tools/bench/internal/stats"
)

// published holds the measurements of one document that is published into a registry: medians, and the measured values.
type published struct {
	Subject  string    `json:"contestant"`
	Releases int       `json:"releases"` // in the registry
	Time     float64   `json:"time_ms"`
	CPU      float64   `json:"cpu_ms"` // of the command and of the engine that it judges
	Times    []float64 `json:"time_ms_rounds"`
	CPUs     []float64 `json:"cpu_ms_rounds"`

	subject  *subject
	registry string
}

// publishTime is the time limit for one publication.
const publishTime = 2 * time.Minute

// publish measures slipstick publish for one document. In each round, it publishes a new document into each registry.
func (b *bench) publish(ctx context.Context) error {
	scratch, err := os.MkdirTemp(b.Dir, "publish")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	var all []*published
	for _, n := range []int{0, libraries[len(libraries)-1]} {
		for _, s := range b.subjects() {
			dir := filepath.Join(scratch, fmt.Sprintf("%s-%d", s.name, n))
			if err := forge.Releases(dir, n/versionsEach, versionsEach); err != nil {
				return err
			}
			all = append(all, &published{Subject: s.name, Releases: n, subject: s, registry: dir})
		}
	}
	for round := range b.rounds {
		file := filepath.Join(scratch, "document.calc.md")
		if err := os.WriteFile(file, []byte(fleet.Document(round, fleet.Current)), 0o644); err != nil {
			return err
		}
		for _, p := range all {
			if err := p.add(ctx, file); err != nil {
				return fmt.Errorf("%s, %d releases: %w", p.Subject, p.Releases, err)
			}
		}
	}
	fmt.Fprintf(b.out, "\n%-20s%12s%12s%12s\n", "publish", "releases", "time ms", "CPU ms")
	for _, p := range all {
		p.Time, p.CPU = stats.Median(p.Times), stats.Median(p.CPUs)
		fmt.Fprintf(b.out, "  %-18s%12d%12.0f%12.0f\n", p.Subject, p.Releases, p.Time, p.CPU)
	}
	b.results.Publish = all
	return nil
}

// add publishes a document. A registry without releases is empty each time.
func (p *published) add(ctx context.Context, file string) error {
	if p.Releases == 0 {
		if err := os.RemoveAll(p.registry); err != nil {
			return err
		}
	}
	ctx, stop := context.WithTimeout(ctx, publishTime)
	defer stop()
	cmd := exec.CommandContext(ctx, p.subject.fleet.Slipstick, "publish", "--to", p.registry, file)
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("slipstick publish: %w: %.2000s", err, out)
	}
	p.Times = append(p.Times, micros(time.Since(began))/1000)
	p.CPUs = append(p.CPUs, micros(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())/1000)
	return nil
}
