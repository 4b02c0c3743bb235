package system

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every command of the contract for other languages works. The engines in Python and Node are built, checked,
// published and executed in the sandbox. A server then serves them.
func TestContractGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile(filepath.Join(root, "docs", "contract.md"))
	if err != nil {
		t.Fatal(err)
	}
	checkout, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	a := newAuthor(t)
	a.env = append(a.env, "SLIPSTICK_CHECKOUT="+checkout)
	for _, b := range blocks(string(guide)) {
		if b.language == "console" {
			a.types(t, b.lines)
		}
	}
	if a.typed != 8 {
		t.Errorf("the guide has %d commands", a.typed)
	}
	h := startServer(t, "--registry", filepath.Join(a.dir, "registry"))
	for _, said := range h.said {
		if strings.Contains(said, "WARNING") {
			t.Errorf("serve said %s", said)
		}
	}
	servesOtherLanguages(t, h)
}

// servesOtherLanguages calls a server with the features that differ between languages: values of every kind,
// codes, and rows one at a time.
func servesOtherLanguages(t *testing.T, h *server) {
	t.Helper()
	for _, tt := range []struct {
		tool, body string
		status     int
		has        string
	}{
		{"preferred-resistor", `{"R":450}`, 200, `"result":{"preferred":470,"deviation":0.044444444444444446}`},
		{"preferred-resistor", `{"R":"2.2000000000000000001"}`, 200, `"preferred":2.4,`},
		{"preferred-resistor", `{"R":2.2,"series":"E12"}`, 200, `"preferred":2.2,`},
		{"preferred-resistor", `{"R":{"value":9.2,"unit":"kohm"}}`, 200, `"code":"DEVIATION_ABOVE_TOLERANCE"`},
		{"preferred-resistor", `{"R":0}`, 400, `"code":"RESISTANCE_OUT_OF_RANGE"`},
		{"preferred-resistor", `{"R":1e-400}`, 400, `"code":"NUMERIC_UNDERFLOW"`},
		{"preferred-resistor", `{}`, 400, `"code":"MISSING_REQUIRED_INPUT"`},
		{"preferred-resistor", `{"R":1,"series":"e48"}`, 400, `"code":"INVALID_MODE"`},
		{"simple-interest", `{"P":"1000.00","r":"0.05","days":90,"year":"actual_360"}`, 200, `"result":{"interest":12.5,"total":1012.5,"unrounded":12.5}`},
		{"simple-interest", `{"P":"1.50","r":0.01,"days":365}`, 200, `"result":{"interest":0.02,"total":1.52,"unrounded":0.015}`},
		{"simple-interest", `{"P":1,"r":1,"days":360,"year":"actual_360"}`, 200, `"id":"actual_360_v1"`},
		{"simple-interest", `{"P":1,"r":11,"days":1}`, 400, `"field":"rate"`},
		{"simple-interest", `{"P":1e300,"r":1,"days":1}`, 400, `"code":"PRINCIPAL_OUT_OF_RANGE"`},
	} {
		status, body := h.post(t, "/api/v1/calc/"+tt.tool, tt.body)
		if status != tt.status || !strings.Contains(body, tt.has) {
			t.Errorf("%s %s: %d %s\nwant %d with %s", tt.tool, tt.body, status, body, tt.status, tt.has)
		}
	}
	const rows = 200
	var batch, want strings.Builder
	for i := range rows {
		switch i % 4 {
		case 0:
			batch.WriteString(`{"id":"preferred-resistor","inputs":{"R":450}}` + "\n")
			want.WriteString(`{"result":{"preferred":470,"deviation":0.044444444444444446}}` + "\n")
		case 1:
			batch.WriteString(`{"id":"simple-interest","inputs":{"P":1000,"r":0.05,"days":73}}` + "\n")
			want.WriteString(`{"result":{"interest":10,"total":1010,"unrounded":10}}` + "\n")
		case 2:
			batch.WriteString(`{"id":"preferred-resistor","inputs":{"R":0}}` + "\n")
			want.WriteString("RESISTANCE_OUT_OF_RANGE\n")
		case 3:
			batch.WriteString(`{"id":"simple-interest","inputs":{"P":-1,"r":0.05,"days":73}}` + "\n")
			want.WriteString("PRINCIPAL_MUST_BE_NONNEGATIVE\n")
		}
	}
	answers := h.postLines(t, "?output=result", strings.NewReader(batch.String()))
	wanted := strings.Split(strings.TrimSpace(want.String()), "\n")
	if len(answers) != rows {
		t.Fatalf("%d answers to %d rows", len(answers), rows)
	}
	for i, answer := range answers {
		answer = strings.TrimSpace(answer)
		if code := `"code":"` + wanted[i] + `"`; answer != wanted[i] && !strings.Contains(answer, code) {
			t.Errorf("row %d: %s, want %s", i, answer, wanted[i])
		}
	}
}

// An engine in another language that declares no files to read is treated like any other: it does not start, and
// the reason is reported.
func TestLanguageWithoutDeclaration(t *testing.T) {
	engine := filepath.Join(t.TempDir(), "preferred_resistor")
	if out, err := exec.Command(filepath.Join(root, "docs", "examples", "python", "build"), engine).CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	if r := slipstick(t.Context(), "check", engine); r.code != exitFailed || !strings.Contains(r.out, "read_only_paths") {
		t.Errorf("check without --read-only: %d\n%s%s", r.code, r.out, r.err)
	}
}

// The packages for other languages have tests of the contract, like the SDK. A new engine passes its own tests, is
// built by its package, and conforms without changes.
func TestLanguagePackages(t *testing.T) {
	busy(t)
	checkout, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	packages := filepath.Join(checkout, "sdk")
	a := newAuthor(t)
	a.types(t, []string{
		"$ /usr/bin/python3 -m unittest discover -s " + packages + "/python/tests 2>&1",
		"$ " + packages + "/node/bundle && node --test " + packages + "/node/test/ > /dev/null",
	})
	for language, build := range map[string]string{
		"python": "export PYTHONPATH=" + packages + "/python/src; /usr/bin/python3 -m unittest -q 2>&1; /usr/bin/python3 -m slipstick_engine build --output engine",
		"node":   "mkdir node_modules; ln -s " + packages + "/node node_modules/slipstick-engine; node --test > /dev/null; node node_modules/slipstick-engine/dist/build.js build --output engine",
	} {
		a.types(t, []string{
			"$ slipstick new --lang " + language + " examples.area." + language + " > /dev/null",
			"$ (cd " + language + "; " + build + "; slipstick check --read-only /usr/lib,/usr/lib64 engine | grep ' 0 failed, ')",
		})
	}
}
