package system

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An engineer makes, judges, publishes and serves documents, without a compiler.
func TestDocuments(t *testing.T) {
	t.Setenv("PATH", "/usr/bin:/bin") // no Go
	dir := t.TempDir()
	does(t, "new", "--text", "structural.steel.sheet", "--dir", dir)
	sheet := filepath.Join(dir, "sheet.calc.md")
	source, err := os.ReadFile(sheet)
	if err != nil {
		t.Fatal(err)
	}
	out := does(t, "fmt", "--check", dir)
	if out != "" {
		t.Errorf("a new document is not canonical: %s", out)
	}
	writeDocument(t, filepath.Join(dir, "plate.calc.md"), strings.Replace(string(source), "structural.steel.sheet", "structural.steel.plate", 1))
	registry := filepath.Join(t.TempDir(), "registry")
	r := slipstick(t.Context(), "check", dir)
	if r.code != exitOK || strings.Count(r.out, "0 failed") != 2 {
		t.Errorf("check: %d\n%s%s", r.code, r.out, r.err)
	}
	does(t, "publish", "--to", registry, dir)
	h := startServer(t, "--registry", registry)
	status, answer := h.post(t, "/api/v1/calc/structural.steel.plate", `{"width":"1000 mm","height":"2 m","density":7850}`)
	if status != 200 || !strings.Contains(answer, `"mass":23.55`) {
		t.Errorf("%d %s", status, answer)
	}
	if size := sizeOf(t, registry); size > 40<<20 {
		t.Errorf("a registry with two documents has %d bytes: the runtime is there twice", size)
	}
}

// Mistakes of a document are reported with their places, and nothing is published.
func TestDocumentMistakes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	does(t, "new", "--text", "structural.steel.sheet", "--dir", dir)
	sheet := filepath.Join(dir, "sheet.calc.md")
	source, err := os.ReadFile(sheet)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ from, to, want string }{
		{"m = rho*A*t", "m = rho*A*d", "22:11: d is no input, and nothing above defines it"},
		{"m = rho*A*t", "m = rho*A", "22:8: m is in kg, and this is in kg/m"},
		{"=> m == 31.4 kg", "=> m == 31.5 kg", "V2: mass: the source has 31.5 kg, the document gives 31.4 kg"},
		{"| mm    | (0,)  |         | Width", "| kNewton | (0,) |       | Width", `unit "kNewton" is not known: is it kN?`},
	}
	for _, test := range tests {
		writeDocument(t, sheet, strings.Replace(string(source), test.from, test.to, 1))
		registry := filepath.Join(t.TempDir(), "registry")
		for _, args := range [][]string{{"check", sheet}, {"publish", "--to", registry, sheet}} {
			r := slipstick(t.Context(), args...)
			if r.code != exitFailed || !strings.Contains(r.err, "sheet.calc.md:") || !strings.Contains(r.err, test.want) {
				t.Errorf("%s: %d %s, want %s", args[0], r.code, r.err, test.want)
			}
		}
		published, err := filepath.Glob(filepath.Join(registry, "*", "index.json"))
		if err != nil || len(published) > 0 {
			t.Errorf("%s: %s is published (%v)", test.to, published, err)
		}
	}
}

func writeDocument(t *testing.T, path, text string) {
	t.Helper()
	err := os.WriteFile(path, []byte(text), 0o600)
	if err != nil {
		t.Fatal(err)
	}
}
