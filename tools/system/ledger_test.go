package system

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/registry/hostkeys"
	"github.com/slipstick/slipstick/sdk/text"
)

// receiptOf posts a calculation and returns its receipt.
func (h *server) receiptOf(t *testing.T, path, body string, status int) string {
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

// batchOf posts rows, and returns the attributed answers and the receipt of the whole batch.
func (h *server) batchOf(t *testing.T, rows string) (answers []struct{ Receipt string }, receipt string) {
	t.Helper()
	resp, err := http.Post(h.url+"/api/v1/batch?output=attributed", "application/x-ndjson", strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for d := json.NewDecoder(resp.Body); d.More(); {
		var line struct{ Receipt string }
		if err := d.Decode(&line); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, line)
	}
	return answers, resp.Trailer.Get("Slipstick-Receipt")
}

// A third party with the rows and the receipt of a large batch recomputes its rows with the releases that
// answered. This works for each format of the rows.
func TestBatchReceipts(t *testing.T) {
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "ledger")
	args := []string{"--data", data, "--ledger", dir, "--ledger-record", "hash", "--limit", "calc=2", "--trusted-proxy", "127.0.0.1"}
	h := startAll(t, args...)
	const rows = 1003
	var csv, german, lines, pinned strings.Builder
	csv.WriteString("emissivity,note,temperature [degC]\n")
	german.WriteString("emissivity;area;temperature [degC]\n")
	for i := range rows {
		fmt.Fprintf(&german, "0,25;left %d;1.%03d\n", i, i%1000)          // 1000 degC and more
		fmt.Fprintf(&csv, "%v,row %d,%d\n", float64(i%97+1)/97, i, i-500) // some values are below absolute zero
		fmt.Fprintf(&lines, `{"id":"grey-surface-radiation","inputs":{"emissivity":0.5,"temperature":%d}}`+"\n", i)
		fmt.Fprintf(&pinned, `{"id":"grey-surface-radiation","calculation_version":"%d.0.0","inputs":{"emissivity":0.5,"temperature":%d}}`+"\n", 1+i%2, i)
	}
	sent := map[string]struct {
		query, mediaType, pin, file, rows, outcome string
	}{
		"current":  {"?output=result", "application/x-ndjson", "", "rows.ndjson", lines.String(), "holds      recomputation         1003 rows have bit-identical outcomes"},
		"older":    {"?output=result", "application/x-ndjson", "1.0.0", "rows.ndjson", lines.String(), "holds      recomputation         1003 rows have bit-identical outcomes"},
		"both":     {"?output=result", "application/x-ndjson", "", "rows.ndjson", pinned.String(), "holds      recomputation         1003 rows have bit-identical outcomes"},
		"conflict": {"?output=result", "application/x-ndjson", "1.0.0", "rows.ndjson", pinned.String(), "holds      recomputation         1003 rows have bit-identical outcomes"},
		"german":   {"?id=grey-surface-radiation&decimal=comma&tag=area", "text/csv", "", "rows.csv", german.String(), "holds      recomputation         1003 rows have bit-identical outcomes"},
		"limited":  {"?output=result", "application/x-ndjson", "1.0.0", "rows.ndjson", lines.String() + lines.String(), "holds      recomputation         2000 rows have bit-identical outcomes; 6 other rows had been rejected"},
		"csv":      {"?id=grey-surface-radiation", "text/csv", "1.0.0", "rows.csv", csv.String(), "holds      recomputation         1003 rows have bit-identical outcomes"},
	}
	receipts := map[string]string{}
	for name, tt := range sent {
		header := map[string]string{"Content-Type": tt.mediaType, "X-Forwarded-For": fmt.Sprintf("10.0.0.%d", len(receipts)+1)} // each client has its own limit
		if tt.pin != "" {
			header["Service-Spec-Version"] = tt.pin
		}
		receipts[name] = h.receiptOfBatch(t, tt.query, tt.rows, header)
	}
	keys := h.saved(t, hostkeys.WellKnown)
	h.stop(t)
	h = startAll(t, args...) // the restart closes the segment
	for name, tt := range sent {
		proof := h.saved(t, "/api/v1/receipts/"+receipts[name])
		r := slipstick(t.Context(), "verify", proof, "--registry", built.registry, "--keys", keys, "--rows", write(t, tt.file, tt.rows), "--run")
		if !strings.Contains(r.out, "holds      rows") || !strings.Contains(r.out, tt.outcome) {
			t.Errorf("%s: exit %d\n%s%s", name, r.code, r.out, r.err)
		}
		if name == "csv" { // the same cells with a different header
			other := write(t, tt.file, strings.Replace(tt.rows, "[degC]", "[K]", 1))
			r := slipstick(t.Context(), "verify", proof, "--registry", built.registry, "--keys", keys, "--rows", other, "--run")
			if r.code != exitFailed || !strings.Contains(r.out, "fails      rows                  column 3 of the file is temperature [K], but was temperature [degC]") || strings.Contains(r.out, "recomputation") {
				t.Errorf("another unit: exit %d\n%s%s", r.code, r.out, r.err)
			}
		}
	}
	h.stop(t)
}

