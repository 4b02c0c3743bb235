package system

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// swaps returns the paths of the engine swap in the versions. Each version is built once.
func swaps(t *testing.T, versions ...string) map[string]string {
	t.Helper()
	engines := map[string]string{}
	for _, v := range versions {
		engines[v] = filepath.Join(built.dir, "swap-"+v)
		build, _ := swapBuilds.LoadOrStore(v, sync.OnceValue(func() error {
			return engineBuild(engines[v], "swap", "version="+v)
		}))
		if err := build.(func() error)(); err != nil {
			t.Fatal(err)
		}
	}
	return engines
}

var swapBuilds sync.Map // maps a version to func() error

// does runs a command that must succeed.
func does(t *testing.T, args ...string) string {
	t.Helper()
	r := slipstick(t.Context(), args...)
	if r.code != exitOK {
		t.Fatalf("%v: %s%s", args, r.out, r.err)
	}
	return r.out
}

// awaits calls swap until the answer contains the text.
func (h *server) awaits(t *testing.T, text, body string, headers ...string) (status int, answer string) {
	t.Helper()
	return h.awaitAt(t, "/api/v1/calc/swap", text, body, headers...)
}

// awaitAt requests the path until the answer contains the text.
func (h *server) awaitAt(t *testing.T, path, text, body string, headers ...string) (status int, answer string) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		status, answer = h.post(t, path, body, headers...)
		if strings.Contains(answer, text) {
			return status, answer
		}
	}
	t.Fatalf("no %q in %d %s", text, status, answer)
	return 0, ""
}

const pinHeader = "Service-Spec-Version"

// checkYankedWarnings checks that all answers of the yanked version 1.0.0 contain the warning.
func checkYankedWarnings(t *testing.T, h *server, registry string) {
	t.Helper()
	const plan = `{"kind":"sweep","inputs":{},"vary":{"x":[1,2]},"calculation_version":"1.0.0"}`
	answers := map[string]string{
		"text":       does(t, "calc", "--registry", registry, "--pin", "1.0.0", "swap", "x=1"),
		"study text": does(t, "study", "--registry", registry, "--pin", "1.0.0", "sweep", "swap", "--vary", "x=1;2"),
	}
	for _, form := range []string{"json", "csv", "snapshot"} {
		resp, err := http.Post(h.url+"/api/v1/study/swap?output="+form, "application/json", strings.NewReader(plan))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode >= 300 {
			t.Errorf("study %s: %d %s, %v", form, resp.StatusCode, answer, err)
		}
		answers["study "+form] = strings.Join(resp.Header["Slipstick-Warnings"], " ")
		if form == "json" {
			answers["body of study"] = string(answer)
		}
	}
	_, answers["vary"] = h.get(t, "/api/v1/capabilities/swap/vary?vary=x&x=1&vary.from=1&vary.to=2&vary.points=2&calculation_version=1.0.0")
	for form, answer := range answers {
		if !strings.Contains(answer, "VERSION_YANKED") {
			t.Errorf("%s of a yanked version has no warning:\n%s", form, answer)
		}
	}
}

