package system

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/registry/sign"
)

// There are two publishers with their own keys. The tool id swap belongs to a capability of desk. mallory may
// publish other capabilities, and uses the tool id swap too.
const (
	rightful = "test.life.swap"
	squatter = "zzz.evil.squat" // the last in the order of ids
	earliest = "aaa.evil.squat" // the first in the order of ids
)

// squats builds the engine swap for a capability of mallory. Its version is 6.6.6.
func squats(t *testing.T, capability string) string {
	t.Helper()
	built := filepath.Join(t.TempDir(), "squat")
	buildEngine(t, built, "swap", "version=6.6.6", "capability="+capability)
	return built
}

// twoPublishers returns the keys of both publishers by name, with their entries in a trust file.
func twoPublishers(t *testing.T) (keys map[string]string, entries map[string]sign.Key) {
	t.Helper()
	keys, entries = map[string]string{}, map[string]sign.Key{}
	for name, scope := range map[string][]string{"desk": {"test.*"}, "mallory": {"zzz.*", "aaa.*"}} {
		path := filepath.Join(t.TempDir(), name)
		var entry sign.Key
		if err := json.Unmarshal([]byte(does(t, "keys", "new", "--no-password", path)), &entry); err != nil {
			t.Fatal(err)
		}
		entry.Name, entry.Capabilities = name, scope
		keys[name], entries[name] = path+".key", entry
	}
	return keys, entries
}

func trustOf(t *testing.T, entries ...sign.Key) string {
	t.Helper()
	data, err := json.Marshal(map[string]any{"keys": entries})
	if err != nil {
		t.Fatal(err)
	}
	return write(t, "trust.json", string(data))
}

// copyTree copies files that do not exist yet, as an attacker with write access to a registry can.
func copyTree(t *testing.T, to, from string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimPrefix(path, from))
		if e.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		if _, err := os.Stat(target); err == nil {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkOwnerAnswers makes sure that the tool id selects the capability of desk on every interface. A call of the
// squatter by its capability id must give the status.
func checkOwnerAnswers(t *testing.T, h *server, squatting int) {
	t.Helper()
	for _, pin := range []string{"", "1.0.0"} {
		var headers []string
		if pin != "" {
			headers = []string{pinHeader, pin}
		}
		if status, answer := h.post(t, "/api/v1/calc/swap", `{"x":3}`, headers...); status != 200 || byOf(answer) != "1.0.0" {
			t.Errorf("swap, pinned to %q: %d %s", pin, status, answer)
		}
	}
	if status, answer := h.post(t, "/api/v1/calc/swap", `{"x":3}`, pinHeader, "6.6.6"); status != 409 {
		t.Errorf("the version of the squatter under swap: %d %s", status, answer)
	}
	if status, page := h.get(t, "/calc/test/swap?x=3"); status != 200 || strings.Contains(page, "6.6.6") {
		t.Errorf("the page: %d\n%s", status, page)
	}
	status, answer := h.post(t, "/api/v1/calc/"+squatter, `{"x":3}`)
	if status != squatting || status == 200 && (byOf(answer) != "6.6.6" || strings.Contains(answer, "/calc/test/swap")) {
		t.Errorf("the squatter by its capability id: %d %s", status, answer)
	}
	if status == 200 {
		if status, page := h.get(t, "/calc/test/"+squatter+"?x=3"); status != 200 || !strings.Contains(page, "6.6.6") {
			t.Errorf("the page of the squatter: %d\n%s", status, page)
		}
	}
	h.shows(t, "/readyz?verbose", `"registry":"damaged in `)
	if _, metrics := h.get(t, "/metrics"); strings.Contains(metrics, "slipstick_registry_damaged 0\n") {
		t.Error("the metrics show no damage")
	}
}

// An attacker who can add a directory to a registry can neither take a tool id from another capability nor make it
// unavailable. This holds after a restart, and for a server with an empty trust-on-first-use store. Removing the
// directory restores the registry.
func TestToolIDIsNotTaken(t *testing.T) {
	t.Parallel()
	keys, entries := twoPublishers(t)
	owner, squat := swaps(t, "1.0.0")["1.0.0"], squats(t, squatter)
	published, signed, unsigned := filepath.Join(t.TempDir(), "registry"), t.TempDir(), t.TempDir()
	does(t, "publish", "--to", published, "--sign", keys["desk"], owner)
	does(t, "publish", "--to", signed, "--sign", keys["mallory"], squat)
	does(t, "publish", "--to", unsigned, squat)
	if r := slipstick(t.Context(), "publish", "--to", published, "--sign", keys["mallory"], squat); r.code != exitFailed || !strings.Contains(r.err, "the tool id swap belongs to "+rightful) {
		t.Errorf("publish says %d %s", r.code, r.err)
	}
	checkCommandsUseOwner(t, keys, published, signed)
	strict := []string{"--trust", trustOf(t, entries["desk"], entries["mallory"]), "--require-signatures"}
	for _, tt := range []struct {
		name   string
		from   string
		damage func(dir string) error
		flags  []string
		status int    // the status of the squatter by its capability id
		says   string // expected log message
	}{
		{"signed", signed, nil, strict, 200, "belongs to " + rightful},
		{"unsigned", unsigned, nil, strict, 503, ""},
		{"unsigned, and nobody must sign", unsigned, nil, nil, 200, "belongs to " + rightful},
		{"an index that is none", signed, func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "index.json"), []byte("{"), 0o600)
		}, strict, 503, "not an OCI index"},
		{"an engine that is gone, and nobody must sign", unsigned, func(dir string) error {
			return os.Remove(largestBlob(t, dir))
		}, nil, 503, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, data := filepath.Join(t.TempDir(), "registry"), t.TempDir()
			copyTree(t, dir, published)
			start := func(data string) *server {
				t.Helper()
				return startServerWith(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--registry", dir, "--data", data, "--limit", "calc=0,share=0,page=0", "--follow", "20ms"}, tt.flags...))
			}
			h := start(data)
			h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)
			hidden := filepath.Join(dir, "."+squatter)
			copyTree(t, hidden, filepath.Join(tt.from, squatter))
			if tt.damage != nil {
				if err := tt.damage(hidden); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Rename(hidden, filepath.Join(dir, squatter)); err != nil {
				t.Fatal(err)
			}
			h.shows(t, "/readyz?verbose", `"registry":"damaged in `)
			checkOwnerAnswers(t, h, tt.status)
			for _, data := range []string{t.TempDir(), data} { // the first store is empty
				h.stop(t)
				h = start(data)
				checkOwnerAnswers(t, h, tt.status)
				if said := strings.Join(h.said, "\n"); !strings.Contains(said, squatter) || !strings.Contains(said, tt.says) {
					t.Errorf("a start says %s", said)
				}
			}
			if err := os.Rename(filepath.Join(dir, squatter), filepath.Join(t.TempDir(), "away")); err != nil {
				t.Fatal(err)
			}
			h.shows(t, "/readyz?verbose", `"registry":"ok"`)
			if status, answer := h.post(t, "/api/v1/calc/"+squatter, `{"x":3}`); status != 404 {
				t.Errorf("the squatter that is gone: %d %s", status, answer)
			}
			h.stop(t)
			h = start(data)
			if len(h.said) != 1 {
				t.Errorf("after it is gone a start says %s", strings.Join(h.said, "\n"))
			}
			h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)
		})
	}
}

