package system

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// exportLinks finds the export links of a page.
var exportLinks = regexp.MustCompile(`href="(/calc/[^"]*/export/[^"?]*)\?([^"]*)"`)

// Each program that a page exports runs without changes, and prints the same as the API. It prints the same
// version, and every number with the same digits.
func TestExportedPrograms(t *testing.T) {
	h := startAll(t)
	const inputs = `{"emissivity":0.9,"temperature":{"value":98.6,"unit":"degF"},"area":{"value":3,"unit":"ft2"}}`
	_, want := h.post(t, "/api/v1/calc/grey-surface-radiation", inputs, "Service-Spec-Version", "1.0.0")
	result := regexp.MustCompile(`"result":\{[^}]*\}`).FindString(want)
	if !strings.Contains(want, `"status":"success"`) || result == "" {
		t.Fatal(want)
	}
	query := "calculation_version=1.0.0&emissivity=0.9&temperature=98.6&temperature.unit=degF&area=3&area.unit=ft2"
	for file, run := range map[string][]string{
		"call.sh": {"bash"}, "call.py": {"python3"}, "call.mjs": {"node"}, "call.go": {"go", "run"},
	} {
		status, program := h.get(t, "/calc/thermo/grey-surface-radiation/export/"+file+"?"+query)
		if status != 200 || !strings.Contains(strings.SplitN(program, "\n", 2)[0], "grey-surface-radiation@1.0.0, engine sha256:") {
			t.Errorf("%s: %d %s", file, status, program)
			continue
		}
		path := filepath.Join(t.TempDir(), file)
		if err := os.WriteFile(path, []byte(program), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), run[0], append(run[1:], path)...)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil || !strings.Contains(string(out), result) || !strings.Contains(string(out), `"calculation_version":"1.0.0"`) {
			t.Errorf("%s: %v %s\nprints %s\nwant %s", file, err, errs.String(), out, result)
		}
	}
	status, cells := h.get(t, "/calc/thermo/grey-surface-radiation/export/call.txt?"+query)
	address := regexp.MustCompile(`=IMPORTDATA\("([^"]*)"\)`).FindStringSubmatch(strings.ReplaceAll(cells, `"&"`, ""))
	if status != 200 || address == nil || !strings.Contains(cells, "grey-surface-radiation@1.0.0, engine sha256:") {
		t.Fatalf("call.txt: %d %s", status, cells)
	}
	if _, number := h.get(t, strings.TrimPrefix(address[1], h.url)); !strings.Contains(result, ":"+number+",") && !strings.Contains(result, ":"+number+"}") {
		t.Errorf("%s answers %s, and the API %s", address[1], number, result)
	}
	page := h.page(t, "/calc/thermo/grey-surface-radiation?emissivity=0.9&temperature=98.6&temperature.unit=degF")
	found := exportLinks.FindAllStringSubmatch(page, -1)
	if len(found) < 11 {
		t.Errorf("the page has links to %d files", len(found))
	}
	for _, link := range found {
		if status, text := h.get(t, link[1]+"?"+strings.ReplaceAll(link[2], "&amp;", "&")); status != 200 {
			t.Errorf("%s: %d %s", link[1], status, text)
		}
	}
}

// sheetScripts contains the Node code around the spreadsheet scripts.
var sheetScripts = map[string]string{
	"call.ts": `
const values = [["lamp", "emissivity", "temperature [degC]"], ["a, \"b\"", 0.9, 76.85], ["c", 2, 76.85]];
await main({ getSelectedRange: () => ({ getValues: () => values }), addWorksheet: () => ({
  activate() {}, getRangeByIndexes: (row, column, height, width) => ({ setValues(rows) {
    if (row || column || rows.length !== height || rows.some((one) => one.length !== width)) throw new Error("the range does not fit");
    console.log(JSON.stringify(rows));
  } }) }) });
`,
	"call.gs": `
import { execFileSync } from "node:child_process";
globalThis.UrlFetchApp = { fetch(url, options) {
  const text = execFileSync("curl", ["-s", "-w", "%{http_code}", "-H", "Content-Type: " + options.contentType, "--data-binary", "@-", url], { input: options.payload }).toString();
  return { getResponseCode: () => Number(text.slice(-3)), getContentText: () => text.slice(0, -3) };
} };
globalThis.Utilities = { parseCsv: (text) => [...text.trimEnd().matchAll(/[^\n]+/g)].map(([line]) =>
  [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^",]*))(?:,|$)/g)].slice(0, 9).map((cell) => cell[1]?.replace(/""/g, '"') ?? cell[2])) };
console.log(JSON.stringify(GREY_SURFACE_RADIATION([["lamp", "emissivity", "temperature [degC]"], ["a, \"b\"", 0.9, 76.85], ["c", 2, 76.85]])));
`,
}

// The spreadsheet scripts send a table with names, units in its header and a row that is refused. Node replaces
// the spreadsheets.
func TestSheetScripts(t *testing.T) {
	h := startAll(t)
	_, alone := h.post(t, "/api/v1/calc/grey-surface-radiation", `{"emissivity":0.9,"temperature":"76.85 degC"}`, "Service-Spec-Version", "1.0.0")
	numbers := regexp.MustCompile(`"result":\{"heat_flux":([^,]*),"heat_flow":([^}]*)\}`).FindStringSubmatch(alone)
	types := regexp.MustCompile(`: (ExcelScript\.Workbook|string \| number \| boolean|\(string \| number\)\[\]\[\])`)
	for file, around := range sheetScripts {
		status, script := h.get(t, "/calc/thermo/grey-surface-radiation/export/"+file+"?calculation_version=1.0.0&emissivity=0.9&temperature=350")
		path := filepath.Join(t.TempDir(), "script.mjs")
		if err := os.WriteFile(path, []byte(types.ReplaceAllString(script, "")+around), 0o600); err != nil || status != 200 {
			t.Fatal(status, err)
		}
		out, err := exec.CommandContext(t.Context(), "node", path).CombinedOutput()
		want := `["a, \"b\"",0.9,76.85,` + numbers[1] + "," + numbers[2] + `,"","","",""],["c",2,76.85,"","","","EMISSIVITY_OUT_OF_RANGE","emissivity",`
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v\n%s\nwant %s", file, err, out, want)
		}
	}
}

// Only sites that the operator names can embed calculators in frames.
func TestEmbedOrigins(t *testing.T) {
	const path = "/embed/electrical/ohms-law?V=12&R=8"
	if status, _ := startAll(t).get(t, path); status != 404 {
		t.Errorf("without a site: %d", status)
	}
	h := startAll(t, "--embed-origins", "https://a.example,http://localhost:4711")
	r, err := http.Get(h.url + path)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if got := r.Header.Get("Content-Security-Policy"); r.StatusCode != 200 || !strings.HasSuffix(got, "frame-ancestors https://a.example http://localhost:4711") {
		t.Errorf("%d %s", r.StatusCode, got)
	}
	for _, bad := range []string{"https://a.example/x", "*", "a.example", "https://a.example;script-src *", "https://A.example"} {
		if r := slipstick(t.Context(), "serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--embed-origins", bad); r.code != exitMisuse || !strings.Contains(r.err, "--embed-origins") {
			t.Errorf("%s: %d %s", bad, r.code, r.err)
		}
	}
}
