package system

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// An engineer makes, judges, publishes and serves documents, without a compiler.
func TestDocuments(t *testing.T) {
	t.Setenv("PATH", "/usr/bin:/bin") // no Go
	dir := t.TempDir()
	does(t, "new", "--text", "structural.steel.sheet", "--dir", dir)
	sheet := filepath.Join(dir, "sheet.calc.md")
	source, err := os.ReadFile(sheet)
	if err != nil {
		t.Fatal(err)
	}
	out := does(t, "fmt", "--check", dir)
	if out != "" {
		t.Errorf("a new document is not canonical: %s", out)
	}
	writeDocument(t, filepath.Join(dir, "plate.calc.md"), strings.Replace(string(source), "structural.steel.sheet", "structural.steel.plate", 1))
	registry := filepath.Join(t.TempDir(), "registry")
	r := slipstick(t.Context(), "check", dir)
	if r.code != exitOK || strings.Count(r.out, "0 failed") != 2 {
		t.Errorf("check: %d\n%s%s", r.code, r.out, r.err)
	}
	does(t, "publish", "--to", registry, dir)
	h := startServer(t, "--registry", registry)
	status, answer := h.post(t, "/api/v1/calc/structural.steel.plate", `{"width":"1000 mm","height":"2 m","density":7850}`)
	if status != 200 || !strings.Contains(answer, `"mass":23.55`) {
		t.Errorf("%d %s", status, answer)
	}
	if size := sizeOf(t, registry); size > 40<<20 {
		t.Errorf("a registry with two documents has %d bytes: the runtime is there twice", size)
	}
}

// Mistakes of a document are reported with their places, and nothing is published.
func TestDocumentMistakes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	does(t, "new", "--text", "structural.steel.sheet", "--dir", dir)
	sheet := filepath.Join(dir, "sheet.calc.md")
	source, err := os.ReadFile(sheet)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ from, to, want string }{
		{"m = rho*A*t", "m = rho*A*d", "22:11: d is not an input, and nothing above defines it"},
		{"m = rho*A*t", "m = rho*A", "22:8: m is in kg, and this is in kg/m"},
		{"=> m == 31.4 kg", "=> m == 31.5 kg", "V2: mass: the source has 31.5 kg, the document gives 31.4 kg"},
		{"| mm    | (0,)  |         | Width", "| kNewton | (0,) |       | Width", `unit "kNewton" is not known: is it kN?`},
	}
	for _, test := range tests {
		writeDocument(t, sheet, strings.Replace(string(source), test.from, test.to, 1))
		registry := filepath.Join(t.TempDir(), "registry")
		for _, args := range [][]string{{"check", sheet}, {"publish", "--to", registry, sheet}} {
			r := slipstick(t.Context(), args...)
			if r.code != exitFailed || !strings.Contains(r.err, "sheet.calc.md:") || !strings.Contains(r.err, test.want) {
				t.Errorf("%s: %d %s, want %s", args[0], r.code, r.err, test.want)
			}
		}
		published, err := filepath.Glob(filepath.Join(registry, "*", "index.json"))
		if err != nil || len(published) > 0 {
			t.Errorf("%s: %s is published (%v)", test.to, published, err)
		}
	}
}

