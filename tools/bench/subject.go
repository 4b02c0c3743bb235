package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/slipstick/slipstick/host/tools/bench/internal/fleet"
	"github.com/slipstick/slipstick/host/tools/bench/internal/server"
)

// subject is one measured revision of Slipstick.
type subject struct {
	name    string // of the contestant
	sources string // directory; only set if set-ups are measured
	fleet   fleet.Fleet
}

// Names of the programs that scripts/bench builds for a subject.
const (
	commandFile = "slipstick"
	runtimeFile = "slipstick-text"
	engineFile  = "engine"
	flagshipDir = "flagship"
)

// newSubject returns the revision with programs in the directory.
func newSubject(name, dir string, progress io.Writer) *subject {
	return &subject{name, filepath.Join(dir, "sources"), fleet.Fleet{
		Dir: filepath.Join(dir, "registries"), Progress: progress,
		Slipstick: filepath.Join(dir, commandFile), Runtime: filepath.Join(dir, runtimeFile), Engine: filepath.Join(dir, engineFile), Flagship: filepath.Join(dir, flagshipDir),
	}}
}

// serve starts a server with the registry. Its data are next to the registry, and are removed
// with it. Further flags replace the default flags.
func (s *subject) serve(ctx context.Context, registry string, flags ...string) (*server.Server, error) {
	return s.serveWith(ctx, nil, registry, flags...)
}

// serveWith is serve with more variables in the environment.
func (s *subject) serveWith(ctx context.Context, env []string, registry string, flags ...string) (*server.Server, error) {
	return server.StartWith(ctx, server.Options{Env: env, Within: server.StartTime}, s.fleet.Slipstick, append([]string{
		"serve", "--registry", registry, "--data", registry + ".data",
		"--addr", "127.0.0.1:0", "--base-url", baseURL, "--limit", "calc=0",
	}, flags...)...)
}

// hasRuntime reports whether the revision computes documents.
func (s *subject) hasRuntime() bool {
	_, err := os.Stat(s.fleet.Runtime)
	return err == nil
}

// subjects returns all measured revisions, the current one last.
func (b *bench) subjects() []*subject {
	if b.base != nil {
		return []*subject{b.base, b.ours}
	}
	return []*subject{b.ours}
}

// subject returns the subject of the name, or nil if the contestant is not a subject.
func (b *bench) subject(name string) *subject {
	for _, s := range b.subjects() {
		if s.name == name {
			return s
		}
	}
	return nil
}

// withSubjects appends the names of all subjects.
func (b *bench) withSubjects(names ...string) []string {
	for _, s := range b.subjects() {
		names = append(names, s.name)
	}
	return names
}