// checkCommandsUseOwner makes sure that commands resolve the tool id to its owner, with a squatter in the
// registry. The squatter prevents no publisher from publishing, withdrawing or logging.
func checkCommandsUseOwner(t *testing.T, keys map[string]string, published, squatted string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "registry")
	copyTree(t, dir, published)
	copyTree(t, dir, squatted)
	if out := does(t, "calc", "--registry", dir, "--json", "swap", "x=1"); byOf(out) != "1.0.0" {
		t.Errorf("calc: %s", out)
	}
	does(t, "publish", "--to", dir, "--sign", keys["desk"], swaps(t, "2.0.0")["2.0.0"])
	if out := does(t, "log", "init", "--registry", dir, "--key", keys["desk"]); !strings.Contains(out, "entries added") {
		t.Errorf("log: %s", out)
	}
	if out := does(t, "yank", "--registry", dir, "swap", "1.0.0", "--reason", "test"); !strings.HasPrefix(out, "yanked "+rightful+" 1.0.0\n") {
		t.Errorf("yank: %s", out)
	}
}

// publicKey returns the second line of the file next to a secret key.
func publicKey(t *testing.T, secret string) string {
	t.Helper()
	return strings.Split(string(mustRead(t, strings.TrimSuffix(secret, ".key")+".pub")), "\n")[1]
}

// A server with an empty trust-on-first-use store uses a trust file that lists the tool id, then a transparency
// log. Without either, the first publisher owns the tool id, and the conflict is logged.
func TestToolIDOwnerWithoutTrustStore(t *testing.T) {
	t.Parallel()
	keys, entries := twoPublishers(t)
	dir, desk, data := t.TempDir(), t.TempDir(), t.TempDir()
	does(t, "publish", "--to", dir, "--sign", keys["mallory"], squats(t, earliest))
	does(t, "publish", "--to", desk, "--sign", keys["desk"], swaps(t, "1.0.0")["1.0.0"])
	plain := trustOf(t, entries["desk"], entries["mallory"])
	logged := filepath.Join(t.TempDir(), "logged") // a log in which desk was the first
	does(t, "log", "init", "--registry", desk, "--key", keys["desk"])
	copyTree(t, logged, desk)
	copyTree(t, filepath.Join(dir, rightful), filepath.Join(desk, rightful))
	copyTree(t, filepath.Join(logged, earliest), filepath.Join(dir, earliest))
	lister := entries["desk"]
	lister.Tools = []string{"swap*"}
	if r := slipstick(t.Context(), "calc", "--registry", dir, "--trust", trustOf(t, lister), "swap", "x=1"); r.code == exitOK || !strings.Contains(r.err, "a prefix such as pipe-*") {
		t.Errorf("a bad trust file: %d %s", r.code, r.err)
	}
	lister.Tools = []string{"swap"}

	for _, tt := range []struct {
		name  string
		data  string
		flags []string
		by    string
		says  string
	}{
		{"the first", "", []string{"--trust", plain}, "6.6.6", rightful + ": version 1.0.0 names the tool id swap, which belongs to " + earliest},
		{"the log", "", []string{"--trust", plain, "--registry", logged}, "1.0.0", "it is the first that names it in the log"},
		{"the trust file", data, []string{"--trust", trustOf(t, lister, entries["mallory"])}, "1.0.0", "the trust file keeps it for desk"},
		{"memory", data, []string{"--trust", plain}, "1.0.0", "it had it first, as is remembered in"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			where := tt.data
			if where == "" {
				where = t.TempDir()
			}
			h := startServerWith(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--registry", dir, "--data", where, "--require-signatures"}, tt.flags...))
			if status, answer := h.post(t, "/api/v1/calc/swap", `{"x":1}`); status != 200 || byOf(answer) != tt.by {
				t.Errorf("%d %s", status, answer)
			}
			if said := strings.Join(h.said, "\n"); !strings.Contains(said, tt.says) {
				t.Errorf("it says %s, not %s", said, tt.says)
			}
			h.stop(t)
		})
	}
	if out := does(t, "list", "--json", "--registry", dir, "--trust", trustOf(t, lister, entries["mallory"])); !strings.Contains(out, `"tool":"swap"`) {
		t.Errorf("list: %s", out)
	}
}

