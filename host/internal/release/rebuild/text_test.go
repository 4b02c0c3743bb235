package rebuild_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"

	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/rebuild"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/provenance"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/enginefile"
)

// publishText publishes a text engine of the test binary and the text, recorded as of the document in the record.
func publishText(t *testing.T, text *enginefile.Text, record string) *registry.Release {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := enginefile.Join(&file, bytes.NewReader(program), text); err != nil {
		t.Fatal(err)
	}
	sum := func(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }
	here := build.Here.String()
	r, err := registry.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	c := registry.Candidate{
		Spec: sdk.Spec{
			Contract: sdk.ContractVersion, Capability: "test.rebuild.text", Version: "1.0.0",
			Tool: "text", Group: "test", Title: "Text", Summary: "A number.",
			Outputs: []sdk.Field{{Name: "y", Type: sdk.TypeNumber, Required: true}},
		},
		Engines: map[string][]byte{here: file.Bytes()},
		Source: &provenance.Build{
			Engines:  map[string]string{here: digest.FromBytes(file.Bytes()).String()},
			Runtimes: map[string]string{here: digest.FromBytes(program).String()},
			Files:    []provenance.File{{Name: provenance.Document, SHA256: sum([]byte(record))}, {Name: provenance.Vectors, SHA256: sum(text.Vectors)}},
		},
	}
	if _, err := r.Publish(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	rel, err := r.Release(t.Context(), c.Spec.Capability, c.Spec.Version)
	if err != nil || rel.Problem != nil {
		t.Fatal(err, rel.Problem)
	}
	return rel
}

// A text engine is joined again from the files of the source, without Go.
func TestRebuildText(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	text := &enginefile.Text{Document: []byte("# Square\n"), Vectors: []byte("x\n1\n")}
	rel := publishText(t, text, string(text.Document))
	files := map[string]string{"a/square.calc.md": "# Square\n", "a/b/square.csv": "x\n1\n", "a/other.md": "# Other\n"}
	result, err := rebuild.Run(t.Context(), rel, []string{write(t, files)}, nil)
	if err != nil || result.Difference != nil || result.Rebuilt == nil || result.Rebuilt.Engines[build.Here.String()] != rel.EngineDigest {
		t.Fatalf("%+v, %v", result, err)
	}
	delete(files, "a/b/square.csv")
	result, err = rebuild.Run(t.Context(), rel, []string{write(t, files)}, nil)
	if err != nil || result.Rebuilt != nil || result.Difference.Kind != rebuild.MissingFile || result.Difference.Name != "vectors" {
		t.Errorf("without vectors: %+v, %v", result, err)
	}
	files["a/square.calc.md"] = "# Square \n"
	result, err = rebuild.Run(t.Context(), rel, []string{write(t, files)}, nil)
	if err != nil || result.Difference.Name != "document" {
		t.Errorf("other document: %+v, %v", result, err)
	}
	if _, err := rebuild.Run(t.Context(), rel, []string{filepath.Join(t.TempDir(), "none")}, nil); err == nil {
		t.Error("without a source")
	}
}

// A release that records another document than it has is found out.
func TestRebuildForgedText(t *testing.T) {
	rel := publishText(t, &enginefile.Text{Document: []byte("# Cube\n"), Vectors: []byte("x\n1\n")}, "# Square\n")
	result, err := rebuild.Run(t.Context(), rel, []string{write(t, map[string]string{"square.md": "# Square\n", "v.csv": "x\n1\n"})}, nil)
	if err != nil || result.Difference == nil || result.Difference.Kind != rebuild.Bytes || result.Difference.Published != rel.EngineDigest {
		t.Errorf("%+v, %v", result, err)
	}
}

// A document alone can be the source. A release with vectors also needs their file.
func TestRebuildTextFromFile(t *testing.T) {
	text := &enginefile.Text{Document: []byte("# Square\n"), Vectors: []byte("x\n1\n")}
	rel := publishText(t, text, string(text.Document))
	dir := write(t, map[string]string{"square.calc.md": "# Square\n"})
	result, err := rebuild.Run(t.Context(), rel, []string{filepath.Join(dir, "square.calc.md")}, nil)
	if err != nil || result.Difference == nil || result.Difference.Name != "vectors" {
		t.Errorf("%+v, %v", result, err)
	}
	var source *rebuild.SourceError
	if _, err := rebuild.Run(t.Context(), rel, []string{filepath.Join(dir, "none.md")}, nil); !errors.As(err, &source) || !strings.Contains(err.Error(), "none.md") {
		t.Error(err)
	}
}
