package system

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// actionFile returns the absolute path of a file of the action.
func actionFile(t *testing.T, name string) string {
	t.Helper()
	file, err := filepath.Abs(filepath.Join(root, ".github", "actions", "slipstick-check", name))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// releases makes a directory with the archive of release 1.2.3 for this platform, and returns its URL.
func releases(t *testing.T) (dir, url string) {
	t.Helper()
	dir = t.TempDir()
	name := "slipstick-1.2.3-" + runtime.GOOS + "-" + runtime.GOARCH
	program := filepath.Join(dir, name)
	err := os.Mkdir(program, 0o755)
	for _, file := range []string{built.slipstick, filepath.Join(filepath.Dir(built.slipstick), "slipstick-text")} {
		if err == nil {
			err = os.Symlink(file, filepath.Join(program, filepath.Base(file)))
		}
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "v1.2.3"), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(dir, "v1.2.3", name+".tar.gz")
	if out, err := exec.Command("tar", "ch", "-C", dir, "-I", "gzip -1", "-f", archive, name).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	sums := fmt.Sprintf("%x  %s\n%s  other\n", sha256.Sum256(mustRead(t, archive)), name+".tar.gz", strings.Repeat("0", 64))
	if err := os.WriteFile(filepath.Join(dir, "v1.2.3", "SHA256SUMS"), []byte(sums), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, "file://" + dir
}

// scripted runs a script of the action, without Go.
func scripted(t *testing.T, dir string, args []string, env ...string) (code int, out string) {
	t.Helper()
	cmd := exec.Command("bash", args...)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=/usr/bin:/bin", "HOME=" + dir, "TMPDIR=" + os.TempDir()}, env...)
	text, _ := cmd.CombinedOutput()
	return cmd.ProcessState.ExitCode(), string(text)
}

// A release is downloaded once. A changed or missing one is not executed.
func TestDownloadRelease(t *testing.T) {
	t.Parallel()
	dir, from := releases(t)
	cache := t.TempDir()
	download := func(env ...string) (int, string) {
		return scripted(t, cache, []string{actionFile(t, "download.sh")}, append([]string{"DOWNLOADS=" + from, "CACHE=" + cache}, env...)...)
	}
	for _, env := range []string{"VERSION=1.2.3", "VERSION=v1.2.3", "ACTION_REF=v1.2.3"} {
		code, out := download(env)
		if code != 0 || filepath.Dir(filepath.Dir(strings.TrimSpace(out))) != cache {
			t.Fatalf("%s: %d %s", env, code, out)
		}
		if text, err := exec.Command(strings.TrimSpace(out), "version").Output(); err != nil || !strings.Contains(string(text), "slipstick") {
			t.Errorf("%s: %s %v", env, text, err)
		}
		if err := os.RemoveAll(filepath.Join(dir, "v1.2.3")); err != nil { // from now on the copy is used
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		env, want string
		code      int
	}{
		{"VERSION=1.2.4", "is there a release 1.2.4?", 3},
		{"VERSION=main", `"main" is none`, 2},
		{"VERSION=../../evil", "is none", 2},
		{"ACTION_REF=main", "name a release", 2},
	} {
		if code, out := download(tt.env); code != tt.code || !strings.Contains(out, tt.want) {
			t.Errorf("%s: %d %s, want %q", tt.env, code, out, tt.want)
		}
	}
	// pre-commit clones the revision without tags.
	origin, clone := t.TempDir(), filepath.Join(t.TempDir(), "clone")
	for _, command := range [][]string{
		{"cp", "-r", filepath.Dir(actionFile(t, "download.sh")), origin},
		{"git", "-C", origin, "init", "-q"},
		{"git", "-C", origin, "add", "."},
		{"git", "-C", origin, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "first"},
		{"git", "-C", origin, "-c", "user.name=a", "-c", "user.email=a@example.org", "tag", "-a", "-m", "release", "v1.2.3"},
		{"git", "clone", "-q", "--no-tags", origin, clone},
	} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v %s", command, err, out)
		}
	}
	if code, out := scripted(t, cache, []string{filepath.Join(clone, "slipstick-check", "download.sh")}, "CACHE="+cache); code != 0 || !strings.Contains(out, "slipstick-1.2.3-") {
		t.Errorf("a clone without tags: %d %s", code, out)
	}

	dir, from = releases(t)
	cache = t.TempDir()
	archives, _ := filepath.Glob(filepath.Join(dir, "v1.2.3", "*.tar.gz"))
	if err := os.WriteFile(archives[0], []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := download("VERSION=1.2.3"); code != 3 || !strings.Contains(out, "its checksum differs") {
		t.Errorf("changed archive: %d %s", code, out)
	}
	if left, err := os.ReadDir(cache); err != nil || len(left) > 0 {
		t.Errorf("left in the cache: %v %v", left, err)
	}
}

// The GitHub action works as documented. This machine is its runner, without Go.
func TestAction(t *testing.T) {
	t.Parallel()
	_, from := releases(t)
	for _, c := range []struct {
		engines, program, outcome string
		code                      int
	}{
		{enginePath("grey_surface") + "\n" + enginePath("ohms_law"), "", "pass", exitOK}, // the action downloads the program
		{enginePath("grey_surface") + " /bin/true", built.slipstick, "fail", exitFailed},
		{"/no/such/engine", built.slipstick, "harness_error", exitInternal},
	} {
		dir := t.TempDir()
		code, out := scripted(t, dir, []string{actionFile(t, "check.sh")},
			"ENGINES="+c.engines, "SLIPSTICK="+c.program, "VERSION=1.2.3", "DOWNLOADS="+from, "RUNNER_TEMP="+dir, "REQUIREMENTS=2026-12", "SANDBOX=true",
			"GITHUB_OUTPUT="+filepath.Join(dir, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"))
		said, err := os.ReadFile(filepath.Join(dir, "output"))
		if code != c.code || string(said) != "outcome="+c.outcome+"\n" || err != nil {
			t.Errorf("%q: %d, %q (%v)\n%s", c.engines, code, said, err, out)
		}
		for _, name := range []string{"summary", "conformance/conformance.xml", "conformance/badge.json", "conformance/conformance.json"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Errorf("%q: %v", c.engines, err)
			}
		}
	}
}

// Every input that the steps of the action read is declared, and they read every declared input.
func TestActionInputs(t *testing.T) {
	text := string(mustRead(t, actionFile(t, "action.yml")))
	declarations, _, _ := strings.Cut(text, "\noutputs:")
	declared, read := map[string]bool{}, map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z-]+):$`).FindAllStringSubmatch(declarations, -1) {
		declared[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`\$\{\{ inputs\.([a-z-]+) \}\}`).FindAllStringSubmatch(text, -1) {
		read[m[1]] = true
	}
	if fmt.Sprint(declared) != fmt.Sprint(read) || len(read) != 10 {
		t.Errorf("declared %v, read %v", declared, read)
	}
}

// drafted makes a directory with a document that conforms and is not in its canonical form.
func drafted(t *testing.T) (dir, document string) {
	t.Helper()
	dir = t.TempDir()
	does(t, "new", "--text", "structural.steel.sheet", "--dir", dir)
	document = filepath.Join(dir, "sheet.calc.md")
	writeDocument(t, document, string(mustRead(t, document))+"\n\n\n")
	return dir, document
}

// The hooks for pre-commit format and judge the documents of a commit with a downloaded release.
func TestPreCommitHooks(t *testing.T) {
	t.Parallel()
	_, from := releases(t)
	var hooks []struct{ ID, Entry, Language, Files string }
	if err := yaml.Unmarshal(mustRead(t, filepath.Join(root, ".pre-commit-hooks.yaml")), &hooks); err != nil || len(hooks) != 2 {
		t.Fatal(hooks, err)
	}
	dir, document := drafted(t)
	for _, h := range hooks {
		if h.Language != "script" || !regexp.MustCompile(h.Files).MatchString("a/b.calc.md") || regexp.MustCompile(h.Files).MatchString("a/b.md") {
			t.Errorf("%+v", h)
		}
		entry := strings.Fields(h.Entry)
		entry[0] = filepath.Join(root, entry[0])
		absolute, err := filepath.Abs(entry[0])
		if err != nil {
			t.Fatal(err)
		}
		entry[0] = absolute
		code, out := scripted(t, dir, append(entry, document), "VERSION=1.2.3", "DOWNLOADS="+from)
		if code != 0 {
			t.Errorf("%s: %d %s", h.ID, code, out)
		}
	}
	if strings.HasSuffix(string(mustRead(t, document)), "\n\n") {
		t.Error("the document was not formatted")
	}
	writeDocument(t, document, strings.Replace(string(mustRead(t, document)), "23.55", "23.56", 1))
	if code, out := scripted(t, dir, []string{actionFile(t, "hook.sh"), "check", document}, "VERSION=1.2.3", "DOWNLOADS="+from); code != exitFailed {
		t.Errorf("a wrong vector: %d %s", code, out)
	}
}

// The template for GitLab judges documents with a downloaded release, and leaves a JUnit report.
func TestGitLabTemplate(t *testing.T) {
	t.Parallel()
	_, from := releases(t)
	var template map[string]struct {
		Variables map[string]string
		Script    []string
		Artifacts struct{ Reports struct{ JUnit string } }
	}
	if err := yaml.Unmarshal(mustRead(t, filepath.Join(root, ".gitlab", "slipstick-check.yml")), &template); err != nil {
		t.Fatal(err)
	}
	job := template["slipstick-check"]
	dir, document := drafted(t)
	run := func(version string) (int, string) {
		env := []string{}
		for name, value := range job.Variables {
			env = append(env, name+"="+value)
		}
		env = append(env, "SLIPSTICK_VERSION="+version, "SLIPSTICK_DOWNLOADS="+from)
		return scripted(t, dir, []string{"-e", "-c", strings.Join(job.Script, "\n")}, env...)
	}
	if code, out := run("1.2.3"); code != 0 || !strings.Contains(out, "structural.steel.sheet 1.0.0") {
		t.Errorf("%d %s", code, out)
	}
	if report := string(mustRead(t, filepath.Join(dir, job.Artifacts.Reports.JUnit))); !strings.Contains(report, "<testsuite ") {
		t.Errorf("report: %.300s", report)
	}
	if code, out := run(""); code != 2 || !strings.Contains(out, "set SLIPSTICK_VERSION") {
		t.Errorf("without a version: %d %s", code, out)
	}
	writeDocument(t, document, strings.Replace(string(mustRead(t, document)), "23.55", "23.56", 1))
	if code, out := run("1.2.3"); code != exitFailed {
		t.Errorf("a wrong vector: %d %s", code, out)
	}
}
