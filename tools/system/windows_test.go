package system

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/sdk/text"
)

// wine runs the program for Windows in a directory. scripts/soak windows sets WINEPREFIX.
type wine struct{ dir, program string }

func newWine(t *testing.T) *wine {
	t.Helper()
	w := &wine{dir: t.TempDir()}
	w.program = filepath.Join(w.dir, "slipstick.exe")
	windows := []string{"GOOS=windows", "GOARCH=amd64"}
	for _, program := range []struct{ module, to, source string }{
		{"host", "slipstick.exe", "./cmd/slipstick"}, {"sdk", "slipstick-text.exe", "./cmd/slipstick-text"},
	} {
		if err := goBuildAs(windows, filepath.Join(root, program.module), filepath.Join(w.dir, program.to), "-ldflags=-s -X main.version="+releasedVersion, program.source); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { exec.Command("wineserver", "--kill").Run() }) // the engines of a killed server
	return w
}

func (w *wine) command(args ...string) *exec.Cmd {
	cmd := exec.Command("wine", append([]string{w.program}, args...)...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "WINEDEBUG=-all")
	return cmd
}

// does runs a command that must succeed, and returns its output with the line ends of Unix.
func (w *wine) does(t *testing.T, args ...string) string {
	t.Helper()
	cmd := w.command(args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", args, err, out, errs.Bytes())
	}
	return strings.ReplaceAll(string(out), "\r\n", "\n")
}

func (w *wine) serve(t *testing.T, args ...string) *server {
	t.Helper()
	return launchServer(t, w.command(append([]string{"serve", "--addr", "127.0.0.1:0", "--registry", "registry", "--data", "data", "--ledger", "ledger"}, args...)...), "WINEDEBUG=-all")
}

// The program for Windows checks, publishes, computes and serves documents as the program for Linux does. The
// program for Linux reads the registry that it published, computes the same results, and generates the same clients.
func TestWindows(t *testing.T) {
	if !soaking {
		t.Skip("in scripts/soak windows")
	}
	w := newWine(t)
	if out := w.does(t, "version"); !strings.Contains(out, "windows/amd64") {
		t.Fatalf("version: %s", out)
	}
	copyDocument(t, "electrical/basic/ohms_law", w.dir)
	copyDocument(t, "thermo/radiation/grey_surface/1.0.0", filepath.Join(w.dir, "other"))
	ohms, grey := "ohms_law"+text.Suffix, "other/1.0.0"+text.Suffix
	if out := w.does(t, "check", ohms); !strings.Contains(out, " 0 failed, ") {
		t.Errorf("check: %s", out)
	}
	here := build.Here.String()
	if err := os.Link(filepath.Join(built.dir, "slipstick-text"), filepath.Join(w.dir, "slipstick-text-"+strings.ReplaceAll(here, "/", "-"))); err != nil {
		t.Fatal(err)
	}
	w.does(t, "publish", "--to", "registry", ohms, "--platform", here+"="+ohms)
	registry := filepath.Join(w.dir, "registry")
	inputs := []string{"ohms-law", "voltage=12 V", "current=2 A", "--json"}
	onWindows := w.does(t, append([]string{"calc", "--registry", "registry"}, inputs...)...)
	if onLinux := does(t, append([]string{"calc", "--registry", registry}, inputs...)...); resultMember(t, onWindows) != resultMember(t, onLinux) {
		t.Errorf("calc on Windows:\n%s\non Linux:\n%s", onWindows, onLinux)
	}
	if out := does(t, "calc", "--registry", built.registry, "--json", "ohms-law", "voltage=12 V", "current=2 A"); resultMember(t, onWindows) != resultMember(t, out) {
		t.Errorf("calc on Windows:\n%s\nof the registry of Linux:\n%s", onWindows, out)
	}
	if out := w.does(t, "list", "--registry", "registry"); !strings.Contains(out, "electrical.basic.ohms_law") || !strings.Contains(out, "engine_tested") {
		t.Errorf("list: %s", out)
	}
	if out := does(t, "verify", "--registry", registry); !strings.Contains(out, " 0 fail,") {
		t.Errorf("verify: %s", out)
	}

	w.does(t, "lock", "--registry", "registry", "ohms-law")
	for _, language := range []string{"go", "ts", "python"} {
		w.does(t, "client", "--lang", language)
		check := exec.Command(built.slipstick, "client", "--lang", language, "--check")
		check.Dir = w.dir
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("the client in %s on Linux: %v\n%s", language, err, out)
		}
	}

	h := w.serve(t)
	if warned := strings.Join(h.said, "\n"); !strings.Contains(warned, "there is no sandbox on windows") {
		t.Errorf("serve does not say that engines have no sandbox: %s", warned)
	}
	input := `{"voltage": 12, "current": 2}`
	status, got := h.post(t, "/api/v1/calc/ohms-law", input)
	if status != http.StatusOK || !strings.Contains(got, `"result":{"voltage":12,"current":2,"resistance":6,"power":24}`) {
		t.Errorf("calc: %d %s", status, got)
	}
	if page := h.page(t, "/calc/electrical/ohms-law?voltage=12&current=2"); !strings.Contains(page, "24") {
		t.Errorf("the page has no result: %.300s", page)
	}
	row := `{"tool_id": "ohms-law", "inputs": ` + input + "}\n"
	if lines := strings.Join(h.postLines(t, "", strings.NewReader(row+row)), ""); strings.Count(lines, `"power":24`) < 2 {
		t.Errorf("batch: %s", lines)
	}
	status, shared := h.post(t, "/api/v1/share", `{"id": "ohms-law", "inputs": `+input+`}`)
	id := regexp.MustCompile(`"id":"(cx_[a-z0-9]+)"`).FindStringSubmatch(shared)
	if id == nil {
		t.Fatalf("share: %d %s", status, shared)
	}
	if out, err := w.command("serve", "--addr", "127.0.0.1:0", "--registry", "registry", "--data", "other", "--ledger", "ledger").CombinedOutput(); err == nil || !strings.Contains(string(out), "another server") {
		t.Errorf("a second server with the ledger: %v %s", err, out)
	}
	w.does(t, "publish", "--to", "registry", grey) // while the server reads the registry
	h.awaitAt(t, "/api/v1/calc/grey-surface-radiation", "success", `{"emissivity": 0.8, "temperature": 400, "surroundings_temperature": 300, "area": 1}`)
	h.cmd.Process.Kill()
	h.cmd.Wait()

	again := w.serve(t) // the locks of a killed server are free
	if status, got := again.post(t, "/api/v1/calc/ohms-law", input); status != http.StatusOK {
		t.Errorf("after a kill: %d %s", status, got)
	}
	if page := again.page(t, "/s/"+id[1]); !strings.Contains(page, "24") {
		t.Errorf("the snapshot after a kill: %.300s", page)
	}
}

// resultMember returns the member result of an answer.
func resultMember(t *testing.T, answer string) string {
	t.Helper()
	var a struct{ Result json.RawMessage }
	if err := json.Unmarshal([]byte(answer), &a); err != nil || len(a.Result) == 0 {
		t.Fatalf("%v: %s", err, answer)
	}
	return string(a.Result)
}
