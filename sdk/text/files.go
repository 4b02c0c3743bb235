package text

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipstick/slipstick/sdk/enginefile"
)

// Suffix is the end of the name of a document.
const Suffix = ".calc.md"

// VectorsFile returns the path of the file of vectors that a document names, "" if it names none.
func VectorsFile(path string, d *Document) string {
	if d.VectorFile.Text == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(path), d.VectorFile.Text)
}

// UsesFile returns the path of the file of the tables and calculations that a document uses.
func UsesFile(path string) string { return strings.TrimSuffix(path, Suffix) + ".uses.json" }

// Read reads a document, and the files next to it: its vectors, and what it uses. A missing file has no bytes, which [BindWith]
// reports. The error is of type [Mistakes] if the document is wrong.
func Read(path string) (*enginefile.Text, error) {
	source, err := readAtMost(path, MaxBytes)
	if err != nil {
		return nil, err
	}
	d, err := Parse(path, source)
	if err != nil {
		return nil, err
	}
	t := &enginefile.Text{Document: source}
	if name := VectorsFile(path, d); name != "" {
		t.Vectors, err = readAtMost(name, MaxVectorBytes)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Closure, err = readAtMost(UsesFile(path), enginefile.MaxClosure)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return t, err
}

// readAtMost reads a file of at most so many bytes.
func readAtMost(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, fmt.Errorf("%s has %d bytes: at most %d are allowed", path, info.Size(), most)
	}
	return os.ReadFile(path)
}