// The file of vectors of a document is checked, formatted, published, compared and rebuilt with it.
func TestDocumentWithVectorFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	does(t, "new", "--text", "structural.steel.sheet", "--dir", dir)
	sheet, rows := filepath.Join(dir, "sheet.calc.md"), filepath.Join(dir, "sheet.csv")
	source, err := os.ReadFile(sheet)
	if err != nil {
		t.Fatal(err)
	}
	document := strings.Replace(string(source), "- version: 1.0.0\n", "- version: 1.0.0\n- vectors: sheet.csv\n", 1)
	writeDocument(t, sheet, document)
	refuses := func(want string) {
		t.Helper()
		registry := filepath.Join(t.TempDir(), "registry")
		for _, args := range [][]string{{"check", sheet}, {"publish", "--to", registry, sheet}} {
			r := slipstick(t.Context(), args...)
			if r.code != exitFailed || !strings.Contains(r.err, want) {
				t.Errorf("%s: %d %s%s, want %s", args[0], r.code, r.out, r.err, want)
			}
		}
	}
	refuses("sheet.calc.md:7:12: the file of vectors is empty or missing")
	const heading, row = "width [mm],height [m],density,source,mass\n", "1000,2,7850,hand: 0.0015*2*7850,== %s\n"
	units := strings.Replace(heading, "density", "density [kg/m3]", 1)
	units = strings.Replace(units, "mass", "mass [kg]", 1)
	writeDocument(t, rows, heading+strings.Replace(row, "%s", "23.55", 1))
	refuses("sheet.csv:1:23: density has a unit: write density [kg/m3]")
	writeDocument(t, rows, units+strings.Replace(row, "%s", "23.56", 1))
	refuses("sheet.csv:2:36: line_2: mass: the source has 23.56, the document gives 23.55 kg")

	writeDocument(t, rows, strings.ReplaceAll(units+strings.Replace(row, "%s", "23.55", 1), "\n", "\r\n"))
	out := does(t, "fmt", dir)
	if !strings.HasSuffix(strings.TrimSpace(out), "sheet.csv") {
		t.Errorf("fmt: %s", out)
	}
	r := slipstick(t.Context(), "check", dir)
	if r.code != exitOK || !strings.Contains(r.out, "5 of 5 vectors") {
		t.Errorf("check: %d\n%s%s", r.code, r.out, r.err)
	}
	registry := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", registry, sheet)
	if out := does(t, "rebuild", "structural.steel.sheet@1.0.0", "--registry", registry, "--source", dir); !strings.Contains(out, "the same bytes") {
		t.Errorf("rebuild: %s", out)
	}
	if out := does(t, "show", "sheet", "--text", "--registry", registry); !strings.Contains(out, "- vectors: sheet.csv") {
		t.Errorf("show: %s", out)
	}
	writeDocument(t, sheet, strings.Replace(document, "version: 1.0.0", "version: 1.0.1", 1))
	if out := does(t, "diff", "structural.steel.sheet@1.0.0", sheet, "--registry", registry); !strings.Contains(out, "1.0.1") {
		t.Errorf("diff: %s", out)
	}
	writeDocument(t, sheet, document)
	writeDocument(t, rows, units+"1000,2,7850,hand: 0.0015*2*7850,23.5500\n")
	if r := slipstick(t.Context(), "publish", "--to", registry, sheet); r.code == exitOK || !strings.Contains(r.err, "1.0.0") {
		t.Errorf("other vectors with the same version: %+v", r)
	}
}

