package forge_test

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"github.com/slipstick/slipstick/host/cmd/bench/internal/forge"
	"github.com/slipstick/slipstick/host/internal/confine"
	"github.com/slipstick/slipstick/host/internal/server"
	"github.com/slipstick/slipstick/host/internal/source"
)

// serve returns a host of a forged library.
func serve(t *testing.T, capabilities, versions int) *server.Server {
	t.Helper()
	dir := t.TempDir()
	if err := forge.Releases(dir, capabilities, versions); err != nil {
		t.Fatal(err)
	}
	s, err := server.New(t.Context(), &server.Config{
		Addr:    "127.0.0.1:0",
		Source:  source.Options{Place: source.Place{Registry: dir}, Data: t.TempDir()},
		Engines: server.Engines{Confine: confine.Options{None: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func get(t *testing.T, s *server.Server, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

// heap is what lives on the heap now.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what had a finalizer in the first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// memoryEach is how much of the heap a release may take while nobody asks for it, in bytes.
const memoryEach = 20 << 10

// A library of a thousand releases takes little memory for each, before and after its lists
// were asked for.
func TestMemory(t *testing.T) {
	const capabilities, versions = 100, 10
	before := heap()
	s := serve(t, capabilities, versions)
	if sum := s.Summary(); sum.Releases != capabilities*versions || len(sum.Out) != 0 {
		t.Fatalf("%d releases, out: %v", sum.Releases, sum.Out)
	}
	for _, paths := range [][]string{nil, {"/", "/?q=sag", "/api/v1/capabilities", "/openapi.json", "/readyz"}} {
		for _, path := range paths {
			if w := get(t, s, path); w.Code != http.StatusOK && path != "/readyz" {
				t.Errorf("%s: %d", path, w.Code)
			}
		}
		each := (heap() - before) / (capabilities * versions)
		t.Logf("%d bytes each after %v", each, paths)
		if each > memoryEach {
			t.Errorf("a release takes %d bytes after %v, more than %d", each, paths, memoryEach)
		}
	}
	runtime.KeepAlive(s)
}
