package system

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/host/internal/release/publish"
)

// otherArch returns an architecture that this machine does not run.
func otherArch() string {
	if runtime.GOARCH == "arm64" {
		return "amd64"
	}
	return "arm64"
}

// swapFor builds the engine swap for another architecture.
func swapFor(t *testing.T, arch, version string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "swap-"+arch)
	if err := goBuildAs([]string{"GOOS=linux", "GOARCH=" + arch}, ".", file, "-ldflags=-s -X main.version="+version, "./testdata/engines/swap"); err != nil {
		t.Fatal(err)
	}
	return file
}

// reportForPlatform returns the report that slipstick check would make on the platform of the engine. It is the report
// of the local engine with the digest of the other engine.
func reportForPlatform(t *testing.T, engine, foreign string, change func(*report.Report)) string {
	t.Helper()
	var r report.Report
	if err := json.Unmarshal([]byte(does(t, "check", "--json", engine)), &r); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(foreign)
	if err != nil {
		t.Fatal(err)
	}
	r.EngineDigests = []string{digest.FromBytes(data).String()}
	if change != nil {
		change(&r)
	}
	file := filepath.Join(t.TempDir(), "report.json")
	data, err = json.Marshal(r)
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestPublishForSeveralPlatforms(t *testing.T) {
	t.Parallel()
	arch := otherArch()
	own, foreign := swaps(t, "1.0.0")["1.0.0"], swapFor(t, arch, "1.0.0")
	good := reportForPlatform(t, own, foreign, nil)
	platform := "linux/" + arch + "="
	for _, tt := range []struct {
		name   string
		args   []string
		code   int
		says   string
		second string // expected output about the other platform
	}{
		{"with a report", []string{own, "--platform", platform + foreign + ",report=" + good}, exitOK, "", "linux/" + arch + ": engine_tested"},
		{"without", []string{own, "--platform", platform + foreign}, exitOK, "", "linux/" + arch + ": candidate"},
		{"built for this platform", []string{own, "--platform", platform + own}, exitFailed, "is built for another architecture", ""},
		{"of another system", []string{own, "--platform", "darwin/" + arch + "=" + foreign}, exitFailed, "no Mach-O executable", ""},
		{"a script", []string{own, "--platform", platform + scriptFile(t)}, exitFailed, "is a script", ""},
		{"report of other bytes", []string{own, "--platform", platform + foreign + ",report=" + reportForPlatform(t, own, own, nil)}, exitFailed, "exactly these bytes", ""},
		{"report of another version", []string{own, "--platform", platform + foreign + ",report=" + reportForPlatform(t, own, foreign, func(r *report.Report) { r.Version = "1.1.0" })}, exitFailed, "one source", ""},
		{"report of another Spec", []string{own, "--platform", platform + foreign + ",report=" + reportForPlatform(t, own, foreign, func(r *report.Report) { r.SpecDigest = "sha256:0" })}, exitFailed, "has another Spec", ""},
		{"report that did not pass", []string{own, "--platform", platform + foreign + ",report=" + reportForPlatform(t, own, foreign, func(r *report.Report) { r.Passed = false })}, exitFailed, "did not pass", ""},
		{"the platform here", []string{own, "--platform", publish.Platform + "=" + own}, exitMisuse, "judged here", ""},
		{"twice", []string{own, "--platform", platform + foreign, "--platform", platform + foreign}, exitMisuse, "twice", ""},
		{"no path", []string{own, "--platform", "linux/" + arch}, exitMisuse, "OS/ARCH=PATH", ""},
		{"several engines", []string{own, own, "--platform", platform + foreign}, exitMisuse, "one by one", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			registry := filepath.Join(t.TempDir(), "registry")
			r := slipstick(t.Context(), append([]string{"publish", "--to", registry}, tt.args...)...)
			if r.code != tt.code || !strings.Contains(r.err, tt.says) || !strings.Contains(r.out, tt.second) {
				t.Fatalf("%d %s%s", r.code, r.out, r.err)
			}
			if _, err := os.Stat(filepath.Join(registry, "test.life.swap", "index.json")); (err == nil) != (tt.code == exitOK) {
				t.Errorf("published: %v", err)
			}
		})
	}
}

func scriptFile(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}

// A server serves the engine for its own platform, from a local and from a remote registry. If there is none, it
// reports the platforms that exist.
func TestServeOwnPlatform(t *testing.T) {
	t.Parallel()
	arch := otherArch()
	own, foreign := swaps(t, "1.0.0")["1.0.0"], swapFor(t, arch, "1.0.0")
	there := startRemoteRegistry(t)
	publish := []string{"publish", "--to", there.address(), "--mirror", t.TempDir(), own, "--platform", "linux/" + arch + "=" + foreign}
	does(t, publish...)
	if out := does(t, publish...); !strings.HasPrefix(out, "unchanged ") {
		t.Errorf("again: %s", out)
	}
	if r := slipstick(t.Context(), append(publish[:len(publish)-1], "linux/"+arch+"="+scriptFile(t))...); r.code != exitFailed || !strings.Contains(r.err, "never changes") {
		t.Errorf("with another engine there: %d %s", r.code, r.err)
	}
	lock := filepath.Join(t.TempDir(), "slipstick.lock")
	does(t, "lock", "--registry", there.address(), "--mirror", t.TempDir(), "--output", lock)
	data, err := os.ReadFile(lock)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{own, foreign} {
		engine, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(data), digest.FromBytes(engine).String()) {
			t.Errorf("the lock file lacks %s (%v):\n%s", file, err, data)
		}
	}
	dir := t.TempDir()
	h := startRemoteServer(t, there.address(), dir, "--locked="+lock)
	if status, answer := h.post(t, "/api/v1/calc/swap", `{"x":2}`); status != 200 || !strings.Contains(answer, `"y":2`) {
		t.Errorf("%d %s", status, answer)
	}
	blobs, err := filepath.Glob(filepath.Join(dir, "mirror", "*", "test.life.swap", "blobs", "sha256", "*"))
	if err != nil || len(blobs) == 0 {
		t.Fatal(err)
	}
	engine, err := os.ReadFile(foreign)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blobs {
		if filepath.Base(b) == digest.FromBytes(engine).Encoded() {
			t.Error("the mirror has the engine of another platform")
		}
	}
}