// The action judges documents without Go: all documents of a directory, or the changed ones.
func TestActionWithDocuments(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs(filepath.Join(root, ".github", "actions", "slipstick-check", "check.sh"))
	if err != nil {
		t.Fatal(err)
	}
	repository := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		command := append([]string{"-C", repository, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)
		out, err := exec.Command("git", command...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	dir := filepath.Join(repository, "calculations")
	does(t, "new", "--text", "structural.steel.sheet", "--dir", dir)
	sheet, plate := filepath.Join(dir, "sheet.calc.md"), filepath.Join(dir, "plate.calc.md")
	source, err := os.ReadFile(sheet)
	if err != nil {
		t.Fatal(err)
	}
	named := func(name string) string {
		return strings.Replace(string(source), "structural.steel.sheet", "structural.steel."+name, 1)
	}
	writeDocument(t, plate, strings.Replace(named("plate"), "- version: 1.0.0\n", "- version: 1.0.0\n- vectors: plate.csv\n", 1))
	const rows = "b [mm],h [m],rho [kg/m3],m [kg],source\n1000,2,7850,== 23.55,hand: 0.0015*2*7850\n"
	writeDocument(t, filepath.Join(dir, "plate.csv"), rows)
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "first")
	judged := func(since, outcome string, want ...string) {
		t.Helper()
		temp := t.TempDir()
		cmd := exec.Command("bash", script)
		cmd.Dir = repository
		cmd.Env = append(os.Environ(), "PATH=/usr/bin:/bin", "ENGINES=calculations", "SINCE="+since, "SLIPSTICK="+built.slipstick, "RUNNER_TEMP="+temp, "REPORTS="+temp, "SANDBOX=true",
			"GITHUB_OUTPUT="+filepath.Join(temp, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(temp, "summary"))
		out, _ := cmd.CombinedOutput()
		said, err := os.ReadFile(filepath.Join(temp, "output"))
		if err != nil || string(said) != "outcome="+outcome+"\n" || strings.Count(string(out), " rules passed") != len(want) {
			t.Errorf("since %q: %q (%v)\n%s", since, said, err, out)
		}
		for _, name := range want {
			if !strings.Contains(string(out), "structural.steel."+name+" 1.0.0") {
				t.Errorf("since %q: no %s\n%s", since, name, out)
			}
		}
	}
	judged("", "pass", "plate", "sheet")
	judged("HEAD", "pass")
	writeDocument(t, filepath.Join(dir, "plate.csv"), strings.Replace(rows, "hand: ", "hand: twice ", 1))
	judged("HEAD", "pass", "plate")
	writeDocument(t, filepath.Join(dir, "roof.calc.md"), named("roof"))
	judged("HEAD", "pass", "plate", "roof")
}

// A document that changes after its check is judged again when it is published. Nothing of the wrong one is published.
func TestDocumentChangesAfterCheck(t *testing.T) {
	t.Parallel()
	dir, registry := t.TempDir(), filepath.Join(t.TempDir(), "registry")
	does(t, "new", "--text", "structural.steel.sheet", "--dir", dir)
	sheet := filepath.Join(dir, "sheet.calc.md")
	does(t, "check", sheet)
	source, err := os.ReadFile(sheet)
	if err != nil {
		t.Fatal(err)
	}
	writeDocument(t, sheet, strings.Replace(string(source), "m = rho*A*t", "m = 2*rho*A*t", 1))
	r := slipstick(t.Context(), "publish", "--to", registry, sheet)
	published, err := filepath.Glob(filepath.Join(registry, "*", "index.json"))
	if r.code != exitFailed || !strings.Contains(r.err, "V1: mass: the source has 23.55 kg, the document gives 47.1 kg") || err != nil || len(published) > 0 {
		t.Errorf("%+v, %v, %v", r, published, err)
	}
}

// If publishing is killed at any time, the registry stays valid: it has the whole release or nothing of it.
func TestDocumentPublishingKilled(t *testing.T) {
	t.Parallel()
	dir, registry := t.TempDir(), filepath.Join(t.TempDir(), "registry")
	does(t, "new", "--text", "structural.steel.sheet", "--dir", dir)
	sheet := filepath.Join(dir, "sheet.calc.md")
	killed := 0
	for _, after := range []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, 600 * time.Millisecond, time.Second, 2 * time.Second} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		err := exec.CommandContext(ctx, built.slipstick, "publish", "--to", registry, sheet).Run()
		cancel()
		if err != nil {
			killed++
		}
		_, err = os.Stat(registry)
		if err != nil {
			continue
		}
		r := slipstick(t.Context(), "verify", "--registry", registry)
		published := slipstick(t.Context(), "show", "sheet", "--text", "--registry", registry)
		if r.code != exitOK && published.code == exitOK {
			t.Errorf("after %v: %+v", after, r)
		}
	}
	does(t, "publish", "--to", registry, sheet)
	does(t, "verify", "--registry", registry)
	if killed == 0 {
		t.Error("nothing was killed")
	}
}

// The commands of the tutorial work, in its order.
func TestDocumentTutorial(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs", "start", "document-author.md"))
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(page), "````markdown\n")
	document, after, found := strings.Cut(rest, "````\n")
	if !found {
		t.Fatal("the tutorial has no document")
	}
	bin := t.TempDir()
	err = os.Symlink(built.slipstick, filepath.Join(bin, "slipstick"))
	if err != nil {
		t.Fatal(err)
	}
	a := &author{dir: t.TempDir(), env: append(os.Environ(), "PATH="+bin+":/usr/bin:/bin")} // no Go
	var h *server
	types := func(text string) {
		for _, b := range blocks(text) {
			if b.language != "console" {
				continue
			}
			lines := slices.Clone(b.lines)
			at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "$ slipstick serve ") })
			if at >= 0 {
				a.types(t, lines[:at])
				h = startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", filepath.Join(a.dir, "registry"), "--data", t.TempDir()})
				a.typed++
				continue
			}
			if h != nil {
				lines[0] = strings.Replace(lines[0], "http://127.0.0.1:8080", h.url, 1)
			}
			a.types(t, lines)
		}
	}
	types(before)
	a.write(t, "plate_tension.calc.md", document)
	types(after)
	if a.typed < 7 || h == nil {
		t.Errorf("the tutorial has only %d commands", a.typed)
	}
}