// Rows with numbers from a table have the same results when another version of the table is current. Otherwise the
// output states that the result cannot be checked.
func TestBatchesOfTables(t *testing.T) {
	t.Parallel()
	dir, plugins := t.TempDir(), filepath.Join(root, "plugins")
	tables, shaft := filepath.Join(plugins, "tables"), filepath.Join(plugins, "mechanical", "torsion", "circular_shaft"+text.Suffix)
	does(t, "publish", "--to", dir, shaft, filepath.Join(tables, "metals"))
	h := startServer(t, "--registry", dir, "--follow", "20ms", "--ledger", filepath.Join(t.TempDir(), "ledger"), "--ledger-sync", "20ms", "--ledger-close", "1ms")
	const row = `{"id":"circular-shaft","inputs":{"D":0.05,"L":1,"T":100,"G":{"preset":"data.materials.metals/S235"}}}` + "\n"
	rows := strings.Repeat(row, 1003)
	proof := h.proofOf(t, h.receiptOfBatch(t, "?output=result", rows, map[string]string{"Content-Type": "application/x-ndjson"}))
	answers, cells := t.TempDir(), write(t, "rows.csv", "D,L,T,G\n0.05,1,100,data.materials.metals/S235\n")
	pinned := write(t, "rows.csv", "D,L,T,G\n0.05,1,100,data.materials.metals/S235@1.0.0\n")
	batch := func(from, to string, more ...string) string {
		to = filepath.Join(answers, to)
		does(t, append([]string{"calc", "circular-shaft", "--registry", dir, "--batch", from, "-o", to}, more...)...)
		return to
	}
	same := []string{batch(cells, "of.parquet"), batch(cells, "of.arrow"), batch(pinned, "pinned.csv"), batch(cells, "parts", "--output", "csv", "--shard", "1/1")}
	loose := batch(cells, "loose.csv")

	moved := filepath.Join(t.TempDir(), "metals")
	if err := os.CopyFS(moved, os.DirFS(filepath.Join(tables, "metals"))); err != nil {
		t.Fatal(err)
	}
	edit(t, filepath.Join(moved, "table.json"), `"table_version": "1.0.0"`, `"table_version": "2.0.0", "changes": "S235 is softer."`)
	edit(t, filepath.Join(moved, "rows.csv"), "S235,Structural steel S235,210[ec3],81[ec3],0.3[ec3]", "S235,Structural steel S235,208[ec3],80[ec3],0.3[ec3]")
	does(t, "publish", "--to", dir, moved)
	h.awaitAt(t, "/api/v1/calc/circular-shaft", "80 GPa of S235", `{"D":0.05,"L":1,"T":100,"G":{"preset":"data.materials.metals/S235"}}`)
	r := slipstick(t.Context(), "verify", proof, "--registry", dir, "--keys", h.saved(t, hostkeys.WellKnown), "--rows", write(t, "rows.ndjson", rows), "--run")
	for _, want := range []string{"holds      table                 data.materials.metals 1.0.0 is published", "holds      recomputation         1003 rows have bit-identical outcomes"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("no %q; exit %d\n%s%s", want, r.code, r.out, r.err)
		}
	}
	replayed := func(code int, says, path, registry string) {
		t.Helper()
		if r := slipstick(t.Context(), "replay", path, "--of", "circular-shaft@2.1.0", "--registry", registry); r.code != code || !strings.Contains(r.out, says) {
			t.Errorf("%s: exit %d\n%s%s", path, r.code, r.out, r.err)
		}
	}
	for _, path := range same {
		replayed(exitOK, "1 bit-identical", path, dir)
	}
	replayed(exitInternal, "a table value has no version of its table", loose, dir)
	other := filepath.Join(t.TempDir(), "other")
	does(t, "publish", "--to", other, shaft, moved)
	replayed(exitInternal, "the version of the table of a value is not published here", same[0], other)
}

