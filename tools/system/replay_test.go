package system

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Answers of a server are the same after recomputation, for every kind of record, and changed records are found
// and named. The reported effect of another version equals the difference between the answers of both versions.
func TestReplayAndImpact(t *testing.T) {
	rows := 300
	if soaking {
		rows = 100_000
	}
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "ledger")
	h := startAll(t, "--data", data, "--ledger", dir, "--ledger-record", "inputs", "--limit", unlimited)
	var lines strings.Builder
	for i := range rows {
		fmt.Fprintf(&lines, `{"id":"grey-surface-radiation","inputs":{"emissivity":%v,"temperature":%v}}`+"\n", float64(i%97+1)/97, 200+float64(i)*0.73)
	}
	answered := func(version string) string {
		status, body := h.post(t, "/api/v1/batch?output=attributed", lines.String(), "Content-Type", "application/x-ndjson", "Service-Spec-Version", version)
		if status != 200 || strings.Count(body, "\n") != rows {
			t.Fatalf("batch: %d with %d lines", status, strings.Count(body, "\n"))
		}
		return body
	}
	older, newer := answered("1.0.0"), answered("2.0.0")
	h.receiptOf(t, "/api/v1/calc/ohms-law", `{"V":12,"R":-8}`, 400)
	status, body := h.post(t, "/api/v1/share", `{"tool":"ohms-law","inputs":`+ohms+`}`)
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(body), &made); err != nil || status != 201 {
		t.Fatal(status, body)
	}
	_, created := h.get(t, "/api/v1/share/"+made.ID)
	h.stop(t)

	on := func(want int, args ...string) string {
		t.Helper()
		r := slipstick(t.Context(), append(args, "--registry", built.registry, "--data", data)...)
		if r.code != want {
			t.Errorf("%v: exit %d, want %d\n%.2000s%s", args, r.code, want, r.out, r.err)
		}
		return r.out + r.err
	}
	report := func(text string) (r replayed) {
		t.Helper()
		if err := json.NewDecoder(strings.NewReader(text)).Decode(&r); err != nil {
			t.Fatal(err, text)
		}
		return r
	}
	answers, snapshot, junit := write(t, "answers.ndjson", older), write(t, "snapshot.json", created), filepath.Join(t.TempDir(), "junit.xml")
	apart := uint64(max(0, rows-1000)) // rows of each batch without their own record
	want := exitOK
	if apart > 0 {
		want = exitInternal
	}
	r := report(on(want, "replay", "--json", dir, answers, snapshot, data, made.ID))
	if r.Same != r.Read || r.Read != uint64(rows)+2*(uint64(rows)-apart)+2+3 || r.Missing != 2*apart || len(r.Releases) != 3 || r.Releases[0].Results["same"] != 5 {
		t.Errorf("%+v", r)
	}

	// The same holds for an export of a ledger, with columns for all records or for the records of one release.
	exported := t.TempDir()
	one := []string{"--capability", "thermo.radiation.grey_surface", "--calculation-version", "1.0.0", "--registry", built.registry}
	for name, args := range map[string][]string{"all.ndjson": nil, "all.parquet": nil, "one.arrow": one, "one.parquet": one} {
		does(t, append([]string{"ledger", "export", dir, "-o", filepath.Join(exported, name)}, args...)...)
	}
	kept := uint64(rows) - apart // rows of each version, in addition to two others
	r = report(on(want, "replay", "--json", exported))
	if r.Same != r.Read || r.Read != 2*(2*kept+2)+2*kept {
		t.Errorf("%+v, with %d records of a release", r, kept)
	}
	if code := fmt.Sprintf("%d changed, 0 refused now", kept); !strings.Contains(on(exitOK, "impact", "grey-surface-radiation@2.0.0", "--over", filepath.Join(exported, "one.parquet")), code) {
		t.Error("no " + code)
	}
	if r := slipstick(t.Context(), "ledger", "export", dir, "-o", filepath.Join(exported, "a.csv")); r.code != exitMisuse {
		t.Errorf("CSV: %d %s", r.code, r.err)
	}

	row := slices.Collect(strings.Lines(older))[rows/2]
	at := strings.Index(row, `"heat_flux":`) + len(`"heat_flux":`)
	digit := "1"
	if row[at] == '1' {
		digit = "2"
	}
	for name, tt := range map[string]struct {
		text, what string
		code       int
	}{
		"result":   {strings.Replace(older, row, row[:at]+digit+row[at+1:], 1), fmt.Sprintf(".ndjson:%d: heat_flux is ", rows/2+1), exitFailed},
		"inputs":   {strings.Replace(older, row, strings.Replace(row, `"inputs":{"emissivity":0.`, `"inputs":{"emissivity":0.9`, 1), 1), fmt.Sprintf(".ndjson:%d: heat_flux is ", rows/2+1), exitFailed},
		"digest":   {strings.Replace(older, row, strings.Replace(row, "sha256:", "sha256:0", 1), 1), "not computed: 1, by another release", exitInternal},
		"version":  {strings.Replace(older, row, strings.Replace(row, `"calculation_version":"1.0.0"`, `"calculation_version":"2.0.0"`, 1), 1), "not computed: 1, by another release", exitInternal},
		"snapshot": {strings.Replace(created, `"current":1.5`, `"current":1.6`, 1), ".ndjson:1: current is 1.5, and was 1.6 (by 0.063 of it", exitFailed},
	} {
		if out := on(tt.code, "replay", "--junit", junit, write(t, "changed.ndjson", tt.text)); !strings.Contains(out, tt.what) {
			t.Errorf("%s: no %q in %.2000s", name, tt.what, out)
		}
	}
	if text, err := os.ReadFile(junit); err != nil || !strings.Contains(string(text), "<testsuites") {
		t.Errorf("%s, %v", text, err)
	}
	on(exitMisuse, "replay", filepath.Join(data, "none"))
	on(exitMisuse, "replay", "--forensic", "--no-sandbox", answers)

	// A revoked release runs only on request, and only in a sandbox.
	const ohmsLaw = "electrical.basic.ohms_law"
	withdrawn := filepath.Join(t.TempDir(), "registry")
	if err := os.CopyFS(withdrawn, os.DirFS(built.registry)); err != nil {
		t.Fatal(err)
	}
	does(t, "revoke", "--registry", withdrawn, ohmsLaw, "1.0.1", "--reason", "it was wrong")
	if r := slipstick(t.Context(), "replay", snapshot, "--registry", withdrawn); r.code != exitInternal || !strings.Contains(r.out, "not computed: 1, revoked") || !strings.Contains(r.out, "it was wrong") {
		t.Errorf("exit %d: %s%s", r.code, r.out, r.err)
	}
	forensic := slipstick(t.Context(), "replay", snapshot, "--registry", withdrawn, "--forensic")
	if sandboxed := !strings.Contains(forensic.err, "needs a whole sandbox"); sandboxed && (forensic.code != exitOK || !strings.Contains(forensic.out, "1 bit-identical")) || !sandboxed && forensic.code != exitMisuse {
		t.Errorf("exit %d: %s%s", forensic.code, forensic.out, forensic.err)
	}

	// Before its publication, the other version is a file.
	engine := filepath.Join(built.engines, "grey_surface")
	for condition, want := range map[string]int{"changed": exitFailed, "rel=1e-9": exitFailed, "rel=1e-5": exitOK, "refused": exitOK, "more": exitMisuse} {
		on(want, "impact", engine, "--over", answers, "--fail-on", condition, "--junit", junit)
	}
	html := filepath.Join(t.TempDir(), "impact.html")
	checkEffect(t, on(exitOK, "impact", engine, "--over", answers, "--json", "--html", html), answers, older, newer)
	if text := on(exitOK, "impact", "grey-surface-radiation@2.0.0", "--over", answers); !strings.Contains(text, fmt.Sprintf("%d changed, 0 refused now", rows)) {
		t.Error(text)
	}
	if page, err := os.ReadFile(html); err != nil || !strings.Contains(string(page), "heat_flux") || !strings.Contains(string(page), "<svg") {
		t.Errorf("%.500s, %v", page, err)
	}
}

