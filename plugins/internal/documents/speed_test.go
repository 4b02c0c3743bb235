package documents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// BenchmarkDocuments compares each document with its Go engine in one program. It prints the table of both. A Go engine
// is a program, so an overlay makes it a package, without a change of its source.
func BenchmarkDocuments(b *testing.B) {
	root, err := filepath.Abs("../..")
	if err != nil {
		b.Fatal(err)
	}
	documents, err := filepath.Glob(root + "/*/*/*.calc.md")
	if err != nil || len(documents) == 0 {
		b.Fatalf("%d documents, error %v", len(documents), err)
	}
	o := overlay{dir: b.TempDir(), Replace: map[string]string{}}
	var imports, pairs bytes.Buffer
	for i, document := range documents {
		engine := strings.TrimSuffix(document, ".calc.md")
		if o.asPackage(b, engine) == 0 {
			continue // there is no Go engine
		}
		path := "github.com/slipstick/slipstick/plugins" + filepath.ToSlash(strings.TrimPrefix(engine, root))
		fmt.Fprintf(&imports, "import e%d %q\n", i, path)
		fmt.Fprintf(&pairs, "\t{%q, %q, e%d.Engine()},\n", document, filepath.Join(engine, "vectors.json"), i)
	}
	program, err := os.ReadFile("testdata/speed.go")
	if err != nil {
		b.Fatal(err)
	}
	speed := filepath.Join(root, "internal/documents/speed")
	o.put(b, filepath.Join(speed, "main.go"), program)
	o.put(b, filepath.Join(speed, "pairs.go"), fmt.Appendf(nil, "package main\n\n%s\nvar pairs = []pair{\n%s}\n", &imports, &pairs))
	description, err := json.Marshal(o)
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(o.dir, "overlay.json")
	err = os.WriteFile(file, description, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		out, err := exec.CommandContext(b.Context(), "go", "run", "-overlay", file, speed).CombinedOutput()
		b.Logf("\n%s", out)
		if err != nil {
			b.Fatal(err)
		}
	}
}

// overlay replaces files for the go command.
type overlay struct {
	dir     string
	Replace map[string]string
}

// put replaces a file.
func (o *overlay) put(b *testing.B, file string, content []byte) {
	name := filepath.Join(o.dir, fmt.Sprintf("%d.go", len(o.Replace)))
	err := os.WriteFile(name, content, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	o.Replace[file] = name
}

// asPackage makes a program a package, and returns how many files it has.
func (o *overlay) asPackage(b *testing.B, dir string) (n int) {
	files, err := filepath.Glob(dir + "/*.go")
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			o.Replace[file] = "" // it is left out
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		clause := regexp.MustCompile(`(?m)^package main$`)
		o.put(b, file, clause.ReplaceAll(source, []byte("package engine")))
		n++
	}
	return n
}
