package words_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/slipstick/slipstick/host/tools/words"
)

var (
	update = flag.Bool("update", false, "remove entries of the ratchet whose findings are gone")
	begin  = flag.Bool("begin", false, "fill a ratchet that is empty with all findings")
)

const (
	root    = "../.."
	ratchet = "ratchet.list"
	vale    = "var/tools/vale@v3.15.2"
)

// exempt is the interface document, which is given and does not change.
const exempt = "docs/internals/interface-as-given.md"

// New text breaks no writing rule. The ratchet has the findings in older texts, and only gets shorter.
func TestNoNewFindings(t *testing.T) {
	modules := modulesOf(t)
	found := findings(t)
	known := readRatchet(t)
	if *begin {
		if len(known) > 0 {
			t.Fatalf("%s has entries: -begin fills an empty one, -update removes what is gone", ratchet)
		}
		for _, f := range found {
			known[f.Entry(modules)]++
		}
	}
	fresh, kept := known.Compare(found, modules)
	for _, f := range fresh {
		t.Errorf("%s:%d: %s: %s\n\t%s", f.Path, f.Line, f.Rule, f.Message, f.Body)
	}
	text := known.String()
	if *update || *begin {
		text = kept.String()
		if err := os.WriteFile(ratchet, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text != kept.String() {
		t.Errorf("%d findings of %s are gone: run `go test ./words -update` in tools, so that they cannot come back",
			strings.Count(text, "\n")-strings.Count(kept.String(), "\n"), ratchet)
	}
	totals := kept.Totals()
	for _, module := range slices.Sorted(maps.Keys(totals)) {
		t.Logf("%6d findings in %s", totals[module], module)
	}
}

// A revision has no more findings in a module than the revision before.
func TestRatchetNeverRises(t *testing.T) {
	const file = "tools/words/" + ratchet
	compare := func(name string, newer words.Ratchet, olderName string) {
		older, err := git(t, "show", olderName+":"+file)
		if err != nil {
			return // the revision has no ratchet, or is not in a shallow clone
		}
		if risen := newer.Risen(parse(t, older)); len(risen) > 0 {
			t.Errorf("%s: the ratchet has more findings in %s than before: mend the texts", name, strings.Join(risen, ", "))
		}
	}
	compare("work tree", readRatchet(t), "HEAD")
	commits, err := git(t, "log", "--no-merges", "--format=%H", "--", file)
	if err != nil {
		t.Fatal(err)
	}
	for _, commit := range strings.Fields(commits) {
		text, err := git(t, "show", commit+":"+file)
		if err != nil {
			t.Fatal(err)
		}
		compare(commit[:12], parse(t, text), commit+"^")
	}
}

// A subject is `area: imperative`, in at most 72 characters. The rule starts with the first commit whose tree has a
// ratchet. The test needs no other record of the start, and works in a clone of any depth. In such a clone
// a merge can look like a commit without parents, and is known by its subject.
func TestCommitSubjects(t *testing.T) {
	log, err := git(t, "log", "--no-merges", "--format=%H %s")
	if err != nil {
		t.Fatal(err)
	}
	commits := strings.Split(strings.TrimSpace(log), "\n")
	var questions bytes.Buffer
	for _, c := range commits {
		fmt.Fprintf(&questions, "%s:tools/words/%s\n", c[:strings.Index(c, " ")], ratchet)
	}
	cmd := exec.Command("git", "-C", root, "cat-file", "--batch-check")
	cmd.Stdin = &questions
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for i, answer := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		hash, subject, _ := strings.Cut(commits[i], " ")
		if strings.HasSuffix(answer, " missing") || strings.HasPrefix(subject, "Merge ") {
			continue
		}
		checked++
		if problem := words.CheckSubject(subject); problem != "" {
			t.Errorf("%s %q: %s", hash[:12], subject, problem)
		}
	}
	t.Logf("%d of %d commits", checked, len(commits))
}

func git(t *testing.T, args ...string) (string, error) {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output()
	return string(out), err
}

// modulesOf returns the modules of the workspace without docs, whose findings count for the root.
func modulesOf(t *testing.T) []string {
	t.Helper()
	work, err := os.ReadFile(filepath.Join(root, "go.work"))
	if err != nil {
		t.Fatal(err)
	}
	var modules []string
	for _, m := range regexp.MustCompile(`(?m)^\t\./(\w+)$`).FindAllStringSubmatch(string(work), -1) {
		if m[1] != "docs" {
			modules = append(modules, m[1])
		}
	}
	if len(modules) == 0 {
		t.Fatal("go.work has no modules")
	}
	return modules
}

// findings returns the findings in all files of the repository except for data of tests and the interface.
func findings(t *testing.T) []words.Finding {
	t.Helper()
	list, err := git(t, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		t.Fatal(err)
	}
	var markdown, others []words.Text
	for name := range strings.SplitSeq(strings.Trim(list, "\x00"), "\x00") {
		if name == exempt || strings.Contains(name, "testdata/") && filepath.Ext(name) != ".go" {
			continue
		}
		source, err := os.ReadFile(filepath.Join(root, name))
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		texts, err := words.Texts(name, source)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(name) == ".md" {
			markdown = append(markdown, texts...)
		} else {
			others = append(others, texts...)
		}
	}
	var found []words.Finding
	var inMarkdown sync.WaitGroup
	inMarkdown.Go(func() { found = byVale(t, markdown) })
	rules := readRules(t)
	var foundInOthers []words.Finding
	for i := range others {
		foundInOthers = append(foundInOthers, rules.Check(&others[i])...)
	}
	inMarkdown.Wait()
	if t.Failed() {
		t.FailNow() // findings are missing, and the ratchet must not count them as corrected
	}
	return append(found, foundInOthers...)
}

func byVale(t *testing.T, texts []words.Text) []words.Finding {
	t.Helper()
	program, err := filepath.Abs(filepath.Join(root, vale))
	if err != nil {
		t.Error(err)
		return nil
	}
	config, err := filepath.Abs("vale.ini")
	if err != nil {
		t.Error(err)
		return nil
	}
	found, err := words.Vale(program, config, t.TempDir(), texts)
	if err != nil {
		t.Errorf("%v (`scripts/test quick` installs Vale)", err)
	}
	return found
}

func readRules(t *testing.T) words.Rules {
	t.Helper()
	rules, err := words.ReadRules(os.DirFS("styles"))
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func readRatchet(t *testing.T) words.Ratchet {
	t.Helper()
	text, err := os.ReadFile(ratchet)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(text))
}

func parse(t *testing.T, text string) words.Ratchet {
	t.Helper()
	r, err := words.ParseRatchet(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