// The version lifecycle while a server runs: published, promoted, deprecated, yanked, reinstated, revoked. Each
// change takes effect without a restart.
func TestServerFollowsRegistry(t *testing.T) {
	t.Parallel()
	engines := swaps(t, "1.0.0", "2.0.0", "3.0.0-rc.1")
	registry := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", registry, engines["1.0.0"])
	h := startServer(t, "--registry", registry, "--follow", "20ms")
	h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)

	does(t, "publish", "--to", registry, engines["2.0.0"], engines["3.0.0-rc.1"])
	h.awaits(t, `"by":"2.0.0"`, `{"x":1}`)
	h.awaits(t, `"by":"3.0.0-rc.1"`, `{"x":1}`, pinHeader, "3.0.0-rc.1")
	if _, document := h.get(t, "/openapi.json"); !strings.Contains(document, "test.life.swap") {
		t.Error("the OpenAPI document does not have it")
	}
	on := func(command string, args ...string) string {
		return does(t, append([]string{command, "--registry", registry, "swap"}, args...)...)
	}
	if out := on("promote", "1.0.0"); out != "current test.life.swap 1.0.0\n" {
		t.Errorf("promote said %q", out)
	}
	h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)

	on("deprecate", "1.0.0", "--reason", "older rounding", "--sunset", "2027-06-30", "--successor", "2.0.0")
	_, answer := h.awaits(t, `"VERSION_DEPRECATED"`, `{"x":1}`)
	if !strings.Contains(answer, "older rounding") || !strings.Contains(answer, "Move to version 2.0.0.") || !strings.Contains(answer, "2027-06-30") {
		t.Errorf("deprecated: %s", answer)
	}
	checkDeprecationHeaders(t, h)
	if out := does(t, "list", "--registry", registry); !strings.Contains(out, "current, deprecated: older rounding") {
		t.Errorf("list:\n%s", out)
	}

	on("yank", "2.0.0", "--reason", "not ready")
	if _, answer := h.awaits(t, "Move to the current version", `{"x":1}`); !strings.Contains(answer, "VERSION_DEPRECATED") {
		t.Errorf("the successor was yanked: %s", answer)
	}
	on("reinstate", "2.0.0")

	on("yank", "1.0.0", "--reason", "wrong beyond 10")
	h.awaits(t, `"by":"2.0.0"`, `{"x":1}`)
	if status, answer := h.awaits(t, `"VERSION_YANKED"`, `{"x":1}`, pinHeader, "1.0.0"); status != 200 || !strings.Contains(answer, `"by":"1.0.0"`) {
		t.Errorf("pinned after the yank: %d %s", status, answer)
	}
	checkYankedWarnings(t, h, registry)
	on("reinstate", "1.0.0")
	h.awaits(t, `"warnings":[]`, `{"x":1}`, pinHeader, "1.0.0")

	on("revoke", "2.0.0", "--reason", "computes with the wrong constant")
	h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)
	status, answer := h.awaits(t, `"VERSION_MISMATCH"`, `{"x":1}`, pinHeader, "2.0.0")
	var problem struct {
		Detail    string
		Available []string `json:"available_versions"`
	}
	if err := json.Unmarshal([]byte(answer), &problem); err != nil || status != 409 ||
		!strings.Contains(problem.Detail, "revoked") || !strings.Contains(problem.Detail, "wrong constant") || fmt.Sprint(problem.Available) != "[3.0.0-rc.1 1.0.0]" {
		t.Errorf("pin of a revoked version: %d %s", status, answer)
	}
	if r := slipstick(t.Context(), "reinstate", "--registry", registry, "swap", "2.0.0"); r.code != exitFailed || !strings.Contains(r.err, "final") {
		t.Errorf("reinstate a revoked one: %d %s", r.code, r.err)
	}
	if out := does(t, "list", "--registry", registry); !strings.Contains(out, "revoked: computes with the wrong constant") {
		t.Errorf("list:\n%s", out)
	}
	checkFeed(t, h)
}

