package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
)

// cloned is a clone of the repository with the commits of a release.
type cloned struct {
	dir, origin string
	at          time.Time // of the released revision
	env         []string  // of git: author and date
}

// clone clones the repository at its current revision. It refuses uncommitted changes.
func clone(repository string) (*cloned, error) {
	top, err := git(repository, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	c := &cloned{origin: strings.TrimSpace(top)}
	changed, err := git(c.origin, nil, "status", "--porcelain")
	if err == nil && changed != "" {
		err = fmt.Errorf("commit this first, for what is released is what is committed:\n%s", changed)
	}
	if err != nil {
		return nil, err
	}
	author, err := git(c.origin, nil, "log", "-1", "--format=%cI%n%cn%n%ce")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(author, "\n")
	c.at, err = time.Parse(time.RFC3339, lines[0])
	if err != nil {
		return nil, err
	}
	for i, name := range []string{"DATE", "NAME", "EMAIL"} { // so that the commits do not depend on the user and the time
		c.env = append(c.env, "GIT_AUTHOR_"+name+"="+lines[i], "GIT_COMMITTER_"+name+"="+lines[i])
	}
	c.dir, err = os.MkdirTemp("", "slipstick-modules-")
	if err != nil {
		return nil, err
	}
	if _, err := git(c.origin, nil, "clone", "--quiet", "--shared", c.origin, c.dir); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *cloned) close() { os.RemoveAll(c.dir) }

// git runs git in a directory and returns what it prints.
func git(dir string, env []string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "commit.gpgsign=false", "-c", "core.autocrlf=input", "-c", "advice.detachedHead=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, stderr.String())
	}
	return out.String(), nil
}

// require makes a module require the released version of the modules of this repository, instead of a
// replace directive for each of them. It commits the change, together with their lines of go.sum.
func (c *cloned) require(name, version string, sums []string) error {
	path := filepath.Join(c.dir, name, "go.mod")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	mod, err := modfile.Parse(path, text, nil)
	if err != nil {
		return err
	}
	if mod.Module.Mod.Path != modulePrefix+name {
		return fmt.Errorf("its path is %s, not %s", mod.Module.Mod.Path, modulePrefix+name)
	}
	var wants []string
	for _, r := range mod.Require {
		if strings.HasPrefix(r.Mod.Path, modulePrefix) {
			wants = append(wants, r.Mod.Path)
		}
	}
	if len(wants) == 0 {
		return nil
	}
	var lines []string
	for _, want := range wants {
		of := slices.DeleteFunc(slices.Clone(sums), func(line string) bool { return !strings.HasPrefix(line, want+" ") })
		if len(of) == 0 {
			return fmt.Errorf("it requires %s, which is not released before it", want)
		}
		lines = append(lines, of...)
		if err := errors.Join(mod.AddRequire(want, version), mod.DropReplace(want, "")); err != nil {
			return err
		}
	}
	mod.Cleanup()
	text, err = mod.Format()
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return err
	}
	if err := addSums(filepath.Join(c.dir, name, "go.sum"), lines); err != nil {
		return err
	}
	if _, err := git(c.dir, nil, "add", name); err != nil {
		return err
	}
	_, err = git(c.dir, c.env, "commit", "--quiet", "--no-verify", "-m", name+" "+version+" requires released versions")
	return err
}

// addSums adds lines to a go.sum, which Go sorts by module path.
func addSums(path string, lines []string) error {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	all := slices.AppendSeq(lines, strings.Lines(string(text)))
	slices.SortStableFunc(all, func(a, b string) int { return strings.Compare(pathOf(a), pathOf(b)) })
	return os.WriteFile(path, []byte(strings.Join(all, "")), 0o644)
}

func pathOf(line string) string {
	path, _, _ := strings.Cut(line, " ")
	return path
}

// tag tags the commit of a module, and pushes the tag to the repository.
func (c *cloned) tag(name string) error {
	if _, err := git(c.dir, c.env, "tag", name); err != nil {
		return err
	}
	_, err := git(c.dir, nil, "push", "--quiet", "origin", "refs/tags/"+name)
	return err
}
