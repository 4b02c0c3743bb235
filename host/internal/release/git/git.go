// Package git reads the files of commits of untrusted repositories: [Open] a repository, or [Fetch] a commit.
//
// Git executes programs that the configuration of a repository names: a file system monitor, filters,
// hooks, helpers that fetch. So no command of this package reads that configuration. Each runs with its
// own Git directory, and uses only the objects of the repository.
package git

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slipstick/slipstick/registry/regular"
)

// ErrNone means that a directory is in no repository.
var ErrNone = errors.New("it is in no repository of Git")

var errNoGit = errors.New("git is needed: https://git-scm.com")

// Error is a failure of Git, with the output of Git.
type Error struct {
	Output string
	exit   int // exit code
}

func (e *Error) Error() string { return "git: " + e.Output }

// Limits on untrusted repositories.
const (
	timeout     = 10 * time.Minute
	maxPointer  = 64 << 10 // bytes of a file that names a directory or a commit
	maxPacked   = 64 << 20 // bytes of the list of references
	maxFiles    = 200_000  // of a commit
	maxUnpacked = 4 << 30  // bytes of a commit
	maxSymbolic = 5        // length of a chain of symbolic references
)

// Repository is a repository. It reads only objects and references. The caller must close it.
type Repository struct {
	Top  string // directory of the work tree
	Head string // commit that is checked out, "" if there is no commit yet

	objects string
	scratch string // own Git directory
}

// Open opens the repository with this directory in its work tree. The error is [ErrNone] if there is none.
func Open(dir string) (*Repository, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for ; ; dir = filepath.Dir(dir) {
		own, err := gitDirOf(dir)
		if err != nil {
			return nil, err
		}
		if isGitDir(own) {
			return open(dir, own)
		}
		if dir == filepath.Dir(dir) {
			return nil, ErrNone
		}
	}
}

// gitDirOf returns the path of the Git directory of a work tree. In a submodule or an additional work tree, a
// file names it.
func gitDirOf(top string) (string, error) {
	own := filepath.Join(top, ".git")
	if info, err := os.Stat(own); err != nil || !info.Mode().IsRegular() {
		return own, nil
	}
	return pointer(own, "gitdir: ", top)
}

func isGitDir(dir string) bool {
	return exists(filepath.Join(dir, "HEAD")) && (exists(filepath.Join(dir, "objects")) || exists(filepath.Join(dir, "commondir")))
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// pointer reads a file that names a directory, relative to another one.
func pointer(file, prefix, base string) (string, error) {
	text, err := regular.Read(file, maxPointer)
	if err != nil {
		return "", err
	}
	name, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), prefix)
	if !ok || name == "" {
		return "", fmt.Errorf("%s does not name a directory", file)
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(base, name)
	}
	return name, nil
}

// commonOf returns the directory with the objects and references of a Git directory. Several work trees
// of one repository share it.
func commonOf(own string) (string, error) {
	if file := filepath.Join(own, "commondir"); exists(file) {
		return pointer(file, "", own)
	}
	return own, nil
}

func open(top, own string) (*Repository, error) {
	common, err := commonOf(own)
	if err != nil {
		return nil, err
	}
	r := &Repository{Top: top, objects: filepath.Join(common, "objects")}
	r.Head, err = head(own, common)
	if err != nil {
		return nil, err
	}
	r.scratch, err = newGitDir(len(r.Head))
	return r, err
}

// Close removes the temporary files of Open.
func (r *Repository) Close() { os.RemoveAll(r.scratch) }

var (
	commitForm    = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
	referenceForm = regexp.MustCompile(`^refs/[^\x00-\x20]+$`)
)

// head returns the commit of HEAD in a Git directory, or "" for a branch without a commit.
func head(own, common string) (string, error) {
	name, at := "HEAD", own
	for range maxSymbolic {
		text, err := regular.Read(filepath.Join(at, filepath.FromSlash(name)), maxPointer)
		if errors.Is(err, fs.ErrNotExist) {
			return packed(common, name)
		}
		if err != nil {
			return "", err
		}
		value := strings.TrimSpace(string(text))
		if commitForm.MatchString(value) {
			return value, nil
		}
		next, symbolic := strings.CutPrefix(value, "ref:")
		next = strings.TrimSpace(next)
		if !symbolic || !referenceForm.MatchString(next) || !fs.ValidPath(next) {
			return "", fmt.Errorf("%s of the repository %s does not name a commit", name, own)
		}
		if next == "refs/heads/.invalid" {
			return "", fmt.Errorf("the repository %s stores its references in a format that Slipstick does not read (reftable): name the commit with --revision", own)
		}
		name, at = next, common
	}
	return "", fmt.Errorf("HEAD of the repository %s is a chain of more than %d references", own, maxSymbolic)
}

