package system

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every command of the contract for other languages works. The engine in Python is built, checked, published and
// executed in the sandbox. A server then serves it.
func TestContractGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile(filepath.Join(root, "docs", "reference", "engine-contract.md"))
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
	if a.typed != 4 {
		t.Errorf("the guide has %d commands", a.typed)
	}
	h := startServer(t, "--registry", filepath.Join(a.dir, "registry"))
	for _, said := range h.said {
		if strings.Contains(said, "WARNING") {
			t.Errorf("serve said %s", said)
		}
	}
	servesPython(t, h)
}

// servesPython calls a server with the features that differ between languages: values of every kind, codes, and
// rows one at a time.
func servesPython(t *testing.T, h *server) {
	t.Helper()
	for _, tt := range []struct {
		body   string
		status int
		has    string
	}{
		{`{"R":450}`, 200, `"result":{"preferred":470,"deviation":0.044444444444444446}`},
		{`{"R":"2.2000000000000000001"}`, 200, `"preferred":2.4,`},
		{`{"R":2.2,"series":"E12"}`, 200, `"preferred":2.2,`},
		{`{"R":{"value":9.2,"unit":"kohm"}}`, 200, `"code":"DEVIATION_ABOVE_TOLERANCE"`},
		{`{"R":0}`, 400, `"code":"RESISTANCE_OUT_OF_RANGE"`},
		{`{"R":1e-400}`, 400, `"code":"NUMERIC_UNDERFLOW"`},
		{`{}`, 400, `"code":"MISSING_REQUIRED_INPUT"`},
		{`{"R":1,"series":"e48"}`, 400, `"code":"INVALID_MODE"`},
	} {
		status, body := h.post(t, "/api/v1/calc/preferred-resistor", tt.body)
		if status != tt.status || !strings.Contains(body, tt.has) {
			t.Errorf("%s: %d %s\nwant %d with %s", tt.body, status, body, tt.status, tt.has)
		}
	}
	const rows = 200
	var batch, want strings.Builder
	for i := range rows {
		if i%2 == 0 {
			batch.WriteString(`{"id":"preferred-resistor","inputs":{"R":450}}` + "\n")
			want.WriteString(`{"result":{"preferred":470,"deviation":0.044444444444444446}}` + "\n")
		} else {
			batch.WriteString(`{"id":"preferred-resistor","inputs":{"R":0}}` + "\n")
			want.WriteString("RESISTANCE_OUT_OF_RANGE\n")
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

// The package for Python has tests of the contract, like the SDK. A new engine passes its own tests, is built by
// the package, and conforms without changes.
func TestPythonPackage(t *testing.T) {
	busy(t)
	checkout, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	python := filepath.Join(checkout, "sdk", "python")
	a := newAuthor(t)
	a.env = append(a.env, "PYTHONPATH="+python+"/src")
	a.types(t, []string{
		"$ /usr/bin/python3 -m unittest discover -s " + python + "/tests 2>&1",
		"$ slipstick new --lang python examples.area.python > /dev/null",
		"$ cd python",
		"$ /usr/bin/python3 -m unittest -q 2>&1",
		"$ /usr/bin/python3 -m slipstick_engine build --output engine",
		"$ slipstick check --read-only /usr/lib,/usr/lib64 engine | grep ' 0 failed, '",
	})
}
