package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/slipstick/slipstick/host/tools/released"
)

type verifyCmd struct {
	Releases []string `arg:"" optional:"" help:"Releases, such as mechanical/statics/cantilever_wall_triangle_outer_moment_at_deflection@1.0.0. Default: all." placeholder:"PACKAGE@VERSION"`
	Platform []string `help:"Only for this platform. May be repeated. Default: the platforms of the releases." placeholder:"OS/ARCH"`
}

// Run builds releases from the archived source. If the work tree still has the same source, it also
// builds them from the work tree and the SDK of the release.
func (c *verifyCmd) Run(r *run) error {
	var chosen, unchanged []*released.Release
	for i := range r.releases {
		if one := &r.releases[i]; len(c.Releases) == 0 || slices.Contains(c.Releases, one.Name()) {
			chosen = append(chosen, one)
			if r.unchanged(one) {
				unchanged = append(unchanged, one)
			}
		}
	}
	if len(chosen) == 0 || len(chosen) < len(c.Releases) {
		return errors.New("there is no such release: see the list")
	}
	kept := c.verify(r, "the source that was kept", chosen, r.repository.Unpack, func(one *released.Release) string { return one.SDK + one.Archive })
	tree := c.verify(r, "the work tree", unchanged, r.repository.UnpackTree, func(one *released.Release) string { return one.SDK })
	return errors.Join(kept, tree)
}

// unchanged reports whether the work tree has the source of a release.
func (r *run) unchanged(one *released.Release) bool {
	return slices.ContainsFunc(r.engines, func(e released.Engine) bool { return e.Package == one.Package && e.Source == one.Source })
}

// verify builds releases from unpacked source, which releases with the same key share. It prints the
// number of identical executables, and returns an error for each of the others.
func (c *verifyCmd) verify(r *run, from string, releases []*released.Release, unpack func(*released.Release, string) error, key func(*released.Release) string) error {
	bySource := map[string][]*released.Release{}
	for _, one := range releases {
		bySource[key(one)] = append(bySource[key(one)], one)
	}
	all, same := 0, 0
	var faults []error
	for _, some := range bySource {
		err := inScratch(func(dir string) error {
			if err := unpack(some[0], dir); err != nil {
				return err
			}
			for _, platform := range released.Platforms {
				of := slices.DeleteFunc(slices.Clone(some), func(one *released.Release) bool {
					return one.Engines[platform] == "" || len(c.Platform) > 0 && !slices.Contains(c.Platform, platform)
				})
				out := filepath.Join(dir, "out")
				built, err := released.Build(r, dir, platform, out, of)
				all += len(of)
				for i := range built {
					if built[i].Same() {
						same++
					}
					err = errors.Join(err, built[i].Err())
				}
				faults = append(faults, err)
				if r.Err() != nil {
					return r.Err()
				}
				if err := os.RemoveAll(out); err != nil { // they are large
					return err
				}
			}
			return nil
		})
		faults = append(faults, err)
	}
	fmt.Printf("%d of %d executables of %d releases, built from %s, have the digest of the release\n", same, all, len(releases), from)
	return errors.Join(faults...)
}

// inScratch calls f with a temporary directory.
func inScratch(f func(dir string) error) error {
	dir, err := os.MkdirTemp("", "slipstick-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return f(dir)
}
