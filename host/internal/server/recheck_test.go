package server_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/host/internal/platform/redis"
	"github.com/slipstick/slipstick/host/internal/server"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk/document"
)

const liar = "test.lab.liar"

// lab is a registry with two versions of an engine that conforms until a file names another
// behavior.
type lab struct {
	dir, file string
	registry  *registry.Registry
}

func newLab(t *testing.T) *lab {
	t.Helper()
	dir := t.TempDir()
	l := &lab{dir: filepath.Join(dir, "registry"), file: filepath.Join(dir, "behavior")}
	var err error
	l.registry, err = registry.Open(l.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "liar")
	out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -X main.file="+l.file, "-o", path, "./testdata/liar").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := exec.Command(path, "spec").Output()
	if err != nil {
		t.Fatal(err)
	}
	built, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"1.0.0", "2.0.0"} {
		spec, err := document.ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		spec.Version = version
		program := bytes.ReplaceAll(built, []byte("liar version 1.0.0"), []byte("liar version "+version)) // saves a build
		judged, err := report.Read(fmt.Appendf(nil, `{"engine_digests":["sha256:%x"],"passed":true,"vectors":{"total":1,"passed":1}}`, sha256.Sum256(program)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.registry.Publish(t.Context(), registry.Candidate{
			Spec: *spec, Engines: map[string][]byte{runtime.GOOS + "/" + runtime.GOARCH: program},
			Vectors: []byte(`[{"id": "V1", "inputs": {"x": 3}, "expected": {"y": 7}, "source": "by hand"}]`), Report: judged,
		}); err != nil {
			t.Fatal(err)
		}
	}
	l.promote(t, "1.0.0")
	return l
}

func (l *lab) promote(t *testing.T, version string) {
	t.Helper()
	if err := l.registry.Promote(t.Context(), liar, version); err != nil {
		t.Fatal(err)
	}
}

func (l *lab) yank(t *testing.T, version string) {
	t.Helper()
	if err := l.registry.SetLifecycle(t.Context(), liar, version, evidence.Lifecycle{State: evidence.Yanked, Reason: "wrong numbers"}); err != nil {
		t.Fatal(err)
	}
}

// become changes the behavior of the engine from now on.
func (l *lab) become(t *testing.T, behavior string) {
	t.Helper()
	if err := os.WriteFile(l.file, []byte(behavior), 0o600); err != nil {
		t.Fatal(err)
	}
}

// running is a server of the lab.
type running struct {
	url string
	log *lines
}

// lines is a log that can be read during writes.
type lines struct {
	sync.Mutex
	bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.Buffer.Write(p)
}

func (l *lines) String() string {
	l.Lock()
	defer l.Unlock()
	return l.Buffer.String()
}

// serve runs a server that keeps every calculation, and recomputes it a short time later.
func (l *lab) serve(t *testing.T) *running {
	t.Helper()
	r := &running{log: new(lines)}
	c := config(t)
	c.Source.Registry, c.Follow = l.dir, 20*time.Millisecond
	c.Recheck = server.Recheck{Every: 1, Round: 20 * time.Millisecond}
	c.Reports.Log = slog.New(slog.NewTextHandler(r.log, nil))
	s, err := server.New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		s.Close()
	})
	r.url = "http://" + s.Addr().String()
	return r
}

func (r *running) ask(t *testing.T, path, body, kind string) string {
	t.Helper()
	var resp *http.Response
	var err error
	if body == "" {
		resp, err = http.Get(r.url + path)
	} else {
		resp, err = http.Post(r.url+path, kind, strings.NewReader(body))
	}
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s", path, resp.StatusCode, text)
	}
	return string(text)
}

// until waits until the response of a path, which always has status 200, contains the text or does
// not.
func (r *running) until(t *testing.T, path string, has bool, text string) {
	t.Helper()
	var body string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		body = r.ask(t, path, "", "")
		if strings.Contains(body, text) == has {
			return
		}
	}
	t.Fatalf("not after a minute: has %q: %v: %s\n%.3000s", text, has, body, r.log)
}

const accused = `"code":"NUMBERS","detail":"test.lab.liar@`

