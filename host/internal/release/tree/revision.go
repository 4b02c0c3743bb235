package tree

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/slipstick/slipstick/host/internal/release/git"
)

// DirtyError means that no commit has the source, so other users cannot get it.
type DirtyError struct {
	File     string // the first file that differs from the commit; "" if it is not known
	LineEnds bool   // it differs by its line ends only
}

func (e *DirtyError) Error() string {
	switch {
	case e.File == "":
		return "it was built from changes that are not committed. Commit them, and build it again"
	case e.LineEnds:
		return fmt.Sprintf("%s has other line ends than in its commit, because Git converts them on this machine (core.autocrlf or .gitattributes). "+
			"Check the repository out without conversion", e.File)
	}
	return fmt.Sprintf("%s has changes that are not committed, or a Git filter changed it at checkout. Commit it as it is on disk", e.File)
}

// Revision returns the commit that has all files of the source. It returns "" if the program is not in a Git
// repository, or if Git ignores it. The error is a [*DirtyError] if the files differ from the commit.
func (s *Source) Revision(ctx context.Context) (string, error) {
	dir, err := filepath.Abs(s.Dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", err
	}
	repository, err := git.Open(dir)
	if errors.Is(err, git.ErrNone) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer repository.Close()
	var names []string
	for _, f := range s.Files {
		name, err := filepath.EvalSymlinks(f.path)
		if err == nil {
			name, err = filepath.Rel(repository.Top, name)
		}
		if err != nil {
			return "", err
		}
		if !filepath.IsLocal(name) {
			return "", nil // no single commit has them all
		}
		names = append(names, filepath.ToSlash(name))
	}
	change, err := repository.Compare(ctx, names)
	if err != nil || change == nil {
		return repository.Head, err
	}
	if change.Missing {
		dir, err = filepath.Rel(repository.Top, dir)
		if err != nil {
			return "", err
		}
		if ignored, err := repository.Ignores(ctx, dir); ignored || err != nil {
			return "", err
		}
	}
	return "", &DirtyError{change.Name, change.LineEnds}
}
