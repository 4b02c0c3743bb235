package system

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// languagesOfClients lists the languages of slipstick client, with the file of each and the command that runs it.
var languagesOfClients = []struct{ lang, file string }{{"go", "calculations.go"}, {"ts", "calculations.ts"}, {"python", "calculations.py"}}

// Clients in three languages compile with the strictest settings of their compilers, and print the same for the
// same calls. The calls cover answers, batches that are read row by row, refusals, retries, and answers of another
// engine, which every client rejects.
func TestClientPrograms(t *testing.T) {
	busy(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "locked"))); err != nil {
		t.Fatal(err)
	}
	registry := filepath.Join(t.TempDir(), "registry")
	if err := os.CopyFS(registry, os.DirFS(built.registry)); err != nil {
		t.Fatal(err)
	}
	does(t, "publish", "--to", registry, filepath.Join(root, "plugins", "electrical", "circuits", "parallel_resistance.calc.md"))
	writeClients(t, dir, registry)
	programs := compileClients(t, dir)
	h := startServer(t, "--registry", registry)
	const want = `power 0.048 engine_tested 71 3 0
pinned 765.8195051509771 765.81850314375
choices 9.624108237241511
quantity 0.048 W W
to 48 answer
to kg INCOMPATIBLE_UNIT 400 
list to 90.9090909090909 answer
row to 1.1 answer
swapped to LockError electrical.basic.ohms_law
bare true
bare item true
well RESISTANCE_MUST_BE_NONZERO 400 resistance
tampered LockError electrical.basic.ohms_law
older LockError electrical.basic.ohms_law
busy answer
full OVERLOADED 503 
later RATE_LIMITED 429 
gateway HTTP_502 502 
moved HTTP_307 307 
silent true
well batch 2498 2 25465224.538223717 true ends
crowded batch 2498 2 25465224.538223717 true ends
ending batch 2498 2 25465224.538223717 true ends
tampered batch 0 1 0 true LockError electrical.basic.ohms_law
short batch 10 1 55 true error
full batch 0 0 0 true OVERLOADED 503 
`
	for i, program := range programs {
		faulty := newFaulty(t, h.url)
		out, err := exec.CommandContext(t.Context(), program[0], append(program[1:], faulty.URL)...).CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v\n%s", program, err, out)
			continue
		}
		if string(out) != want {
			t.Errorf("%s:\n%s\nwant:\n%s", languagesOfClients[i].lang, out, want)
		}
		faulty.check(t, languagesOfClients[i].lang)
	}
}

// The programs of the guide to clients print their results: the two commands for a start from nothing, and the
// programs in each language.
func TestClientsGuide(t *testing.T) {
	busy(t)
	guide, err := os.ReadFile(filepath.Join(root, "docs", "guides", "clients.md"))
	if err != nil {
		t.Fatal(err)
	}
	h, a := startAll(t), newAuthor(t)
	compile, err := filepath.Abs(filepath.Join(root, "scripts", "node", "clients", "compile"))
	if err != nil {
		t.Fatal(err)
	}
	types := func(command string) string {
		cmd := a.command(command)
		cmd.Env = append(cmd.Env, "SLIPSTICK_REGISTRY="+built.registry)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		return string(out)
	}
	for line := range strings.Lines(string(guide)) {
		if command, ok := strings.CutPrefix(line, "    slipstick "); ok {
			types("slipstick " + command)
			a.typed++
		}
	}
	programs := 0
	for _, b := range blocks(string(guide)) {
		run := map[string]struct{ file, with, prints string }{
			"go":     {"main.go", "go mod init example.com/app && go run . " + h.url, "0.048 W 48 engine_tested\n"},
			"ts":     {"src/main.ts", `echo '{"type": "module"}' > package.json && ` + compile + " src --noCheck && node src/main.js " + h.url, "0.048 W 48 engine_tested\n"},
			"python": {"main.py", "python3 -W error main.py " + h.url, "0.048 W 48.0 engine_tested\n"},
		}[b.language]
		if run.file == "" {
			continue
		}
		programs++
		a.write(t, run.file, strings.Join(b.lines, "\n")+"\n")
		if out := types(run.with); out != run.prints {
			t.Errorf("%s prints %q, want %q", run.file, out, run.prints)
		}
	}
	if a.typed != 4 || programs != 3 {
		t.Errorf("the guide has %d commands and %d programs", a.typed, programs)
	}
}

