package system

import (
	"archive/zip"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// left are the releases of the records in testdata/upgrade. The registry of today does not have their bytes, because
// the library became documents.
var left = []string{
	"electrical.basic.ohms_law 1.0.0", "electrical.circuits.voltage_drop 1.1.0", "finance.loan.payment 1.0.0",
	"mechanical.statics.cantilever_wall_triangle_outer_moment_at_deflection 1.0.0", "thermo.radiation.grey_surface 2.0.0",
}

// The data of a server of revision 52dea6b stay readable: snapshots with short and long ids, a ledger with inputs, and
// answers. Replay names the engines that left. scripts/soak upgrade computes such records again with their engines.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unzip(t, filepath.Join("testdata", "upgrade", "52dea6b.zip"), dir)
	data, ledger, answers := filepath.Join(dir, "data"), filepath.Join(dir, "ledger"), filepath.Join(dir, "answers.ndjson")
	h := startServerWith(t, []string{
		"serve", "--addr", "127.0.0.1:0", "--registry", built.registry, "--data", data, "--ledger", ledger, "--ledger-record", "inputs", "--limit", unlimited,
	})
	ids := strings.Fields(string(mustRead(t, filepath.Join(dir, "snapshots"))))
	if len(ids) != 6 {
		t.Fatalf("%d snapshots, want 5 short ids and a long one", len(ids))
	}
	for i, line := range append(strings.Split(strings.TrimSpace(string(mustRead(t, answers))), "\n"), "") {
		status, body := h.get(t, "/api/v1/share/"+ids[i])
		var kept struct {
			Status string
			Result struct{ Result json.RawMessage }
		}
		if err := json.Unmarshal([]byte(body), &kept); err != nil || status != 200 || kept.Status != "success" {
			t.Errorf("snapshot %.40s: %d %v %.300s", ids[i], status, err, body)
		}
		var answered struct{ Result json.RawMessage }
		if line != "" {
			if err := json.Unmarshal([]byte(line), &answered); err != nil || string(answered.Result) != string(kept.Result.Result) {
				t.Errorf("snapshot %s has %s, and was answered as %s", ids[i], kept.Result.Result, answered.Result)
			}
		}
		if status, page := h.get(t, "/s/"+ids[i]); status != 200 || !strings.Contains(page, ids[i]) {
			t.Errorf("page of snapshot %.40s: %d", ids[i], status)
		}
		if r := slipstick(t.Context(), "verify", ids[i], "--registry", built.registry, "--data", data); !strings.Contains(r.out, "holds      snapshot signature") {
			t.Errorf("verify %.40s: %d %s%s", ids[i], r.code, r.out, r.err)
		}
	}
	if status, body := h.post(t, "/api/v1/calc/ohms-law", ohms); status != 200 {
		t.Errorf("a calculation: %d %s", status, body)
	}
	h.stop(t)

	if r := slipstick(t.Context(), "ledger", "check", ledger, "--data", data); r.code != exitOK || !strings.Contains(r.out, "none was lost") {
		t.Errorf("ledger check: %d %s%s", r.code, r.out, r.err)
	}
	r := slipstick(t.Context(), "replay", "--registry", filepath.Join(t.TempDir(), "registry"), data, ledger, answers)
	if r.code != exitMisuse || !strings.Contains(r.err, "there is no registry") {
		t.Errorf("replay without a registry: %d %s%s", r.code, r.out, r.err)
	}
	r = slipstick(t.Context(), "replay", "--registry", built.registry, data, ledger, answers)
	for _, release := range left {
		if !regexp.MustCompile("\n" + release + "\n  not computed: .*(not published|by another release)\n").MatchString(r.out) {
			t.Errorf("replay does not name %s: %d\n%s%s", release, r.code, r.out, r.err)
		}
	}
	if r.code != exitInternal {
		t.Errorf("replay ends with %d, want %d", r.code, exitInternal)
	}
}

// unzip extracts a file of testdata into a directory.
func unzip(t *testing.T, file, dir string) {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if err := os.CopyFS(dir, z); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "data", "keys", "snapshot-0001.key"), 0o600); err != nil {
		t.Fatal(err)
	}
}
