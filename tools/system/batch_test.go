package system

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// postLines sends a batch and returns the lines of the response.
func (h *server) postLines(t *testing.T, query string, body io.Reader) []string {
	t.Helper()
	resp, err := http.Post(h.url+"/api/v1/batch"+query, "application/x-ndjson", body)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("%d %s, %v", resp.StatusCode, answer, err)
	}
	lines := strings.SplitAfter(string(answer), "\n")
	return lines[:len(lines)-1]
}

// namedLines returns the reference cases as lines of a batch, vectors first.
func namedLines(t *testing.T) []string {
	t.Helper()
	var lines []string
	for _, v := range append(references(t, "vectors.json"), references(t, "errors.json")...) {
		inputs := new(bytes.Buffer)
		if v.Raw != "" {
			inputs.WriteString(strings.ReplaceAll(v.Raw, "\n", " "))
		} else if err := json.Compact(inputs, v.Inputs); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf(`{"id":%q,"inputs":%s}`, v.Capability, inputs))
	}
	return lines
}

// The result of every reference case in a batch is byte-identical to the result of a single call.
func TestBatchEqualsSingleCalls(t *testing.T) {
	h := startAll(t)
	lines := namedLines(t)
	lines = append(lines, `{"tool":"grey-surface-radiation","inputs":{"emissivity":0.9,"temperature":350},"calculation_version":"1.0.0"}`)
	got := h.postLines(t, "", strings.NewReader(strings.Join(lines, "\n")))
	if len(got) != len(lines) || len(lines) < 90 {
		t.Fatalf("%d answers to %d lines", len(got), len(lines))
	}
	for i, line := range lines {
		if _, want := h.post(t, "/api/v1/calc", line); got[i] != want {
			t.Errorf("%s\n%s\nwant %s", line, got[i], want)
		}
	}
	_, figures := h.get(t, "/metrics")
	if !strings.Contains(figures, `slipstick_batch_lines_total{outcome="success"} `) || strings.Contains(figures, `slipstick_batch_lines_total{outcome="rejected"} 0`) {
		t.Error("the lines were not counted")
	}
}

// No line is lost if an engine dies in the middle of a batch.
func TestBatchEngineDies(t *testing.T) {
	for range 3 {
		h := startAll(t, "--warm")
		body, send := io.Pipe()
		const rows = 20_000
		go func() {
			w := bufio.NewWriter(send)
			for i := range rows {
				if i == rows/2 {
					killEngines(t, h)
				}
				fmt.Fprintf(w, `{"id":"ohms-law","inputs":{"V":%d,"R":1}}`+"\n", i+1)
			}
			w.Flush()
			send.Close()
		}()
		got := h.postLines(t, "?output=result", body)
		if len(got) != rows {
			t.Errorf("%d answers to %d lines", len(got), rows)
		}
		for i, line := range got {
			if !strings.HasPrefix(line, fmt.Sprintf(`{"result":{"voltage":%d,"current":%d,`, i+1, i+1)) {
				t.Fatalf("line %d: %s", i, line)
			}
		}
		died := `slipstick_engine_events_total{capability="electrical.basic.ohms_law",event="end",version="1.0.1"} 1`
		for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			if _, figures := h.get(t, "/metrics"); strings.Contains(figures, died) {
				break
			} else if time.Since(start) > patience {
				t.Fatal("no engine has died")
			}
		}
	}
}

// killEngines kills the engine processes of the server.
func killEngines(t *testing.T, h *server) {
	t.Helper()
	for _, pid := range children(h.cmd.Process.Pid) {
		_ = syscall.Kill(pid, syscall.SIGKILL) // the process may have ended
	}
}

// The memory of the server does not grow with the length of a batch.
func TestBatchServerStaysSmall(t *testing.T) {
	h := startAll(t)
	h.postLines(t, "?output=result", strings.NewReader(strings.Repeat(`{"id":"ohms-law","inputs":{"V":12,"R":8}}`+"\n", 100_000)))
	before := residentKB(t, h)
	const rows = 200_000
	body, send := io.Pipe()
	go func() {
		w := bufio.NewWriter(send)
		for i := range rows {
			fmt.Fprintf(w, `{"id":"ohms-law","inputs":{"V":%d,"R":8}}`+"\n", i+1)
		}
		w.Flush()
		send.Close()
	}()
	if got := h.postLines(t, "?output=result", body); len(got) != rows || !strings.HasPrefix(got[rows-1], `{"result":{"voltage":200000,"current":25000,`) {
		t.Errorf("%d answers", len(got))
	}
	if grown := residentKB(t, h) - before; grown > 64<<10 {
		t.Errorf("the host grew by %d KiB", grown)
	}
}