// packed returns the commit of a reference in packed-refs, or "" if the list does not have it. A branch
// without a commit is not in the list.
func packed(common, name string) (string, error) {
	text, err := regular.Read(filepath.Join(common, "packed-refs"), maxPacked)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	for line := range strings.Lines(string(text)) {
		id, packed, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		if packed == name && commitForm.MatchString(id) {
			return id, nil
		}
	}
	return "", err
}

// settings are all settings of Git. They name no program, and Git writes files as they are in the commit.
const settings = `[core]
	repositoryFormatVersion = 1
	bare = false
	symlinks = false
	autocrlf = false
[submodule]
	recurse = false
[gc]
	auto = 0
[extensions]
	objectFormat = `

// raw prevents conversions of files that .gitattributes of the commit can request.
const raw = "* -text -eol -ident -filter -working-tree-encoding\n"

// newGitDir creates a Git directory without objects. The number of digits in commit ids selects the hash.
func newGitDir(digits int) (dir string, err error) {
	dir, err = os.MkdirTemp("", "slipstick-git-")
	if err == nil {
		dir, err = filepath.Abs(dir) // Git runs in another directory
	}
	if err != nil {
		return "", err
	}
	format := "sha1"
	if digits == hex.EncodedLen(sha256.Size) {
		format = "sha256"
	}
	for _, name := range []string{"objects", "refs", "info"} {
		err = errors.Join(err, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/none\n", "config": settings + format + "\n", "info/attributes": raw} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o600))
	}
	if err != nil {
		os.RemoveAll(dir)
	}
	return dir, err
}

// command returns a Git command with a Git directory, the objects of another one, and a work tree. No other
// function of Slipstick starts Git on an untrusted repository.
func command(ctx context.Context, gitDir, objects, work string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = work
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") || strings.HasPrefix(v, "GIT_SSH") { // how the user reaches servers
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_DIR="+gitDir, "GIT_OBJECT_DIRECTORY="+objects, "GIT_WORK_TREE="+work,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_ATTR_NOSYSTEM=1",
		"GIT_ALLOW_PROTOCOL=git:http:https:ssh", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	return cmd
}

// failure returns the error of a command, with its output on stderr.
func failure(ctx context.Context, err error, stderr []byte) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, exec.ErrNotFound):
		return errNoGit
	case ctx.Err() != nil:
		return ctx.Err()
	}
	e := &Error{Output: strings.TrimSpace(cmp.Or(string(stderr), err.Error()))}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		e.exit = exit.ExitCode()
	}
	return e
}

// output runs a command, and returns its output.
func output(ctx context.Context, cmd *exec.Cmd) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := failure(ctx, cmd.Run(), stderr.Bytes())
	return stdout.String(), err
}

// git runs a command that reads the repository.
func (r *Repository) git(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return output(ctx, command(ctx, r.scratch, r.objects, r.Top, args...))
}

// Change is a file on disk that differs from the commit.
type Change struct {
	Name     string // relative to the top directory
	Missing  bool   // the commit has no such file
	LineEnds bool   // the commit has it with other line ends
}

// maxNames is the maximum number of names on one command line.
const maxNames = 500

