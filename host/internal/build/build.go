// Package build answers one question: does this source make an engine's executable? The same
// source and the same Go make the same bytes, on every machine and for whoever builds.
package build

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/sync/errgroup"
)

// ErrNoGo means that nothing can be built on this machine.
var ErrNoGo = errors.New("go is needed to build the engine: https://go.dev/doc/install")

// Available returns ErrNoGo if Go is not installed.
func Available() error {
	if _, err := exec.LookPath("go"); err != nil {
		return ErrNoGo
	}
	return nil
}

// IsProgram reports whether a path is a directory with Go source.
func IsProgram(path string) bool {
	source, err := fs.Glob(os.DirFS(path), "*.go")
	return err == nil && len(source) > 0
}

// FailedError holds the compiler's messages about the source.
type FailedError struct{ Output []byte }

func (e *FailedError) Error() string {
	return "it does not build:\n" + strings.TrimSuffix(string(e.Output), "\n")
}

// Platform is what an executable runs on.
type Platform struct{ OS, Arch string }

// Here is the platform of this program.
var Here = Platform{runtime.GOOS, runtime.GOARCH}

func (p Platform) String() string { return p.OS + "/" + p.Arch }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (p *Platform) UnmarshalText(text []byte) error {
	if !platforms.Match(text) {
		return fmt.Errorf("%q is not OS/ARCH, such as linux/arm64", text)
	}
	p.OS, p.Arch, _ = strings.Cut(string(text), "/")
	return nil
}

var platforms = regexp.MustCompile(`^[a-z0-9]+/[a-z0-9]+$`)

// Flags are those of every engine: no paths of the machine; no pages that trace gRPC, which
// nobody serves; no debugging information.
const Flags = "-trimpath -tags=grpcnotrace -gcflags=all=-dwarf=false"

// variables of the environment that make other bytes, on any platform.
var variables = []string{"CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off"}

// flags of go build alone.
var flags = []string{"-buildvcs=false", "-ldflags=-s"}

// Settings are the variables and flags with which engines are built: the source and the version
// of Go make one executable with them, and another one with others.
func Settings() []string { return slices.Concat(variables, strings.Fields(Flags), flags) }

// Environment is that of Go, in which nothing is left that would make other bytes. What go env -w
// wrote counts where a variable is empty, so they have values.
func Environment(p Platform) []string {
	return append(append(os.Environ(), "GOFLAGS="+Flags, "GOWORK=off", "GOOS="+p.OS, "GOARCH="+p.Arch), variables...)
}

// Options are what a caller may change.
type Options struct {
	Toolchain string // version of Go, such as go1.26.8, which is fetched if need be; Go chooses if it is ""
}

func (o *Options) environment() []string {
	if o == nil || o.Toolchain == "" {
		return nil
	}
	return []string{"GOTOOLCHAIN=" + o.Toolchain}
}

// Go runs Go in a directory. The error is ErrNoGo, a [*FailedError], or that of the context.
func Go(ctx context.Context, dir string, p Platform, o *Options, args ...string) (out []byte, err error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, append(Environment(p), o.environment()...)
	var said bytes.Buffer
	cmd.Stderr = &said
	if out, err = cmd.Output(); err == nil {
		return out, nil
	}
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, ErrNoGo
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	if said.Len() == 0 {
		fmt.Fprintln(&said, err)
	}
	return nil, &FailedError{said.Bytes()}
}

// engine builds the program in a directory, as a file of that name, which must be absolute.
func engine(ctx context.Context, dir string, p Platform, to string, o *Options) error {
	_, err := Go(ctx, dir, p, o, slices.Concat([]string{"build"}, flags, []string{"-o", to, "."})...)
	return err
}

// nameOf is the name of the program in a directory, as go build would choose it. A directory
// with another package, or none, is a [*FailedError].
func nameOf(ctx context.Context, dir string, o *Options) (string, error) {
	out, err := Go(ctx, dir, Here, o, "list", "-f", "{{.Name}} {{.ImportPath}}", ".")
	if err != nil {
		return "", err
	}
	name, importPath, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if name != "main" {
		return "", &FailedError{fmt.Appendf(nil, "it has the package %s: an engine is a program, of package main\n", name)}
	}
	if prefix, _, ok := module.SplitPathVersion(importPath); ok {
		importPath = prefix
	}
	return path.Base(importPath), nil
}

// Built is one executable.
type Built struct {
	File     string
	Platform Platform
	Digest   string // as registries write it
}

// All builds the program in a directory for platforms, into another directory, which is made: one file
// with the name of the program, or for several platforms one each, as NAME-OS-ARCH.
func All(ctx context.Context, dir string, platforms []Platform, into string, o *Options) ([]Built, error) {
	name, err := nameOf(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(into, 0o755); err != nil {
		return nil, err
	}
	all := make([]Built, len(platforms))
	building, ctx := errgroup.WithContext(ctx)
	building.SetLimit(runtime.NumCPU())
	for i, p := range platforms {
		file := filepath.Join(into, name)
		if len(platforms) > 1 {
			file += "-" + p.OS + "-" + p.Arch
		}
		building.Go(func() error {
			to, err := filepath.Abs(file)
			if err == nil {
				err = engine(ctx, dir, p, to, o)
			}
			if err != nil {
				return err
			}
			all[i] = Built{File: file, Platform: p}
			all[i].Digest, err = Digest(to)
			return err
		})
	}
	if err := building.Wait(); err != nil {
		return nil, err
	}
	return all, nil
}

// Digest returns the digest of a file, as registries write it.
func Digest(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("sha256:%x", hash.Sum(nil)), nil
}