// calcOn runs slipstick calc with the text on stdin.
func calcOn(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	return slipstickOn(t.Context(), strings.NewReader(stdin), append([]string{"calc", "--registry", built.registry}, args...)...)
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	goodLine = `{"id":"ohms-law","inputs":{"V":12,"R":8}}` + "\n"
	badLine  = `{"id":"ohms-law","inputs":{"V":12}}` + "\n"
	result12 = `{"result":{"voltage":12,"current":1.5,"resistance":8,"power":18}}` + "\n"
)

func TestCalcBatch(t *testing.T) {
	one := calcOn(t, "", "ohms-law", "V=12", "R=8", "--json")
	bad := calcOn(t, "", "ohms-law", "V=12", "--json")
	csv := write(t, "table.csv", "\ufeffV, R\r\n12,8\r\n\r\n\"12\", 8 ohm\r\n12,\r\n12,8,9\r\n1\"2,8\r\n"+`"24 V","8"`+"\r\n")
	for _, tt := range []struct {
		name  string
		stdin string
		args  []string
		code  int
		out   string
		says  string
	}{
		{"ndjson", "", []string{"--batch", write(t, "a.ndjson", goodLine+goodLine)}, exitOK, one.out + one.out, "slipstick: 2 calculations in "},
		{"jsonl, rejected", "", []string{"--batch", write(t, "a.jsonl", goodLine+badLine)}, exitFailed, one.out + bad.out, "slipstick: 2 calculations in "},
		{"stdin", goodLine + "\n" + goodLine, []string{"--batch", "-", "--output", "result"}, exitOK, result12 + result12, "2 calculations"},
		{"default id", `{"V":12,"R":8}` + "\n" + `{"inputs":{"I":1.5,"R":8}}`, []string{"--batch", "-", "--output=result", "ohms-law"}, exitOK, result12 + result12, "2 calculations"},
		{"pin", goodLine, []string{"--batch", "-", "--output=result", "--pin", "1.0.1"}, exitOK, result12, "1 calculation in"},
		{"nothing", "", []string{"--batch", "-"}, exitOK, "", "0 calculations"},
		{"csv to ndjson", "V,R\n12,8\n", []string{"--batch", "-", "--format", "csv", "ohms-law"}, exitOK, one.out, "1 calculation in"},
		{"csv to csv", "", []string{"--batch", csv, "--output", "csv", "ohms-law"}, exitFailed, "\ufeffV,R,voltage [V],current [A],resistance [ohm],power [W],warnings,error_code,error_field,error_detail\n" +
			"12,8,12,1.5,8,18,,,,\n12,8 ohm,12,1.5,8,18,,,,\n" + `12,,,,,,,MISSING_REQUIRED_INPUT,` + fieldOf(t, bad.out, "field") + `,"` + strings.ReplaceAll(fieldOf(t, bad.out, "error"), `"`, `""`) + `"` + "\n" +
			`12,8,,,,,,INVALID_CSV,,"the record has 3 cells, the header 2. Write a cell for every name of the header; an empty one is an input that is not sent."` + "\n" +
			`,,,,,,,INVALID_CSV,,"parse error on line 7, column 2: bare "" in non-quoted-field. Write records as in RFC 4180."` + "\n" + "24 V,8,24,3,8,72,,,,\n", "6 calculations"},
		{"a table as a spreadsheet in Europe writes it", "", []string{"--batch", write(t, "eu.csv", "name;V;R [kohm]\nfirst;1,5;0,5\n"), "--output", "csv", "--decimal", "comma", "--unit", "current=mA", "ohms-law"}, exitOK,
			"name;V;R [kohm];voltage [V];current [mA];resistance [ohm];power [W];warnings;error_code;error_field;error_detail\nfirst;1,5;0,5;1,5;3;500;0,0045;;;;\n", `slipstick: columns that are not inputs pass through: "name"`},
		{"a declared tag", "Volt,V,R\nx,12,8\n", []string{"--batch", "-", "--format", "csv", "--tag", "Volt", "--output", "result", "ohms-law"}, exitOK, result12, "1 calculation"},
		{"stopped", badLine, []string{"--batch", "-", "--no-keep-going"}, exitFailed, bad.out, "stopped after a row without a result: 1 calculation"},
		{"a table to be read", "V,R\n12,8\n", []string{"--batch", "-", "--format", "csv", "--output", "table", "--unit", "current=mA", "ohms-law"}, exitOK,
			"V    R   voltage [V]   current [mA]   resistance [ohm]   power [W]   warnings   error_code   error_field   error_detail\n" +
				"12   8   12            1500           8                  18\n", "1 calculation in"},

		{"no id for csv", "", []string{"--batch", csv}, exitMisuse, "", "name the capability of the table"},
		{"no format", "", []string{"--batch", "table.txt"}, exitMisuse, "", "--format"},
		{"no such format", "", []string{"--batch", "-", "--format", "xml"}, exitMisuse, "", "xml"},
		{"csv from ndjson", "", []string{"--batch", "-", "--output", "csv"}, exitMisuse, "", "--output csv goes with a table"},
		{"inputs too", "", []string{"--batch", "-", "ohms-law", "V=12"}, exitMisuse, "", "are in its file"},
		{"json too", "", []string{"--batch", "-", "--json"}, exitMisuse, "", "--output"},
		{"output alone", "", []string{"ohms-law", "V=12", "--output", "result"}, exitMisuse, "", "go with --batch"},
		{"no id", "", nil, exitMisuse, "", "name a capability"},
		{"no file", "", []string{"--batch", "no-such-file.csv", "ohms-law"}, exitMisuse, "", "no-such-file.csv"},
		{"a directory", "", []string{"--batch", t.TempDir(), "--format", "ndjson"}, exitInternal, "", "is a directory"},
		{"unit of ndjson", goodLine, []string{"--batch", "-", "--unit", "current=mA"}, exitMisuse, "", "--output csv"},
		{"decimal of ndjson", goodLine, []string{"--batch", "-", "--decimal", "comma"}, exitMisuse, "", "--decimal and --tag go with a table"},
		{"unit of json", "", []string{"ohms-law", "V=12", "R=8", "--json", "--unit", "current=mA"}, exitMisuse, "", "leave --unit and --units out"},
		{"units of json", "", []string{"ohms-law", "V=12", "R=8", "--json", "--units", "us"}, exitMisuse, "", "leave --unit and --units out"},
		{"no system of units", "", []string{"ohms-law", "V=12", "R=8", "--units", "imperial"}, exitMisuse, "", "not a system of units"},
		{"tag alone", "", []string{"ohms-law", "V=12", "R=8", "--tag", "x"}, exitMisuse, "", "go with --batch"},
		{"empty csv", "", []string{"--batch", "-", "--format", "csv", "ohms-law"}, exitFailed, "", "the table is empty"},
		{"misspelt column", "V,Resistence\n", []string{"--batch", "-", "--format", "csv", "ohms-law"}, exitFailed, "", "Did you mean resistance?"},
		{"unknown column", "Ohm\n", []string{"--batch", "-", "--format", "csv", "ohms-law"}, exitFailed, "", `"Ohm" is not an input`},
		{"column twice", "V, V\n", []string{"--batch", "-", "--format", "csv", "ohms-law"}, exitFailed, "", "two columns"},
		{"unknown id for csv", "V\n", []string{"--batch", "-", "--format", "csv", "ohmslaw"}, exitFailed, "", "nearest: ohms-law"},
		{"unpublished for csv", "V\n", []string{"--batch", "-", "--format", "csv", "--pin", "9.0.0", "ohms-law"}, exitFailed, "", "VERSION_MISMATCH"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := calcOn(t, tt.stdin, tt.args...)
			if r.code != tt.code || r.out != tt.out || !strings.Contains(r.err, tt.says) || strings.Count(r.err, "\n") > 5 {
				t.Errorf("%d\n%s%s\nwant %d\n%s%s", r.code, r.out, r.err, tt.code, tt.out, tt.says)
			}
		})
	}
}

