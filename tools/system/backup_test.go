package system

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// recipe returns the shell commands below the comment in docs/guides/backup.md.
func recipe(t *testing.T, comment string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "guides", "backup.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks(string(text)) {
		if b.language == "sh" && b.lines[0] == "# "+comment {
			return strings.Join(b.lines, "\n")
		}
	}
	t.Fatalf("docs/guides/backup.md has no commands %q", comment)
	return ""
}

// With the backup commands of docs/guides/backup.md, a service that lost all data is restored to its former state.
func TestBackUpAndRestore(t *testing.T) {
	r := startRedis(t)
	kept := t.TempDir()
	place := map[string]string{"DATA": filepath.Join(kept, "data"), "REGISTRY": filepath.Join(kept, "registry"), "BACKUP": t.TempDir(), "REDIS_PORT": r.port, "REDIS_DIR": r.args[5]}
	does(t, "publish", "--to", place["REGISTRY"], filepath.Join(built.engines, "ohms_law"), filepath.Join(built.engines, "cantilever_wall_triangle_outer_moment_at_deflection"))
	args := []string{"serve", "--addr", "127.0.0.1:0", "--registry", place["REGISTRY"], "--data", place["DATA"], "--redis", r.url(), "--base-url", "https://calc.example.org"}
	run := func(commands string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", commands)
		c.Env = append(os.Environ(), "PATH="+filepath.Dir(built.slipstick)+":"+os.Getenv("PATH"))
		for name, value := range place {
			c.Env = append(c.Env, name+"="+value)
		}
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v:\n%s", err, out)
		}
	}

	h := startServerWith(t, args)
	id, created := h.createShortSnapshot(t)
	run(recipe(t, "back up"))
	h.stop(t)
	r.kill()
	for _, dir := range []string{place["DATA"], place["REGISTRY"], place["REDIS_DIR"]} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(place["REDIS_DIR"], 0o700); err != nil {
		t.Fatal(err)
	}
	run(recipe(t, "restore"))
	run(recipe(t, "restore Redis"))
	r.start(t)

	h = startServerWith(t, args)
	if status, again := h.getStored(t, "/api/v1/share/"+id); status != 200 || again != created {
		t.Errorf("the snapshot is %d %s, was %s", status, again, created)
	}
	if same, now, _ := h.createSnapshot(t); same != 200 || now != id {
		t.Errorf("frozen again it is %s (%d), was %s", now, same, id)
	}
	if len(h.said) != 1 {
		t.Errorf("the restored host says:\n%s", strings.Join(h.said, "\n"))
	}
}

// The same for a service without Redis. Its server keeps running during the backup.
func TestBackUpWithoutRedis(t *testing.T) {
	kept := t.TempDir()
	place := map[string]string{"DATA": filepath.Join(kept, "data"), "REGISTRY": built.registry, "BACKUP": t.TempDir()}
	args := []string{"serve", "--addr", "127.0.0.1:0", "--registry", built.registry, "--data", place["DATA"], "--base-url", "https://calc.example.org"}
	h := startServerWith(t, args)
	_, id, created := h.createSnapshot(t)
	c := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", recipe(t, "back up without Redis"))
	c.Env = append(os.Environ(), "PATH="+filepath.Dir(built.slipstick)+":"+os.Getenv("PATH"))
	for name, value := range place {
		c.Env = append(c.Env, name+"="+value)
	}
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	h.stop(t)
	if err := os.RemoveAll(place["DATA"]); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(place["BACKUP"], "data"), place["DATA"]); err != nil {
		t.Fatal(err)
	}
	h = startServerWith(t, args)
	if status, again := h.get(t, "/s/"+id); status != 200 || again != created {
		t.Errorf("the snapshot is %d %s, was %s", status, again, created)
	}
	if same, now, _ := h.createSnapshot(t); same != 200 || now != id {
		t.Errorf("frozen again it is %s (%d), was %s", now, same, id)
	}
}
