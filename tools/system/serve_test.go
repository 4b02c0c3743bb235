package system

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/sdk"
)

// server is a running slipstick serve in its own process.
type server struct {
	cmd     *exec.Cmd
	url     string
	temp    string   // its temporary directory
	said    []string // lines on stderr until the server was ready
	stderr  *bufio.Scanner
	flights flights
}

func startServer(t *testing.T, args ...string) *server {
	t.Helper()
	return startServerWith(t, append([]string{
		"serve", "--addr", "127.0.0.1:0", "--registry", built.registry, "--data", t.TempDir(), "--limit", "calc=0,share=0,page=0",
	}, args...))
}

func startServerWith(t *testing.T, args []string, env ...string) *server {
	t.Helper()
	return launchServer(t, exec.Command(built.slipstick, args...), env...)
}

// launchServer starts the command of a server.
func launchServer(t *testing.T, cmd *exec.Cmd, env ...string) *server {
	t.Helper()
	temp, err := os.MkdirTemp("", "t") // the path must be short, because socket paths have a length limit
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(temp) })
	h := &server{temp: temp, cmd: cmd}
	h.cmd.Env = append(append(os.Environ(), "TMPDIR="+h.temp, "SLIPSTICK_DRAIN_DELAY=0"), env...)
	stderr, err := h.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.cmd.Process.Kill()
		h.cmd.Wait()
	})
	h.stderr = bufio.NewScanner(stderr)
	for h.stderr.Scan() {
		h.said = append(h.said, h.stderr.Text())
		if address, ok := strings.CutPrefix(h.stderr.Text(), "slipstick: serving "); ok {
			h.url, _, _ = strings.Cut(address, " ")
			return h
		}
	}
	t.Fatalf("serve ended: %s", strings.Join(h.said, "\n"))
	return nil
}

func (h *server) post(t *testing.T, path, body string, headers ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", h.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	if req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return answerTo(t, req)
}

// answerTo sends a request, and returns the status and the body of the response.
func answerTo(t *testing.T, req *http.Request) (int, string) {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// stop sends SIGTERM and waits until the process ends without an error.
func (h *server) stop(t *testing.T) {
	t.Helper()
	if err := h.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for h.stderr.Scan() {
		t.Log("serve:", h.stderr.Text())
	}
	if err := h.cmd.Wait(); err != nil {
		t.Errorf("serve ended with %v", err)
	}
}

// startAll starts a server of the undamaged registry. It must serve every capability.
func startAll(t *testing.T, args ...string) *server {
	t.Helper()
	h := startServer(t, args...)
	if len(h.said) != 1 {
		t.Errorf("serve said:\n%s", strings.Join(h.said, "\n"))
	}
	return h
}

func TestServe(t *testing.T) {
	h := startAll(t, "--warm")
	if ready := h.said[len(h.said)-1]; !regexp.MustCompile(`^slipstick: serving http://127\.0\.0\.1:\d+ with 5 capabilities in 6 versions$`).MatchString(ready) {
		t.Errorf("ready line: %s", ready)
	}
	const older = 1 // versions that are not current start at their first call
	running := 0    // versions with processes; on a busy machine a version can have a second process
	for name, n := range h.metrics(t) {
		if strings.HasPrefix(name, "slipstick_engine_processes{") && n > 0 {
			running++
		}
	}
	if running != len(executables())-older {
		t.Errorf("%d versions run, want %d", running, len(executables())-older)
	}
	const request = `{"emissivity":0.9,"temperature":350}`
	path := "/api/v1/calc/grey-surface-radiation"
	status, current := h.post(t, path, request)
	if status != 200 || !strings.Contains(current, `"calculation_version":"2.0.0"`) {
		t.Errorf("without a pin: %d %s", status, current)
	}
	status, pinned := h.post(t, path, request, "Service-Spec-Version", "1.0.0")
	if status != 200 || !strings.Contains(pinned, `"calculation_version":"1.0.0"`) {
		t.Errorf("with a pin: %d %s", status, pinned)
	}
	if resultOf(t, current)["heat_flux"] == resultOf(t, pinned)["heat_flux"] {
		t.Errorf("two major versions give the same number %v", resultOf(t, pinned))
	}
	if status, body := h.post(t, path, request, "Service-Spec-Version", "3.0.0"); status != 409 {
		t.Errorf("an unpublished pin: %d %s", status, body)
	}
	engines := children(h.cmd.Process.Pid)
	h.stop(t)
	for _, pid := range engines {
		awaitEnd(t, pid)
	}
	if left, _ := os.ReadDir(h.temp); len(left) > 0 {
		t.Errorf("files after SIGTERM: %v", left)
	}
}

func resultOf(t *testing.T, body string) map[string]any {
	t.Helper()
	var answer struct{ Result map[string]any }
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return answer.Result
}

// The server answers a request that is in progress when SIGTERM arrives.
func TestDrain(t *testing.T) {
	h := startAll(t)
	body, send := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), "POST", h.url+"/api/v1/calc/ohms-law", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Expect", "100-continue") // the server sends 100 Continue when the handler reads
	transport := &http.Transport{ExpectContinueTimeout: time.Minute}
	answered := make(chan error, 1)
	go func() {
		resp, err := transport.RoundTrip(req)
		if err == nil {
			defer resp.Body.Close()
			if resp.StatusCode != 200 {
				err = fmt.Errorf("status %d", resp.StatusCode)
			}
		}
		answered <- err
	}()
	if _, err := io.WriteString(send, `{"V":12,`); err != nil { // the handler is reading now
		t.Fatal(err)
	}
	if err := h.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for refused := false; !refused; { // wait until the listener is closed
		resp, err := http.Get(h.url + "/api/v1/calc/ohms-law")
		refused = err != nil
		if !refused {
			resp.Body.Close()
		}
	}
	if _, err := io.WriteString(send, `"R":8}`); err != nil {
		t.Fatal(err)
	}
	send.Close()
	if err := <-answered; err != nil {
		t.Errorf("the request under way: %v", err)
	}
	for h.stderr.Scan() {
	}
	if err := h.cmd.Wait(); err != nil {
		t.Errorf("serve ended with %v", err)
	}
}