// A person sees the result and the worked steps of an engine in the units of a system. The engine computes the same number.
func TestCalcInSystem(t *testing.T) {
	args := []string{"grey-surface-radiation", "emissivity=0.9", "temperature=170.33 F", "--steps"}
	us := calcOn(t, "", append(args, "--units", "us")...)
	si := calcOn(t, "", append(args, "--units", "si")...)
	for _, want := range []string{"heat_flux   242.764 Btu_it/(h ft2)", "T = 170.33 degF = 630 degR"} {
		if us.code != exitOK || !strings.Contains(us.out, want) || strings.Contains(si.out, "Btu_it/h") {
			t.Errorf("%d, no %q in\n%s%s\nSI:\n%s", us.code, want, us.out, us.err, si.out)
		}
	}
}

// A table as Parquet or Arrow gives the same rows as CSV, for each input and output format. A file that does not
// fit gets no results at all.
func TestCalcColumns(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	table := "beam,emissivity,temperature [degC]\nfirst,0.9,76.85\n,0.5,\nthird,2,20\n"
	args := func(more ...string) []string {
		return append(append([]string{"--batch"}, more...), "grey-surface-radiation")
	}
	csv := calcOn(t, table, args("-", "--format", "csv", "--output", "csv")...)
	if csv.code != exitFailed || !strings.Contains(csv.out, "first,0.9,76.85,765.8195051509771,") || !strings.Contains(csv.out, ",MISSING_REQUIRED_INPUT,temperature,") {
		t.Fatalf("%d\n%s%s", csv.code, csv.out, csv.err)
	}
	for _, end := range []string{".parquet", ".arrow"} {
		rows := at("answers" + end)
		if r := calcOn(t, table, args("-", "--format", "csv", "-o", rows)...); r.code != exitFailed || r.out != "" {
			t.Fatalf("%s: %d\n%s%s", end, r.code, r.out, r.err)
		}
		again := calcOn(t, "", args(rows, "--output", "csv")...)
		lines, wanted := strings.Split(again.out, "\n"), strings.Split(csv.out, "\n")
		if again.code != exitFailed || len(lines) != len(wanted) {
			t.Fatalf("%s: %d\n%s%s", end, again.code, again.out, again.err)
		}
		for i, want := range wanted { // the new results replace the old ones
			if lines[i] != want {
				t.Errorf("%s: %s\nwant %s", end, lines[i], want)
			}
		}
	}
	cut, err := os.ReadFile(at("answers.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	r := calcOn(t, string(cut[:len(cut)-9]), "--batch", "-", "--format", "parquet", "-o", at("none.csv"), "grey-surface-radiation")
	if _, err := os.Stat(at("none.csv")); r.code != exitFailed || !strings.Contains(r.err, "INVALID_COLUMNS") || !os.IsNotExist(err) {
		t.Errorf("a part of a file: %d %s %v", r.code, r.err, err)
	}
}

// fieldOf returns a text member of a problem.
func fieldOf(t *testing.T, problem, name string) string {
	t.Helper()
	var p map[string]any
	if err := json.Unmarshal([]byte(problem), &p); err != nil {
		t.Fatal(err)
	}
	text, _ := p[name].(string)
	return text
}

// A number with its unit in one text means the same in every parameter that takes it, and the same as an object.
func TestQuantityAsText(t *testing.T) {
	h := startAll(t)
	const address, text = "/api/v1/calc/ohms-law", `{"V":"12000 mV","R":"0.008 kΩ"}`
	status, want := h.post(t, address, `{"V":{"value":12000,"unit":"mV"},"R":{"value":0.008,"unit":"kohm"}}`)
	if _, rest := h.post(t, address, text); status != 200 || rest != want {
		t.Errorf("REST\n%s\nwant %s", rest, want)
	}
	if executed, _ := h.tool(t, "execute_calculation", `{"capability_id":"ohms-law","inputs":`+text+`}`); executed+"\n" != want {
		t.Errorf("MCP\n%s\nwant %s", executed, want)
	}
	if lines := h.postLines(t, "?id=ohms-law", strings.NewReader(text)); lines[0] != want {
		t.Errorf("a batch\n%s\nwant %s", lines, want)
	}
	if status, refused := h.post(t, address, `{"V":"12000","R":"8 ohm"}`); status != 400 || fieldOf(t, refused, "code") != "INVALID_NUMBER" {
		t.Errorf("%d %s", status, refused)
	}
}

// Outputs are shown in the requested units, with all decimal digits.
func TestCalcUnit(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"ohms-law", "V=12", "R=8", "--unit", "current=mA", "--unit", "power=kW"}, exitOK, "  current      1500 mA    (1500)\n"},
		{[]string{"ohms-law", "V=12", "R=8", "--unit", "power=kW"}, exitOK, "  power        0.018 kW   (0.018)\n"},
		{[]string{"cantilever-deflection", "L=3", "E=210GPa", "I=8.356e-5", "w0=12000", "--unit", "delta=µm"}, exitOK, "  delta   1846.41 um   (1846.406346166997)\n"},
		{[]string{"ohms-law", "V=12", "R=8", "--unit", "mA"}, exitFailed, "Name the output: voltage=mA."},
		{[]string{"ohms-law", "V=12", "R=8", "--unit", "current=kg"}, exitFailed, "INCOMPATIBLE_UNIT"},
	} {
		got := calcOn(t, "", tt.args...)
		if got.code != tt.code || !strings.Contains(got.out+got.err, tt.says) {
			t.Errorf("%q: %d\n%s%s", tt.args, got.code, got.out, got.err)
		}
	}
}

