package forge_test

import (
	"bytes"
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
	"github.com/slipstick/slipstick/host/internal/server"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/host/tools/bench/internal/forge"
)

// serve returns a server of a forged library.
func serve(t *testing.T, capabilities, versions int) *server.Server {
	t.Helper()
	return serveDir(t, t.TempDir(), capabilities, versions)
}

func serveDir(t *testing.T, dir string, capabilities, versions int) *server.Server {
	t.Helper()
	if err := forge.Releases(dir, capabilities, versions); err != nil {
		t.Fatal(err)
	}
	s, err := server.New(t.Context(), &server.Config{
		Addr:    "127.0.0.1:0",
		Source:  source.Options{Place: source.Place{Registry: dir}, Data: t.TempDir()},
		Engines: server.Engines{Confine: sandbox.Options{None: true}},
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

// heap returns the size of the live heap.
func heap() int64 {
	runtime.GC()
	runtime.GC() // frees objects with finalizers from the first collection
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// memoryEach is the maximum heap size for a release without requests, in bytes.
const memoryEach = 16 << 10

// A library of a thousand releases takes little memory for each, before and after its lists
// were requested.
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

// All capabilities of a library with several pages can be reached in the lists for programs, on the
// index and in a search.
func TestLargeLibrary(t *testing.T) {
	const capabilities = 260
	s := serve(t, capabilities, 1)
	seen := map[string]bool{}
	for path := "/api/v1/capabilities"; path != ""; {
		w := get(t, s, path)
		var list struct {
			Capabilities []struct {
				ID string `json:"capability_id"`
			}
			Count int
			Next  string
		}
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || w.Code != http.StatusOK || list.Count != capabilities {
			t.Fatalf("%s: %d, %d of %d, %v", path, w.Code, len(list.Capabilities), list.Count, err)
		}
		if link := w.Header().Get("Link"); (link != "") != (list.Next != "") || !strings.Contains(link, list.Next) {
			t.Errorf("%s: Link %q, next %q", path, link, list.Next)
		}
		for _, c := range list.Capabilities {
			seen[c.ID] = true
		}
		path = strings.TrimPrefix(list.Next, "http://"+s.Addr().String())
	}
	if len(seen) != capabilities {
		t.Errorf("%d capabilities on all pages", len(seen))
	}
	for _, path := range []string{"/", "/?q=sag"} {
		if got := len(linked(t, s, path)); got != capabilities {
			t.Errorf("%s leads to %d calculators", path, got)
		}
	}
	whole, one := get(t, s, "/openapi.json").Body.String(), get(t, s, "/api/v1/capabilities/"+forge.ID(7)+"/openapi.json").Body.String()
	if path := "/api/v1/calc/" + forge.ID(7); strings.Contains(whole, path) || !strings.Contains(one, path) || !strings.Contains(whole, "openapi.json") {
		t.Errorf("documents of %d and %d bytes", len(whole), len(one))
	}
}

var (
	nextLink = regexp.MustCompile(`rel="next" href="([^"]+)"`)
	hits     = regexp.MustCompile(`(?s)<div id="hits">.*?<div id="all"`)
	toolLink = regexp.MustCompile(`href="/calc/[a-z]+/(forged-n[0-9]+)"`)
)

// linked returns the calculators that a page and its next pages link to. For a search, it returns the
// results.
func linked(t *testing.T, s *server.Server, path string) map[string]bool {
	t.Helper()
	tools := map[string]bool{}
	for pages := 0; pages < 20; pages++ {
		page := get(t, s, path).Body.String()
		next := nextLink.FindStringSubmatch(page)
		if strings.Contains(path, "q=") {
			page = hits.FindString(page)
		}
		for _, link := range toolLink.FindAllStringSubmatch(page, -1) {
			if tools[link[1]] {
				t.Errorf("%s is there twice", link[1])
			}
			tools[link[1]] = true
		}
		if next == nil {
			break
		}
		path = html.UnescapeString(next[1])
	}
	return tools
}

// The content of a large library on disk is unchanged, or is not served. The part in memory
// depends on the order of reading.
func TestContentOnDisk(t *testing.T) {
	const capabilities, versions, inMemory = 30, 10, 25
	dir := t.TempDir()
	s := serveDir(t, dir, capabilities, versions)
	evidence := func(number int) *httptest.ResponseRecorder {
		return get(t, s, "/api/v1/capabilities/"+forge.ID(number)+"/evidence")
	}
	published := make([]string, capabilities)
	for number := range published {
		w := evidence(number)
		published[number] = w.Body.String()
		if w.Code != http.StatusOK || strings.Count(published[number], `"mpmath"`) < 20 {
			t.Fatalf("%d: %.200s", w.Code, w.Body)
		}
	}
	damageBlobs(t, dir)
	refused := 0
	for number := range published {
		w := evidence(number)
		switch {
		case w.Code == http.StatusServiceUnavailable && strings.Contains(w.Body.String(), "ENGINE_UNAVAILABLE"):
			refused++
		case w.Code != http.StatusOK || w.Body.String() != published[number]:
			t.Errorf("after its files were changed: %d: %.200s", w.Code, w.Body)
		}
		for _, path := range []string{"/calc/" + forge.Group(number) + "/" + forge.Tool(number), "/api/v1/capabilities/" + forge.ID(number), "/api/v1/capabilities/" + forge.ID(number) + "/schema/input"} {
			if w := get(t, s, path); w.Code != http.StatusOK {
				t.Errorf("%s: %d", path, w.Code)
			}
		}
	}
	if refused != capabilities-inMemory {
		t.Errorf("%d of %d capabilities were refused, want %d", refused, capabilities, capabilities-inMemory)
	}
}

// damageBlobs changes all files of a registry that have a digest as their name.
func damageBlobs(t *testing.T, dir string) {
	t.Helper()
	blobs, err := filepath.Glob(filepath.Join(dir, "*", "blobs/sha256/*"))
	if err != nil || len(blobs) == 0 {
		t.Fatalf("%d blobs, %v", len(blobs), err)
	}
	for _, name := range blobs {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, bytes.ToUpper(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