// Compare returns the first file that HEAD does not have with exactly these bytes, or nil if it has all
// files. Names are relative to Top, with slashes. Git converts no file here. So a file that a filter or
// core.autocrlf changed at checkout differs from HEAD.
func (r *Repository) Compare(ctx context.Context, names []string) (*Change, error) {
	blobs := map[string]string{}
	for some := range slices.Chunk(names, maxNames) {
		if r.Head == "" {
			break
		}
		listed, err := r.git(ctx, slices.Concat([]string{"--literal-pathspecs", "ls-tree", "-z", "--full-tree", r.Head, "--"}, some)...)
		if err != nil {
			return nil, unreadable(r.Head, r.objects, err)
		}
		for entry := range strings.SplitSeq(listed, "\x00") {
			about, name, _ := strings.Cut(entry, "\t")
			if mode, rest, _ := strings.Cut(about, " "); mode == "100644" || mode == "100755" {
				blobs[name] = strings.TrimPrefix(rest, "blob ")
			}
		}
	}
	for _, name := range names {
		blob, found := blobs[name]
		if !found {
			return &Change{Name: name, Missing: true}, nil
		}
		data, err := os.ReadFile(filepath.Join(r.Top, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		if blob != idOf(data, len(blob)) {
			unix := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
			return &Change{Name: name, LineEnds: blob == idOf(unix, len(blob))}, nil
		}
	}
	return nil, nil
}

// idOf returns the id of a blob. The number of digits in ids selects the hash.
func idOf(data []byte, digits int) string {
	hash := sha1.New()
	if digits == hex.EncodedLen(sha256.Size) {
		hash = sha256.New()
	}
	fmt.Fprintf(hash, "blob %d\x00", len(data))
	hash.Write(data)
	return hex.EncodeToString(hash.Sum(nil))
}

// Ignores reports whether Git ignores a directory, because of .gitignore or info/exclude. The directory is
// relative to Top.
func (r *Repository) Ignores(ctx context.Context, dir string) (bool, error) {
	exclude, err := regular.Read(filepath.Join(filepath.Dir(r.objects), "info", "exclude"), maxPacked)
	if err == nil {
		err = os.WriteFile(filepath.Join(r.scratch, "info", "exclude"), exclude, 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	_, err = r.git(ctx, "check-ignore", "--no-index", "-q", "--", "./"+filepath.ToSlash(dir))
	if failed, ok := errors.AsType[*Error](err); ok && failed.exit == 1 { // Git's answer for "not ignored"
		return false, nil
	}
	return err == nil, err
}

// Count returns the number of commits that changed files at the paths, after a commit up to HEAD.
func (r *Repository) Count(ctx context.Context, after string, paths []string) (int, error) {
	text, err := r.git(ctx, slices.Concat([]string{"--literal-pathspecs", "rev-list", "--count", after + ".." + r.Head, "--"}, paths)...)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(text))
}

// Fetch writes the files of a commit into an empty directory. The repository is on this machine or on a
// server. Fetch runs no program of a repository on this machine.
func Fetch(ctx context.Context, repository, commit, into string) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	own, err := newGitDir(len(commit))
	if err != nil {
		return err
	}
	defer os.RemoveAll(own)
	objects := filepath.Join(own, "objects")
	if local := strings.TrimPrefix(repository, "file://"); exists(local) || !strings.Contains(local, ":") { // not the URL of a server
		objects, err = objectsOf(local)
		if err != nil {
			return err
		}
		return checkout(ctx, own, objects, commit, into)
	}
	fetch := command(ctx, own, objects, into, "fetch", "-q", "--depth=1", "--no-tags", "--no-recurse-submodules", "--end-of-options", repository, commit)
	if _, err := output(ctx, fetch); err != nil {
		return err
	}
	return checkout(ctx, own, objects, commit, into)
}

// objectsOf returns the directory of the objects of a repository with or without a work tree.
func objectsOf(repository string) (string, error) {
	own, err := filepath.Abs(repository)
	if err == nil && !isGitDir(own) {
		own, err = gitDirOf(own)
	}
	if err == nil && !isGitDir(own) {
		err = fmt.Errorf("%s is not a repository of Git", repository)
	}
	if err != nil {
		return "", err
	}
	common, err := commonOf(own)
	return filepath.Join(common, "objects"), err
}

// checkout writes the files of a commit. The commit must be within the limits, because a few objects can
// make a tree that fills the disk.
func checkout(ctx context.Context, gitDir, objects, commit, into string) error {
	listing := []string{"ls-tree", "-r", "-z", "--full-tree", commit}
	for _, args := range [][]string{listing, append(listing, "-l")} { // reads sizes only if the number of files is within the limit
		if err := measure(ctx, command(ctx, gitDir, objects, into, args...)); err != nil {
			return unreadable(commit, objects, err)
		}
	}
	_, err := output(ctx, command(ctx, gitDir, objects, into, "read-tree", "-m", "-u", commit))
	return unreadable(commit, objects, err)
}

// unreadable adds the commit and the objects to an error of Git.
func unreadable(commit, objects string, err error) error {
	if _, ok := errors.AsType[*Error](err); !ok {
		return err
	}
	return fmt.Errorf("commit %s cannot be read from %s. The repository does not have all of it (a partial or shallow clone), or this user cannot read it: %w", commit, objects, err)
}

// measure returns an error if a commit is larger than the limits.
func measure(ctx context.Context, listing *exec.Cmd) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var stderr bytes.Buffer
	listing.Stderr = &stderr
	out, err := listing.StdoutPipe()
	if err == nil {
		err = listing.Start()
	}
	if err != nil {
		return failure(ctx, err, nil)
	}
	files, size := 0, int64(0)
	entries := bufio.NewScanner(out)
	entries.Split(func(data []byte, end bool) (int, []byte, error) {
		if i := bytes.IndexByte(data, 0); i >= 0 {
			return i + 1, data[:i], nil
		}
		return 0, nil, nil
	})
	for files <= maxFiles && size <= maxUnpacked && entries.Scan() {
		about, _, _ := strings.Cut(entries.Text(), "\t")
		fields := strings.Fields(about)
		n, _ := strconv.ParseInt(fields[len(fields)-1], 10, 64) // 0 without a size
		files, size = files+1, size+n
	}
	if files > maxFiles || size > maxUnpacked || entries.Err() != nil {
		_ = listing.Process.Kill()
		_ = listing.Wait()
		return fmt.Errorf("the commit has more than %d files or %d bytes, or a name that is too long", maxFiles, int64(maxUnpacked))
	}
	_, _ = io.Copy(io.Discard, out)
	return failure(ctx, listing.Wait(), stderr.Bytes())
}
