package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"github.com/slipstick/slipstick/host/tools/bench/internal/stats"
)

// goBenchmark is one benchmark of a Go package: medians over its runs.
type goBenchmark struct {
	Name    string  `json:"name"`
	Module  string  `json:"module"`
	Package string  `json:"package"`
	Time    float64 `json:"time_ns"`
	Objects float64 `json:"objects"`
}

// command returns the command that runs the benchmark alone, in the directory of the module.
func (g *goBenchmark) command() string {
	return fmt.Sprintf("cd %s && go test -run '^$' -bench '^Benchmark%s$' -benchmem %s", g.Module, g.Name, g.Package)
}

// goBenchmarks are the measured benchmarks.
var goBenchmarks = []goBenchmark{
	{Name: "Evaluate", Module: "plugins", Package: "./mechanical/statics/cantilever_wall_triangle_outer_moment_at_deflection"},
	{Name: "Parse", Module: "sdk", Package: "./request/strictjson"},
	{Name: "AppendNumber", Module: "sdk", Package: "./value"},
}

// packages runs the benchmarks of Go packages, in several runs of a tenth of a second each.
func (b *bench) packages(ctx context.Context) error {
	fmt.Fprintf(b.out, "\n%-46s%14s%12s\n", "packages", "ns", "objects")
	for _, g := range goBenchmarks {
		cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^Benchmark"+g.Name+"$", "-benchmem",
			"-count", strconv.Itoa(b.rounds), "-benchtime", (time.Second / 10).String(), g.Package)
		cmd.Dir = g.Module
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w: %.2000s", g.command(), err, out)
		}
		measured := parseBenchmarks(g, string(out))
		if len(measured) == 0 {
			return fmt.Errorf("%s has no benchmark: %.2000s", g.command(), out)
		}
		for _, m := range measured {
			fmt.Fprintf(b.out, "  %-44s%14.1f%12.0f\n", m.Name, m.Time, m.Objects)
		}
		b.results.Packages = append(b.results.Packages, measured...)
	}
	return nil
}

// benchmarkLine matches the name, the time and the objects in the output of go test -benchmem.
var benchmarkLine = regexp.MustCompile(`(?m)^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op.*?\s(\d+) allocs/op$`)

// parseBenchmarks returns the medians for each benchmark in the output, in their order. A benchmark can have parts.
func parseBenchmarks(g goBenchmark, out string) (all []*goBenchmark) {
	times, objects := map[string][]float64{}, map[string][]float64{}
	for _, m := range benchmarkLine.FindAllStringSubmatch(out, -1) {
		name := m[1]
		if times[name] == nil {
			all = append(all, &goBenchmark{Name: name, Module: g.Module, Package: g.Package})
		}
		time, _ := strconv.ParseFloat(m[2], 64)
		count, _ := strconv.ParseFloat(m[3], 64)
		times[name], objects[name] = append(times[name], time), append(objects[name], count)
	}
	for _, one := range all {
		one.Time, one.Objects = stats.Median(times[one.Name]), stats.Median(objects[one.Name])
	}
	return all
}
