// Command release builds the released engines of this repository, and releases changed
// engines. scripts/release and scripts/serve call it.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/tools/released"
)

type cli struct {
	Root string `default:".." help:"Top of the repository." placeholder:"DIR" type:"existingdir"`

	List   listCmd   `cmd:"" help:"List the releases, and the engines that changed since."`
	Build  buildCmd  `cmd:"" help:"Build the executables to serve, and print them, a few per line."`
	Verify verifyCmd `cmd:"" help:"Build releases again and compare their digests."`
	Cut    cutCmd    `cmd:"" help:"Release engines of the work tree."`
}

// run is the state that all commands share.
type run struct {
	context.Context
	repository released.Repository
	releases   []released.Release
	engines    []released.Engine
}

func main() {
	var c cli
	command := kong.Parse(&c, kong.Name("release"), kong.Description("Builds the engines of this repository as they were released, and releases what changed since."), kong.UsageOnError())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r, err := start(ctx, c.Root)
	if err == nil {
		err = command.Run(r)
	}
	command.FatalIfErrorf(err)
}

func start(ctx context.Context, root string) (*run, error) {
	root, err := filepath.EvalSymlinks(root)
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return nil, err
	}
	r := &run{Context: ctx, repository: released.Repository(root)}
	r.releases, err = r.repository.Releases()
	if err != nil {
		return nil, err
	}
	r.engines, err = r.repository.Engines(ctx, r.releases)
	return r, err
}

type listCmd struct{}

// Run prints a line for each release, and for each engine with unreleased changes.
func (listCmd) Run(r *run) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	for i := range r.releases {
		release := &r.releases[i]
		fmt.Fprintf(w, "%s\t%s\treleased\t%s\n", release.Capability, release.Version, release.Toolchain)
	}
	for i := range r.engines {
		switch e := &r.engines[i]; {
		case e.Released == nil:
			fmt.Fprintf(w, "%s\t\tnever released\t%s\n", e.Package, e.Fault)
		case e.Changed():
			fmt.Fprintf(w, "%s\t\tchanged since %s\t%s\n", e.Package, e.Released.Version, e.Fault)
		}
	}
	return w.Flush()
}

type buildCmd struct {
	To    string `required:"" help:"Directory for the executables." placeholder:"DIR" type:"path"`
	Count bool   `help:"First print the number of executables."`

	Releases bool   `help:"Leave out engines of the work tree with unreleased changes."`
	Platform string `help:"Build the releases for this platform, and leave out engines of the work tree. Default: this platform." placeholder:"OS/ARCH"`
}

// Run builds everything. It reports failures, and continues with the rest.
func (c *buildCmd) Run(r *run) error {
	if c.Releases || c.Platform != "" {
		r.engines = nil
	}
	platform := cmp.Or(c.Platform, released.Here)
	if c.Count {
		fmt.Println(r.served(platform))
	}
	if i := slices.IndexFunc(r.releases, func(one released.Release) bool { return one.Toolchain != runtime.Version() }); i >= 0 {
		fmt.Fprintf(os.Stderr, "slipstick: this is %s, and %s was released by %s: such engines have other bytes here than in plugins/released.lock\n",
			runtime.Version(), r.releases[i].Name(), r.releases[i].Toolchain)
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	failed := 0
	print := func(files []string, err error) error {
		if err != nil && r.Err() == nil {
			fmt.Fprintln(os.Stderr, err)
			failed++
		}
		for i, file := range files { // relative paths, because the paths above may contain spaces
			if name, err := filepath.Rel(here, file); err == nil {
				files[i] = name
			}
		}
		if len(files) > 0 {
			if _, err := fmt.Println(strings.Join(files, " ")); err != nil {
				return err // the reader has closed the pipe
			}
		}
		return r.Err()
	}
	if platform == released.Here {
		err = r.repository.BuildAll(r, r.releases, r.engines, c.To, print)
	} else {
		err = r.repository.BuildReleases(r, platform, r.releases, c.To, print)
	}
	if err == nil && failed > 0 {
		err = errors.New("not everything is built as it should be")
	}
	return err
}

// served returns the number of executables to serve on a platform.
func (r *run) served(platform string) int {
	n := 0
	for i := range r.releases {
		if r.releases[i].Engines[platform] != "" {
			n++
		}
	}
	for i := range r.engines {
		if e := &r.engines[i]; e.Released == nil || e.Changed() {
			n++
		}
	}
	return n
}
