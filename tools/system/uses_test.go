package system

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const beamSheet = "structural.steel.beam_by_deflection"

// A document uses rows of a published table as long as the table may be used. Its release has these rows, and
// everything that describes the release names the table.
func TestDocumentUsesTable(t *testing.T) {
	busy(t)
	dir, table := t.TempDir(), filepath.Join(root, "plugins", "tables", "european_i_1")
	registry := filepath.Join(dir, "registry")
	source, err := os.ReadFile(filepath.Join(root, "plugins", "structural", "steel", "beam_by_deflection.calc.md"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "beam_by_deflection.calc.md")
	at := strings.Index(string(source), " sha256:")
	writeDocument(t, file, string(source[:at])+string(source[at+len(" sha256:")+64:]))

	// The digest and the rows come from the registry, and only what is published can be used.
	if r := slipstick(t.Context(), "check", file); r.code != exitFailed || !strings.Contains(r.err+r.out, "slipstick fmt --registry DIR writes it next to the document") {
		t.Errorf("check: %d %s%s", r.code, r.out, r.err)
	}
	if r := slipstick(t.Context(), "fmt", "--registry", built.registry, file); r.code != exitFailed || !strings.Contains(r.err, "is not published in this registry") {
		t.Errorf("fmt without the table: %d %s%s", r.code, r.out, r.err)
	}
	does(t, "publish", "--to", registry, table)
	does(t, "fmt", "--registry", registry, file)
	formatted, err := os.ReadFile(file)
	if err != nil || string(formatted) != string(source) {
		t.Errorf("fmt wrote\n%s%v", formatted, err)
	}
	does(t, "fmt", "--registry", filepath.Join(dir, "none"), "--check", file) // needs no registry any more
	if r := slipstick(t.Context(), "publish", "--to", filepath.Join(dir, "other"), file); r.code != exitFailed || !strings.Contains(r.err, "publish it first") {
		t.Errorf("publish without the table: %d %s%s", r.code, r.out, r.err)
	}
	does(t, "publish", "--to", registry, file)
	if out := does(t, "list", "--registry", registry, "--uses", "data.sections.european_i@1.0.0"); !strings.Contains(out, beamSheet) {
		t.Errorf("list --uses: %s", out)
	}
	locked := filepath.Join(dir, "slipstick.lock")
	does(t, "lock", "--registry", registry, "--output", locked, "steel-beam-by-deflection")
	if text, err := os.ReadFile(locked); err != nil || !strings.Contains(string(text), "data.sections.european_i") {
		t.Errorf("the lock file is %s, %v", text, err)
	}
	for _, table := range []string{"data.sections.european_i", "data.sections.european_i@1.0.0"} {
		r := slipstick(t.Context(), "lock", "--output", locked, "--remove", table)
		if r.code != exitFailed || !strings.Contains(r.err, "uses "+table) {
			t.Errorf("lock --remove %s: %d %s%s", table, r.code, r.out, r.err)
		}
	}
	does(t, "rebuild", "--registry", registry, beamSheet+"@"+versionIn(t, file), "--source", dir)

	h := startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", registry, "--data", t.TempDir(), "--follow", "50ms"})
	const path, inputs = "/api/v1/calc/steel-beam-by-deflection", `{"length":6,"uniform_load":10000,"span_ratio":300}`
	status, answer := h.post(t, path, inputs)
	if status != 200 || !strings.Contains(answer, `"section":"IPE 270"`) || resultOf(t, answer)["utilization"] != 0.6939304219096966 {
		t.Fatalf("%d %s", status, answer)
	}
	status, answer = h.post(t, path, `{"length":40,"uniform_load":50000,"span_ratio":500}`)
	if status != 400 || !strings.Contains(answer, `"code":"NO_ROW"`) || !strings.Contains(answer, `"field":"length"`) {
		t.Errorf("%d %s", status, answer)
	}
	_, described := h.get(t, "/api/v1/capabilities/"+beamSheet)
	var spec struct {
		Spec struct {
			Uses []struct{ ID, Version, Digest string }
		}
	}
	err = json.Unmarshal([]byte(described), &spec)
	if err != nil || len(spec.Spec.Uses) != 1 || spec.Spec.Uses[0].ID != "data.sections.european_i" || !strings.Contains(string(source), spec.Spec.Uses[0].Digest) {
		t.Errorf("described as %s, %v", described, err)
	}
	_, page := h.get(t, "/calc/steel/steel-beam-by-deflection")
	if !strings.Contains(page, `<a href="/tables/data.sections.european_i?calculation_version=1.0.0">European I and H sections, version 1.0.0</a>`) {
		t.Errorf("the page does not link to the table: %s", page)
	}

	_, answers := h.post(t, "/api/v1/batch?output=attributed", `{"id":"steel-beam-by-deflection","inputs":`+inputs+`}`+"\n", "Content-Type", "application/x-ndjson")
	stored := filepath.Join(dir, "answers.ndjson")
	writeDocument(t, stored, answers)

	// The state of the table counts within seconds. Stored answers stay the same.
	does(t, "deprecate", "--registry", registry, "data.sections.european_i", "1.0.0", "--reason", "rounded values")
	awaitAnswer(t, h, path, inputs, 200, `"code":"VERSION_DEPRECATED"`)
	does(t, "yank", "--registry", registry, "data.sections.european_i", "1.0.0", "--reason", "rounded values")
	awaitAnswer(t, h, path, inputs, 200, "its table data.sections.european_i 1.0.0 is yanked")
	if out := does(t, "replay", "--registry", registry, stored); !strings.Contains(out, "1 bit-identical, 0 different, 0 not computed") {
		t.Errorf("replay: %s", out)
	}
	does(t, "revoke", "--registry", registry, "data.sections.european_i", "1.0.0", "--reason", "a value is wrong")
	awaitAnswer(t, h, path, inputs, 409, "its table data.sections.european_i 1.0.0 is revoked: a value is wrong")
}

// dev serves a document with the tables next to it.
func TestDevWithTables(t *testing.T) {
	busy(t)
	devAnswers(t, filepath.Join(root, "plugins", "structural", "steel", "beam_by_deflection.calc.md"), "/api/v1/calc/steel-beam-by-deflection",
		`{"length":6,"uniform_load":10000,"span_ratio":300}`, `"section":"IPE 270"`)
}

// devAnswers starts slipstick dev with a document, and asks it once.
func devAnswers(t *testing.T, file, path, inputs, want string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), built.slipstick, "dev", file, "--addr", "127.0.0.1:0", "--every", "1h")
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt) // so that it removes its directory
		_ = cmd.Wait()
	}()
	var seen []string
	for lines := bufio.NewScanner(said); lines.Scan(); {
		seen = append(seen, lines.Text())
		_, address, serves := strings.Cut(lines.Text(), "serving ")
		if !serves {
			continue
		}
		address, _, _ = strings.Cut(address, " ")
		h := &server{url: address}
		if status, answer := h.post(t, path, inputs); status != 200 || !strings.Contains(answer, want) {
			t.Errorf("%d %s", status, answer)
		}
		return
	}
	t.Errorf("it serves nothing: %s", strings.Join(seen, "\n"))
}

// awaitAnswer asks until the response has the status and a text.
func awaitAnswer(t *testing.T, h *server, path, inputs string, status int, text string) {
	t.Helper()
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		got, answer := h.post(t, path, inputs)
		if got == status && strings.Contains(answer, text) {
			t.Logf("after %v: %s", time.Since(start), answer)
			return
		}
		if time.Since(start) > patience {
			t.Fatalf("%d %s, want %d with %s", got, answer, status, text)
		}
	}
}
