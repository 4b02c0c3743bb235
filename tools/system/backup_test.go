package system

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// recipe returns the shell commands of docs/operate.md below the comment.
func recipe(t *testing.T, comment string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "operate.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks(string(text)) {
		if b.language == "sh" && b.lines[0] == "# "+comment {
			return strings.Join(b.lines, "\n")
		}
	}
	t.Fatalf("docs/operate.md has no commands %q", comment)
	return ""
}

// What docs/operate.md says of back-ups: a service that has lost everything is what it was.
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

	h := startHostWith(t, args)
	id, frozen := h.freezeShort(t)
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
	r.start(t)

	h = startHostWith(t, args)
	if status, again := h.getStored(t, "/api/v1/share/"+id); status != 200 || again != frozen {
		t.Errorf("the snapshot is %d %s, was %s", status, again, frozen)
	}
	if same, now, _ := h.freeze(t); same != 200 || now != id {
		t.Errorf("frozen again it is %s (%d), was %s", now, same, id)
	}
	if len(h.said) != 1 {
		t.Errorf("the restored host says:\n%s", strings.Join(h.said, "\n"))
	}
}

// The same of a service without Redis, whose host goes on while it is backed up.
func TestBackUpWithoutRedis(t *testing.T) {
	kept := t.TempDir()
	place := map[string]string{"DATA": filepath.Join(kept, "data"), "REGISTRY": built.registry, "BACKUP": t.TempDir()}
	args := []string{"serve", "--addr", "127.0.0.1:0", "--registry", built.registry, "--data", place["DATA"], "--base-url", "https://calc.example.org"}
	h := startHostWith(t, args)
	_, id, frozen := h.freeze(t)
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
	h = startHostWith(t, args)
	if status, again := h.get(t, "/s/"+id); status != 200 || again != frozen {
		t.Errorf("the snapshot is %d %s, was %s", status, again, frozen)
	}
	if same, now, _ := h.freeze(t); same != 200 || now != id {
		t.Errorf("frozen again it is %s (%d), was %s", now, same, id)
	}
}
