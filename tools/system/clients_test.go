package system

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Three generators write clients from the OpenAPI document of the server: openapi-typescript, @hey-api/openapi-ts
// and oapi-codegen. The clients compile and make the calls of the README.
func TestClients(t *testing.T) {
	busy(t)
	h := startAll(t)
	judge(t, "clients", h.url)
	h.callFromGo(t)
}

// callFromGo builds and runs the program in testdata/client with the client from oapi-codegen. The program has its
// own module, which pins the generator.
func (h *server) callFromGo(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "client"))); err != nil {
		t.Fatal(err)
	}
	_, document := h.get(t, "/openapi.json")
	if err := os.WriteFile(filepath.Join(dir, "openapi.json"), []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "api"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, step := range [][]string{
		{"go", "tool", "oapi-codegen", "-generate", "types,client", "-package", "api", "-o", "api/api.go", "openapi.json"},
		{"go", "build", "-o", "calls", "."},
		{"./calls", h.url},
	} {
		cmd := exec.CommandContext(t.Context(), step[0], step[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Fatalf("%v: %v", step, err)
		}
	}
}