// Links come from --base-url alone.
func TestBaseURL(t *testing.T) {
	h := startAll(t, "--base-url", "https://calc.example.org/")
	_, body := h.post(t, "/api/v1/calc/ohms-law", `{"V":12,"R":8}`, "X-Forwarded-Host", "evil.example")
	if !strings.Contains(body, `"https://calc.example.org/api/v1/capabilities"`) || strings.Contains(body, h.url) {
		t.Errorf("links: %s", body)
	}
}

const ohms = `{"V":12,"R":8}`

// The flagship, which has no document, and inputs for it.
const (
	flagshipID     = "mechanical.statics.cantilever_wall_triangle_outer_moment_at_deflection"
	flagshipInputs = `{"L":3,"E":210e9,"I":8.356e-5,"w0":12000}`
)

// Damaged releases are named and answered with 503; the rest is served.
func TestDamagedRegistry(t *testing.T) {
	for _, tt := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		id     string
		inputs string
		says   string
	}{
		{"corrupted engine", func(t *testing.T, dir string) {
			corrupt(t, largestBlob(t, filepath.Join(dir, flagshipID)))
		}, flagshipID, flagshipInputs, "sha256"},
		{"missing engine", func(t *testing.T, dir string) {
			remove(t, largestBlob(t, filepath.Join(dir, flagshipID)))
		}, "cantilever-deflection", flagshipInputs, flagshipID},
		{"corrupted document", func(t *testing.T, dir string) {
			corrupt(t, documentBlob(t, filepath.Join(dir, "electrical.basic.ohms_law")))
		}, "electrical.basic.ohms_law", ohms, "sha256"},
		{"missing document", func(t *testing.T, dir string) {
			remove(t, documentBlob(t, filepath.Join(dir, "electrical.basic.ohms_law")))
		}, "ohms-law", ohms, "ohms_law"},
		{"half-written layout", func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, "electrical.basic.ohms_law", "index.json"))
		}, "electrical.basic.ohms_law", ohms, "index.json"},
		{"garbled index", func(t *testing.T, dir string) {
			replace(t, filepath.Join(dir, "electrical.basic.ohms_law", "index.json"), []byte(`{"schemaVersion":2,"manif`))
		}, "electrical.basic.ohms_law", ohms, "index.json"},
		{"engine that will not start", publishDud, "test.dud.engine", `{"x":1}`, "test.dud.engine 1.0.0: engine is not available: start engine"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "registry")
			if err := os.CopyFS(dir, os.DirFS(built.registry)); err != nil {
				t.Fatal(err)
			}
			tt.damage(t, dir)
			h := startServer(t, "--registry", dir, "--warm")
			said := strings.Join(h.said, "\n")
			if !strings.Contains(said, "slipstick: out of service: ") || !strings.Contains(said, tt.says) {
				t.Errorf("serve said\n%s\nwant %q", said, tt.says)
			}
			if status, body := h.post(t, "/api/v1/calc/"+tt.id, tt.inputs); status != 503 || !strings.Contains(body, `"code":"ENGINE_UNAVAILABLE"`) {
				t.Errorf("the damaged one: %d %s", status, body)
			}
			if status, body := h.post(t, "/api/v1/calc/amps-to-volts", `{"mode":"watts","W":100,"I":8}`); status != 200 {
				t.Errorf("another one: %d %s", status, body)
			}
		})
	}
}

