package remote_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/opencontainers/go-digest"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/remote"
	"github.com/slipstick/slipstick/sdk/enginefile"
)

// textRuntime is larger than everything else of a release.
var textRuntime = engine(strings.Repeat("runtime ", 1<<15))

// textCandidate returns a release that is a text engine.
func textCandidate(t testing.TB, capability, version string) registry.Candidate {
	t.Helper()
	c := candidate(capability, version)
	var file bytes.Buffer
	err := enginefile.Join(&file, bytes.NewReader(textRuntime), &enginefile.Text{Document: []byte(capability + version)})
	if err != nil {
		t.Fatal(err)
	}
	c.Report = judged(file.Bytes())
	c.Engines[here] = file.Bytes()
	return c
}

// The repositories of all capabilities share a runtime, and so do all releases in a mirror.
func TestTextEngines(t *testing.T) {
	everywhere(t, func(t *testing.T, address string) {
		publisher := open(t, address)
		list := []registry.Candidate{textCandidate(t, beam, "1.0.0"), textCandidate(t, beam, "1.1.0"), textCandidate(t, cable, "1.0.0")}
		for _, c := range list {
			publish(t, publisher, c)
		}
		dir := t.TempDir()
		reader, err := remote.Open(address, dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			rel := release(look(t, reader, c.Spec.Capability), c.Spec.Version)
			mustServe(t, rel)
			if want := digest.FromBytes(c.Engines[here]).String(); rel.EngineDigest != want {
				t.Errorf("engine %s, want %s", rel.EngineDigest, want)
			}
		}
		large, err := filepath.Glob(filepath.Join(dir, "*", "*", "blobs", "sha256", "*"))
		if err != nil {
			t.Fatal(err)
		}
		runtimes := 0
		for _, file := range large {
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			if info.Size() >= int64(len(textRuntime)) {
				runtimes++
			}
		}
		if runtimes != 1 {
			t.Errorf("the mirror has %d runtimes, want 1", runtimes)
		}
	})
}

// A registry that can mount gets a runtime once.
func TestTextEngineUploads(t *testing.T) {
	for name, want := range map[string]int64{"docker-registry": 1, "without": 2} {
		t.Run(name, func(t *testing.T) {
			b := proxy(t, servers[name](t))
			var uploads atomic.Int64
			count := func(r *http.Request) bool {
				if r.ContentLength >= int64(len(textRuntime)) {
					uploads.Add(1)
				}
				return false
			}
			b.refuse.Store(&count)
			publisher := open(t, b.address)
			publish(t, publisher, textCandidate(t, beam, "1.0.0"))
			publish(t, publisher, textCandidate(t, cable, "1.0.0"))
			if n := uploads.Load(); n != want {
				t.Errorf("the runtime was uploaded %d times, want %d", n, want)
			}
		})
	}
}
