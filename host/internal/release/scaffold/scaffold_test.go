package scaffold_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/release/scaffold"
)

// A module requires exactly the modules that go mod tidy finds in its code.
func TestTidy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "module")
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := scaffold.Create(scaffold.Options{Capability: "a.b.c", Dir: dir, Checkout: root}); err != nil {
		t.Fatal(err)
	}
	tidy := exec.CommandContext(t.Context(), "go", "mod", "tidy", "-diff")
	tidy.Dir, tidy.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if out, err := tidy.CombinedOutput(); err != nil {
		t.Errorf("files/go.mod.tmpl and files/third.sum have to change: %v\n%s", err, out)
	}
}

// The module of a release names its version and sums, and no directory on this machine.
func TestRelease(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "module")
	sum := "github.com/slipstick/slipstick/sdk v1.2.3 h1:AAAA="
	if _, _, err := scaffold.Create(scaffold.Options{
		Capability: "a.b.c", Dir: dir, Release: &scaffold.Release{Version: "v1.2.3", Sums: []string{sum}},
	}); err != nil {
		t.Fatal(err)
	}
	for file, wants := range map[string][]string{
		"go.mod":                       {"slipstick/conformance v1.2.3\n", "slipstick/sdk v1.2.3\n", "slipstick/versions v1.2.3 // indirect\n"},
		"go.sum":                       {"\n" + sum + "\n"},
		".github/workflows/engine.yml": {"host/cmd/slipstick@v1.2.3\n"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || strings.Contains(string(text), "replace") {
			t.Errorf("%s: %v\n%s", file, err, text)
		}
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s has no %q:\n%s", file, want, text)
			}
		}
	}
}

// A module with a checkout requires the version that the modules of the checkout require of one another.
func TestCheckoutAfterRelease(t *testing.T) {
	checkout, dir := t.TempDir(), filepath.Join(t.TempDir(), "module")
	for file, text := range map[string]string{
		"go.work": "", "sdk/go.mod": "", "conformance/go.mod": "module m\n\nrequire github.com/slipstick/slipstick/sdk v1.2.3\n",
	} {
		path := filepath.Join(checkout, file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := scaffold.Create(scaffold.Options{Capability: "a.b.c", Dir: dir, Checkout: checkout}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !strings.Contains(string(text), "slipstick/sdk v1.2.3\n") || !strings.Contains(string(text), "slipstick/sdk => "+checkout) {
		t.Errorf("%v\n%s", err, text)
	}
}