// writeClients locks the published releases, and writes a client in each language, as users do.
func writeClients(t *testing.T, dir, registry string) {
	t.Helper()
	lock, out := filepath.Join(dir, "slipstick.lock"), filepath.Join(dir, "calculations")
	if r := slipstick(t.Context(), "lock", "--registry", registry, "-o", lock); r.code != exitOK {
		t.Fatal(r.err)
	}
	for _, l := range languagesOfClients {
		check := []string{"client", "--lock", lock, "--lang", l.lang, "--out", out, "--check"}
		if r := slipstick(t.Context(), check...); r.code != exitFailed {
			t.Errorf("%s: --check of no file: %d %s", l.lang, r.code, r.out)
		}
		if r := slipstick(t.Context(), check[:len(check)-1]...); r.code != exitOK {
			t.Fatal(r.err)
		}
		if r := slipstick(t.Context(), check...); r.code != exitOK {
			t.Errorf("%s: --check of what was written: %d %s", l.lang, r.code, r.err)
		}
		text, err := os.ReadFile(filepath.Join(out, l.file))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes, %d lines", l.file, len(text), bytes.Count(text, []byte{'\n'}))
	}
	for name, text := range map[string]string{"go.mod": "module example.com/locked\n\ngo 1.24\n", "package.json": `{"type": "module"}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// compileClients compiles the client programs in the directory, and returns the command that runs each.
func compileClients(t *testing.T, dir string) (programs [][]string) {
	t.Helper()
	compile, err := filepath.Abs(filepath.Join(root, "scripts", "node", "clients", "compile"))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for _, args := range [][]string{{"go", "vet", "./..."}, {"go", "build", "-o", "program", "."}, {compile, dir}} {
		all.Go(func() {
			cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %v\n%s", args, err, out)
			}
		})
	}
	all.Go(func() { checkPython(t, dir) })
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return [][]string{{filepath.Join(dir, "program")}, {"node", filepath.Join(dir, "main.js")}, {"python3", "-W", "error", filepath.Join(dir, "main.py")}}
}

// checkPython makes sure that mypy finds every call in wrong.py, if that file exists, and nothing else.
func checkPython(t *testing.T, dir string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "*.py"))
	cmd := exec.CommandContext(t.Context(), "mypy", append([]string{"--strict", "--enable-incomplete-feature=Unpack", "--no-error-summary"}, files...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	wrong, _ := os.ReadFile(filepath.Join(dir, "wrong.py"))
	found := regexp.MustCompile(`(?m)^wrong\.py:\d+: error:`).FindAllString(string(out), -1)
	if all := strings.Count(string(out), " error:"); len(found) != strings.Count(string(wrong), "    c.") || all != len(found) {
		t.Errorf("mypy finds %d faults, %d of them in wrong.py:\n%s", all, len(found), out)
	}
}

// faulty is a proxy in front of a server. The first word of the URL path is the kind of fault that it injects.
type faulty struct {
	*httptest.Server
	host *httputil.ReverseProxy

	mu    sync.Mutex
	calls map[string]int // calls by fault, for single calls and batches
	other []string       // parts of calls that must not be there
}

func newFaulty(t *testing.T, host string) *faulty {
	t.Helper()
	base, err := url.Parse(host)
	if err != nil {
		t.Fatal(err)
	}
	f := &faulty{host: httputil.NewSingleHostReverseProxy(base), calls: map[string]int{}}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	batch := strings.HasSuffix(path, "/batch")
	f.mu.Lock()
	name := fault
	if batch {
		name += " batch"
	}
	f.calls[name]++
	call := f.calls[name]
	body, _ := io.ReadAll(r.Body)
	if rows := bytes.Count(body, []byte{'\n'}); rows > 1000 || r.Header.Get("X-Api-Key") != "secret" && fault != "silent" {
		f.other = append(f.other, fmt.Sprint(fault, " ", rows, " rows ", r.Header))
	}
	f.mu.Unlock()
	problem := func(status int, code string, wait float64) string {
		return fmt.Sprintf(`{"status":"error","http_status":%d,"code":%q,"error":"later","retry_after_seconds":%v}`+"\n", status, code, wait)
	}
	switch {
	case fault == "silent":
		<-r.Context().Done()
		return
	case fault == "busy" && call < 3:
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, problem(429, "RATE_LIMITED", 0.01))
		return
	case fault == "brief" && call == 1:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, problem(503, "OVERLOADED", 1))
		return
	case fault == "full":
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, problem(503, "OVERLOADED", 0.01))
		return
	case fault == "later":
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"code":"RATE_LIMITED","error":"later"}`)
		return
	case fault == "moved":
		http.Redirect(w, r, f.URL+"/well/"+path, http.StatusTemporaryRedirect)
		return
	case fault == "gateway":
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, "<h1>Bad Gateway</h1>")
		return
	}
	r.URL.Path, r.Body, r.ContentLength = "/"+path, io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Del("Accept-Encoding")
	answer := httptest.NewRecorder()
	f.host.ServeHTTP(answer, r)
	text := answer.Body.String()
	lines := strings.SplitAfter(text, "\n")
	switch {
	case fault == "tampered", fault == "swapped" && r.Method == http.MethodGet:
		answer.Header().Set("Slipstick-Engine-Digest", "sha256:"+strings.Repeat("0", 64))
		text = regexp.MustCompile(`"engine_digest":"[^"]*"`).ReplaceAllString(text, `"engine_digest":"sha256:0"`)
	case fault == "older":
		text = strings.Replace(text, `"calculation_version":"1.0.1"`, `"calculation_version":"0.9.0"`, 1)
	case fault == "crowded" && call == 1:
		for i := range lines {
			if i%7 == 3 {
				lines[i] = problem(429, "RATE_LIMITED", 0.01)
			}
		}
		text = strings.Join(lines, "")
	case fault == "ending" && call == 2:
		text = strings.Join(lines[:600], "") + `{"status":"error","http_status":503,"code":"BATCH_INTERRUPTED","error":"ends","retry_after_seconds":0.01,"resume_at_row":601}` + "\n"
	case fault == "short":
		text = strings.Join(lines[:11], "")
	}
	answer.Header().Del("Content-Length")
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = io.WriteString(w, text)
}

// check compares the number of calls of a program with the expected number. A transient fault is tried four times
// at most; any other fault is tried once.
func (f *faulty) check(t *testing.T, lang string) {
	t.Helper()
	want := map[string]int{
		"well": 11, "swapped": 2, "tampered": 1, "older": 1, "busy": 3, "full": 4, "later": 1, "gateway": 1, "moved": 1, "silent": 1,
		"well batch": 4, "crowded batch": 4, "ending batch": 4, "tampered batch": 1, "short batch": 1, "full batch": 4,
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.calls, "bare") // in Go the service refuses them
	got, _ := json.Marshal(f.calls)
	if wanted, _ := json.Marshal(want); string(got) != string(wanted) || len(f.other) > 0 {
		t.Errorf("%s called %s, want %s; %v", lang, got, wanted, f.other)
	}
}
