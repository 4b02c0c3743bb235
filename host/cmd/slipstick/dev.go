package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
)

type devCmd struct {
	Dir    string        `arg:"" default:"." help:"Directory of the engine's program."`
	Addr   string        `default:"127.0.0.1:8081" help:"Address to serve it on." placeholder:"HOST:PORT"`
	Every  time.Duration `default:"300ms" hidden:"" help:"How often to look for changes."`
	NoJail bool          `name:"no-jail" env:"SLIPSTICK_NO_JAIL" help:"Run the engine without a jail."`
}

func (c *devCmd) Help() string {
	return `Builds the engine, judges it and serves it, with its page to try it on; and again whenever
a file of it changes. What does not compile is told, and the last engine that did is served
on. Nothing is published anywhere: the registry is a temporary one.`
}

func (c *devCmd) Run(ctx context.Context, s streams) error {
	if _, err := exec.LookPath("go"); err != nil {
		return &failure{exitMisuse, errors.New("go is needed to build the engine: https://go.dev/doc/install")}
	}
	work, err := os.MkdirTemp("", "slipstick-dev-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	d := &developing{devCmd: c, streams: s, work: work}
	defer d.stop()
	var built fingerprint
	for {
		now, err := fingerprintOf(c.Dir)
		if err != nil {
			return &failure{exitMisuse, err}
		}
		if now != built {
			d.renew(ctx)
			built = now
		}
		select {
		case <-time.After(c.Every):
		case <-ctx.Done():
			return nil
		}
	}
}

// developing is the engine under work and the host that serves it.
type developing struct {
	*devCmd
	streams
	work  string
	round int
	end   func() // of the host that runs, nil if none does
}

// renew builds, judges and serves what the directory holds now.
func (d *developing) renew(ctx context.Context) {
	d.round++
	engine := filepath.Join(d.work, fmt.Sprintf("engine-%d", d.round))
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", engine, ".")
	build.Dir = d.Dir
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(d.err, "slipstick: it does not build:\n%s", out)
		return
	}
	registry := filepath.Join(d.work, fmt.Sprintf("registry-%d", d.round))
	args := []string{"publish", "--to", registry, engine}
	if d.NoJail {
		args = append(args, "--no-jail")
	}
	var out, errs bytes.Buffer
	if code := run(ctx, args, streams{nil, &out, &errs}); code != exitOK {
		fmt.Fprintf(d.err, "slipstick: it does not conform yet:\n%s%s", out.Bytes(), failures(errs.String()))
		return
	}
	d.serve(ctx, registry)
	if catalog, err := (&origin{Registry: registry}).catalog(ctx, d.err, false); err == nil {
		for _, e := range catalog.Entries() {
			fmt.Fprintf(d.err, "slipstick: %s %s conforms; its page is %s\n", e.ID, e.Current, calc.PagePath(&e.Shown().Spec))
		}
	}
}

// failures are the lines of a report that tell what failed.
func failures(report string) string {
	var kept []string
	for line := range strings.Lines(report) {
		if !strings.HasPrefix(line, "pass ") && !strings.HasPrefix(line, "refused ") && !strings.HasPrefix(line, "slipstick: ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// serve puts a host of the registry in place of the one that runs.
func (d *developing) serve(ctx context.Context, registry string) {
	d.stop()
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	args := []string{"serve", "--addr", d.Addr, "--registry", registry, "--data", filepath.Join(d.work, "data"), "--limit", "calc=0,share=0,page=0,mcp=0,mcp-exec=0"}
	if d.NoJail {
		args = append(args, "--no-jail")
	}
	go func() {
		defer close(done)
		run(ctx, args, streams{nil, io.Discard, d.err})
	}()
	d.end = func() {
		cancel()
		<-done
	}
}

func (d *developing) stop() {
	if d.end != nil {
		d.end()
		d.end = nil
	}
}

// fingerprint changes when a file does.
type fingerprint struct {
	files  int
	bytes  int64
	newest time.Time
}

// maxWatched bounds the files that are looked at.
const maxWatched = 5000

func fingerprintOf(dir string) (f fingerprint, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if name := e.Name(); path != dir && strings.HasPrefix(name, ".") {
				return fs.SkipDir
			}
			return nil
		}
		switch filepath.Ext(path) {
		case ".go", ".json", ".mod", ".sum":
		default:
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return nil // it has gone
		}
		f.files++
		f.bytes += info.Size()
		if info.ModTime().After(f.newest) {
			f.newest = info.ModTime()
		}
		if f.files > maxWatched {
			return fmt.Errorf("%s has more than %d files: name the directory of one engine", dir, maxWatched)
		}
		return nil
	})
	if err == nil && f.files == 0 {
		err = fmt.Errorf("%s holds no Go program", dir)
	}
	return f, err
}