// receiptOfBatch computes rows, and returns the receipt of the whole batch.
func (h *server) receiptOfBatch(t *testing.T, query, rows string, header map[string]string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/api/v1/batch"+query, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 {
		t.Fatalf("batch%s: %d %.500s %v", query, resp.StatusCode, text, err)
	}
	return resp.Trailer.Get("Slipstick-Receipt")
}

// proofOf waits until the segment of a receipt is closed, and returns the file of the proof.
func (h *server) proofOf(t *testing.T, receipt string) string {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, proof := h.get(t, "/api/v1/receipts/"+receipt); strings.Contains(proof, `"standing":"included"`) {
			return write(t, "proof.json", proof)
		}
	}
	t.Fatalf("the segment of %s is not closed", receipt)
	return ""
}

// A server records the answers of every interface, cached ones included. A third party with the file of a receipt
// and the registry recomputes the number.
func TestLedger(t *testing.T) {
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "ledger")
	args := []string{"--data", data, "--ledger", dir, "--ledger-record", "inputs"}
	h := startAll(t, args...)
	calculated := "/api/v1/calc/ohms-law"
	receipts := []string{h.receiptOf(t, calculated, ohms, 200), h.receiptOf(t, calculated, ohms, 200), h.receiptOf(t, calculated, ohms, 200)}
	steps := h.receiptOf(t, calculated+"?steps=true", ohms, 200) // answered by net/http
	inUnits := h.receiptOf(t, calculated+"?units=us&unit=current=mA", ohms, 200)
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
	answers, batched := h.batchOf(t, lines.String())
	if len(answers) != rows || batched == "" {
		t.Fatalf("batch: %d lines, and the receipt %q", len(answers), batched)
	}
	var ofRows []string
	for _, line := range answers {
		if line.Receipt != "" {
			ofRows = append(ofRows, line.Receipt)
		}
	}
	if len(ofRows) != 1000 || answers[999].Receipt == "" {
		t.Errorf("%d of %d rows have receipts", len(ofRows), rows)
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
	keys := h.saved(t, hostkeys.WellKnown)
	h.stop(t)

	for _, vouch := range []string{"--keys=" + keys, "--data=" + data} {
		if r := slipstick(t.Context(), "ledger", "check", dir, vouch); r.code != 0 || !strings.HasSuffix(r.out, "none was lost\n") {
			t.Errorf("check %s: %d %s%s", vouch, r.code, r.out, r.err)
		}
	}
	if r := slipstick(t.Context(), "ledger", "check", dir, "--data", t.TempDir()); r.code != exitFailed || !strings.Contains(r.out, "none of these public keys") {
		t.Errorf("check with other keys: %d %s", r.code, r.out)
	}
	if r := slipstick(t.Context(), "ledger", "check", dir); r.code != exitInternal || !strings.Contains(r.out, "no public keys of the server were given") {
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
	// Three answers over front connections, then steps, units, share, refusal, page and MCP; and 1000 rows of the batch.
	if kinds["answer"] != 1009 || kinds["batch"] != 1 || cached < 4 || codes["MISSING_REQUIRED_INPUT"] != 1 {
		t.Errorf("%v, %d from the cache, codes %v", kinds, cached, codes)
	}
	for receipt, want := range map[string]string{receipts[0]: `ohms_law 1\.0\.1  \[12,1\.5,8,18\]  `, inUnits: `ohms_law 1\.0\.1  \[12,1\.5,8,18\]  `, refused: `ohms_law 1\.0\.1  MISSING_REQUIRED_INPUT current  `} {
		r := slipstick(t.Context(), "ledger", "find", dir, "--receipt", receipt)
		if r.code != 0 || strings.Count(r.out, "\n") != 1 || !regexp.MustCompile(want).MatchString(r.out) {
			t.Errorf("find: %d %s%s, want %s", r.code, r.out, r.err, want)
		}
	}

	h = startAll(t, args...)
	for _, receipt := range []string{receipts[0], receipts[2], steps, inUnits, shared, refused, ofRows[0], ofRows[999]} {
		status, body := h.get(t, "/api/v1/receipts/"+receipt)
		if status != 200 {
			t.Fatalf("%d %s", status, body)
		}
		file := filepath.Join(t.TempDir(), "receipt.json")
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, vouch := range []string{"--keys=" + keys, "--data=" + data} {
			r := slipstick(t.Context(), "verify", file, "--run", "--registry", built.registry, vouch)
			if r.code != 0 || !strings.Contains(r.out, "bit-identical") || !strings.Contains(r.out, "holds      ledger signature") {
				t.Errorf("verify %s: %d %s%s", vouch, r.code, r.out, r.err)
			}
		}
		forged := strings.Replace(body, `"content":{"kind":"answer"`, `"content":{"kind":"answers"`, 1)
		if err := os.WriteFile(file, []byte(forged), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := slipstick(t.Context(), "verify", file, "--registry", built.registry, "--data", data); r.code != exitFailed {
			t.Errorf("a forged receipt holds: %d %s", r.code, r.out)
		}
	}

	// The rows of a batch prove the whole batch.
	receipt, file := h.saved(t, "/api/v1/receipts/"+batched), write(t, "rows.ndjson", lines.String())
	h.stop(t)
	verify := []string{"verify", receipt, "--registry", built.registry, "--keys", keys}
	if r := slipstick(t.Context(), append(verify, "--rows", file)...); r.code != 0 || !strings.Contains(r.out, "a batch of 1200 rows") || !strings.Contains(r.out, "holds      rows") {
		t.Errorf("verify the batch: %d %s%s", r.code, r.out, r.err)
	}
	if r := slipstick(t.Context(), append(verify, "--rows", file, "--run")...); r.code != 0 || !strings.Contains(r.out, "recomputation         1200 rows have bit-identical outcomes") {
		t.Errorf("compute the batch again: %d %s%s", r.code, r.out, r.err)
	}
	swapped := write(t, "swapped.ndjson", strings.Replace(lines.String(), `"voltage":7,`, `"voltage":8,`, 1))
	if r := slipstick(t.Context(), append(verify, "--rows", swapped)...); r.code != exitFailed || !strings.Contains(r.out, "fails      rows") {
		t.Errorf("verify other rows: %d %s%s", r.code, r.out, r.err)
	}
	if r := slipstick(t.Context(), verify...); r.code != exitInternal || !strings.Contains(r.out, "unchecked  rows") {
		t.Errorf("verify without rows: %d %s%s", r.code, r.out, r.err)
	}
}
