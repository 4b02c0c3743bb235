package system

import (
	"bytes"
	"encoding/json"
	"flag"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write generated documents, and the output of commands in README and in docs")

// block is one fenced block of a document.
type block struct {
	language string
	lines    []string
	first    int // line of the document, from 0
}

// isSession reports whether a block has several commands, which TestThreeServers runs.
func (b *block) isSession() bool {
	return b.language == "console" && len(b.lines) > 1 && strings.HasPrefix(b.lines[1], "$ ")
}

func blocks(document string) []block {
	var found []block
	open := "" // the fence of the block, which can be longer to contain other fences
	for i, line := range strings.Split(document, "\n") {
		language := strings.TrimLeft(line, "`")
		fence := line[:len(line)-len(language)]
		switch {
		case open == "" && len(fence) >= 3:
			found = append(found, block{language: language, first: i + 1})
			open = fence
		case open != "" && line == open:
			open = ""
		case open != "":
			last := &found[len(found)-1]
			last.lines = append(last.lines, line)
		}
	}
	return found
}

// tested is a document whose commands run, with the least number of commands.
type tested struct {
	file  string
	least int
}

func (d tested) path() string { return filepath.Join(root, filepath.FromSlash(d.file)) }

var (
	// referencePages have commands that print the same with more capabilities in the registry.
	referencePages = []tested{{"README.md", 4}, {"docs/reference/batches.md", 2}, {"docs/reference/http-api.md", 1}, snapshots}
	guidePages     = append([]tested{{"docs/guides/studies.md", 4}, {"docs/start/agent.md", 4}, {"docs/start/api-caller.md", 8}, {"docs/start/operator.md", 3}}, referencePages...)
	snapshots      = tested{"docs/reference/snapshots.md", 1}
)

// readme returns the text of the README.
func readme(t *testing.T) string {
	t.Helper()
	return string(mustRead(t, referencePages[0].path()))
}

// Every command of the guides prints byte for byte the output in the document.
func TestReadmeCommands(t *testing.T) {
	for file, text := range runGuides(t, built.registry, guidePages) {
		if *update {
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// runGuides runs the commands of documents against a server of the registry. It returns the documents with the output
// of the commands, by path.
func runGuides(t *testing.T, registry string, documents []tested) map[string]string {
	t.Helper()
	// The commands run at the top of a checkout that serves on port 8080.
	top := checkout(t, registry)
	h := startAll(t, "--registry", registry, "--base-url", readmeAddress)
	printed := map[string]string{}
	for _, d := range documents {
		all, tried := h.commands(t, string(mustRead(t, d.path())), top)
		if tried < d.least {
			t.Errorf("only %d commands were found in %s", tried, d.file)
		}
		printed[d.path()] = all
	}
	checkIDLength(t, startAll(t, "--registry", registry, "--base-url", readmeAddress, "--snapshots", "embedded"))
	return printed
}

// readmeAddress is the URL of the server in the documents.
const readmeAddress = "http://127.0.0.1:8080"

// commands runs the commands of a document. It returns the document with their output, and the number of commands.
func (h *server) commands(t *testing.T, document, top string) (_ string, tried int) {
	t.Helper()
	done := 0
	var printed []string
	lines := strings.Split(document, "\n")
	for _, b := range blocks(document) {
		if b.language != "console" || b.isSession() {
			continue
		}
		command, ok := strings.CutPrefix(b.lines[0], "$ ")
		if !ok {
			t.Fatalf("line %d is no command: %s", b.first, b.lines[0])
		}
		cmd := exec.CommandContext(t.Context(), "bash", "-c", strings.ReplaceAll(command, readmeAddress, h.url))
		cmd.Dir, cmd.Env = top, append(os.Environ(), "PATH="+filepath.Join(top, "bin")+":"+os.Getenv("PATH"))
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: %v\n%s", command, err, errs.String())
		}
		if got, want := string(out), strings.Join(b.lines[1:], "\n")+"\n"; got != want && !*update {
			t.Errorf("%s prints\n%s\nthe document says\n%s", command, got, want)
		}
		printed = append(printed, lines[done:b.first+1]...)
		printed = append(printed, strings.TrimSuffix(string(out), "\n"))
		done = b.first + len(b.lines)
		tried++
	}
	return strings.Join(append(printed, lines[done:]...), "\n"), tried
}

// checkIDLength compares the length of an embedded id with the length in the reference. Ids of the same calculation
// differ a little in length, because they contain the key and the time.
func checkIDLength(t *testing.T, h *server) {
	t.Helper()
	row := regexp.MustCompile(`about (\d+) characters for the example`).FindSubmatch(mustRead(t, snapshots.path()))
	if row == nil {
		t.Fatalf("%s does not have the length of an embedded id", snapshots.file)
	}
	said, _ := strconv.Atoi(string(row[1]))
	_, created := h.post(t, "/api/v1/share", `{"tool_id": "cantilever-deflection", "inputs": {"L": 3, "E": 210e9, "I": 8.356e-5, "w0": 12000}}`)
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(created), &made); err != nil || abs(len(made.ID)-said) > 3 {
		t.Errorf("the id has %d characters, and %d in %s: %v", len(made.ID), said, snapshots.file, err)
	}
}

func abs(n int) int { return max(n, -n) }

// README fits on a few screens, and its picture loads fast.
func TestReadmeSize(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(readme(t), "\n"), "\n")
	if len(lines) > 150 {
		t.Errorf("README has %d lines", len(lines))
	}
	for i, line := range lines {
		if utf8.RuneCountInString(line) > 120 {
			t.Errorf("line %d of README has more than 120 characters: %s", i+1, line)
		}
	}
	picture := mustRead(t, filepath.Join(root, "docs", "images", "calculator.png"))
	size, err := png.DecodeConfig(bytes.NewReader(picture))
	if err != nil || size.Width > 1280 || len(picture) > 200_000 {
		t.Errorf("the picture has a width of %d and %d bytes: %v", size.Width, len(picture), err)
	}
}

// The document of README and the example in Go are the same engine. Each passes every rule, is published and answers.
func TestReadmeEngine(t *testing.T) {
	t.Parallel()
	dir, document := t.TempDir(), ""
	program := filepath.Join(dir, "sphere")
	for _, b := range blocks(readme(t)) {
		if b.language == "markdown" {
			document = write(t, "sphere.calc.md", strings.Join(b.lines, "\n")+"\n")
		}
	}
	if err := goBuildAs([]string{"GOWORK="}, filepath.Join(root, "docs"), program, "./examples/sphere"); err != nil {
		t.Fatal(err)
	}
	for i, engine := range []string{document, program} {
		registry := filepath.Join(dir, "registry"+strconv.Itoa(i))
		for _, args := range [][]string{
			{"check", engine},
			{"publish", "--to", registry, engine},
			{"calc", "--registry", registry, "sphere", "radius=1m"},
		} {
			r := slipstick(t.Context(), args...)
			if r.code != exitOK {
				t.Fatalf("%v: %d\n%s%s", args, r.code, r.out, r.err)
			}
			if args[0] == "calc" && !strings.Contains(r.out, "12.5664 m2") {
				t.Errorf("calc: %s", r.out)
			}
		}
	}
}
