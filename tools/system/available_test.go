package system

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// offered returns the status of the tested capability, and of its versions, in the catalog.
func (h *server) offered(t *testing.T) (current string, capability bool, versions map[string]bool) {
	t.Helper()
	_, body := h.get(t, "/api/v1/calc")
	var catalog struct {
		Capabilities []struct {
			Current   string `json:"current_version"`
			Available bool
			Versions  []struct {
				Version   string `json:"calculation_version"`
				Available bool
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &catalog); err != nil || len(catalog.Capabilities) != 1 {
		t.Fatalf("%v: %s", err, body)
	}
	one := catalog.Capabilities[0]
	versions = map[string]bool{}
	for _, v := range one.Versions {
		versions[v.Version] = v.Available
	}
	return one.Current, one.Available, versions
}

// An engine that is known not to run is not listed as available, over REST and over MCP.
func TestFailingEngineIsNotAvailable(t *testing.T) {
	t.Parallel()
	engines := swaps(t, "1.0.0")
	registry := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", registry, engines["1.0.0"])
	blob := largestBlob(t, filepath.Join(registry, "test.life.swap"))
	data, err := os.ReadFile(blob)
	if err != nil {
		t.Fatal(err)
	}
	h := startServer(t, "--registry", registry, "--follow", "0")
	if current, capability, versions := h.offered(t); current != "1.0.0" || !capability || !versions["1.0.0"] {
		t.Fatalf("before: %s %v %v", current, capability, versions)
	}
	data[len(data)/2] ^= 1
	replace(t, blob, data)
	if status, answer := h.post(t, "/api/v1/calc/swap", `{"x":1}`); status != 503 {
		t.Fatalf("the damaged engine: %d %s", status, answer)
	}
	if _, capability, versions := h.offered(t); capability || versions["1.0.0"] {
		t.Errorf("what does not run is offered: %v %v", capability, versions)
	}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_versions","arguments":{"capability_id":"swap"}}}`
	if _, answer := h.post(t, "/mcp", call); !strings.Contains(answer, `"available":false`) || strings.Contains(answer, `"available":true`) {
		t.Errorf("list_versions: %s", answer)
	}
}

// If all versions of a capability were revoked, callers get this reason and the server reports that it is
// degraded. While one version is left, neither happens.
func TestAllVersionsRevoked(t *testing.T) {
	t.Parallel()
	engines := swaps(t, "1.0.0", "2.0.0")
	registry := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", registry, engines["1.0.0"], engines["2.0.0"])
	h := startServer(t, "--registry", registry, "--follow", "20ms")
	revoke := func(version string) {
		does(t, "revoke", "--registry", registry, "swap", version, "--reason", "wrong constant")
		h.awaits(t, `"VERSION_MISMATCH"`, `{"x":1}`, pinHeader, version)
	}
	revoke("1.0.0")
	h.awaitReady(t, `{"status":"ready","releases":{"test.life.swap@1.0.0":"revoked","test.life.swap@2.0.0":`)
	if current, capability, versions := h.offered(t); current != "2.0.0" || !capability || versions["1.0.0"] || !versions["2.0.0"] {
		t.Errorf("one is revoked: %s %v %v", current, capability, versions)
	}
	revoke("2.0.0")
	for _, pin := range [][]string{nil, {pinHeader, "2.0.0"}, {pinHeader, "7.0.0"}} {
		status, answer := h.awaits(t, "VERSION_MISMATCH", `{"x":1}`, pin...)
		var p struct {
			Detail, Suggestion string
			Recoverable        bool
			Available          []string `json:"available_versions"`
		}
		if err := json.Unmarshal([]byte(answer), &p); err != nil || status != 409 || !p.Recoverable || p.Available == nil || len(p.Available) > 0 ||
			!strings.Contains(p.Detail, "revoked") || !strings.Contains(p.Detail, "wrong constant") ||
			!strings.Contains(p.Suggestion, "another capability") || strings.Contains(answer, "publish one first") || strings.Contains(answer, "one of available_versions") {
			t.Errorf("%v: %d %s", pin, status, answer)
		}
	}
	if _, capability, versions := h.offered(t); capability || versions["1.0.0"] || versions["2.0.0"] {
		t.Errorf("all are revoked: %v %v", capability, versions)
	}
	h.awaitReady(t, `"test.life.swap@2.0.0":"revoked"`)
	if _, answer := h.get(t, "/readyz"); strings.Contains(answer, `"ready"`) {
		t.Errorf("/readyz: %s", answer)
	}
}

// awaitReady requests the readiness report until it contains the text. The server updates the report every few
// seconds.
func (h *server) awaitReady(t *testing.T, text string) {
	t.Helper()
	answer := ""
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		_, answer = h.get(t, "/readyz?verbose")
		if strings.Contains(answer, text) {
			return
		}
	}
	t.Fatalf("no %q in %s", text, answer)
}
