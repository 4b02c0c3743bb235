package system

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every recipe works as documented, with local addresses instead of the addresses in the example.
func TestRecipes(t *testing.T) {
	busy(t)
	text, err := os.ReadFile(filepath.Join(root, "docs", "guides", "recipes.md"))
	if err != nil {
		t.Fatal(err)
	}
	written := map[string][]block{}
	for _, b := range blocks(string(text)) {
		written[b.language] = append(written[b.language], b)
	}
	if len(written["nginx"]) != 2 || len(written["console"]) != 2 || len(written["yaml"]) != 1 {
		t.Fatalf("the recipes have other blocks than the test: %v", written)
	}
	t.Run("keys", func(t *testing.T) { t.Parallel(); keysAndQuotas(t, written["nginx"][0].lines) })
	t.Run("cache", func(t *testing.T) { t.Parallel(); cachedByNginx(t, written["nginx"][1].lines) })
	t.Run("curl", func(t *testing.T) {
		t.Parallel()
		h, dir := startAll(t), t.TempDir()
		for i, address := range []string{newFaulty(t, h.url).URL + "/brief", h.url} {
			typesIn(t, dir, written["console"][i].lines, address)
		}
	})
	t.Run("workflow", func(t *testing.T) { t.Parallel(); workflowGates(t, written["yaml"][0].lines) })
}

// typesIn runs the commands of a block against an address, and compares their output.
func typesIn(t *testing.T, dir string, lines []string, address string) {
	t.Helper()
	for i := 0; i < len(lines); {
		command, ok := strings.CutPrefix(lines[i], "$ ")
		if !ok {
			t.Fatalf("no command: %s", lines[i])
		}
		want := ""
		for i++; i < len(lines) && !strings.HasPrefix(lines[i], "$ "); i++ {
			want += lines[i] + "\n"
		}
		cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", strings.ReplaceAll(command, "http://calc.example.org", address))
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", command, err, out, want)
		}
	}
}

// startNginx runs nginx, with a configuration of the recipes, in front of a server. It returns the address of
// nginx.
func startNginx(t *testing.T, lines []string, host string) string {
	t.Helper()
	dir := t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	text := strings.NewReplacer(
		"listen 80;", "listen "+address+";", "http://10.88.0.11:8080", host, "/var/cache/nginx/slipstick", filepath.Join(dir, "cache"),
		"http {\n", "http {\n    access_log off;\n",
	).Replace(strings.Join(lines, "\n"))
	if err := os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	// nginx goes into the background when it listens, and keeps its log open. Therefore the log is not a pipe of
	// this process.
	nginx := func(ctx context.Context, more ...string) {
		args := []string{"-p", dir, "-c", "nginx.conf", "-e", "error.log", "-g", "pid nginx.pid; error_log error.log; user root;"}
		if err := exec.CommandContext(ctx, "nginx", append(args, more...)...).Run(); err != nil {
			said, _ := os.ReadFile(filepath.Join(dir, "error.log"))
			t.Fatalf("nginx %v: %v\n%s", more, err, said)
		}
	}
	nginx(t.Context())
	t.Cleanup(func() { nginx(context.Background(), "-s", "stop") })
	return "http://" + address
}