// An engine that conformed when it was published, and gives wrong results later, is detected. This
// works for single calls and for rows of every format, and for all kinds of wrong results. The
// readiness names the version until it is withdrawn.
func TestChangingNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("builds engines")
	}
	l := newLab(t)
	ndjson, csv := new(strings.Builder), new(strings.Builder)
	csv.WriteString("x\n")
	for x := range 100 {
		fmt.Fprintf(ndjson, `{"id":"liar","inputs":{"x":%d}}`+"\n", x)
		fmt.Fprintf(csv, "%d\n", x)
	}
	for _, call := range []struct{ name, path, body, kind string }{
		{"single", "/api/v1/calc/liar", `{"x":5}`, "application/json"},
		{"NDJSON", "/api/v1/batch", ndjson.String(), "application/x-ndjson"},
		{"CSV", "/api/v1/batch?id=liar", csv.String(), "text/csv"},
	} {
		for behavior, want := range map[string]string{
			"random":  `check="again",result="differs",version="1.0.0"`,
			"repeats": `check="again",result="differs",version="1.0.0"`,
			"wrong":   `check="formula",result="differs",version="1.0.0"`,
		} {
			t.Run(call.name+"/"+behavior, func(t *testing.T) {
				l.become(t, "right")
				r := l.serve(t)
				r.ask(t, call.path, call.body, call.kind)
				if strings.Contains(r.ask(t, "/metrics", "", ""), "slipstick_numbers_differ{") {
					t.Error("reported before it was wrong")
				}
				l.become(t, behavior)
				r.ask(t, call.path, strings.ReplaceAll(call.body, "5", "7"), call.kind)
				r.until(t, "/metrics", true, `slipstick_numbers_differ{capability="test.lab.liar",version="1.0.0"} 1`)
				r.until(t, "/metrics", true, want)
				r.until(t, "/readyz?verbose", true, accused+"1.0.0")
				for _, text := range []string{`inputs="{\"x\":`, `\"y\":`, `slipstick yank test.lab.liar 1.0.0`} {
					if !strings.Contains(r.log.String(), text) {
						t.Errorf("the log does not have %s: %s", text, r.log)
					}
				}
			})
		}
	}
	t.Run("agrees again", func(t *testing.T) {
		l.become(t, "wrong")
		r := l.serve(t)
		r.ask(t, "/api/v1/calc/liar", `{"x":5}`, "application/json")
		r.until(t, "/readyz?verbose", true, accused+"1.0.0")
		l.become(t, "right")
		r.until(t, "/readyz?verbose", false, accused)
	})
	t.Run("promotion", func(t *testing.T) {
		l.become(t, "right")
		r := l.serve(t)
		l.become(t, "wrong")
		l.promote(t, "2.0.0")
		r.until(t, "/readyz?verbose", true, accused+"2.0.0")
		l.yank(t, "2.0.0") // so that 1.0.0 becomes current, which is also wrong
		r.until(t, "/readyz?verbose", false, accused+"2.0.0")
		r.until(t, "/readyz?verbose", true, accused+"1.0.0")
	})
}

// Among the servers that share Redis, one takes a turn. If Redis does not respond, each server
// does.
func TestTurn(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs redis-server")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().(*net.TCPAddr)
	free.Close()
	store := exec.Command("redis-server", "--port", strconv.Itoa(addr.Port), "--bind", "127.0.0.1", "--dir", t.TempDir(), "--save", "")
	if err := store.Start(); err != nil {
		t.Fatalf("%v: apt-get install redis-server", err)
	}
	stop := sync.OnceFunc(func() {
		_ = store.Process.Kill()
		_ = store.Wait()
	})
	t.Cleanup(stop)
	client, err := redis.Open("redis://" + addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := client.Do(t.Context(), "ping"); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("redis-server does not answer")
		}
	}
	var servers []*server.Server
	for range 2 {
		c := config(t)
		c.Snapshots.Redis, c.Snapshots.Ephemeral = "redis://"+addr.String(), true
		s, err := server.New(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		servers = append(servers, s)
	}
	turns := func(key string) (n int) {
		for _, s := range servers {
			if server.Turn(s, t.Context(), key, time.Hour) {
				n++
			}
		}
		return n
	}
	for _, tt := range []struct {
		key  string
		want int
	}{{"a", 1}, {"a", 0}, {"b", 1}} {
		if n := turns(tt.key); n != tt.want {
			t.Errorf("%s: %d turns, want %d", tt.key, n, tt.want)
		}
	}
	stop()
	if n := turns("a"); n != 2 {
		t.Errorf("without Redis: %d turns", n)
	}
}
