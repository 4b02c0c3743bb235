package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// receiptOf posts a calculation and returns its receipt.
func (h *host) receiptOf(t *testing.T, path, body string, status int) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", h.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != status {
		t.Fatalf("%s: status %d", body, resp.StatusCode)
	}
	return resp.Header.Get("Slipstick-Receipt")
}

// A host records what every face answers, also from its cache, and a stranger who has the file of
// a receipt and the registry computes the number again.
func TestLedger(t *testing.T) {
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "ledger")
	args := []string{"--data", data, "--ledger", dir, "--ledger-record", "inputs"}
	h := startAll(t, args...)
	calculated := "/api/v1/calc/ohms-law"
	receipts := []string{h.receiptOf(t, calculated, ohms, 200), h.receiptOf(t, calculated, ohms, 200), h.receiptOf(t, calculated, ohms, 200)}
	steps := h.receiptOf(t, calculated+"?steps=true", ohms, 200) // by net/http
	shared := h.receiptOf(t, "/api/v1/share", `{"tool":"ohms-law","inputs":`+ohms+`}`, 201)
	refused := h.receiptOf(t, calculated, `{"V":12}`, 400)
	if status, body := h.get(t, "/calc/electrical/ohms-law?voltage=12&resistance=50"); status != 200 {
		t.Fatalf("page: %d %s", status, body)
	}
	if status, body := h.post(t, "/mcp", toolCall("execute_calculation", `{"capability_id":"ohms-law","inputs":`+ohms+`}`)); status != 200 {
		t.Fatalf("mcp: %d %s", status, body)
	}
	const rows = 1200
	var lines strings.Builder
	for i := range rows {
		fmt.Fprintf(&lines, "{\"id\":\"ohms-law\",\"inputs\":{\"voltage\":%d,\"resistance\":50}}\n", i+1)
	}
	if status, body := h.post(t, "/api/v1/batch?output=result", lines.String(), "Content-Type", "application/x-ndjson"); status != 200 || strings.Count(body, "\n") != rows {
		t.Fatalf("batch: %d with %d lines", status, strings.Count(body, "\n"))
	}
	if status, body := h.get(t, "/api/v1/receipts/"+receipts[0]); status != 200 || !strings.Contains(body, `"standing":"pending"`) || strings.Contains(body, `"record"`) {
		t.Errorf("before its segment is closed: %d %s", status, body)
	}
	if status, body := h.get(t, "/api/v1/receipts/"+receipts[0][:len(receipts[0])-1]+"x"); status != 404 || !strings.Contains(body, "NOT_FOUND") {
		t.Errorf("a receipt that is none: %d %s", status, body)
	}
	if status, body := h.get(t, "/readyz?verbose"); status != 200 || !strings.Contains(body, `"ledger":"ok"`) {
		t.Errorf("readyz: %d %s", status, body)
	}
	h.stop(t)

	if r := slipstick(t.Context(), "ledger", "check", dir, "--data", data); r.code != 0 || !strings.HasSuffix(r.out, "none was lost\n") {
		t.Errorf("check: %d %s%s", r.code, r.out, r.err)
	}
	if r := slipstick(t.Context(), "ledger", "check", dir); r.code != exitInternal || !strings.Contains(r.out, "nobody vouches") {
		t.Errorf("check without keys: %d %s", r.code, r.out)
	}
	r := slipstick(t.Context(), "ledger", "export", dir)
	kinds, cached, codes := map[string]int{}, 0, map[string]int{}
	for line := range strings.Lines(r.out) {
		var record struct {
			Place, Kind, Request, Code, Capability string
			Cached                                 bool
			Rows                                   int
			Inputs, Result                         []json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		kinds[record.Kind]++
		codes[record.Code]++
		if record.Cached {
			cached++
		}
		if record.Request == "" || record.Kind == "answer" && len(record.Inputs) == 0 || record.Kind == "batch" && record.Rows != rows {
			t.Errorf("a record is %s", line)
		}
	}
	// Three by the front, steps, share, refused, page and MCP; and 1000 rows of the batch.
	if kinds["answer"] != 1008 || kinds["batch"] != 1 || cached < 4 || codes["MISSING_REQUIRED_INPUT"] != 1 {
		t.Errorf("%v, %d from the cache, codes %v", kinds, cached, codes)
	}
	if r := slipstick(t.Context(), "ledger", "find", dir, "--receipt", refused); r.code != 0 || strings.Count(r.out, "\n") != 1 || !strings.Contains(r.out, "MISSING_REQUIRED_INPUT") {
		t.Errorf("find: %d %s%s", r.code, r.out, r.err)
	}

	h = startAll(t, args...)
	for _, receipt := range []string{receipts[0], receipts[2], steps, shared, refused} {
		status, body := h.get(t, "/api/v1/receipts/"+receipt)
		if status != 200 {
			t.Fatalf("%d %s", status, body)
		}
		file := filepath.Join(t.TempDir(), "receipt.json")
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		r := slipstick(t.Context(), "verify", file, "--run", "--registry", built.registry, "--data", data)
		if r.code != 0 || !strings.Contains(r.out, "the same, bit for bit") || !strings.Contains(r.out, "who recorded it") {
			t.Errorf("verify: %d %s%s", r.code, r.out, r.err)
		}
		forged := strings.Replace(body, `"content":{"kind":"answer"`, `"content":{"kind":"answers"`, 1)
		if err := os.WriteFile(file, []byte(forged), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := slipstick(t.Context(), "verify", file, "--registry", built.registry, "--data", data); r.code != exitFailed {
			t.Errorf("a forged receipt holds: %d %s", r.code, r.out)
		}
	}
	h.stop(t)
}