// checkEffect compares an effect with the answers of both versions.
func checkEffect(t *testing.T, text, file, older, newer string) {
	t.Helper()
	var effect struct {
		Read, Same, Different uint64
		Outputs               []struct {
			Field    string
			Changed  int
			Larger   int `json:"larger_now"`
			Relative struct{ Min, P50, P90, P99, Max float64 }
			Absolute float64 `json:"largest_absolute"`
			Worst    []struct {
				Name     string
				Relative float64
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &effect); err != nil {
		t.Fatal(err, text)
	}
	was, is := heatFluxes(t, older), heatFluxes(t, newer)
	type changed struct {
		name     string
		relative float64
	}
	var all []changed
	larger, absolute := 0, 0.0
	for i := range was {
		if was[i] == is[i] {
			continue
		}
		if is[i] > was[i] {
			larger++
		}
		absolute = max(absolute, math.Abs(is[i]-was[i]))
		all = append(all, changed{fmt.Sprintf("%s:%d", file, i+1), math.Abs(is[i]-was[i]) / math.Abs(was[i])})
	}
	slices.SortStableFunc(all, func(a, b changed) int {
		if a.relative > b.relative {
			return -1
		} else if a.relative < b.relative {
			return 1
		}
		return 0
	})
	below := func(percent int) float64 { return all[len(all)-(len(all)*percent+99)/100].relative }
	o := effect.Outputs[0]
	if effect.Read != uint64(len(was)) || effect.Different != uint64(len(all)) || o.Field != "heat_flux" || o.Changed != len(all) || o.Larger != larger || o.Absolute != absolute {
		t.Errorf("%.2000s", text)
	}
	if q := o.Relative; q.Max != all[0].relative || q.Min != all[len(all)-1].relative || q.P50 != below(50) || q.P90 != below(90) || q.P99 != below(99) {
		t.Errorf("%+v", q)
	}
	for i, w := range o.Worst {
		if w.Name != all[i].name || w.Relative != all[i].relative {
			t.Errorf("worst %d is %+v, want %+v", i, w, all[i])
		}
	}
}

func heatFluxes(t *testing.T, answers string) (list []float64) {
	t.Helper()
	for line := range strings.Lines(answers) {
		var a struct {
			Answer struct {
				Result struct {
					Flux float64 `json:"heat_flux"`
				}
			}
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		list = append(list, a.Answer.Result.Flux)
	}
	return list
}

// Output tables are recomputed in every format, with units, decimals, columns that are not inputs, and refused
// rows. Later changes are found. Typed columns name the release that computed them.
func TestReplayTables(t *testing.T) {
	rows := write(t, "rows.csv", "wire;V;R [kohm];L\nred;1,5;0,5;x\n=blue;7,25;1;\n;12;;\n;12;8 m;\n")
	tables := t.TempDir()
	on := func(code int, args ...string) string {
		t.Helper()
		r := slipstick(t.Context(), append(args, "--registry", built.registry)...)
		if r.code != code {
			t.Errorf("%v: exit %d, want %d\n%s%s", args, r.code, code, r.out, r.err)
		}
		return r.out + r.err
	}
	for _, format := range []string{"csv", "parquet", "arrow"} {
		on(exitFailed, "calc", "ohms-law", "--batch", rows, "--decimal", "comma", "--unit", "current=mA", "-o", filepath.Join(tables, "answers."+format))
	}
	of := []string{"--of", "ohms-law@1.0.1", "--decimal", "comma"}
	var r replayed
	if err := json.NewDecoder(strings.NewReader(on(exitOK, append([]string{"replay", "--json", tables}, of...)...))).Decode(&r); err != nil || r.Read != 12 || r.Same != 12 || len(r.Releases) != 3 {
		t.Errorf("%+v, %v", r, err)
	}
	csv := filepath.Join(tables, "answers.csv")
	text, err := os.ReadFile(csv)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ old, new, says string }{
		"a result":   {"7,25;1000;", "7,26;1000;", "changed.csv:2: current is 7.25, and was 7.26"},
		"an input":   {"7,25;1;", "7,5;1;", "changed.csv:2: voltage is 7.5, and was 7.25"},
		"a refusal":  {"MISSING_REQUIRED_INPUT", "CONFLICTING_INPUTS", "changed.csv:3: it is refused with MISSING_REQUIRED_INPUT for current, and was with CONFLICTING_INPUTS"},
		"two of one": {";V;R", ";V;V", `two columns are named "V"`},
		"a header":   {"power [W]", "energy [J]", "the columns do not fit answers by electrical.basic.ohms_law 1.0.1"},
		"a cell":     {"7,25;1000;", "7,25;", "the row has 11 cells, and the header 12"},
		"a failure":  {"INCOMPATIBLE_UNIT", "ENGINE_UNAVAILABLE", "not computed: 1, nothing was answered"},
	} {
		if !strings.Contains(string(text), tt.old) {
			t.Fatalf("%s: %s", name, text)
		}
		code := exitInternal
		if strings.Contains(tt.says, "is ") && !strings.Contains(tt.says, "are ") {
			code = exitFailed
		}
		changed := write(t, "changed.csv", strings.Replace(string(text), tt.old, tt.new, 1))
		if out := on(code, append([]string{"replay", changed}, of...)...); !strings.Contains(out, tt.says) {
			t.Errorf("%s: %s", name, out)
		}
	}
	if out := on(exitInternal, "replay", csv); !strings.Contains(out, "name it with --of CAPABILITY@VERSION") {
		t.Error(out)
	}
	on(exitMisuse, "replay", csv, "--of", "ohms-law")
	on(exitMisuse, "replay", csv, "--decimal", "comma")
	on(exitInternal, "replay", csv, "--of", "ohms-law@9.0.0")

	// The plan of a directory of shards names the releases that computed them.
	parts := filepath.Join(t.TempDir(), "parts")
	for _, shard := range []string{"1/2", "2/2"} {
		on(exitOK, "calc", "ohms-law", "--batch", rows, "--decimal", "comma", "--unit", "current=mA", "--output", "csv", "--shard", shard, "-o", parts)
	}
	if out := on(exitOK, "replay", parts); !strings.Contains(out, "4 results read: 4 bit-identical") {
		t.Error(out)
	}
	second, err := filepath.Glob(filepath.Join(parts, "*-00002-of-00002.csv"))
	if err != nil || len(second) != 1 || os.Remove(second[0]) != nil {
		t.Fatal(second, err)
	}
	if out := on(exitInternal, "replay", parts); !strings.Contains(out, "the shard is not computed") {
		t.Error(out)
	}

	parquet := filepath.Join(tables, "surfaces.parquet")
	on(exitOK, "calc", "grey-surface-radiation", "--pin", "1.0.0", "--unit", "heat_flux=kW/m2", "-o", parquet, "--batch", write(t, "surfaces.csv", "emissivity,temperature\n0.8,300\n0.9,350\n"))
	if out := on(exitFailed, "impact", "grey-surface-radiation@2.0.0", "--over", parquet, "--fail-on", "rel=1e-9"); !strings.Contains(out, "2 changed") || !strings.Contains(out, " kW/m2") {
		t.Error(out)
	}
	whole, err := os.ReadFile(parquet)
	if err != nil {
		t.Fatal(err)
	}
	if out := on(exitInternal, "replay", write(t, "half.parquet", string(whole[:len(whole)/2]))); !strings.Contains(out, "not a Parquet file, or only the beginning of one") {
		t.Error(out)
	}
}