// All commands read values on the command line in one way, the values of a study included, or refuse them with the
// reason.
func TestTextsOnTheCommandLine(t *testing.T) {
	beam := []string{"calc", "--json", "cantilever-deflection", "E=210GPa", "I=8.356e-5", "w0=12000"}
	study := func(kind string, args ...string) []string {
		return append([]string{"study", kind, "ohms-law", "--json", "--output", "current"}, args...)
	}
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{append(beam, "L=3-1/2 in"), exitOK, `"length":0.0889,`},
		{append(beam, `L=5' 3-1/2"`), exitOK, `"length":1.6129,`},
		{[]string{"calc", "ohms-law", "V=1,234", "R=8"}, exitFailed, "“1,234” has two readings, 1.234 and 1234\n  Write 1.234, or 1234."},
		{[]string{"calc", "ohms-law", "V=2*3", "R=8"}, exitFailed, "“2*3” is a calculation, which only the fields of pages take\n  Write its result, 6."},
		{[]string{"calc", "ohms-law", "V=10-12", "R=8"}, exitFailed, "“10-12” looks like a range"},
		{study("sweep", "R=8", "--vary", "V=1/2:3-1/2:2"), exitOK, "0.4375"},
		{study("sweep", "R=8", "--vary", "V=12 V; 24 V"), exitOK, "1.5"},
		{study("sweep", "R=8", "--vary", "V=1,5"), exitFailed, "“1,5” has two readings"},
		{study("sweep", "R=8", "--vary", "V=1-2:3:2"), exitFailed, "“1-2” looks like a range"},
		{study("goal-seek", "V=12", "--unknown", "resistance=1:10-12", "--goal", "1.2"), exitFailed, "“10-12” looks like a range"},
		{study("goal-seek", "V=12", "--unknown", "resistance=1:100", "--goal", "1,234"), exitFailed, "“1,234” has two readings"},
		{study("gum", "V=12", "R=8", "--uncertain", "V=1/10"), exitOK, "0.0125"},
		{study("gum", "V=12", "R=8", "--uncertain", "V=rectangular:0,1,2"), exitFailed, "“0,1,2” is not a number"},
	} {
		got := slipstick(t.Context(), append(tt.args, "--registry", built.registry)...)
		if got.code != tt.code || !strings.Contains(got.out+got.err, tt.says) || strings.Contains(got.err, "a string was sent") {
			t.Errorf("%q: %d\n%s%s", tt.args, got.code, got.out, got.err)
		}
	}
}