// The same in a remote registry: a squatter's repository and a tag in the list take no tool id. After their
// removal, the mirror contains no part of them.
func TestToolIDIsNotTakenInRemoteRegistry(t *testing.T) {
	t.Parallel()
	keys, entries := twoPublishers(t)
	address, storage := startDockerRegistry(t)
	at := []string{"--mirror", t.TempDir()}
	does(t, append([]string{"publish", "--to", address + "/calc", "--sign", keys["desk"], swaps(t, "1.0.0")["1.0.0"]}, at...)...)
	squat := squats(t, squatter)
	does(t, append([]string{"publish", "--to", address + "/evil", "--sign", keys["mallory"], squat}, at...)...)
	if r := slipstick(t.Context(), append([]string{"publish", "--to", address + "/calc", "--sign", keys["mallory"], squat}, at...)...); r.code != exitFailed || !strings.Contains(r.err, "the tool id swap belongs to "+rightful) {
		t.Errorf("publish says %d %s", r.code, r.err)
	}
	strict := []string{"--trust", trustOf(t, entries["desk"], entries["mallory"]), "--require-signatures"}
	dir := t.TempDir()
	h := startRemoteServer(t, address+"/calc", dir, strict...)
	h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)

	for _, part := range []string{squatter, "_manifests"} { // the listed parts are there
		copyTree(t, filepath.Join(storage, "calc", part), filepath.Join(storage, "evil", part))
	}
	h.shows(t, "/readyz?verbose", squatter+"@6.6.6")
	checkOwnerAnswers(t, h, 200)
	h.stop(t)
	checkOwnerAnswers(t, startRemoteServer(t, address+"/calc", t.TempDir(), strict...), 200)
	h = startRemoteServer(t, address+"/calc", dir, strict...)
	checkOwnerAnswers(t, h, 200)

	if err := os.RemoveAll(filepath.Join(storage, "calc", "_manifests", "tags", squatter)); err != nil {
		t.Fatal(err)
	}
	h.shows(t, "/readyz?verbose", `"registry":"ok"`)
	h.stop(t)
	h = startRemoteServer(t, address+"/calc", dir, strict...)
	if len(h.said) != 1 {
		t.Errorf("after it is gone a start says %s", strings.Join(h.said, "\n"))
	}
	h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)
	if mirrors, err := filepath.Glob(filepath.Join(dir, "mirror", "*", squatter)); err != nil || len(mirrors) > 0 {
		t.Errorf("the mirror has %v (%v)", mirrors, err)
	}
}

// startDockerRegistry runs Debian's docker-registry. It returns the address and the directory of the repositories.
func startDockerRegistry(t *testing.T) (address, repositories string) {
	t.Helper()
	program, err := exec.LookPath("docker-registry")
	if err != nil {
		t.Skip("docker-registry is not installed; scripts/test installs it")
	}
	dir := t.TempDir()
	text := fmt.Sprintf("version: 0.1\nlog: {level: info}\nstorage: {filesystem: {rootdirectory: %q}}\nhttp: {addr: \"127.0.0.1:0\"}\n", dir)
	cmd := exec.Command(program, "serve", write(t, "config.yml", text))
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	found := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(said); lines.Scan(); {
			if m := registryListens.FindStringSubmatch(lines.Text()); m != nil {
				found <- m[1]
			}
		}
	}()
	select {
	case host := <-found:
		return "oci://" + host, filepath.Join(dir, "docker", "registry", "v2", "repositories")
	case <-time.After(time.Minute):
		t.Fatal("docker-registry does not listen")
		return "", ""
	}
}

var registryListens = regexp.MustCompile(`listening on (127\.0\.0\.1:\d+)`)
