package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/host/tools/released"
	"github.com/slipstick/slipstick/versions"
)

type cutCmd struct {
	Engines   []string `arg:"" optional:"" name:"capability" help:"Capabilities, or directories below plugins."`
	All       bool     `help:"All engines with unreleased changes."`
	To        string   `help:"Registry to publish to. Default: none; the engines are checked in any case." placeholder:"DIR|oci://..."`
	Key       string   `help:"Secret key that signs the release." placeholder:"FILE" type:"existingfile"`
	DryRun    bool     `help:"Only check and compare. The tree may have uncommitted changes."`
	Slipstick string   `default:"bin/slipstick" help:"The command that checks and publishes." placeholder:"FILE" type:"existingfile"`
}

// candidate is an engine to release.
type candidate struct {
	released.Release
	files  map[string]string // executables by platform
	before *released.Release // newest released version before it, or nil if there is none
}

// Run builds the candidates from the source to archive, checks and compares all of them, and then
// publishes and locks one after the other.
func (c *cutCmd) Run(r *run) error {
	if c.Key != "" && c.To == "" {
		return errors.New("--key signs what is published: say where, with --to")
	}
	revision, date, err := c.revision(r)
	if err != nil {
		return err
	}
	engines, err := c.choose(r)
	if err != nil {
		return err
	}
	if len(engines) == 0 {
		fmt.Println("every engine is released as it is")
		return nil
	}
	return inScratch(func(dir string) error {
		source, kit, err := r.repository.Pack(r, engines)
		if err != nil {
			return err
		}
		one := released.Release{Archive: source.Name, SDK: kit.Name, Toolchain: runtime.Version(), Revision: revision}
		var candidates []*candidate
		for i := range engines {
			next := &candidate{Release: one, files: map[string]string{}}
			next.Package, next.Source, next.Engines = engines[i].Package, engines[i].Source, map[string]string{}
			candidates = append(candidates, next)
		}
		if err := build(r, dir, candidates, source, kit); err != nil {
			return err
		}
		if err := c.judge(r, candidates); err != nil {
			return err
		}
		if err := c.compare(r, dir, candidates); err != nil || c.DryRun {
			return err
		}
		for _, archive := range []*released.Archive{source, kit} {
			if err := r.repository.Keep(archive); err != nil {
				return err
			}
		}
		for _, next := range candidates {
			if err := c.publish(r, dir, date, next); err != nil {
				return err
			}
			r.releases = append(r.releases, next.Release)
			if err := r.repository.Write(r.releases); err != nil {
				return err
			}
			fmt.Printf("released %s %s\n", next.Capability, next.Version)
		}
		fmt.Println("commit plugins/released.lock and plugins/released")
		return r.repository.Sweep(r.releases)
	})
}

// revision returns the commit of the release, and its time. Everyone must be able to check out a release,
// so the tree must not have other changes.
func (c *cutCmd) revision(r *run) (revision, seconds string, err error) {
	changes, err := r.git("status", "--porcelain")
	if err != nil {
		return "", "", err
	}
	if changes != "" && !c.DryRun {
		return "", "", fmt.Errorf("the work tree has changes that are not committed: commit them first\n%s", changes)
	}
	revision, err = r.git("rev-parse", "HEAD")
	if err == nil {
		seconds, err = r.git("log", "-1", "--format=%ct")
	}
	return revision, seconds, err
}

func (r *run) git(args ...string) (string, error) {
	cmd := exec.CommandContext(r, "git", args...)
	cmd.Dir = string(r.repository)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// choose returns the engines that the command line names.
func (c *cutCmd) choose(r *run) ([]released.Engine, error) {
	if c.All == (len(c.Engines) > 0) {
		return nil, errors.New("name capabilities, or give --all")
	}
	var chosen []released.Engine
	for _, e := range r.engines {
		if c.All && (e.Released == nil || e.Changed()) {
			chosen = append(chosen, e)
		}
	}
	for _, name := range c.Engines {
		pkg := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(name, "plugins/"), "/"), ".", "/")
		i := slices.IndexFunc(r.engines, func(e released.Engine) bool { return e.Package == pkg })
		switch {
		case i < 0:
			return nil, fmt.Errorf("there is no engine in plugins/%s", pkg)
		case r.engines[i].Released != nil && !r.engines[i].Changed():
			return nil, fmt.Errorf("%s is released as it is, as %s", name, r.engines[i].Released.Version)
		}
		chosen = append(chosen, r.engines[i])
	}
	for _, e := range chosen {
		if e.Fault != "" {
			return nil, fmt.Errorf("plugins/%s: %s", e.Package, e.Fault)
		}
	}
	return chosen, nil
}

// sourceIn returns the directory for the unpacked source.
func sourceIn(dir string) string { return filepath.Join(dir, "source") }