// A line that fails because its engine is missing gives a different exit code than an invalid line.
func TestCalcBatchDamaged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "registry")
	if err := os.CopyFS(dir, os.DirFS(built.registry)); err != nil {
		t.Fatal(err)
	}
	remove(t, documentBlob(t, filepath.Join(dir, "electrical.basic.ohms_law")))
	r := calcOn(t, badLine+goodLine+`{"id":"grey-surface-radiation","inputs":{"emissivity":0.9,"temperature":350}}`, "--registry", dir, "--batch", "-", "--output=result")
	if r.code != exitInternal || strings.Count(r.out, `"code":"ENGINE_UNAVAILABLE"`) != 2 || !strings.Contains(r.out, `{"result":{"heat_flux":`) || !strings.Contains(r.err, "2 failed") {
		t.Errorf("%d\n%s%s", r.code, r.out, r.err)
	}
	// If all rows need the engine, the batch ends with one error.
	r = calcOn(t, "V,R\n"+strings.Repeat("12,8\n", 10), "--registry", dir, "--batch", "-", "--format=csv", "ohms-law")
	if r.code != exitInternal || r.out != "" || strings.Count(r.err, "ENGINE_UNAVAILABLE: ") != 1 || !strings.Contains(r.err, "is missing: ") {
		t.Errorf("a table: %d\n%s%s", r.code, r.out, r.err)
	}
	r = calcOn(t, strings.Repeat(goodLine, 50_000), "--registry", dir, "--batch", "-")
	if r.code != exitInternal || strings.Count(r.out, "\n") > 25_000 || strings.Count(r.err, "ENGINE_UNAVAILABLE: ") != 1 || !strings.Contains(r.err, "rows failed: ") || !strings.Contains(r.err, "is missing: ") {
		t.Errorf("lines: %d, %d answers\n%s", r.code, strings.Count(r.out, "\n"), r.err)
	}
}

