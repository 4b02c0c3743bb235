package system

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// chattyPython builds the example in Python with lines for the log in each calculation.
func chattyPython(t *testing.T) string {
	t.Helper()
	example, dir := filepath.Join(root, "docs", "examples", "python"), t.TempDir()
	source := string(mustRead(t, filepath.Join(example, "engine.py")))
	const first = "def calculate(resistance, series):\n"
	if !strings.Contains(source, first) {
		t.Fatal("the example has another function")
	}
	source = "import logging\n" + strings.Replace(source, first, first+`    logger = logging.getLogger("bolts")
    logger.debug("begins with %s", series)
    logger.info("goes on with %s", series)
    logger.warning("ends with %s", series)
`, 1)
	overwrite(t, filepath.Join(dir, "engine.py"), []byte(source))
	overwrite(t, filepath.Join(dir, "vectors.json"), mustRead(t, filepath.Join(example, "vectors.json")))
	packages, err := filepath.Abs(filepath.Join(root, "sdk", "python", "src"))
	if err != nil {
		t.Fatal(err)
	}
	engine := filepath.Join(dir, "engine")
	cmd := exec.CommandContext(t.Context(), "/usr/bin/python3", "-m", "slipstick_engine", "build", dir, "--output", engine)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+packages)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return engine
}

// engineLine is a line of the log of a server.
type engineLine struct {
	Level, Msg, Capability, Version, ID, Text, Module string
	Fields                                            map[string]string
}

// Engines in Go and in Python log. check shows all lines, and a server the lines that its operator asks for, with
// the capability, the version and the id of the request.
func TestEngineLog(t *testing.T) {
	t.Parallel()
	registry, chatty, python := filepath.Join(t.TempDir(), "registry"), filepath.Join(t.TempDir(), "chatty"), chattyPython(t)
	buildEngine(t, chatty, "chatty")
	readable := []string{"--read-only", "/usr/lib,/usr/lib64"}
	for engine, lines := range map[string][]string{
		chatty: {"level=DEBUG", "text=begins fields.x=2", "level=INFO", "level=WARN", "fields.capability=another.engine"},
		python: {"level=DEBUG", `text="begins with e24" module=bolts`, "level=INFO", "level=WARN"},
	} {
		r := slipstick(t.Context(), append([]string{"check", engine}, readable...)...)
		if r.code != exitOK {
			t.Fatalf("check: %d\n%s%s", r.code, r.out, r.err)
		}
		for _, want := range append(lines, `msg="engine logged" engine=`+engine) {
			if !strings.Contains(r.err, want) {
				t.Errorf("check shows no %s", want)
			}
		}
		does(t, append([]string{"publish", "--to", registry, engine}, readable...)...)
	}

	h := startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", registry, "--data", t.TempDir(), "--log-format", "json"},
		"SLIPSTICK_ENGINE_LOG_LEVEL=info")
	h.post(t, "/api/v1/calc/chatty", `{"x":3}`, "X-Request-Id", "go-1")
	h.post(t, "/api/v1/calc/preferred-resistor", `{"R":450}`, "X-Request-Id", "python-1")
	h.post(t, "/api/v1/batch?id=chatty", `{"x":4}`+"\n", "X-Request-Id", "batch-1", "Content-Type", "application/x-ndjson")
	if err := h.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	seen := map[string][]engineLine{} // by id
	for h.stderr.Scan() {
		var l engineLine
		if json.Unmarshal(h.stderr.Bytes(), &l) == nil && l.Msg == "engine logged" {
			seen[l.ID] = append(seen[l.ID], l)
		}
	}
	for id, want := range map[string]engineLine{
		"go-1":     {Capability: "test.log.chatty", Version: "1.0.0", Text: "ends", Fields: map[string]string{"x": "3", "capability": "another.engine"}},
		"batch-1":  {Capability: "test.log.chatty", Version: "1.0.0", Text: "ends", Fields: map[string]string{"x": "4", "capability": "another.engine"}},
		"python-1": {Capability: "examples.python.preferred_resistor", Version: "1.0.0", Text: "ends with e24", Module: "bolts"},
	} {
		lines := seen[id]
		if len(lines) != 2 || lines[0].Level != "INFO" || lines[1].Level != "WARN" {
			t.Errorf("%s: logged %+v", id, seen)
			continue
		}
		got := &lines[1]
		if got.Capability != want.Capability || got.Version != want.Version || got.Text != want.Text || got.Module != want.Module {
			t.Errorf("%s: logged %+v", id, got)
		}
		for name, text := range want.Fields {
			if got.Fields[name] != text {
				t.Errorf("%s: field %s is %q, want %q", id, name, got.Fields[name], text)
			}
		}
	}
}
