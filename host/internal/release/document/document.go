// Package document makes engine files from documents. A document is a calculation that an author writes as a text,
// NAME.calc.md. [In] finds the documents of a directory, [Read] reads one, and [Engine] returns its engine file.
//
// An engine file needs no compiler: it is the runtime of this release, followed by the document. So the same
// document and release give the same bytes on every machine.
package document

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/sdk/enginefile"
	"github.com/slipstick/slipstick/sdk/text"
)

// DirectoryVariable is the environment variable with the directory of the runtimes. Without it they are next to this
// program.
const DirectoryVariable = "SLIPSTICK_RUNTIMES"

// Is reports whether a path has the name of a document.
func Is(path string) bool { return strings.HasSuffix(path, text.Suffix) }

// ErrName is the error of a path that cannot be a document because of its name.
var ErrName = errors.New("the name of a document ends with " + text.Suffix)

// In returns the documents in a directory and below it, in the order of their names. Hidden directories are left out.
func In(dir string) (files []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != dir && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !d.IsDir() && Is(path):
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// Error has the mistakes of a document, and the vectors that it does not meet.
type Error struct{ Mistakes text.Mistakes }

// Error returns each mistake with its line.
func (e *Error) Error() string { return strings.Join(e.Reports(), "\n") }

// Reports returns a text for each mistake: place, reason, and the line of the document with a mark.
func (e *Error) Reports() []string {
	reports := make([]string, len(e.Mistakes))
	for i, m := range e.Mistakes {
		reports[i] = m.Report()
	}
	return reports
}

// Read returns the canonical form of a document and of the file of vectors that it names. The error is an [*Error] if the
// document or the file has mistakes.
func Read(path string) (*enginefile.Text, error) {
	canonical, err := canonicalOf(path)
	mistakes, isMistaken := errors.AsType[text.Mistakes](err)
	if isMistaken {
		return nil, &Error{mistakes}
	}
	return canonical, err
}

func canonicalOf(path string) (*enginefile.Text, error) {
	t, err := text.Read(path)
	if err != nil {
		return nil, err
	}
	engine, err := text.BindWith(path, t)
	if err != nil {
		return nil, err
	}
	disagreements := engine.Disagreements(path, t.Document)
	if len(disagreements) > 0 {
		return nil, disagreements
	}
	canonical := &enginefile.Text{Closure: t.Closure}
	canonical.Document, err = text.Format(path, t.Document)
	if err == nil && len(t.Vectors) > 0 {
		canonical.Vectors, err = text.FormatVectors(path, t.Vectors)
	}
	return canonical, err
}

// HasScript reports whether the repository of a document has a file. The root of the repository is the nearest directory
// with .git, or without one the directory of the document.
func HasScript(document, script string) bool {
	own, err := filepath.Abs(filepath.Dir(document))
	if err != nil || !filepath.IsLocal(script) {
		return false
	}
	root := own
	for dir := own; ; dir = filepath.Dir(dir) {
		_, err := os.Stat(filepath.Join(dir, ".git"))
		if err == nil {
			root = dir
		}
		if err == nil || dir == filepath.Dir(dir) {
			break
		}
	}
	info, err := os.Stat(filepath.Join(root, script))
	return err == nil && info.Mode().IsRegular()
}

// Engine returns the engine file of a document for a platform.
func Engine(path string, on build.Platform) ([]byte, error) {
	canonical, err := Read(path)
	if err != nil {
		return nil, err
	}
	return EngineOf(path, canonical, on)
}

// EngineOf returns the engine file of a text for a platform. Errors have the name of the document.
func EngineOf(name string, t *enginefile.Text, on build.Platform) ([]byte, error) {
	runtime, err := openRuntime(on)
	if err != nil {
		return nil, err
	}
	defer runtime.Close()
	var file bytes.Buffer
	err = enginefile.Join(&file, runtime, t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return file.Bytes(), nil
}

// openRuntime opens the runtime of a platform.
func openRuntime(on build.Platform) (*os.File, error) {
	dir := os.Getenv(DirectoryVariable)
	if dir == "" {
		own, err := os.Executable()
		if err != nil {
			return nil, err
		}
		dir = filepath.Dir(own)
	}
	var missing error
	for _, name := range runtimeNames(on) {
		file, err := os.Open(filepath.Join(dir, name))
		if err == nil {
			return file, nil
		}
		missing = err
	}
	names := runtimeNames(on)
	remedy := fmt.Sprintf("Copy slipstick-text from the package of Slipstick for %s to %s, or set %s to its directory", on, filepath.Join(dir, names[len(names)-1]), DirectoryVariable)
	if installed := build.Installed(); installed != "" && on == build.Here {
		remedy = "Run: go install github.com/slipstick/slipstick/sdk/cmd/slipstick-text@" + installed
	}
	return nil, fmt.Errorf("the program that computes documents for %s is missing (%w). %s", on, missing, remedy)
}

// runtimeNames returns the file names of the runtime of a platform.
func runtimeNames(on build.Platform) []string {
	name := fmt.Sprintf("slipstick-text-%s-%s", on.OS, on.Arch)
	if on.OS == "windows" {
		name += ".exe"
	}
	if on == build.Here {
		return []string{name, "slipstick-text" + filepath.Ext(name[len("slipstick-text"):])}
	}
	return []string{name}
}