func writeDocument(t *testing.T, path, text string) {
	t.Helper()
	err := os.WriteFile(path, []byte(text), 0o600)
	if err != nil {
		t.Fatal(err)
	}
}

// A document with a recurrence that takes too much work is refused with the definition, and nothing of it is published.
// If only some inputs take too much work, a call with them is rejected with the input to change.
func TestDocumentTakesTooMuchWork(t *testing.T) {
	t.Parallel()
	const document = `# Chaos

Steps of a map with chaos.

- id: test.hostile.chaos
- version: 1.0.0
- keywords: chaos

## Inputs

| symbol | name   | unit    | range  | default | doc                    |
| ------ | ------ | ------- | ------ | ------- | ---------------------- |
| a      | start  |         | [0,1]  |         | First value.           |
| n      | steps  | integer | [1,10] |         | Steps.                 |
| k      | rounds | integer | [1,10] | 1       | Rounds of these steps. |
| m      | series | integer | [1,10] | 1       | Series of rounds.      |

## Formula

FENCEformula
x[0] = a
x[i in 1..n*k*m] = sin(30*x[i-1])
last = x[n*k*m]
FENCE

## Outputs

| symbol | name | unit | doc         |
| ------ | ---- | ---- | ----------- |
| last   | last |      | Last value. |

## References

- none: none

## Vectors

FENCEvectors
V1: hand: sin(3)
  a = 0.1, n = 1
  => last = 0.1411200080598672
V2 like V1: hand: sin(30*sin(3))
  n = 2
  => last = -0.8875536072593135
V3 like V1: hand: sin(30*sin(3))
  k = 2
  => last = -0.8875536072593135
V4 like V1: hand: sin(30*sin(3))
  m = 2
  => last = -0.8875536072593135
V5: hand: all steps from 0
  a = 0, n = 10, k = 10, m = 10
  => last == 0
FENCE
`
	good := strings.ReplaceAll(document, "FENCE", "```")
	file, registry := filepath.Join(t.TempDir(), "chaos.calc.md"), filepath.Join(t.TempDir(), "registry")
	writeDocument(t, file, strings.Replace(good, "a = 0, n", "a = 0.3, n", 1))
	for _, args := range [][]string{{"check", file}, {"publish", "--to", registry, file}} {
		r := slipstick(t.Context(), args...)
		if r.code != exitFailed || !strings.Contains(r.err, "V5: the document rejects this: UNDECIDED (steps)") || !strings.Contains(r.err, "it takes more work than is allowed. Most of the work is for x") {
			t.Errorf("%s: %d\n%s%s", args[0], r.code, r.out, r.err)
		}
	}
	published, err := filepath.Glob(filepath.Join(registry, "*", "*"))
	if err != nil || len(published) > 0 {
		t.Errorf("published: %v, %v", published, err)
	}
	writeDocument(t, file, good)
	does(t, "publish", "--to", registry, file)
	h := startServer(t, "--registry", registry)
	status, answer := h.post(t, "/api/v1/calc/chaos", `{"start":0.3,"steps":10,"rounds":10,"series":10}`)
	if status != 400 || !strings.Contains(answer, `"UNDECIDED"`) || !strings.Contains(answer, "Give a smaller value of steps.") || !strings.Contains(answer, "Most of the work is for x") {
		t.Errorf("%d %s", status, answer)
	}
	status, answer = h.post(t, "/api/v1/calc/chaos", `{"start":0.1,"steps":1}`)
	if status != 200 || !strings.Contains(answer, `"last":0.1411200080598672`) {
		t.Errorf("%d %s", status, answer)
	}
}
