package system

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the commands of the README print into it")

// block is one fenced block of a document.
type block struct {
	language string
	lines    []string
	first    int // line of the document, from 0
}

// isSession reports whether a block has several commands, which TestReadmeThreeServers runs.
func (b *block) isSession() bool {
	return b.language == "console" && len(b.lines) > 1 && strings.HasPrefix(b.lines[1], "$ ")
}

func blocks(document string) []block {
	var found []block
	inside := false
	for i, line := range strings.Split(document, "\n") {
		language, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && !inside:
			found = append(found, block{language: language, first: i + 1})
			inside = true
		case fence:
			inside = false
		case inside:
			last := &found[len(found)-1]
			last.lines = append(last.lines, line)
		}
	}
	return found
}

// readme returns the text of the README and its path.
func readme(t *testing.T) (path, document string) {
	t.Helper()
	path = filepath.Join(root, "README.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, string(data)
}

// Every command of the README, and of the guides to studies and agents, prints byte for byte the output in the document.
func TestReadmeCommands(t *testing.T) {
	path, document := readme(t)
	studies, agents := filepath.Join(root, "docs", "guides", "studies.md"), filepath.Join(root, "docs", "start", "agent.md")
	printed := readmeCommands(t, built.registry, document, string(mustRead(t, studies)), string(mustRead(t, agents)))
	for i, file := range []string{path, studies, agents} {
		if *update {
			if err := os.WriteFile(file, []byte(printed[i]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// readmeCommands runs the commands of the README, and of other documents, against a server of the registry. It
// returns the documents with the output of the commands.
func readmeCommands(t *testing.T, registry, document string, others ...string) (printed []string) {
	t.Helper()
	// The commands run at the top of a checkout that serves on port 8080.
	top := checkout(t, registry)
	h := startAll(t, "--registry", registry, "--base-url", readmeAddress)
	for i, text := range append([]string{document}, others...) {
		all, tried := h.commands(t, text, top)
		if least := []int{10, 4}[min(i, 1)]; tried < least {
			t.Errorf("only %d commands were found in document %d", tried, i)
		}
		printed = append(printed, all)
	}
	checkIDLength(t, startAll(t, "--registry", registry, "--base-url", readmeAddress, "--snapshots", "embedded"), document)
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
		cmd.Dir = top
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

// checkIDLength compares the length of an embedded id with the length in the README. Ids of the same calculation
// differ a little in length, because they contain the key and the time.
func checkIDLength(t *testing.T, h *server, document string) {
	t.Helper()
	row := regexp.MustCompile(`With ` + "`--snapshots embedded`" + ` the id\s+has about (\d+) characters`).FindStringSubmatch(document)
	if row == nil {
		t.Fatal("the README does not say how long an embedded id is")
	}
	said, _ := strconv.Atoi(row[1])
	_, created := h.post(t, "/api/v1/share", `{"tool_id": "cantilever-deflection", "inputs": {"L": 3, "E": 210e9, "I": 8.356e-5, "w0": 12000}}`)
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(created), &made); err != nil || abs(len(made.ID)-said) > 3 {
		t.Errorf("the id has %d characters, the README says %d: %v", len(made.ID), said, err)
	}
}

func abs(n int) int { return max(n, -n) }

// The engine of the README compiles, passes every rule, is published and answers.
func TestReadmeEngine(t *testing.T) {
	t.Parallel()
	_, document := readme(t)
	var source string
	for _, b := range blocks(document) {
		if b.language == "go" {
			source = strings.Join(b.lines, "\n") + "\n"
			if len(b.lines) > 45 {
				t.Errorf("the example has %d lines", len(b.lines))
			}
		}
	}
	dir := t.TempDir()
	for _, module := range []string{"versions", "sdk", "conformance", "plugins"} {
		if err := os.CopyFS(filepath.Join(dir, module), os.DirFS(filepath.Join(root, module))); err != nil {
			t.Fatal(err)
		}
	}
	sphere := filepath.Join(dir, "plugins", "geometry", "solids", "sphere")
	if err := os.MkdirAll(sphere, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(sphere, "main.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	engine, registry := filepath.Join(dir, "sphere"), filepath.Join(dir, "registry")
	if err := goBuild(filepath.Join(dir, "plugins"), engine, "./geometry/solids/sphere"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"check", engine},
		{"publish", "--to", registry, engine},
		{"calc", "--registry", registry, "sphere", "r=1"},
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
