package system

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/hostkeys"
	"github.com/slipstick/slipstick/versions"
)

// initLogAt initializes the transparency log of a registry at a time in the past.
func initLogAt(t *testing.T, dir string, at time.Time) {
	t.Helper()
	r, err := registry.Open(dir, &registry.Options{Now: func() time.Time { return at }})
	if err == nil {
		_, _, err = r.UpdateLog(t.Context(), &registry.LogUpdate{Create: true})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Every interface answers `as of` a time with the version that was current at that time, and names the version. If
// it cannot know the version, the answer contains the reason.
func TestAsOf(t *testing.T) {
	t.Parallel()
	engines, dir := swaps(t, "1.0.0", "2.0.0"), filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", dir, engines["1.0.0"])
	h := startServer(t, "--registry", dir, "--follow", "20ms", "--ledger", filepath.Join(t.TempDir(), "ledger"), "--ledger-sync", "20ms", "--ledger-close", "1ms")
	const call = "/api/v1/calc/swap"
	if status, answer := h.post(t, call+"?as_of=2026-03-01", `{"x":1}`); status != http.StatusConflict || !strings.Contains(answer, "AS_OF_UNKNOWN") || !strings.Contains(answer, "has no transparency log") {
		t.Errorf("without a log: %d %s", status, answer)
	}
	initLogAt(t, dir, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	does(t, "publish", "--to", dir, engines["2.0.0"])
	h.awaits(t, `"by":"2.0.0"`, `{"x":1}`)

	envelope := func(more string) string { return `{"inputs":{"x":1},` + more + `}` }
	for _, tt := range []struct {
		query, body, pin string
		status           int
		want             string
	}{
		{"?as_of=2026-03-01", `{"x":1}`, "", 200, `"calculation_version":"1.0.0"`},
		{"?as_of=2026-03-01T12:00:00%2B01:00", `{"x":1}`, "", 200, `"by":"1.0.0"`},
		{"", envelope(`"as_of":"2026-10-31"`), "", 200, `"by":"1.0.0"`},
		{"?as_of=2026-10-31", `{"x":1}`, "1.0.0", 200, `"by":"1.0.0"`},
		{"?as_of=2026-10-31", envelope(`"as_of":"2026-10-31"`), "", 200, `"by":"1.0.0"`},
		{"?as_of=2026-10-31", `{"x":1}`, "2.0.0", 409, `"VERSION_PIN_CONFLICT"`},
		{"?as_of=2026-10-31", envelope(`"as_of":"2026-10-30"`), "", 409, `"VERSION_PIN_CONFLICT"`},
		{"?as_of=2026-02-28", `{"x":1}`, "", 409, `"AS_OF_UNKNOWN"`},
		{"?as_of=2999-01-01", `{"x":1}`, "", 409, `"AS_OF_UNKNOWN"`},
		{"?as_of=yesterday", `{"x":1}`, "", 400, `"INVALID_AS_OF"`},
		{"", envelope(`"as_of":20260301`), "", 400, `"INVALID_AS_OF"`},
		{"", `{"x":1,"as_of":"2026-03-01"}`, "", 400, `"UNKNOWN_INPUT"`},
	} {
		headers := []string{}
		if tt.pin != "" {
			headers = append(headers, versions.HeaderName, tt.pin)
		}
		if status, answer := h.post(t, call+tt.query, tt.body, headers...); status != tt.status || !strings.Contains(answer, tt.want) {
			t.Errorf("%s %s %s: %d %s", tt.query, tt.body, tt.pin, status, answer)
		}
	}
	if status, answer := h.get(t, "/api/v1/value/swap?x=1&output=by&as_of=2026-03-01"); status != 200 || answer != "1.0.0" {
		t.Errorf("a cell: %d %s", status, answer)
	}
	if status, answer := h.get(t, call+"?as_of=2026-03-01"); status != 200 || !strings.Contains(answer, `"calculation_version":"1.0.0"`) {
		t.Errorf("the description: %d %.300s", status, answer)
	}
	if lines := h.postLines(t, "?as_of=2026-03-01&output=result", strings.NewReader(`{"id":"swap","inputs":{"x":1}}`+"\n")); len(lines) != 1 || byOf(lines[0]) != "1.0.0" {
		t.Errorf("a batch: %s", lines)
	}
	const sweep = `"kind":"sweep","inputs":{},"vary":{"x":[1,2]},"output":["y"]`
	for tool, arguments := range map[string]string{
		"execute_calculation": `"inputs":{"x":1},`, "create_snapshot": `"inputs":{"x":1},`, "describe_capability": ``, "run_study": sweep + `,`,
	} {
		arguments = `{"capability_id":"swap",` + arguments + `"as_of":"2026-03-01"}`
		status, answer := h.post(t, "/mcp", toolCall(tool, arguments), "Accept", "application/json, text/event-stream")
		if status != 200 || !strings.Contains(answer, `"structuredContent":`) || !strings.Contains(answer, `"calculation_version":"1.0.0"`) {
			t.Errorf("%s: %d %s", tool, status, answer)
		}
		status, answer = h.post(t, "/mcp", toolCall(tool, arguments), "Accept", "application/json, text/event-stream", versions.HeaderName, "2.0.0")
		if status != 200 || !strings.Contains(answer, `"location":"argument as_of"`) {
			t.Errorf("%s, and a pin of another version: %d %s", tool, status, answer)
		}
	}
	if status, answer := h.post(t, "/api/v1/study/swap", `{`+sweep+`,"as_of":"2026-03-01"}`); status != 200 || !strings.Contains(answer, `"calculation_version":"1.0.0"`) {
		t.Errorf("a study: %d %s", status, answer)
	}
	if status, answer := h.post(t, "/api/v1/share", `{"tool_id":"swap","inputs":{"x":1},"as_of":"2026-03-01"}`); status != 201 && status != 200 || byOf(answer) != "1.0.0" {
		t.Errorf("a snapshot: %d %s", status, answer)
	}
	if out := does(t, "calc", "--registry", dir, "--json", "--as-of", "2026-03-01", "swap", "x=1"); byOf(out) != "1.0.0" {
		t.Errorf("calc: %s", out)
	}
	_, described := h.post(t, call, `{"x":1}`)
	var of struct {
		Page string `json:"page"`
	}
	if err := json.Unmarshal([]byte(described), &of); err != nil {
		t.Fatal(err)
	}
	page, err := url.Parse(of.Page)
	if err != nil {
		t.Fatal(err)
	}
	status, html := h.get(t, page.Path+"?as_of=2026-03-01&x=1")
	if status != 200 || !strings.Contains(html, `data-version="1.0.0"`) || !strings.Contains(html, `name="as_of" value="2026-03-01"`) {
		t.Errorf("the page: %d, and not of 1.0.0", status)
	}

	// A third party that has the log recomputes a large batch as of the same time.
	rows := strings.Repeat(`{"id":"swap","inputs":{"x":1}}`+"\n", 1003)
	receipt := h.receiptOfBatch(t, "?as_of=2026-03-01&output=result", rows, map[string]string{"Content-Type": "application/x-ndjson"})
	r := slipstick(t.Context(), "verify", h.proofOf(t, receipt), "--registry", dir, "--keys", h.saved(t, hostkeys.WellKnown), "--rows", write(t, "rows.ndjson", rows), "--run")
	if !strings.Contains(r.out, "holds      recomputation         1003 rows have bit-identical outcomes") {
		t.Errorf("the batch as of a time: exit %d\n%s%s", r.code, r.out, r.err)
	}

	does(t, "revoke", "--registry", dir, "swap", "1.0.0", "--reason", "wrong constant")
	if _, answer := h.awaits(t, "VERSION_MISMATCH", envelope(`"as_of":"2026-03-01"`)); !strings.Contains(answer, "wrong constant") {
		t.Errorf("revoked: %s", answer)
	}
}