// checkFeed checks that the feed contains the changes.
func checkFeed(t *testing.T, h *server) {
	t.Helper()
	_, text := h.get(t, "/calc/test/swap/feed.json")
	var feed struct {
		Items []struct {
			Slipstick struct {
				Event, Reason, Changes string
				Version                string `json:"calculation_version"`
			} `json:"_slipstick"`
		}
	}
	if err := json.Unmarshal([]byte(text), &feed); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var got []string
	for _, item := range feed.Items {
		s := item.Slipstick
		got = append(got, strings.TrimSpace(s.Version+" "+s.Event+" "+s.Reason))
		if s.Event == "published" && s.Changes == "" {
			t.Errorf("%s does not say what changed", s.Version)
		}
	}
	slices.Sort(got)
	want := []string{
		"1.0.0 deprecated older rounding", "1.0.0 promoted", "1.0.0 published", "1.0.0 reinstated", "1.0.0 yanked wrong beyond 10",
		"2.0.0 published", "2.0.0 reinstated", "2.0.0 revoked computes with the wrong constant", "2.0.0 yanked not ready", "3.0.0-rc.1 published",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the feed has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func checkDeprecationHeaders(t *testing.T, h *server) {
	t.Helper()
	resp, err := http.Post(h.url+"/api/v1/calc/swap", "application/json", strings.NewReader(`{"x":1}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if d, s := resp.Header.Get("Deprecation"), resp.Header.Get("Sunset"); !strings.HasPrefix(d, "@") || s != "Wed, 30 Jun 2027 00:00:00 GMT" {
		t.Errorf("Deprecation %q, Sunset %q", d, s)
	}
	if link := resp.Header.Get("Link"); link != "<"+h.url+`/api/v1/capabilities/test.life.swap?calculation_version=2.0.0>; rel="successor-version"` {
		t.Errorf("Link %q", link)
	}
}

// A snapshot is readable after its version was revoked.
func TestSnapshotOfRevoked(t *testing.T) {
	t.Parallel()
	engines := swaps(t, "1.0.0")
	registry := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", registry, engines["1.0.0"])
	h := startServer(t, "--registry", registry, "--follow", "20ms")
	_, created := h.post(t, "/api/v1/share", `{"tool_id":"swap","inputs":{"x":3}}`)
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(created), &made); err != nil || made.ID == "" {
		t.Fatalf("%v: %s", err, created)
	}
	does(t, "revoke", "--registry", registry, "swap", "1.0.0", "--reason", "wrong")
	h.awaits(t, `"VERSION_MISMATCH"`, `{"x":1}`)
	if status, record := h.get(t, "/api/v1/share/"+made.ID); status != 200 || !strings.Contains(record, `"by":"1.0.0"`) {
		t.Errorf("the snapshot: %d %s", status, record)
	}
}

// A damaged registry does not affect responses: the server keeps serving the versions that it has read.
func TestRegistryDamagedWhileServing(t *testing.T) {
	engines := swaps(t, "1.0.0")
	registry := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", registry, engines["1.0.0"])
	h := startServer(t, "--registry", registry, "--follow", "10ms")
	h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)
	if err := os.Rename(registry, registry+".away"); err != nil {
		t.Fatal(err)
	}
	failures := func() string {
		_, figures := h.get(t, "/metrics")
		_, figure, _ := strings.Cut(figures, `slipstick_registry_looks_total{outcome="failed"} `)
		figure, _, _ = strings.Cut(figure, "\n")
		return figure
	}
	for deadline := time.Now().Add(patience); failures() == ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nobody noticed")
		}
	}
	if status, answer := h.post(t, "/api/v1/calc/swap", `{"x":5}`); status != 200 || !strings.Contains(answer, `"y":5`) {
		t.Errorf("%d %s", status, answer)
	}
}

// A11: versions are swapped under load. Answers of a pinned version never change, and other answers switch once in
// each direction. No call fails, and no answer mixes versions.
func TestSwapUnderLoad(t *testing.T) {
	engines := swaps(t, "1.0.0", "2.0.0")
	registry := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", registry, engines["1.0.0"])
	h := startServer(t, "--registry", registry, "--follow", "20ms", "--cache", "0")
	h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)

	const callers = 8
	var stopped atomic.Bool
	var asked atomic.Int64
	var wg sync.WaitGroup
	seen := make([][]string, callers) // the versions that answered calls without a pin, in order
	for c := range callers {
		wg.Go(func() {
			for n := 0; !stopped.Load(); n++ {
				var headers []string
				if n%2 == 0 {
					headers = []string{pinHeader, "1.0.0"}
				}
				status, answer := h.post(t, "/api/v1/calc/swap", fmt.Sprintf(`{"x":%d}`, n), headers...)
				by := byOf(answer)
				if status != 200 || !strings.Contains(answer, fmt.Sprintf(`"calculation_version":"%s"`, by)) || !strings.Contains(answer, fmt.Sprintf(`"result":{"y":%d,"by"`, n)) {
					t.Errorf("%d %s", status, answer)
					return
				}
				switch {
				case headers != nil && by != "1.0.0":
					t.Errorf("pinned, and answered by %s", by)
				case headers == nil && (len(seen[c]) == 0 || seen[c][len(seen[c])-1] != by):
					seen[c] = append(seen[c], by)
				}
				asked.Add(1)
			}
		})
	}
	does(t, "publish", "--to", registry, engines["2.0.0"])
	h.awaits(t, `"by":"2.0.0"`, `{"x":1}`)
	does(t, "yank", "--registry", registry, "swap", "2.0.0", "--reason", "test")
	h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)
	for from := asked.Load(); asked.Load() < from+20*callers && !t.Failed(); time.Sleep(time.Millisecond) {
	}
	stopped.Store(true)
	wg.Wait()
	for c, order := range seen {
		if got := strings.Join(order, " "); got != "1.0.0 2.0.0 1.0.0" {
			t.Errorf("caller %d was answered by %s", c, got)
		}
	}
	t.Logf("%d calls", asked.Load())
}

// byOf returns the version that the result names.
func byOf(answer string) string {
	_, by, _ := strings.Cut(answer, `"by":"`)
	by, _, _ = strings.Cut(by, `"`)
	return by
}
