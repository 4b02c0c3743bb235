package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
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
	committed   bool      // whether the clone has a commit of its own
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

// require makes a module require the released version of the modules of this repository, and adds their lines
// of go.sum. A module with a replace directive for one of them needs no line.
func (c *cloned) require(name, version string, sums []string) error {
	file := filepath.Join(c.dir, name, "go.mod")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	mod, err := modfile.Parse(file, text, nil)
	if err != nil {
		return err
	}
	replaced := map[string]bool{}
	for _, r := range mod.Replace {
		replaced[r.Old.Path] = true
	}
	var wants []string
	for _, r := range mod.Require {
		if strings.HasPrefix(r.Mod.Path, modulePrefix) {
			wants = append(wants, r.Mod.Path)
		}
	}
	var lines []string
	for _, want := range wants {
		if !replaced[want] {
			of := slices.DeleteFunc(slices.Clone(sums), func(line string) bool { return !strings.HasPrefix(line, want+" ") })
			if len(of) == 0 {
				return fmt.Errorf("it requires %s, which is not released before it", want)
			}
			lines = append(lines, of...)
		}
		if err := mod.AddRequire(want, version); err != nil {
			return err
		}
	}
	if len(wants) == 0 {
		return nil
	}
	text, err = mod.Format()
	if err == nil {
		err = os.WriteFile(file, text, 0o644)
	}
	if err != nil {
		return err
	}
	return replaceSums(filepath.Join(c.dir, name, "go.sum"), lines)
}

// commit adds the changes of the clone to the commit of the release.
func (c *cloned) commit(version string) error {
	_, err := git(c.dir, nil, "add", "--all")
	if err != nil {
		return err
	}
	changed, err := git(c.dir, nil, "status", "--porcelain")
	if err != nil || changed == "" {
		return err
	}
	args := []string{"commit", "--quiet", "--no-verify", "-m", "modules: require " + version + " of one another"}
	if c.committed {
		args = append(args, "--amend")
	}
	c.committed = true
	_, err = git(c.dir, c.env, args...)
	return err
}

// publish gives the commit of the release to the repository, and tags it. Modules with replace directives also
// require the version, because Go refuses a lower version than the version that their requirements have.
func (c *cloned) publish(modules []string, version string) error {
	found, err := git(c.dir, nil, "ls-files", "*/go.mod")
	if err != nil {
		return err
	}
	for file := range strings.FieldsSeq(found) {
		name := path.Dir(file)
		if slices.Contains(modules, name) {
			continue
		}
		if err := c.require(name, version, nil); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := c.commit(version); err != nil {
		return err
	}
	head, err := git(c.dir, nil, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	head = strings.TrimSpace(head)
	tags := []string{version}
	for _, name := range modules {
		tags = append(tags, name+"/"+version)
	}
	for _, tag := range tags {
		of, err := git(c.origin, nil, "rev-parse", "--quiet", "--verify", "refs/tags/"+tag+"^{commit}")
		if err == nil && strings.TrimSpace(of) != head {
			return fmt.Errorf("the tag %s is on another commit already", tag)
		}
	}
	if _, err := git(c.origin, nil, "fetch", "--quiet", c.dir, "HEAD"); err != nil {
		return err
	}
	if _, err := git(c.origin, nil, "merge", "--quiet", "--ff-only", head); err != nil {
		return err
	}
	for _, tag := range tags {
		if _, err := git(c.origin, nil, "tag", "--force", tag, head); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "Next: git push --atomic origin HEAD %s\n", strings.Join(tags, " "))
	return nil
}

// replaceSums replaces the lines of a go.sum for the modules of this repository. Go sorts the file by module path.
func replaceSums(path string, lines []string) error {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	all := slices.DeleteFunc(slices.Collect(strings.Lines(string(text))), func(line string) bool { return strings.HasPrefix(line, modulePrefix) })
	all = append(all, lines...)
	slices.SortStableFunc(all, func(a, b string) int { return strings.Compare(pathOf(a), pathOf(b)) })
	if len(all) == 0 {
		return nil
	}
	return os.WriteFile(path, []byte(strings.Join(all, "")), 0o644)
}

func pathOf(line string) string {
	path, _, _ := strings.Cut(line, " ")
	return path
}
