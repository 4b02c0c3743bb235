package document_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/document"
	"github.com/slipstick/slipstick/sdk/enginefile"
)

// example is a document with a file of vectors.
const example = `# Square

Area of a square.

- id: test.shapes.square
- version: 1.0.0
- keywords: square
- vectors: square.csv

## Inputs

| symbol | name | unit | range | doc   |
| ------ | ---- | ---- | ----- | ----- |
| a      | side | m    | [0,)  | Side. |

## Formula

` + "```formula\nA = a^2\n```" + `

## Outputs

| symbol | name | unit | doc   |
| ------ | ---- | ---- | ----- |
| A      | area | m2   | Area. |

## References

- Euclid: I.46

## Vectors

` + "```vectors\nV1: hand: 2*2\n  a = 2 m\n  => A == 4 m2\n```\n"

const rows = "side [m],area [m2],source\n3,== 9,hand: 3*3\n"

// written writes the example to a directory, and returns the path of the document.
func written(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"square.calc.md": example, "square.csv": rows} {
		err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
		if err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "square.calc.md")
}

// A runtime of another platform is joined with the document. Nothing runs it, and no compiler is needed.
func TestEngineOfAnotherPlatform(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	path, runtimes := written(t), t.TempDir()
	t.Setenv(document.DirectoryVariable, runtimes)
	foreign := []byte("a program for another machine")
	err := os.WriteFile(filepath.Join(runtimes, "slipstick-text-plan9-mips"), foreign, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	data, err := document.Engine(path, build.Platform{OS: "plan9", Arch: "mips"})
	if err != nil {
		t.Fatal(err)
	}
	file, err := enginefile.Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if file.Runtime != enginefile.PartOf(foreign) || string(file.Document) != example || string(file.Vectors) != rows {
		t.Errorf("%+v\n%s\n%s", file.Runtime, file.Document, file.Vectors)
	}
}

// Without the runtime of a platform, the message has the file that is missing and where it is from.
func TestMissingRuntime(t *testing.T) {
	runtimes := t.TempDir()
	t.Setenv(document.DirectoryVariable, runtimes)
	for on, want := range map[build.Platform]string{
		{OS: "plan9", Arch: "mips"}: "Copy slipstick-text from the package of Slipstick for plan9/mips to " + filepath.Join(runtimes, "slipstick-text-plan9-mips"),
		build.Here:                  "for " + build.Here.String() + " to " + filepath.Join(runtimes, "slipstick-text"),
	} {
		_, err := document.Engine(written(t), on)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A document that is too large is refused before it is read, and so is its file of vectors.
func TestTooLarge(t *testing.T) {
	for _, name := range []string{"square.calc.md", "square.csv"} {
		path := written(t)
		err := os.Truncate(filepath.Join(filepath.Dir(path), name), 1<<40)
		if err != nil {
			t.Fatal(err)
		}
		_, err = document.Read(path)
		if err == nil || !strings.Contains(err.Error(), name+" has 1099511627776 bytes: at most ") {
			t.Error(err)
		}
	}
}
