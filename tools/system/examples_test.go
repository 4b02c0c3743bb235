package system

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/tables/columns"
	"github.com/slipstick/slipstick/registry/sign"
)

var (
	exampleLine = regexp.MustCompile(`^(?:Example: |  +(?:[a-z]+: +)?)((?:slipstick|curl|export|generate|nats-server|echo|go) .*)`)
	innerLine   = regexp.MustCompile(`^ .*(?:[|(;&]|[A-Z]=\S+) *slipstick `) // a command that is not at the start of its line
	continued   = regexp.MustCompile(`\\\n +`)
	remark      = regexp.MustCompile(` {2,}\S.*$`) // a remark after a command
)

// helpTexts contains the help texts of commands, below help.
var helpTexts = os.DirFS(filepath.Join(root, "host", "cmd", "slipstick"))

// examples returns the commands that a help text shows.
func examples(t *testing.T, file string) (commands []string) {
	t.Helper()
	text, err := fs.ReadFile(helpTexts, file)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(continued.ReplaceAllString(string(text), ""), "\n") {
		match := exampleLine.FindStringSubmatch(line)
		switch {
		case match != nil:
			commands = append(commands, remark.ReplaceAllString(match[1], ""))
		case innerLine.MatchString(line):
			t.Errorf("%s: the test does not know the program at the beginning of %s", file, line)
		}
	}
	return commands
}

// ranElsewhere maps the beginnings of examples to the tests that run them: they start a server or compile for long.
var ranElsewhere = map[string]string{
	"slipstick build":          "TestBuild",
	"slipstick rebuild ":       "TestRebuild",
	"slipstick dev":            "TestAuthorsGuide",
	"slipstick publish ENGINE": "TestPublishForSeveralPlatforms",
	"go test ./...":            "TestNew",
	"nats-server ":             "TestBatchQueue",
}

func isRanElsewhere(command string) bool {
	for begin := range ranElsewhere {
		if strings.HasPrefix(command, begin) {
			return true
		}
	}
	return false
}

// wantCodes has the exit codes of examples that do not end with 0 here.
var wantCodes = map[string]int{
	"slipstick ledger check ledger --keys https://calc.example.org": exitInternal, // the server has a segment open
}

// reader is a person who types examples into a shell, in a directory with the files that the examples name.
type reader struct {
	*author
	placeholders []string // pairs: the placeholder in the example, and the text that this reader types instead
}

var (
	placeholder = regexp.MustCompile(`(?:^|[^$A-Z_])[A-Z]{2,}\b(?:[^=_]|$)|\.\.\.|…|example\.(?:org|com)`)
	network     = regexp.MustCompile(`//[A-Za-z0-9.-]+`)
)

// types runs the examples of help texts.
func (r *reader) types(t *testing.T, files ...string) {
	t.Helper()
	for _, file := range files {
		for _, shown := range examples(t, file) {
			if isRanElsewhere(shown) {
				continue
			}
			r.typed++
			command := strings.NewReplacer(r.placeholders...).Replace(shown)
			unknown := placeholder.FindString(command)
			for _, host := range network.FindAllString(command, -1) {
				if !slices.ContainsFunc(r.placeholders, func(p string) bool { return strings.Contains(p, host) }) {
					unknown = host
				}
			}
			if unknown != "" {
				t.Errorf("%s: the test does not know what to type for %q in %s", file, unknown, shown)
				continue
			}
			cmd := r.command(`fpath=(none "$HOME"); generate() { cat beams.ndjson; }; ` + command)
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != wantCodes[shown] {
				t.Errorf("%s: %s: %v\n%s", file, command, err, out)
			}
		}
	}
}

