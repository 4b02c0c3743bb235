package system

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A server without Redis gives short ids, and stores its answers. Pages, programs and agents can read them, also
// after the server was killed, and `slipstick verify` finds them.
func TestStoredWithoutRedis(t *testing.T) {
	data := t.TempDir()
	h := startAll(t, "--data", data)
	status, id, body := h.createSnapshot(t)
	if status != 201 || len(id) != len("cx_")+26 || !strings.Contains(body, `"links":{"snapshot":"/s/`+id+`"`) {
		t.Fatalf("freeze: %d %s", status, body)
	}
	if status, again, same := h.createSnapshot(t); status != 200 || again != id || same != body {
		t.Errorf("freeze again: %d %s", status, same)
	}
	if _, state := h.get(t, "/readyz?verbose"); !strings.Contains(state, `"store":"ok"`) {
		t.Errorf("readyz: %s", state)
	}
	if err := h.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	h = startAll(t, "--data", data)
	for _, path := range []string{"/s/", "/api/v1/share/"} {
		if status, got := h.get(t, path+id); status != 200 || got != body {
			t.Errorf("%s after it was killed: %d %s", path, status, got)
		}
	}
	if answer, _ := h.tool(t, "get_snapshot", `{"id":"`+id+`"}`); !sameJSON(t, answer, body) {
		t.Errorf("agents are given %s", answer)
	}
	for _, target := range []string{id, "https://calc.example.org/s/" + id} {
		if r := slipstick(t.Context(), "verify", "--registry", built.registry, "--data", data, "--run", target); r.code != exitOK || !strings.Contains(r.out, "recomputation") {
			t.Errorf("verify %s: %d %s%s", target, r.code, r.out, r.err)
		}
	}
	if r := slipstick(t.Context(), "verify", "--registry", built.registry, "--data", t.TempDir(), id); r.code == exitOK || !strings.Contains(r.err, "curl HOST/api/v1/share/ID/signed") {
		t.Errorf("verify without the file: %d %s%s", r.code, r.out, r.err)
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var docs [2]any
	for i, text := range []string{a, b} {
		if err := json.Unmarshal([]byte(text), &docs[i]); err != nil {
			t.Fatal(err)
		}
	}
	texts := [2][]byte{}
	for i := range docs {
		texts[i], _ = json.Marshal(docs[i])
	}
	return string(texts[0]) == string(texts[1])
}

// A server, its replacement, and an agent's `slipstick mcp` share one data directory. All of them read the
// snapshots of each.
func TestStoredBySeveralProcesses(t *testing.T) {
	data := t.TempDir()
	args := []string{"--data", data, "--base-url", "https://calc.example.org"} // the base URL is a part of the snapshot
	before, after := startAll(t, args...), startAll(t, args...)
	_, id, body := before.createSnapshot(t)
	if status, again, same := after.createSnapshot(t); status != 200 || again != id || same != body {
		t.Errorf("frozen at the other host: %d %s", status, same)
	}
	agent := exec.CommandContext(t.Context(), built.slipstick, "mcp", "--registry", built.registry, "--data", data)
	const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
	request := strings.Replace(freezeRequest, "tool_id", "capability_id", 1)
	other := strings.Replace(request, `"L":3`, `"L":4`, 1)
	agent.Stdin = strings.NewReader(initialize + toolCall("create_snapshot", request) + "\n" + strings.Replace(toolCall("create_snapshot", other), `"id":1`, `"id":2`, 1) + "\n")
	agent.Stderr = os.Stderr
	out, err := agent.Output()
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{id: true}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		var a struct {
			Result struct{ StructuredContent struct{ ID string } }
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if id := a.Result.StructuredContent.ID; id != "" {
			ids[id] = true
		}
	}
	if len(ids) != 3 { // a snapshot of an agent contains no URL of a service
		t.Fatalf("the agent was given %v:\n%s", ids, out)
	}
	for other := range ids {
		if status, answer := before.get(t, "/s/"+other); status != 200 || len(other) != len("cx_")+26 {
			t.Errorf("%s: %d %s", other, status, answer)
		}
	}
}

// Ids are embedded on request, and if other servers could not read short ones.
func TestEmbeddedByChoice(t *testing.T) {
	data := t.TempDir()
	_, stored, body := startAll(t, "--data", data, "--snapshot-key", sameKey, "--snapshots", "stored").createSnapshot(t)
	if strings.HasPrefix(stored, "cx_e1_") {
		t.Errorf("stored: %s", stored)
	}
	for _, args := range [][]string{{"--snapshots", "embedded"}, {"--snapshot-key", sameKey}} {
		h := startAll(t, append([]string{"--data", data, "--snapshot-key", sameKey}, args...)...)
		if _, id, _ := h.createSnapshot(t); !strings.HasPrefix(id, "cx_e1_") {
			t.Errorf("%v: %s", args, id)
		}
		if status, got := h.get(t, "/s/"+stored); status != 200 || got != body {
			t.Errorf("%v: the short id from before: %d %s", args, status, got)
		}
	}
}

// A server with a damaged file reports it, continues with embedded ids, and uses the restored backup at once.
func TestStoredDamagedAndRestored(t *testing.T) {
	data := t.TempDir()
	h := startAll(t, "--data", data)
	_, id, body := h.createSnapshot(t)
	file, backup := filepath.Join(data, "snapshots.db"), filepath.Join(data, "backup.db")
	if out := does(t, "snapshots", "backup", "--data", data, backup); out != "1 snapshot in "+backup+"\n" {
		t.Errorf("backup said %q", out)
	}
	if r := slipstick(t.Context(), "snapshots", "backup", "--data", data, backup); r.code != exitMisuse || !strings.Contains(r.err, "is there already") {
		t.Errorf("backup over another: %d %s", r.code, r.err)
	}
	for dir, args := range map[string][]string{"none": {data, filepath.Join(data, "none", "new.db")}, "empty": {filepath.Join(data, "empty"), filepath.Join(data, "new.db")}} {
		if r := slipstick(t.Context(), append([]string{"snapshots", "backup", "--data"}, args...)...); r.code != exitMisuse || !strings.Contains(r.err, filepath.Join(data, dir)) {
			t.Errorf("%v: %d %s", args, r.code, r.err)
		}
	}
	h.stop(t)
	if err := os.Truncate(file, 8192); err != nil {
		t.Fatal(err)
	}
	h = startServer(t, "--data", data)
	if status, long, answer := h.createSnapshot(t); status != 201 || !strings.HasPrefix(long, "cx_e1_") || !strings.Contains(answer, "SNAPSHOT_STORE_UNAVAILABLE") {
		t.Errorf("freeze: %d %s", status, answer)
	}
	if status, answer := h.get(t, "/s/"+id); status != 503 || !strings.Contains(answer, "SNAPSHOT_STORE_UNAVAILABLE") {
		t.Errorf("read: %d %s", status, answer)
	}
	if status, state := h.get(t, "/readyz?verbose"); status != 200 || !strings.Contains(state, `"code":"STORE"`) || !strings.Contains(state, "damaged") {
		t.Errorf("readyz: %d %s", status, state)
	}
	if err := os.Rename(backup, file); err != nil {
		t.Fatal(err)
	}
	if status, got := h.get(t, "/s/"+id); status != 200 || got != body {
		t.Errorf("restored: %d %s", status, got)
	}
	if said := strings.Join(h.said, "\n"); !strings.Contains(said, "is damaged") {
		t.Errorf("the host said:\n%s", said)
	}
}
