package system

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/shadow"
	"github.com/slipstick/slipstick/registry/sign"
)

// A release of a document in a remote registry is treated as one in Go: the shadow compares it, and people review it. Receipts
// prove its answers, and its answers are replayed. TestTextEngines has locks and directories.
func TestDocumentShadowReplayAndEvidence(t *testing.T) {
	t.Parallel()
	keys, trust := signers(t, sign.Publishes, sign.Reviews)
	there, dir := startRemoteRegistry(t), t.TempDir()
	at := []string{"--mirror", t.TempDir()}
	on := func(command string, args ...string) string {
		t.Helper()
		return does(t, append(append([]string{command, "--registry", there.address()}, at...), args...)...)
	}
	does(t, "new", "--text", "structural.steel.sheet", "--dir", dir)
	file := filepath.Join(dir, "sheet.calc.md")
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	publish := append([]string{"publish", "--to", there.address(), "--sign", keys[sign.Publishes], file}, at...)
	does(t, publish...)
	writeDocument(t, file, strings.NewReplacer("version: 1.0.0", "version: 2.0.0", "rho*A*t", "rho*A*t + {1 kg}", "0.0015*7850", "0.0015*7850 + 1",
		"0.002*7850", "0.002*7850 + 1", "6250", "6000", "6400", "6150", "23.55", "24.55", "31.4", "32.4",
		"## Vectors", "## Changes\n\nThe handle has a mass too.\n\n## Vectors").Replace(string(source)))
	does(t, publish...)
	on("promote", "sheet", "1.0.0", "--sign", keys[sign.Publishes])
	on("review", "structural.steel.sheet@1.0.0", "--key", keys[sign.Reviews], "--reviewer", "Ben Oduya", "--role", "physicist",
		"--kind", "internal", "--source-checked", "EN 10029; 2010; table 1")
	ledger := filepath.Join(dir, "ledger")
	h := startRemoteServer(t, there.address(), dir, "--trust", trust, "--require-signatures", "--shadow", "inputs",
		"--ledger", ledger, "--ledger-record", "inputs", "--ledger-close", "1s")
	on("shadow", "sheet", "2.0.0", "--sample", "100%", "--sign", keys[sign.Publishes])
	h.newest(t, "the comparison runs", func(c *shadow.Comparison) bool { return c.Running })

	const path, inputs, rows = "/api/v1/calc/sheet", `{"width":"1000 mm","height":"2 m","density":7850}`, 20
	status, answer := h.post(t, path, inputs)
	var linked struct {
		Links        struct{ Evidence string }
		Verification struct{ Tier string }
	}
	err = json.Unmarshal([]byte(answer), &linked)
	if err != nil || status != 200 || !strings.Contains(answer, `"mass":23.55`) || linked.Verification.Tier != "internally_reviewed" {
		t.Fatalf("%d %s %v", status, answer, err)
	}
	_, shown := h.get(t, strings.TrimPrefix(linked.Links.Evidence, h.url))
	for _, want := range []string{"Ben Oduya", `"type":"release"`, `"type":"report"`, `"type":"review"`, `"vector_results"`} {
		if !strings.Contains(shown, want) {
			t.Errorf("the evidence has no %s: %s", want, shown)
		}
	}
	proof := h.proofOf(t, h.receiptOf(t, path, inputs, 200))
	var lines strings.Builder
	for i := range rows {
		fmt.Fprintf(&lines, `{"id":"sheet","inputs":{"width":%d,"height":2,"density":7850}}`+"\n", i+1)
	}
	_, answers := h.post(t, "/api/v1/batch?output=attributed", lines.String(), "Content-Type", "application/x-ndjson")
	compared := h.newest(t, "an answer differs", func(c *shadow.Comparison) bool { return c.Changed > 0 })
	if compared.Changed != compared.Compared() || len(compared.Outputs) == 0 || compared.Outputs[0].Name != "mass" {
		t.Errorf("%+v", compared)
	}
	_, published := h.get(t, "/.well-known/slipstick-keys.json")
	h.stop(t)

	at = append(at, "--trust", trust)
	shows := func(want, command string, args ...string) {
		t.Helper()
		out := on(command, args...)
		if !strings.Contains(out, want) {
			t.Errorf("%s has no %q: %s", command, want, out)
		}
	}
	stored := write(t, "answers.ndjson", answers)
	shows("bit-identical", "verify", proof, "--keys", write(t, "keys.json", published), "--run")
	shows(" bit-identical, 0 different, 0 not computed", "replay", stored)
	shows(" bit-identical, 0 different, 0 not computed", "replay", ledger)
	shows(fmt.Sprintf("%d changed, 0 refused now", rows), "impact", "sheet@2.0.0", "--over", stored)
	shows("structural.steel.sheet 2.0.0", "verify")
}