// at returns the path of a file of the reader, and creates its directory.
func (r *reader) at(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// newReader returns a reader with the files that examples name.
func newReader(t *testing.T) *reader {
	t.Helper()
	bin, home := t.TempDir(), newHome(t)
	r := &reader{author: &author{dir: t.TempDir()}}
	r.env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+home, "SLIPSTICK_SNAPSHOT_KEY="+strings.Repeat("ab", 32))
	for _, name := range []string{"registry", "unlogged", "var/registry"} {
		if out, err := exec.Command("cp", "-al", built.registry, r.at(t, name)).CombinedOutput(); err != nil { // links, because engines are large
			t.Fatalf("%v: %s", err, out)
		}
	}
	initLogAt(t, r.at(t, "var/registry"), time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)) // before the dates in the examples
	for from, to := range map[string]string{
		built.slipstick: filepath.Join(bin, "slipstick"), enginePath("ohms_law"): r.at(t, "ohms_law"), r.at(t, "ledger"): r.at(t, "var/ledger"),
	} {
		if err := os.Symlink(from, to); err != nil {
			t.Fatal(err)
		}
	}
	copyDocument(t, "electrical/basic/ohms_law", r.dir)
	r.write(t, "beam.xlsx", string(mustRead(t, filepath.Join(root, "host/internal/release/spreadsheet/testdata/beam.xlsx"))))
	r.write(t, "beams.ndjson", `{"id": "cantilever-deflection", "inputs": {"L": 3, "E": 210e9, "I": 8.356e-5, "w0": 12000}}`)
	r.write(t, "beams.csv", "L [ft],E,I,w0\n10,210e9,8.356e-5,12000\n")
	r.write(t, "wires.csv", "wire;V;R [kohm]\nred;1,5;0,5\n")
	writeRows(t, r.at(t, "rows.parquet"), 20, columns.NewParquet)
	writeRows(t, r.at(t, "wires.parquet"), 20, columns.NewParquet)
	writeRows(t, r.at(t, "wires.arrow"), 20, columns.NewArrow)
	for _, dir := range []string{r.at(t, "backup/x"), filepath.Join(home, ".config/fish/completions/x")} {
		if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// trusts writes a trust file with keys of the reader.
func (r *reader) trusts(t *testing.T, roles map[string][]sign.Role) {
	t.Helper()
	var keys []sign.Key
	for name := range roles {
		keys = append(keys, sign.Key{Name: name, PublicKey: publicKey(t, r.at(t, name+".key")), Roles: roles[name], Capabilities: []string{"*"}})
	}
	text, err := json.Marshal(map[string]any{"keys": keys, "log": map[string]int{"witnesses": 1}})
	if err != nil {
		t.Fatal(err)
	}
	r.write(t, "trust.json", string(text))
}

// Each example of a help text succeeds, typed into a shell as the text shows it. A table lists replacements for
// parts that depend on the reader, such as the URL of a server.
func TestHelpExamples(t *testing.T) {
	busy(t)
	r := newReader(t)
	// These examples create files that other examples need.
	first := []string{"help/keys-new.txt", "help/log-init.txt"}
	batch := []string{"help/batch-submit.txt", "help/batch-work.txt", "help/batch-verify.txt", "help/batch-status.txt"}
	lock := []string{"help/lock.txt", "help/client.txt"}

	r.placeholders = []string{"keys new ", "keys new --no-password "}
	r.types(t, first...)
	r.trusts(t, map[string][]sign.Role{"desk": {sign.Publishes}, "anna": {sign.Reviews, sign.Witnesses}})

	h := startServer(t, "--registry", r.at(t, "registry"), "--data", r.at(t, "data"), "--ledger", r.at(t, "ledger"), "--ledger-record", "inputs", "--ledger-sync", "1ms", "--ledger-close", "1ms")
	queue, remote := startNATS(t), startRemoteRegistry(t).address()
	does(t, "publish", "--to", remote, "--mirror", t.TempDir(), enginePath("ohms_law"))
	_, answer := h.post(t, "/api/v1/calc/grey-surface-radiation", `{"emissivity":0.9,"temperature":350}`)
	r.write(t, "answers.ndjson", answer)
	var created struct{ ID string }
	if _, share := h.post(t, "/api/v1/share", `{"tool_id":"ohms-law","inputs":{"V":12,"R":8}}`); json.Unmarshal([]byte(share), &created) != nil || created.ID == "" {
		t.Fatal(share)
	}
	_, signed := h.get(t, "/api/v1/share/"+created.ID+"/signed")
	r.write(t, "snapshot.json", signed)
	r.write(t, "theirs.txt", string(mustRead(t, r.at(t, "registry/.log/checkpoint"))))
	r.write(t, "settings.json", `{"addr": "127.0.0.1:0"}`)
	r.env = append(r.env, "SLIPSTICK_QUEUE="+queue, "SLIPSTICK_ADDR="+strings.TrimPrefix(h.url, "http://"))
	r.placeholders = []string{
		"https://HOST/s/ID", h.url + "/s/" + created.ID, "/share/ID", "/share/" + created.ID, "https://HOST", h.url, "https://calc.example.org", h.url,
		"http://127.0.0.1:9000", h.url, "http://127.0.0.1:8080", h.url, "http://10.0.0.1:8080", h.url, "http://10.0.0.2:8080", h.url,
		"oci://registry.example.org/calc", remote, "--name calc.example.org", "--name calc",
		"nats://127.0.0.1:4222", queue, "nats://broker:4222", queue, "--shards 200", "--shards 20", "--shard 17/200", "--shard 17/20",
		"log init --registry registry", "log init --registry unlogged", "--registry DIR", "--registry registry",
		"2026-12-01T00:00:00Z", "2126-12-01T00:00:00Z", // the time must be in the future
		"/etc/slipstick/settings.json", "settings.json", "/var/lib/slipstick/data", "data", "/backup/", "backup/", "ENGINE", "ohms_law",
		"cantilever-deflection 2.0.0-rc.1", "grey-surface-radiation 1.0.0", // a published version that is not current
	}
	r.types(t, batch[:2]...)
	var job struct{ Job string }
	status := does(t, "batch", "status", "--json", "--queue", queue)
	if err := json.Unmarshal([]byte(status), &job); err != nil || len(job.Job) < 4 {
		t.Fatal(err, status)
	}
	r.placeholders = append(r.placeholders, "1c36", job.Job[:4])
	r.types(t, batch[2:]...)
	r.types(t, lock...)
	files, err := fs.Glob(helpTexts, "help/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !slices.Contains(slices.Concat(first, batch, lock), file) {
			r.types(t, file)
		}
	}
	if r.typed < 60 {
		t.Errorf("only %d examples were run", r.typed)
	}
}
