package system

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/requirements"
)

// enginePath returns the path of an engine that all tests share.
func enginePath(name string) string { return filepath.Join(built.engines, name) }

func TestCheck(t *testing.T) {
	t.Parallel()
	engine := enginePath("grey_surface")
	r := slipstick(t.Context(), "check", engine)
	if r.code != exitOK || !strings.Contains(r.out, " 0 failed") || strings.Count(r.out, "\n") != 3 {
		t.Errorf("check: %d\n%s%s", r.code, r.out, r.err)
	}
	r = slipstick(t.Context(), "check", "--verbose", engine)
	if r.code != exitOK || strings.Count(r.out, "\npass ") < 25 || !strings.Contains(r.out, "n/a   plots") {
		t.Errorf("check --verbose: %d\n%s%s", r.code, r.out, r.err)
	}
	r = slipstick(t.Context(), "check", "--json", engine)
	var got report.Report
	if err := json.Unmarshal([]byte(r.out), &got); r.code != exitOK || err != nil || !got.Passed || got.Requirements != requirements.Newest().Name {
		t.Errorf("check --json: %d, %v\n%s%s", r.code, err, r.out, r.err)
	}
	if len(got.EngineDigests) != 1 || got.Generated.Asked < 100 || len(got.Coverage) == 0 {
		t.Errorf("the report has %+v, %+v and %d reaches", got.EngineDigests, got.Generated, len(got.Coverage))
	}
	rules := 0
	for _, set := range requirements.Sets() {
		rules += len(set.Rules)
	}
	r = slipstick(t.Context(), "check", "--rules")
	if r.code != exitOK || !strings.HasPrefix(r.out, "2027-02, for the engine contract") || strings.Count(r.out, " an engine must") != rules {
		t.Errorf("check --rules: %d\n%s%s", r.code, r.out, r.err)
	}
}

// CI depends on the exit codes.
func TestCheckExitCodes(t *testing.T) {
	t.Parallel()
	good, none := enginePath("grey_surface"), filepath.Join(t.TempDir(), "none")
	bad := filepath.Join(t.TempDir(), "known.json")
	if err := os.WriteFile(bad, []byte("[1]"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{good}, exitOK, ""},
		{[]string{"/bin/true"}, exitFailed, "failed: 1 of 1 engine"},
		{[]string{good, "/bin/true", none}, exitFailed, "failed: 1 of 3 engines"},
		{[]string{}, exitMisuse, "at least one engine"},
		{[]string{"--requirements", "1999-01", good}, exitMisuse, "the sets are 2026-12, 2027-01, 2027-02"},
		{[]string{"--expected-failures", bad, good}, exitMisuse, "entry 1 is a number"},
		{[]string{"--expected-failures", none, good}, exitMisuse, "no such file"},
		{[]string{"--format", "xml", good}, exitMisuse, "--format"},
		{[]string{none}, exitInternal, "could not be judged: 1 of 1 engine"},
		{[]string{"--timeout", "1ms", good}, exitInternal, "could not be judged: 1 of 1 engine"},
		{[]string{"--output", filepath.Join(none, "report"), good}, exitMisuse, "--output: cannot open"},
	} {
		r := slipstick(t.Context(), append([]string{"check"}, c.args...)...)
		if r.code != c.code || !strings.Contains(r.err, c.says) {
			t.Errorf("%v: %d, want %d\n%s%s", c.args, r.code, c.code, r.out, r.err)
		}
	}
}

// If a machine has too few file descriptors left to start an engine, the check does not report a defect of the
// engine.
func TestCheckWithoutFileDescriptors(t *testing.T) {
	out, err := exec.Command("bash", "-c", fmt.Sprintf("ulimit -n 14; %q check --no-sandbox %q", built.slipstick, enginePath("grey_surface"))).Output()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != exitInternal || !strings.Contains(string(out), "too many open files") || strings.Contains(string(out), "FAIL") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestPublishWithoutExpectedFailures(t *testing.T) {
	r := slipstick(t.Context(), "publish", "--to", t.TempDir(), "--expected-failures", "known.json", enginePath("grey_surface"))
	if r.code != exitMisuse || !strings.Contains(r.err, "--expected-failures") {
		t.Errorf("%d\n%s%s", r.code, r.out, r.err)
	}
}

// Several engines give several suites, and one badge.
func TestCheckWritesReports(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	r := slipstick(t.Context(), "check", "--junit", in("j.xml"), "--badge", in("b.json"), "--report", in("r.json"), "--output", in("t.txt"),
		enginePath("grey_surface"), enginePath("ohms_law"))
	if r.code != exitOK || r.out != "" {
		t.Fatalf("%d\n%s%s", r.code, r.out, r.err)
	}
	for name, want := range map[string]string{
		"j.xml": `<testsuite name="electrical.basic.ohms_law`, "b.json": `"108 of 108 rules, `, "t.txt": "electrical.basic.ohms_law 1.",
		"r.json": `"capability_id": "electrical.basic.ohms_law"`,
	} {
		if data, err := os.ReadFile(in(name)); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s has no %s (%v)\n%.2000s", name, want, err, data)
		}
	}
}

// guide returns an author with the files of the guide and an engine with the name engine.
func guide(t *testing.T, text string) *author {
	t.Helper()
	bin := t.TempDir()
	a := &author{dir: t.TempDir(), env: append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))}
	for from, to := range map[string]string{built.slipstick: filepath.Join(bin, "slipstick"), enginePath("grey_surface"): filepath.Join(a.dir, "engine")} {
		if err := os.Symlink(from, to); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range blocks(text) {
		switch content := strings.Join(b.lines, "\n") + "\n"; b.language {
		case "json":
			a.write(t, "known.json", content)
		case "sh":
			a.write(t, "gate.sh", content)
		}
	}
	return a
}

// Every command of the guide prints the output that the guide shows.
func TestConformanceGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "docs", "reference", "conformance.md"))
	if err != nil {
		t.Fatal(err)
	}
	a := guide(t, string(text))
	for _, b := range blocks(string(text)) {
		if b.language == "console" {
			a.types(t, b.lines)
		}
	}
	if a.typed < 9 {
		t.Errorf("the guide has only %d commands", a.typed)
	}
}
