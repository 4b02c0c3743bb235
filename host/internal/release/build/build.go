// Package build builds engines from Go source. [All] compiles a program for several platforms, and [List]
// lists its packages with their source files. The same source and the same version of Go produce the same
// bytes on every machine. No part of the source is executed.
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
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/sync/errgroup"
)

// ErrNoGo means that Go is not installed on this machine.
var ErrNoGo = errors.New("go is needed to build the engine: https://go.dev/doc/install")

// Available returns [ErrNoGo] if Go is not installed.
func Available() error {
	if _, err := exec.LookPath("go"); err != nil {
		return ErrNoGo
	}
	return nil
}

// Installed returns the version of the module from which go install built this program, such as v1.2.3. It
// is empty for other builds.
func Installed() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Sum == "" {
		return ""
	}
	return info.Main.Version
}

// IsProgram reports whether a path is a directory with Go source.
func IsProgram(path string) bool {
	source, err := fs.Glob(os.DirFS(path), "*.go")
	return err == nil && len(source) > 0
}

// FailedError contains the errors of a build, in the form of compiler messages.
type FailedError struct{ Output []byte }

func (e *FailedError) Error() string {
	return "it does not build:\n" + strings.TrimSuffix(string(e.Output), "\n")
}

// Platform is an operating system and a processor architecture, named as in Go.
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

// Flags are the build flags of every engine: no paths of the machine, no trace pages of gRPC, no
// debugging information.
const Flags = "-trimpath -tags=grpcnotrace -gcflags=all=-dwarf=false"

const (
	noVCS  = "-buildvcs=false" // otherwise Go starts Git in the directory, and Git runs programs that the directory configures
	linker = "-ldflags=-s"
)

// variables of the environment that change the bytes on any platform.
var variables = []string{"CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off"}

// Settings returns the variables and flags of every build. With other settings, the same source and the
// same version of Go produce another executable.
func Settings() []string {
	return slices.Concat(variables, strings.Fields(Flags), []string{noVCS, linker})
}

// Options are options of a build.
type Options struct {
	Toolchain string // version of Go, such as go1.26.8, which Go downloads if needed, or "local"; "" lets Go choose
	Cache     string // absolute directory of compiled packages; "" for the user's
}

func (o *Options) environment() (env []string) {
	if o == nil {
		return nil
	}
	if o.Toolchain != "" {
		env = append(env, "GOTOOLCHAIN="+o.Toolchain)
	}
	if o.Cache != "" {
		env = append(env, "GOCACHE="+o.Cache, "GOCACHEPROG=")
	}
	return env
}

// Command returns a Go command for untrusted source. No other function of Slipstick starts Go. The command
// executes no part of the source: it starts no version control program and no C compiler. It does not
// read go.work. Of the settings of go env -w it uses only [userSettings].
func Command(ctx context.Context, dir string, p Platform, o *Options, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = slices.Concat(os.Environ(), userSettings(), []string{
		"GOENV=off", "GOFLAGS=" + Flags + " " + noVCS, "GO111MODULE=on", "GOWORK=off", "GOOS=" + p.OS, "GOARCH=" + p.Arch,
	}, variables, o.environment())
	return cmd
}

// settable are the settings of go env -w that determine where Go finds modules and stores files.
var settable = []string{
	"GOAUTH", "GOCACHE", "GOINSECURE", "GOMODCACHE", "GONOPROXY", "GONOSUMDB", "GOPATH", "GOPRIVATE", "GOPROXY", "GOSUMDB", "GOTMPDIR", "GOTOOLCHAIN", "GOVCS",
}

// userSettings returns the [settable] settings of go env -w. Environment variables take precedence, as in
// Go. Other settings of that file can change the bytes, or name a program that supplies compiled packages.
func userSettings() (env []string) {
	file := os.Getenv("GOENV")
	if file == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return nil
		}
		file = filepath.Join(dir, "go", "env")
	}
	text, _ := os.ReadFile(file) // without the file there are no settings
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(line, "=")
		if slices.Contains(settable, name) && os.Getenv(name) == "" {
			env = append(env, strings.TrimRight(line, "\r\n"))
		}
	}
	return env
}

// Go runs Go in a directory. The error is [ErrNoGo], a [*FailedError], or the error of the context.
func Go(ctx context.Context, dir string, p Platform, o *Options, args ...string) (out []byte, err error) {
	cmd := Command(ctx, dir, p, o, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err = cmd.Output()
	if err == nil {
		return out, nil
	}
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, ErrNoGo
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	if stderr.Len() == 0 {
		fmt.Fprintln(&stderr, err)
	}
	return nil, &FailedError{stderr.Bytes()}
}

// nameOf returns the name of the program in a directory, as go build chooses it. It returns a
// [*FailedError] for a directory without a program, and for source with files that Go reads but does not
// list.
func nameOf(ctx context.Context, dir string, p Platform, o *Options) (string, error) {
	packages, err := List(ctx, dir, p, o, ".")
	if err != nil {
		return "", err
	}
	for _, one := range packages {
		if _, err := one.Sources(); err != nil {
			return "", err
		}
	}
	program := packages[len(packages)-1] // the packages that it imports come first
	if program.Name != "main" {
		return "", &FailedError{fmt.Appendf(nil, "it has the package %s: an engine is a program, of package main\n", program.Name)}
	}
	name := program.ImportPath
	if prefix, _, ok := module.SplitPathVersion(name); ok {
		name = prefix
	}
	return path.Base(name), nil
}

// Built is one executable.
type Built struct {
	File     string
	Platform Platform
	Digest   string // in the form of registries, sha256:<hex>
}

// All builds the program in a directory for the platforms. It writes the executables into another
// directory, which it creates. A single executable has the name of the program. Executables for several
// platforms have the name NAME-OS-ARCH. On Windows, ".exe" follows.
func All(ctx context.Context, dir string, platforms []Platform, into string, o *Options) ([]Built, error) {
	var name string
	for _, p := range platforms { // checks all platforms before it compiles the first
		var err error
		name, err = nameOf(ctx, dir, p, o)
		if err != nil {
			return nil, err
		}
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
		if p.OS == "windows" {
			file += ".exe"
		}
		building.Go(func() error {
			to, err := filepath.Abs(file)
			if err == nil {
				_, err = Go(ctx, dir, p, o, "build", linker, "-o", to, ".")
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

// Digest returns the digest of a file, in the form of registries.
func Digest(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return DigestOf(f)
}

// DigestOf returns the digest of the data from a reader, in the form of registries.
func DigestOf(r io.Reader) (string, error) {
	hash := sha256.New()
	if _, err := io.Copy(hash, r); err != nil {
		return "", err
	}
	return fmt.Sprintf("sha256:%x", hash.Sum(nil)), nil
}
