package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/slipstick/slipstick/host/tools/bench/internal/server"
)

// setUp is the cost of scripts/serve if nothing is compiled yet.
type setUp struct {
	Subject   string  `json:"contestant"`
	Serving   float64 `json:"serving_s"`   // until it serves
	Complete  float64 `json:"complete_s"`  // until all engines are published
	Processor float64 `json:"processor_s"` // of all processes on the machine
	Disk      float64 `json:"disk_mb"`     // of bin and var
	Cache     float64 `json:"go_cache_mb"` // of Go's build cache
}

const (
	setUpTime = 20 * time.Minute
	complete  = "complete" // is in the last line of a set-up that continues while the server is running
)

// setup runs scripts/serve in the sources of every subject, with an empty build cache. It does not
// download the modules of Go and Node again.
func (b *bench) setup(ctx context.Context) error {
	fmt.Fprintf(b.out, "\n%-20s%12s%12s%14s%14s%14s\n", "setup", "serving s", "complete s", "CPU s", "bin + var MB", "Go cache MB")
	for _, s := range b.subjects() {
		one, err := b.setUpOnce(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		b.results.SetUps = append(b.results.SetUps, one)
		fmt.Fprintf(b.out, "  %-18s%12.0f%12.0f%14.0f%14.0f%14.0f\n", s.name, one.Serving, one.Complete, one.Processor, one.Disk, one.Cache)
	}
	return nil
}

func (b *bench) setUpOnce(ctx context.Context, s *subject) (one setUp, err error) {
	cache, err := filepath.Abs(filepath.Join(b.Dir, "gocache"))
	if err == nil {
		err = os.RemoveAll(cache)
	}
	if err != nil {
		return one, err
	}
	defer os.RemoveAll(cache)
	script := filepath.Join(s.sources, "scripts", "serve")
	text, err := os.ReadFile(script)
	if err != nil {
		return one, err
	}
	one.Subject = s.name
	began := usageNow()
	host, err := server.StartWith(ctx, server.Options{Env: []string{"GOCACHE=" + cache}, Within: setUpTime}, script, "--addr", "127.0.0.1:0")
	if err != nil {
		return one, err
	}
	defer func() { err = errors.Join(err, host.Stop()) }()
	one.Serving = host.Took.Seconds()
	if strings.Contains(string(text), complete) {
		if err := host.AwaitLine(ctx, complete, setUpTime); err != nil {
			return one, err
		}
	}
	one.Complete = time.Since(began.when).Seconds()
	one.Processor = usageNow().machine - began.machine
	built, err := onDisk(filepath.Join(s.sources, "bin"), filepath.Join(s.sources, "var"))
	if err != nil {
		return one, err
	}
	compiled, err := onDisk(cache)
	one.Disk, one.Cache = megabytes(built), megabytes(compiled)
	return one, err
}

// onDisk adds up the sizes of the files below directories. It counts a file with several names once.
func onDisk(dirs ...string) (bytes int64, err error) {
	var seen []os.FileInfo
	add := func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if linked(info) {
			for _, other := range seen {
				if os.SameFile(info, other) {
					return nil
				}
			}
			seen = append(seen, info)
		}
		bytes += info.Size()
		return nil
	}
	for _, dir := range dirs {
		if err := filepath.WalkDir(dir, add); err != nil {
			return 0, err
		}
	}
	return bytes, nil
}

// linked reports whether a file has several names.
func linked(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 1
}