// All documents of a registry have one runtime. If it is damaged, the documents are named and answered with 503, and
// the other engines are served.
func TestDamagedRuntime(t *testing.T) {
	for name, damage := range map[string]func(*testing.T, string){"corrupted": corrupt, "missing": remove} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "registry")
			if err := os.CopyFS(dir, os.DirFS(built.registry)); err != nil {
				t.Fatal(err)
			}
			damage(t, largestBlob(t, filepath.Join(dir, store.Shared)))
			h := startServer(t, "--registry", dir, "--warm")
			said := strings.Join(h.said, "\n")
			for id, inputs := range map[string]string{"electrical.basic.ohms_law": ohms, "electrical.convert.amps_volts": `{"mode":"watts","W":100,"I":8}`} {
				if !strings.Contains(said, "slipstick: out of service: "+id) {
					t.Errorf("serve said\n%s\nwant %s", said, id)
				}
				if status, body := h.post(t, "/api/v1/calc/"+id, inputs); status != 503 || !strings.Contains(body, `"code":"ENGINE_UNAVAILABLE"`) {
					t.Errorf("%s: %d %s", id, status, body)
				}
			}
			if status, body := h.post(t, "/api/v1/calc/cantilever-deflection", flagshipInputs); status != 200 {
				t.Errorf("an engine without a document: %d %s", status, body)
			}
		})
	}
}

// corrupt changes one bit of a file that may be read-only.
func corrupt(t *testing.T, path string) {
	t.Helper()
	data := mustRead(t, path)
	data[len(data)/2] ^= 1
	replace(t, path, data)
}

// remove removes a file.
func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// replace writes a file that may be read-only.
func replace(t *testing.T, path string, data []byte) {
	t.Helper()
	remove(t, path)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func largestBlob(t *testing.T, layout string) string {
	t.Helper()
	blobs, err := filepath.Glob(filepath.Join(layout, "blobs", "sha256", "*"))
	if err != nil || len(blobs) == 0 {
		t.Fatalf("no blobs in %s: %v", layout, err)
	}
	return slices.MaxFunc(blobs, func(a, b string) int { return int(size(a) - size(b)) })
}

// documentBlob returns the blob with the document of the release in a layout.
func documentBlob(t *testing.T, layout string) string {
	t.Helper()
	blobs, err := filepath.Glob(filepath.Join(layout, "blobs", "sha256", "*"))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(blobs, func(path string) bool { return bytes.HasPrefix(mustRead(t, path), []byte("# ")) })
	if i < 0 {
		t.Fatalf("no document in %s", layout)
	}
	return blobs[i]
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}

// publishDud puts a program that is not an engine into the registry, without the publish checks.
func publishDud(t *testing.T, dir string) {
	t.Helper()
	program, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	reg, err := registry.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	type quantity struct {
		X float64 `name:"x"`
	}
	spec := sdk.New(sdk.Spec{
		Capability: "test.dud.engine", Version: "1.0.0", Tool: "dud", Group: "test", Title: "Dud", Summary: "Does not start.",
	}, func(context.Context, quantity) (quantity, error) { return quantity{}, nil }).Spec()
	judged, err := report.Read(fmt.Appendf(nil, `{"engine_digests":["sha256:%x"],"passed":true,"vectors":{"total":1,"passed":1}}`, sha256.Sum256(program)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reg.Publish(t.Context(), registry.Candidate{
		Spec: spec, Engines: map[string][]byte{runtime.GOOS + "/" + runtime.GOARCH: program}, Vectors: []byte("[]"), Report: judged,
	}); err != nil {
		t.Fatal(err)
	}
}
