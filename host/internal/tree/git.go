package tree

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// DirtyError refuses source that no commit has: nobody else can get it.
type DirtyError struct{ File string } // the first file that differs from its commit; "" if it is not known

func (e *DirtyError) Error() string {
	if e.File == "" {
		return "it was built of changes that are not committed, so nobody can get its source: commit them, and build it again"
	}
	return fmt.Sprintf("%s has changes that are not committed, so nobody can get the source: commit them", e.File)
}

// Revision returns the commit that has all of the files of a program, or "" if its directory is in no
// repository of Git, or is ignored there. The error is a [*DirtyError] if the commit has other files.
func Revision(ctx context.Context, dir string, files []File) (string, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil || !inRepository(dir) {
		return "", err
	}
	git := func(args ...string) (string, error) { return runGit(ctx, dir, os.Environ(), args...) }
	if _, err := git("check-ignore", "-q", "."); err == nil {
		return "", nil
	}
	top, err := git("rev-parse", "--show-toplevel")
	if err != nil {
		return "", err
	}
	dir = top // which is where the following commands run
	var names []string
	for _, f := range files {
		name, err := filepath.EvalSymlinks(f.path)
		if err == nil {
			name, err = filepath.Rel(top, name)
		}
		if err != nil {
			return "", err
		}
		if !filepath.IsLocal(name) {
			return "", nil // no one commit has them all
		}
		names = append(names, filepath.ToSlash(name))
	}
	revision, err := git("rev-parse", "--verify", "-q", "HEAD^{commit}")
	if err != nil {
		return "", &DirtyError{names[0]}
	}
	literally := func(args ...string) (string, error) {
		return git(slices.Concat([]string{"--literal-pathspecs"}, args, names)...)
	}
	tracked, err := literally("ls-files", "-z", "--")
	if err != nil {
		return "", err
	}
	known := strings.Split(tracked, "\x00")
	for _, name := range names {
		if !slices.Contains(known, name) {
			return "", &DirtyError{name}
		}
	}
	changed, err := literally("diff", "--no-ext-diff", "--name-only", "-z", "HEAD", "--")
	if name, _, _ := strings.Cut(changed, "\x00"); err == nil && name != "" {
		err = &DirtyError{name}
	}
	return revision, err
}

// inRepository reports whether a directory is in a work tree of Git.
func inRepository(dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		if exists(filepath.Join(dir, ".git")) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// GitError is what git says when it fails.
type GitError struct{ Said string }

func (e *GitError) Error() string { return "git: " + e.Said }

// runGit runs git and returns what it prints, without the line's end.
func runGit(ctx context.Context, dir string, environment []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(environment, "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	switch err := cmd.Run(); {
	case err == nil:
		return strings.TrimSuffix(out.String(), "\n"), nil
	case errors.Is(err, exec.ErrNotFound):
		return "", errNoGit
	case ctx.Err() != nil:
		return "", ctx.Err()
	default:
		return "", &GitError{strings.TrimSpace(cmp.Or(said.String(), err.Error()))}
	}
}

// fetchTimeout bounds how long a repository may take to be fetched.
const fetchTimeout = 10 * time.Minute

// gitConfig is all the configuration that git has while it fetches: it runs no hook and no filter, and follows
// no link. Whose a repository on this machine is does not matter, for nothing of it is executed.
const gitConfig = `[core]
	hooksPath = /dev/null
	symlinks = false
	autocrlf = false
[safe]
	directory = *
[submodule]
	recurse = false
[protocol "ext"]
	allow = never
[gc]
	auto = 0
[advice]
	detachedHead = false
`

// Fetch puts a commit of a repository into a new directory below another.
func Fetch(ctx context.Context, repository, revision, below string) (dir string, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	dir = filepath.Join(below, "checkout")
	config := filepath.Join(below, "gitconfig")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(config, []byte(gitConfig), 0o600)); err != nil {
		return "", err
	}
	if local, err := filepath.Abs(repository); err == nil && exists(local) {
		repository = local
	}
	var environment []string // without what would point git elsewhere
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") || strings.HasPrefix(v, "GIT_SSH") {
			environment = append(environment, v)
		}
	}
	environment = append(environment, "GIT_CONFIG_GLOBAL="+config, "GIT_CONFIG_NOSYSTEM=1")
	for _, args := range [][]string{
		{"init", "-q", "--template="},
		{"fetch", "-q", "--depth=1", "--no-tags", "--no-recurse-submodules", "--end-of-options", repository, revision},
		{"checkout", "-q", "--detach", "FETCH_HEAD"},
	} {
		if _, err := runGit(ctx, dir, environment, args...); err != nil {
			return "", err
		}
	}
	return dir, nil
}
