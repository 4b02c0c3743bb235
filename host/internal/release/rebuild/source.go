package rebuild

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/release/git"
	"github.com/slipstick/slipstick/registry/provenance"
)

// SourceError means that a source is not available.
type SourceError struct {
	Source string
	Err    error
}

func (e *SourceError) Error() string { return fmt.Sprintf("--source %s: %v", e.Source, e.Err) }

func (e *SourceError) Unwrap() error { return e.Err }

// Limits on archives.
const (
	maxFiles    = 20_000
	maxUnpacked = 256 << 20 // bytes
)

const gitPrefix = "git+"

// opened is a source in a directory. The revision is "" if the source does not come from a repository.
type opened struct{ dir, revision string }

// open returns the sources in a directory. It unpacks archives and commits into scratch.
func open(ctx context.Context, sources []string, recorded, scratch string) (opened, error) {
	if len(sources) == 1 {
		one := sources[0]
		if repository, ok := strings.CutPrefix(one, gitPrefix); ok {
			return checkout(ctx, one, repository, recorded, scratch)
		}
		info, err := os.Stat(one)
		if err != nil {
			return opened{}, &SourceError{one, err}
		}
		if info.IsDir() {
			return opened{dir: one}, nil
		}
	}
	into := filepath.Join(scratch, "source")
	for _, archive := range sources {
		if err := unzip(archive, into); err != nil {
			return opened{}, &SourceError{archive, err}
		}
	}
	return opened{dir: into}, nil
}

// checkout fetches the commit after the @ of the source, or without one the recorded commit of the release.
func checkout(ctx context.Context, source, repository, recorded, scratch string) (opened, error) {
	revision := recorded
	if i := strings.LastIndexByte(repository, '@'); i > 0 && provenance.IsRevision(repository[i+1:]) {
		repository, revision = repository[:i], repository[i+1:]
	}
	if revision == "" {
		return opened{}, &SourceError{source, errors.New("the release does not name its commit: name it, as git+URL@ and all 40 digits of its id")}
	}
	into := filepath.Join(scratch, "source")
	err := os.Mkdir(into, 0o755)
	if err == nil {
		err = git.Fetch(ctx, repository, revision, into)
	}
	if err != nil {
		return opened{}, &SourceError{source, err}
	}
	return opened{into, revision}, nil
}

// unzip unpacks an archive of plain files into a directory. Several archives can use the same directory, but
// an archive cannot replace a file of another. unzip refuses a Git directory, because its configuration
// can name programs. The settings in .gitattributes are harmless, because Git never runs on an archive.
func unzip(archive, into string) error {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return fmt.Errorf("it is not a directory, not an archive (.zip), and does not start with %s: %w", gitPrefix, err)
	}
	defer z.Close()
	size := uint64(0)
	for i, f := range z.File {
		size += f.UncompressedSize64
		if i >= maxFiles || f.UncompressedSize64 > maxUnpacked || size > maxUnpacked {
			return fmt.Errorf("it has more than %d files or %d bytes", maxFiles, maxUnpacked)
		}
		if name := strings.TrimSuffix(f.Name, "/"); !fs.ValidPath(name) || strings.Contains(name, `\`) || !f.Mode().IsRegular() && !f.Mode().IsDir() {
			return fmt.Errorf("%.200q is not a plain file below the top of the archive", f.Name)
		}
		if slices.ContainsFunc(strings.Split(f.Name, "/"), func(part string) bool { return strings.EqualFold(part, ".git") }) {
			return fmt.Errorf("%.200q belongs to a Git repository, which can name programs to run: create the archive with git archive, or without .git", f.Name)
		}
	}
	return os.CopyFS(into, z)
}
