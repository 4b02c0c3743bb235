package system

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hostile creates a Git repository in a directory. Every setting of Git that can name a program names one there.
// It returns a function that lists the programs that ran.
func hostile(t *testing.T, dir string) (ran func() []string) {
	t.Helper()
	markers := filepath.Join(t.TempDir(), "markers")
	fixture, err := filepath.Abs("../../host/internal/release/git/testdata/hostile")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"git", "init", "-q"}, {"git", "add", "."}, {"git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "a"},
		{fixture, dir, markers},
	} {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", args, err, out)
		}
	}
	return func() (list []string) {
		t.Helper()
		entries, err := os.ReadDir(markers)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return list
	}
}

// A release is rebuilt from the registry and its source, and evidence lists the rebuilders. No step that fetches
// the source executes any part of it.
func TestRebuild(t *testing.T) {
	dir := newEngine(t)
	ran := hostile(t, dir)
	at := t.TempDir()
	to, desk, anna := filepath.Join(at, "registry"), filepath.Join(at, "desk"), filepath.Join(at, "anna")
	trust := filepath.Join(at, "trust.json")
	var keys []string
	for name, role := range map[string]string{desk: "publish,report", anna: "rebuild"} {
		keys = append(keys, does(t, "keys", "new", "--no-password", "--role", role, name))
	}
	if err := os.WriteFile(trust, []byte(`{"keys": [`+strings.Join(keys, ",")+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	const release = "electrical.lighting.lumens_to_lux@0.1.0"

	// An executable alone names no source before it is published with it.
	does(t, "build", dir, "--out", at)
	engine := filepath.Join(at, "lumens_to_lux")
	if r := slipstick(t.Context(), "publish", "--to", to, "--sign", desk+".key", "--revision", "4d2f0e1-dirty", engine); r.code != exitFailed || !strings.Contains(r.err, "not committed") {
		t.Errorf("of changes: %+v", r)
	}
	does(t, "publish", "--to", to, "--sign", desk+".key", engine)
	if r := slipstick(t.Context(), "rebuild", release, "--registry", to, "--source", dir); r.code != exitFailed || !strings.Contains(r.err, "slipstick publish --source") {
		t.Errorf("of no source: %+v", r)
	}
	does(t, "publish", "--to", to, "--sign", desk+".key", "--source", dir, engine)

	does(t, "check", dir)
	does(t, "diff", dir, engine)
	elsewhere := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(elsewhere, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TZ", "Asia/Tokyo")
	strict := []string{"--registry", to, "--trust", trust, "--require-signatures"}
	if out := does(t, append([]string{"rebuild", release, "--source", elsewhere, "--key", anna + ".key"}, strict...)...); !strings.Contains(out, "rebuilt: 1 executable, the same bytes\nrebuilt electrical.lighting.lumens_to_lux 0.1.0") {
		t.Errorf("rebuild says\n%s", out)
	}
	if out := does(t, append([]string{"show", "lumens-to-lux"}, strict...)...); !strings.Contains(out, "rebuilt from source by 1 party: anna") {
		t.Errorf("show says\n%s", out)
	}
	if out := does(t, append([]string{"verify", release}, strict...)...); !strings.Contains(out, "  rebuild  ") || !strings.Contains(out, " 0 fail, 0 could not be checked") {
		t.Errorf("verify says\n%s", out)
	}

	source := filepath.Join(elsewhere, "main.go")
	text, err := os.ReadFile(source)
	if err == nil {
		err = os.WriteFile(source, append(text, "\n// changed\n"...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := slipstick(t.Context(), append([]string{"rebuild", release, "--source", elsewhere, "--json"}, strict...)...)
	var said struct {
		Same       bool
		Difference struct{ Kind, Name string }
	}
	if err := json.Unmarshal([]byte(r.out), &said); err != nil || r.code != exitFailed || said.Same || said.Difference.Kind != "changed_file" || !strings.HasSuffix(said.Difference.Name, "lumens_to_lux/main.go") {
		t.Errorf("of changed source: %+v (%v)", r, err)
	}
	if out := does(t, "sbom", release, "--registry", to); !strings.Contains(out, "pkg:golang/google.golang.org/grpc@v") {
		t.Errorf("the modules are\n%s", out)
	}
	if list := ran(); list != nil {
		t.Errorf("the source ran %s", list)
	}
	plain := exec.Command("git", "status")
	plain.Dir = dir
	_ = plain.Run()
	if list := ran(); !slices.Contains(list, "core.fsmonitor") {
		t.Errorf("plain Git ran %s: the test proves nothing", list)
	}
}