// fetched makes a call from a local address.
func fetched(t *testing.T, from, method, address, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	transport := &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

func keysAndQuotas(t *testing.T, lines []string) {
	h := startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", built.registry, "--data", t.TempDir(), "--limit", "calc=20", "--trusted-proxy", "127.0.0.1"})
	gateway := startNginx(t, lines, h.url)
	call := func(from, key string) string {
		resp, text := fetched(t, from, "POST", gateway+"/api/v1/calc/ohms-law", `{"V": 12, "R": 8}`, "X-Api-Key", key, "X-Forwarded-For", "203.0.113.7")
		said := fmt.Sprint(resp.StatusCode)
		for _, word := range []string{"UNAUTHORIZED", "plan of this key", "more than 20 calls"} {
			if strings.Contains(text, word) {
				said += " " + word + " " + resp.Header.Get("Retry-After")
			}
		}
		return strings.TrimSpace(said)
	}
	if got := call("127.0.0.1", "a-key-of-nobody"); got != "401 UNAUTHORIZED" {
		t.Errorf("a key of nobody: %s", got)
	}
	if got := call("127.0.0.1", ""); got != "401 UNAUTHORIZED" {
		t.Errorf("no key: %s", got)
	}
	for i := range 8 { // one call, and a burst of five; the next call is allowed after six seconds
		want := "200"
		if i >= 6 {
			want = "429 plan of this key 6"
		}
		if got := call("127.0.0.1", "key-of-the-web-shop"); got != want {
			t.Errorf("call %d of the free plan: %s, want %s", i+1, got, want)
		}
	}
	// The server counts by the address of the client, for every key and every header.
	for i := range 14 {
		if got := call("127.0.0.1", "key-of-the-bridge-office"); got != "200" {
			t.Errorf("call %d of the paid plan: %s", i+1, got)
		}
	}
	if got := call("127.0.0.1", "key-of-the-bridge-office"); !strings.HasPrefix(got, "429 more than 20 calls ") {
		t.Errorf("call 21 of an address: %s", got)
	}
	if got := call("127.0.0.2", "key-of-the-bridge-office"); got != "200" {
		t.Errorf("another address: %s", got)
	}
}

func cachedByNginx(t *testing.T, lines []string) {
	h := startAll(t)
	cache := startNginx(t, lines, h.url)
	const pinned = "/api/v1/capabilities/ohms-law?calculation_version=1.0.1"
	get := func(path string, headers ...string) (string, *http.Response, string) {
		resp, text := fetched(t, "127.0.0.1", "GET", cache+path, "", headers...)
		return fmt.Sprint(resp.StatusCode, " ", resp.Header.Get("X-Cache")), resp, text
	}
	first, resp, body := get(pinned)
	second, _, again := get(pinned)
	if first != "200 MISS" || second != "200 HIT" || body != again {
		t.Errorf("a description: %s, then %s", first, second)
	}
	if got, _, _ := get(pinned, "If-None-Match", resp.Header.Get("ETag")); got != "304 HIT" {
		t.Errorf("with its tag: %s", got)
	}
	_, _, current := get("/api/v1/capabilities/grey-surface-radiation")
	if got, _, older := get("/api/v1/capabilities/grey-surface-radiation", "Service-Spec-Version", "1.0.0"); got != "200 MISS" || older == current {
		t.Errorf("another pin in the header: %s", got)
	}
	for range 2 {
		if resp, _ := fetched(t, "127.0.0.1", "POST", cache+"/api/v1/calc/ohms-law", `{"V": 12, "R": 8}`); resp.StatusCode != 200 || resp.Header.Get("X-Cache") != "" {
			t.Errorf("a calculation: %d %s", resp.StatusCode, resp.Header.Get("X-Cache"))
		}
	}
	h.stop(t)
	if got, _, text := get(pinned); got != "200 HIT" || text != body {
		t.Errorf("without a host: %s", got)
	}
}

// workflowGates runs the steps of the workflow as a runner does, in the repository of an engine. Then it runs each
// gate with a change that must fail.
func workflowGates(t *testing.T, lines []string) {
	dir := newEngine(t)
	registry := filepath.Join(t.TempDir(), "registry")
	runner := newRunner(t, lines, dir, registry)
	steps := []string{
		"Slipstick", "The engine is built", "It keeps every rule", "Its version is right for what has changed",
		"What is relied on is published as it was", "The client is that of the lock file",
	}
	if names := runner.names(); !slices.Equal(names, steps) {
		t.Fatalf("the steps are %q", names)
	}
	runner.passes(t, steps[:2]...)
	does(t, "publish", "--to", registry, filepath.Join(runner.temp, "engine"))
	does(t, "lock", "--registry", registry, "-o", filepath.Join(dir, "slipstick.lock"))
	client := exec.CommandContext(t.Context(), built.slipstick, "client", // the client must be the program that checks it, because another program writes its own version
		"--lock", filepath.Join(dir, "slipstick.lock"), "--registry", registry, "--lang", "go", "--out", filepath.Join(dir, "calculations"))
	if out, err := client.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	runner.passes(t, steps[1:]...)

	// The result and an alias change, but the version does not.
	edit(t, filepath.Join(dir, "main.go"), "return Output{Area: ", "return Output{Area: 2 * ")
	edit(t, filepath.Join(dir, "main.go"), `alias:"h"`, `alias:"h,tall"`)
	edit(t, filepath.Join(dir, "main.go"), `"0.1.0"`, `"0.1.1"`)
	runner.passes(t, steps[1])
	runner.fails(t, steps[2], "FAIL")
	runner.fails(t, steps[3], "0.2.0")
	does(t, "yank", "--registry", registry, "--reason", "wrong", "electrical.lighting.lumens_to_lux", "0.1.0")
	runner.fails(t, steps[4], "was yanked: wrong")
	edit(t, filepath.Join(dir, "calculations", "calculations.go"), "DO NOT EDIT", "edited")
	runner.fails(t, steps[5], "is not the client of slipstick.lock")
}

func edit(t *testing.T, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(text, []byte(old)) {
		t.Fatalf("%s has no %s: %v", path, old, err)
	}
	if err := os.WriteFile(path, bytes.Replace(text, []byte(old), []byte(new), 1), 0o600); err != nil {
		t.Fatal(err)
	}
}

// runner runs the steps of a workflow.
type runner struct {
	dir, temp string
	env       []string
	steps     []step
}

type step struct{ name, run string }

// newRunner reads the env and the named steps of a workflow. The archive of a release contains the tested command,
// and the registry is a directory.
func newRunner(t *testing.T, lines []string, dir, registry string) *runner {
	t.Helper()
	r := &runner{dir: dir, temp: t.TempDir()}
	local := map[string]string{"SLIPSTICK": "file://" + archive(t), "SLIPSTICK_REGISTRY": registry}
	inEnv, inRun := false, false
	for _, line := range lines {
		text := strings.TrimSpace(line)
		switch {
		case !strings.HasPrefix(line, " "):
			inEnv = line == "env:"
		case inEnv:
			name, value, _ := strings.Cut(text, ": ")
			value, _, _ = strings.Cut(value, " #")
			if here, ok := local[name]; ok {
				value = here
			}
			r.env = append(r.env, name+"="+strings.Trim(value, `"`))
		case strings.HasPrefix(text, "- "):
			inRun = false
			if name, ok := strings.CutPrefix(text, "- name: "); ok {
				r.steps = append(r.steps, step{name: name})
			}
		case text == "run: |":
			inRun = true
		case strings.HasPrefix(text, "run: "):
			r.steps[len(r.steps)-1].run = strings.TrimPrefix(text, "run: ")
		case inRun:
			r.steps[len(r.steps)-1].run += text + "\n"
		}
	}
	return r
}

func (r *runner) names() (names []string) {
	for _, s := range r.steps {
		names = append(names, s.name)
	}
	return names
}

// run runs a step with bash, as runners do, with the additions of earlier steps to GITHUB_PATH.
func (r *runner) run(t *testing.T, name string) (string, error) {
	t.Helper()
	i := slices.IndexFunc(r.steps, func(s step) bool { return s.name == name })
	path := filepath.Join(r.temp, "path")
	added, _ := os.ReadFile(path)
	cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", r.steps[i].run)
	cmd.Dir = r.dir
	cmd.Env = append(append(os.Environ(), "RUNNER_TEMP="+r.temp, "GITHUB_PATH="+path, "PATH="+strings.TrimSpace(string(added))+":"+os.Getenv("PATH")), r.env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (r *runner) passes(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if out, err := r.run(t, name); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
}

func (r *runner) fails(t *testing.T, name, says string) {
	t.Helper()
	out, err := r.run(t, name)
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != exitFailed || !strings.Contains(out, says) {
		t.Errorf("%s: %v, want exit code %d and %q\n%s", name, err, exitFailed, says, out)
	}
}

// archive packs the command as a release does.
func archive(t *testing.T) string {
	t.Helper()
	program, err := os.ReadFile(built.slipstick)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	w := tar.NewWriter(z)
	err = w.WriteHeader(&tar.Header{Name: "slipstick", Mode: 0o755, Size: int64(len(program))})
	if err == nil {
		_, err = w.Write(program)
	}
	err = errors.Join(err, w.Close(), z.Close())
	if err != nil {
		t.Fatal(err)
	}
	return write(t, "slipstick.tar.gz", packed.String())
}
