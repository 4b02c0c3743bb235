package words_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/tools/words"
)

var update = flag.Bool("update", false, "take findings that are gone out of the ratchet")

const (
	root    = "../.."
	ratchet = "ratchet.txt"
	vale    = "var/tools/vale@v3.15.2"
)

// exempt is the interface as it was given.
const exempt = "docs/interface.md"

// Text that is new breaks no writing rule. Findings in older texts are in the ratchet, which only gets shorter:
// a sentence keeps its entry when it moves to another file, and loses it when it changes.
func TestNoNewFindings(t *testing.T) {
	found := append(inTexts(t), inMarkdown(t)...)
	known := readRatchet(t)
	left, byModule := maps.Clone(known), map[string]int{}
	for _, f := range found {
		module, _, _ := strings.Cut(f.Path, "/")
		byModule[module]++
		key := keyOf(&f)
		if left[key]--; left[key] < 0 {
			t.Errorf("%s:%d: %s: %s\n\t%s", f.Path, f.Line, f.Rule, f.Message, f.Sentence)
		}
	}
	gone := 0
	for key, n := range left {
		if n > 0 {
			gone += n
			known[key] -= n
		}
	}
	switch {
	case *update:
		writeRatchet(t, known)
	case gone > 0:
		t.Errorf("%d findings are gone: run `go test ./words -update` in tools, so that they cannot come back", gone)
	}
	for _, module := range slices.Sorted(maps.Keys(byModule)) {
		t.Logf("%6d findings in %s", byModule[module], module)
	}
}

// files returns the files of the repository that match a pattern of Git.
func files(t *testing.T, patterns ...string) []string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"}, patterns...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Split(strings.Trim(string(out), "\x00"), "\x00")
	return slices.DeleteFunc(list, func(name string) bool {
		data := strings.Contains(name, "testdata/") && filepath.Ext(name) != ".go"
		return data || name == exempt
	})
}

func inTexts(t *testing.T) (found []words.Finding) {
	t.Helper()
	rules, err := words.Read(os.DirFS("styles"), "Slipstick")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files(t, "*.go", "*.html", "*.tmpl", "*.js", "*.mjs", "*.ts", "*.css", "*.py", "*.sh", "*.yaml", "*.yml", "host/*.txt", "scripts/*", ".ci/*") {
		source, err := os.ReadFile(filepath.Join(root, name))
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted, and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		texts, err := words.Texts(name, source)
		if err != nil {
			t.Fatal(err)
		}
		for i := range texts {
			found = append(found, rules.Check(&texts[i])...)
		}
	}
	return found
}

// alert is a finding as Vale prints it.
type alert struct {
	Check, Match, Message string
	Line                  int
	Span                  [2]int
}

func inMarkdown(t *testing.T) (found []words.Finding) {
	t.Helper()
	program, err := filepath.Abs(filepath.Join(root, vale))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		t.Skip("Vale is not installed: scripts/test static installs it")
	}
	config, err := filepath.Abs("vale.ini")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, append([]string{"--config", config, "--output", "JSON", "--no-exit"}, files(t, "*.md")...)...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var alerts map[string][]alert
	if err := json.Unmarshal(out, &alerts); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(alerts)) {
		source, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Split(source, []byte("\n"))
		for _, a := range alerts[name] {
			found = append(found, words.Finding{Path: name, Line: a.Line, Rule: a.Check, Match: a.Match, Message: a.Message,
				Sentence: words.SentenceAt(lines, a.Line, a.Span[0])})
		}
	}
	return found
}

// keyOf is a finding in the ratchet.
func keyOf(f *words.Finding) string {
	sum := sha256.Sum256([]byte(f.Key()))
	return f.Rule + " " + hex.EncodeToString(sum[:6])
}

func readRatchet(t *testing.T) map[string]int {
	t.Helper()
	text, err := os.ReadFile(ratchet)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]int{}
	for line := range strings.Lines(string(text)) {
		known[strings.TrimSuffix(line, "\n")]++
	}
	return known
}

func writeRatchet(t *testing.T, known map[string]int) {
	t.Helper()
	var text bytes.Buffer
	for _, key := range slices.Sorted(maps.Keys(known)) {
		for range known[key] {
			fmt.Fprintln(&text, key)
		}
	}
	if err := os.WriteFile(ratchet, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
