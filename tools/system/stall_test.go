//go:build linux

package system

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	ggcr "github.com/google/go-containerregistry/pkg/registry"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
)

// swap is the capability of the engine swap, ohm the capability of another engine.
const (
	swap = "test.life.swap"
	ohm  = "electrical.basic.ohms_law"
)

// swapForPipes repeatedly replaces a file and a directory with pipes and links and restores them, until end is
// called. It counts the replacements.
func swapForPipes(t *testing.T, dir string) (times *atomic.Int64, end func()) {
	t.Helper()
	away := t.TempDir()
	pipe, link := filepath.Join(away, "pipe"), filepath.Join(away, "link")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink("/dev/zero", link)); err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	times = new(atomic.Int64)
	done := make(chan error, 1)
	go func() {
		var err error
		move := func(from, to string) {
			if err == nil {
				err = os.Rename(from, to)
			}
		}
		for ; !stop.Load() && err == nil; times.Add(1) {
			for _, file := range []string{filepath.Join(dir, "index.json"), dir} {
				for _, other := range []string{pipe, link} {
					move(file, filepath.Join(away, "real"))
					move(other, file)
					move(file, other)
					move(filepath.Join(away, "real"), file)
				}
			}
		}
		done <- err
	}()
	return times, func() {
		stop.Store(true)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// An attacker with write access to one capability can stop no server from following the others, nor from ending.
func TestPipesDoNotStall(t *testing.T) {
	engines := swaps(t, "1.0.0", "2.0.0")
	dir := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", dir, engines["1.0.0"], engines["2.0.0"], filepath.Join(built.engines, "ohms_law"))
	h := startServer(t, "--registry", dir, "--follow", "30ms")
	h.awaits(t, `"by":"2.0.0"`, `{"x":1}`)
	ask := func() {
		t.Helper()
		if status, answer := h.post(t, "/api/v1/calc/ohms-law", `{"V":12,"R":8}`); status != 200 {
			t.Errorf("what is exchanged: %d %s", status, answer)
		}
	}
	ask() // the engine runs from now on
	times, end := swapForPipes(t, filepath.Join(dir, ohm))
	h.shows(t, "/metrics", `slipstick_registry_age_seconds{state="list"}`)
	for asked := int64(0); times.Load() < 4000 || asked < 60; asked++ { // about as many reads of the registry
		h.get(t, "/livez")
		time.Sleep(10 * time.Millisecond)
	}
	began := time.Now()
	revoke(t, dir, swap, "2.0.0")
	h.awaits(t, `"VERSION_MISMATCH"`, `{"x":1}`, pinHeader, "2.0.0")
	t.Logf("the revocation took %s", time.Since(began))
	h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)
	ask()
	began = time.Now()
	h.stop(t)
	t.Logf("the end took %s", time.Since(began))
	end()
}

// revoke revokes a version without reading the other capabilities.
func revoke(t *testing.T, dir, capability, version string) {
	t.Helper()
	r, err := registry.Open(dir, nil)
	if err == nil {
		err = r.SetLifecycle(t.Context(), capability, version, evidence.Lifecycle{State: evidence.Revoked, Reason: "test", Since: time.Now()})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A task that hangs during shutdown does not keep the process alive. In this test it is the writing of a profile.
func TestShutdownWithHangingTask(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	full, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	raw, err := syscall.Open(pipe, syscall.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(raw)
	for err == nil {
		_, err = syscall.Write(raw, make([]byte, 4096))
	}
	h := startServer(t, "--cpuprofile", pipe)
	if err := h.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		for h.stderr.Scan() {
			h.said = append(h.said, h.stderr.Text())
		}
		ended <- h.cmd.Wait()
	}()
	select {
	case <-ended:
		if said := strings.Join(h.said, "\n"); !strings.Contains(said, "an operation still hangs") {
			t.Errorf("it did not hang, and this is no test: %s", said)
		}
	case <-time.After(time.Minute):
		t.Error("the host goes on")
	}
}

// A remote repository that refuses requests or hangs stops no server from following the others. It also does not
// prevent the start of a server without local data.
func TestOneRepositoryDoesNotStall(t *testing.T) {
	engines := swaps(t, "1.0.0", "2.0.0")
	for _, fault := range []string{"refuses", "hangs"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			over := make(chan struct{})
			defer close(over)
			var broken atomic.Bool
			late := ggcr.New(ggcr.Logger(log.New(io.Discard, "", 0)))
			there := &remoteRegistry{host: "127.0.0.1:0", handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case !broken.Load() || !strings.Contains(r.URL.Path, "/"+ohm+"/"):
					late.ServeHTTP(w, r)
				case fault == "refuses":
					http.Error(w, "no", http.StatusForbidden)
				default:
					select {
					case <-over:
					case <-r.Context().Done():
					}
				}
			})}
			there.up(t)
			t.Cleanup(func() { there.server.Close() })
			at := []string{"--mirror", t.TempDir()}
			does(t, append([]string{"publish", "--to", there.address(), engines["1.0.0"], engines["2.0.0"], filepath.Join(built.engines, "ohms_law")}, at...)...)
			h := startRemoteServer(t, there.address(), t.TempDir())
			h.awaits(t, `"by":"2.0.0"`, `{"x":1}`)
			broken.Store(true)
			fresh := startRemoteServer(t, there.address(), t.TempDir())
			fresh.awaits(t, `"by":"2.0.0"`, `{"x":1}`)
			if status, answer := fresh.post(t, "/api/v1/calc/"+ohm, `{"V":12,"R":8}`); status != 503 {
				t.Errorf("what could not be fetched: %d %s", status, answer)
			}
			does(t, append([]string{"revoke", "--registry", there.address(), "swap", "2.0.0", "--reason", "test"}, at...)...)
			began := time.Now()
			for _, h := range []*server{h, fresh} {
				h.awaits(t, `"VERSION_MISMATCH"`, `{"x":1}`, pinHeader, "2.0.0")
			}
			t.Logf("the revocation took %s", time.Since(began))
			h.shows(t, "/readyz?verbose", "damaged in 1 place;")
			if status, answer := h.post(t, "/api/v1/calc/ohms-law", `{"V":12,"R":8}`); status != 200 {
				t.Errorf("what was there before: %d %s", status, answer)
			}
			h.stop(t)
		})
	}
}

