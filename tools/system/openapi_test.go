package system

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/tools/system/openapitest"
)

// The OpenAPI document of the engines of this repository. Linters find no error in it, it breaks no client of the
// committed document, and the server answers every reference case as it describes.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	h := startAll(t, "--base-url", "http://127.0.0.1:8080")
	status, document := h.get(t, "/openapi.json")
	if status != 200 {
		t.Fatalf("%d %s", status, document)
	}
	const baseline = "testdata/openapi.json"
	if *update {
		if err := os.WriteFile(baseline, []byte(document), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Abs(filepath.Join(root, "scripts", "node"))
	if err != nil {
		t.Fatal(err)
	}
	for _, judge := range [][]string{{"lint-openapi", file}, {"breaking-openapi", baseline, file}} {
		if out, err := exec.Command(filepath.Join(scripts, judge[0]), judge[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", judge[0], err, out)
		}
	}
	checker, err := openapitest.Validator([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	c := &recording{t: t, host: h, checker: checker}
	for _, v := range append(references(t, "vectors.json"), references(t, "errors.json")...) {
		inputs := string(v.Inputs)
		if v.Raw != "" {
			inputs = v.Raw
		}
		c.send("POST", "/api/v1/calc/"+v.Capability, inputs)
	}
	c.send("POST", "/api/v1/calc", `{"id":"ohms-law","inputs":{"V":12,"R":8}}`)
	c.send("POST", "/api/v1/calc/ohms-law", ohms, "Accept", "application/problem+json")
	c.send("POST", "/api/v1/calc/ohms-law", `{"V":`, "Accept", "application/problem+json")
	c.send("POST", "/api/v1/calc/ohms-law", ohms, "Service-Spec-Version", "9.0.0")
	c.send("POST", "/api/v1/calc/ohms-law?calculation_version=9.0.0", ohms, "Service-Spec-Version", "1.0.1")
	c.send("POST", "/api/v1/calc/nothing", ohms)
	c.send("PUT", "/api/v1/calc/ohms-law", ohms)
	c.send("POST", "/api/v1/calc/ohms-law", ohms, "Content-Type", "text/plain")
	c.send("POST", "/api/v1/calc/ohms-law", strings.Repeat(" ", 70000))
	batch := `{"id":"ohms-law","inputs":{"V":12,"R":8}}` + "\n{}\n" + `{"id":"nothing","inputs":{}}`
	c.send("POST", "/api/v1/batch", batch, "Content-Type", "application/x-ndjson")
	c.send("POST", "/api/v1/batch?output=result", batch, "Content-Type", "application/jsonl")
	c.send("POST", "/api/v1/batch?output=attributed", batch, "Content-Type", "application/jsonl")
	c.send("POST", "/api/v1/batch?output=xml", batch, "Content-Type", "application/jsonl")
	c.send("POST", "/api/v1/batch", batch)
	c.send("GET", "/api/v1/batch", "")
	id := c.send("POST", "/api/v1/share", freezeRequest)
	for _, path := range []string{
		"/api/v1/calc", "/api/v1/capabilities", "/api/v1/calc/ohms-law", "/api/v1/capabilities/ohms-law", "/api/v1/capabilities/nothing",
		"/api/v1/capabilities/grey-surface-radiation/schema/input", "/api/v1/capabilities/grey-surface-radiation/schema/output?calculation_version=1.0.0",
		"/api/v1/capabilities/thermo.radiation.grey_surface/evidence", "/api/v1/share/" + id, "/s/" + id, "/s/cx_e1_nothing",
		"/problems/invalid-number", "/problems/invalid-query", "/problems/capability-not-found", "/problems/power-factor-ignored", "/problems/nothing",
		"/api/v1/calc/ohms-law?x=%zz", "/openapi.json", "/livez", "/readyz", "/readyz?verbose",
	} {
		c.send("GET", path, "")
	}
	for _, path := range []string{
		"/", "/calc/statics", "/calc/statics/cantilever-deflection", "/calc/wood/cantilever-deflection", "/calc/statics/nothing", "/docs", "/s/" + id, "/s/cx_e1_nothing",
		"/problems/invalid-number", "/problems/nothing", "/api/v1/capabilities/ohms-law/evidence",
		"/api/v1/capabilities/cantilever-deflection/plots/nothing",
	} {
		c.send("GET", path, "", "Accept", "text/html")
	}
	c.send("POST", "/api/v1/calc/ohms-law", ohms, "Accept", "text/html")
	c.send("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if c.sent < 100 {
		t.Errorf("only %d answers were held against the document", c.sent)
	}
}

// recording compares answers of the server with the document.
type recording struct {
	t       *testing.T
	host    *server
	checker *openapitest.Checker
	sent    int
}

// send returns the id in the answer, if the answer has one.
func (c *recording) send(method, path, body string, headers ...string) string {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.host.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.checker.Check(method, req.URL.Path, resp.StatusCode, resp.Header, answer); err != nil {
		c.t.Errorf("%s %s %s: %d: %v", method, path, body, resp.StatusCode, err)
	}
	c.sent++
	var identified struct{ ID string }
	_ = json.Unmarshal(answer, &identified)
	return identified.ID
}