// build builds candidates for all platforms from the source to archive.
func build(r *run, dir string, candidates []*candidate, source, kit *released.Archive) error {
	tree := sourceIn(dir)
	for _, a := range []*released.Archive{source, kit} {
		if err := a.Unpack(tree); err != nil {
			return err
		}
	}
	var list []*released.Release
	for _, next := range candidates {
		list = append(list, &next.Release)
	}
	for _, platform := range released.Platforms {
		fmt.Fprintf(os.Stderr, "building %d for %s\n", len(candidates), platform)
		built, err := released.Build(r, tree, platform, filepath.Join(dir, platform), list)
		if err != nil {
			return err
		}
		for i, next := range candidates {
			next.files[platform], next.Engines[platform] = built[i].File, built[i].Digest
		}
	}
	return nil
}

// slipstick runs the command. Its messages go to stderr, its output to out.
func (c *cutCmd) slipstick(r *run, out *bytes.Buffer, environment []string, args ...string) error {
	cmd := exec.CommandContext(r, c.Slipstick, args...)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stderr, os.Stderr
	if out != nil {
		cmd.Stdout = out
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("slipstick %s: %w", args[0], err)
	}
	return nil
}

// judge checks the candidates with the conformance rules, and reads the capability and the version of
// each from its report.
func (c *cutCmd) judge(r *run, candidates []*candidate) error {
	fmt.Fprintf(os.Stderr, "judging %d\n", len(candidates))
	args := []string{"check", "--json"}
	for _, next := range candidates {
		args = append(args, next.files[released.Here])
	}
	var out bytes.Buffer
	failed := c.slipstick(r, &out, nil, args...)
	reports := json.NewDecoder(&out)
	for _, next := range candidates {
		var judged report.Report
		err := reports.Decode(&judged)
		if err == nil && !slices.Equal(judged.EngineDigests, []string{next.Engines[released.Here]}) {
			err = fmt.Errorf("it is about %v", judged.EngineDigests)
		}
		if err != nil {
			return errors.Join(failed, fmt.Errorf("report on plugins/%s: %w", next.Package, err))
		}
		next.Capability, next.Version = judged.Capability, judged.Version
		if !judged.Passed {
			return fmt.Errorf("%s %s does not conform, run slipstick check for the reasons; nothing is released", next.Capability, next.Version)
		}
		for i := range r.releases {
			if was := &r.releases[i]; was.Capability == next.Capability && was.Version == next.Version {
				return fmt.Errorf("%s %s is released already, from other source: give plugins/%s a new version", was.Capability, was.Version, next.Package)
			}
		}
		next.before = before(r.releases, &next.Release)
	}
	return failed
}

// before returns the newest release before another one, or nil if there is none. It ignores
// pre-releases, because they do not promise compatibility.
func before(list []released.Release, next *released.Release) *released.Release {
	var found *released.Release
	for i := range list {
		r := &list[i]
		v, err := versions.Parse(r.Version)
		if r.Capability != next.Capability || err != nil || v.Prerelease() != "" || versions.Newest([]string{r.Version, next.Version})[0] != next.Version {
			continue
		}
		if found == nil || versions.Newest([]string{r.Version, found.Version})[0] == r.Version {
			found = r
		}
	}
	return found
}

// compare shows the differences of each candidate to the previous release. It refuses a candidate if its
// version number promises too much compatibility, or if it does not describe its changes.
func (c *cutCmd) compare(r *run, dir string, candidates []*candidate) error {
	for _, next := range candidates {
		if next.before == nil {
			continue
		}
		older, err := c.executable(r, dir, next.before)
		if err != nil {
			return err
		}
		if err := c.slipstick(r, nil, nil, "diff", older, next.files[released.Here]); err != nil {
			return fmt.Errorf("%s %s after %s: %w; nothing is released", next.Capability, next.Version, next.before.Version, err)
		}
	}
	return nil
}

// executable builds a release for this platform.
func (c *cutCmd) executable(r *run, dir string, one *released.Release) (string, error) {
	source := filepath.Join(dir, "before", one.SDK+"+"+one.Archive)
	if _, err := os.Stat(source); err != nil {
		if err := r.repository.Unpack(one, source); err != nil {
			return "", err
		}
	}
	built, err := released.Build(r, source, released.Here, filepath.Join(source, "out"), []*released.Release{one})
	if err != nil {
		return "", err
	}
	return built[0].File, built[0].Err()
}

// publish publishes a candidate for all of its platforms, if a registry is named.
func (c *cutCmd) publish(r *run, dir, date string, next *candidate) error {
	if c.To == "" {
		return nil
	}
	args := []string{"publish", "--to", c.To, "--revision", next.Revision, "--source", sourceIn(dir)}
	if c.Key != "" {
		args = append(args, "--sign", c.Key)
	}
	for _, platform := range released.Platforms {
		if platform != released.Here {
			args = append(args, "--platform", platform+"="+next.files[platform])
		}
	}
	return c.slipstick(r, nil, []string{"SOURCE_DATE_EPOCH=" + date}, append(args, next.files[released.Here])...)
}