// An output file appears when it is complete. Otherwise the old file is unchanged.
func TestCalcBatchOut(t *testing.T) {
	out := write(t, "answers.ndjson", "before")
	r := calcOn(t, "V,Ohm\n", "--batch", "-", "--format=csv", "--out", out, "ohms-law")
	if data, err := os.ReadFile(out); r.code != exitFailed || err != nil || string(data) != "before" {
		t.Errorf("a batch that ended early: %d, %s, %v", r.code, data, err)
	}
	r = calcOn(t, goodLine+badLine, "--batch", "-", "--output=result", "--out", out)
	data, err := os.ReadFile(out)
	if r.code != exitFailed || r.out != "" || err != nil || !strings.HasPrefix(string(data), result12) || strings.Count(string(data), "\n") != 2 {
		t.Errorf("%d\n%s%s%s, %v", r.code, r.out, r.err, data, err)
	}
	if files, _ := os.ReadDir(filepath.Dir(out)); len(files) != 1 {
		t.Errorf("left behind: %v", files)
	}
	if r := calcOn(t, goodLine, "--batch", "-", "--out", filepath.Join(out, "below")); r.code != exitMisuse || !strings.Contains(r.err, "below") {
		t.Errorf("a place that is none: %d %s", r.code, r.err)
	}
}

// In a pipe, the command answers line by line, and ends on a signal.
func TestCalcBatchPipe(t *testing.T) {
	out := filepath.Join(t.TempDir(), "answers.ndjson")
	for _, args := range [][]string{{}, {"--out", out}} {
		cmd := exec.CommandContext(t.Context(), built.slipstick, append([]string{"calc", "--registry", built.registry, "--batch", "-", "--output=result"}, args...)...)
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		answers := bufio.NewReader(stdout)
		for range 3 {
			fmt.Fprint(stdin, goodLine)
			if len(args) > 0 {
				waitFor(t, filepath.Dir(out))
				continue
			}
			if line, err := answers.ReadString('\n'); err != nil || line != result12 {
				t.Fatalf("%q, %v", line, err)
			}
		}
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, answers)
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitInternal || !strings.Contains(errs.String(), "the batch ended after") {
			t.Errorf("interrupted: %v, %s", err, errs.String())
		}
	}
	if files, _ := os.ReadDir(filepath.Dir(out)); len(files) > 0 {
		t.Errorf("left behind: %v", files)
	}
}

// waitFor returns when the directory contains a file.
func waitFor(t *testing.T, dir string) {
	t.Helper()
	for start := time.Now(); time.Since(start) < patience; time.Sleep(10 * time.Millisecond) {
		if files, _ := os.ReadDir(dir); len(files) > 0 {
			return
		}
	}
	t.Fatal("nothing appeared in " + dir)
}