// If the server knows a version but cannot read it, the status is 503. An answer that it does not exist would be
// false, and clients might cache it.
func TestUnreadableVersionIs503(t *testing.T) {
	t.Parallel()
	engines := swaps(t, "1.0.0", "2.0.0")
	dir, data := filepath.Join(t.TempDir(), "registry"), t.TempDir()
	does(t, "publish", "--to", dir, engines["1.0.0"], engines["2.0.0"], filepath.Join(built.engines, "ohms_law"))
	start := func() *server {
		return startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", dir, "--data", data, "--follow", "30ms"})
	}
	start().stop(t)
	index := filepath.Join(dir, swap, "index.json")
	good, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	is := func(h *server, id string, want int, headers ...string) {
		t.Helper()
		status, answer := h.post(t, "/api/v1/calc/"+id, `{"x":1}`, headers...)
		if status != want || want == 503 && !strings.Contains(answer, `"ENGINE_UNAVAILABLE"`) {
			t.Errorf("%s %v: %d %s", id, headers, status, answer)
		}
	}
	replace(t, index, []byte("{"))
	h := start()
	for _, id := range []string{swap, "swap"} {
		is(h, id, 503)
		is(h, id, 503, pinHeader, "1.0.0")
		is(h, id, 503, pinHeader, "9.9.9") // whether this version exists cannot be known now
	}
	is(h, "no-such-tool", 404)
	h.stop(t)

	replace(t, index, without(t, good, "2.0.0"))
	h = start()
	for _, id := range []string{swap, "swap"} {
		is(h, id, 503, pinHeader, "2.0.0")
		is(h, id, 200, pinHeader, "1.0.0")
		is(h, id, 409, pinHeader, "9.9.9")
	}
	h.stop(t)

	if err := os.Rename(filepath.Join(dir, swap), filepath.Join(t.TempDir(), "gone")); err != nil {
		t.Fatal(err)
	}
	h = start()
	for _, id := range []string{swap, "swap"} {
		is(h, id, 503)
		is(h, id, 503, pinHeader, "1.0.0")
	}
	h.stop(t)
}

// without returns an index.json that no longer lists a version.
func without(t *testing.T, index []byte, version string) []byte {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(index, &doc); err != nil {
		t.Fatal(err)
	}
	var kept []any
	for _, m := range doc["manifests"].([]any) {
		notes, _ := m.(map[string]any)["annotations"].(map[string]any)
		if notes["org.opencontainers.image.version"] != version && notes["org.opencontainers.image.ref.name"] != version {
			kept = append(kept, m)
		}
	}
	doc["manifests"] = kept
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A server that cannot write its trust-on-first-use store reports this until it can.
func TestTrustStoreCannotBeWritten(t *testing.T) {
	t.Parallel()
	engines := swaps(t, "1.0.0", "2.0.0")
	dir, data := filepath.Join(t.TempDir(), "registry"), t.TempDir()
	does(t, "publish", "--to", dir, engines["1.0.0"])
	h := startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", dir, "--data", data, "--follow", "30ms"})
	h.shows(t, "/readyz?verbose", `"registry":"ok"`)
	seen := filepath.Join(data, "seen")
	if err := os.Rename(seen, seen+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(seen, nil, 0o600); err != nil { // it fails like a full disk, for root too
		t.Fatal(err)
	}
	does(t, "publish", "--to", dir, engines["2.0.0"])
	h.shows(t, "/readyz?verbose", "the trust-on-first-use store cannot be written")
	h.shows(t, "/readyz", `"degraded"`)
	h.awaits(t, `"by":"2.0.0"`, `{"x":1}`) // the server still answers
	if err := os.Remove(seen); err != nil {
		t.Fatal(err)
	}
	h.shows(t, "/readyz?verbose", `"registry":"ok"`)
	written, err := filepath.Glob(filepath.Join(seen, "*.json"))
	if err != nil || len(written) == 0 {
		t.Errorf("nothing was written: %v", err)
	}
	h.stop(t)
}
