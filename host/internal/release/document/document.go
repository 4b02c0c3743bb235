// Package document answers one question: which engine file does a document give? A document is a calculation that an
// author writes as a text, NAME.calc.md. Its engine file needs no compiler: it is the runtime of this release, followed
// by the document.
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

// Suffix is the end of the name of a document.
const Suffix = ".calc.md"

// DirectoryVariable is the environment variable with the directory of the runtimes. Without it they are next to this
// program.
const DirectoryVariable = "SLIPSTICK_RUNTIMES"

// Is reports whether a path has the name of a document.
func Is(path string) bool { return strings.HasSuffix(path, Suffix) }

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
func (e *Error) Error() string {
	reports := make([]string, len(e.Mistakes))
	for i, m := range e.Mistakes {
		reports[i] = m.Report()
	}
	return strings.Join(reports, "\n")
}

// Read returns the canonical form of a document, and the engine of it. The error is an [*Error] if the document has
// mistakes.
func Read(path string) (canonical []byte, engine *text.Engine, err error) {
	source, err := read(path, text.MaxBytes)
	if err != nil {
		return nil, nil, err
	}
	engine, err = text.Bind(path, source)
	if err == nil {
		disagreements := engine.Disagreements(path, source)
		if len(disagreements) == 0 {
			canonical, err = text.Format(path, source)
		} else {
			err = disagreements
		}
	}
	var mistakes text.Mistakes
	if errors.As(err, &mistakes) {
		return nil, nil, &Error{mistakes}
	}
	return canonical, engine, err
}

// read reads a file of at most some bytes, and one more.
func read(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, fmt.Errorf("%s has %d bytes: a document has at most %d", path, info.Size(), most)
	}
	return os.ReadFile(path)
}

// Engine returns the engine file of a document for a platform.
func Engine(path string, on build.Platform) ([]byte, error) {
	canonical, _, err := Read(path)
	if err != nil {
		return nil, err
	}
	runtime, err := openRuntime(on)
	if err != nil {
		return nil, err
	}
	defer runtime.Close()
	var file bytes.Buffer
	err = enginefile.Join(&file, runtime, &enginefile.Text{Document: canonical})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
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
	return nil, fmt.Errorf("the program that computes documents for %s is not there: %w; name the directory that has it in %s", on, missing, DirectoryVariable)
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
