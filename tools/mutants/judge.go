package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// result is the result for the mutants of one package.
type result struct {
	code, text count
	missing    []string // entries of survivors.txt
	wrong      []string // superfluous entries of that file
	err        error
}

// judge builds a package with all of its mutants in one program, and runs each mutant.
func judge(p *pkg) *result {
	j := &judgement{pkg: p, replace: map[string]string{}}
	defer j.remove()
	if err := j.run(); err != nil {
		return &result{err: err}
	}
	r := new(result)
	r.missing = append(conclude(j.mutants, p.reasons, &r.code), conclude(j.texts, p.reasons, &r.text)...)
	r.wrong = p.reasons.stale()
	if open := r.code.open() + r.text.open(); open != p.reasons.open {
		r.wrong = append(r.wrong, fmt.Sprintf("%d changes are neither noticed nor explained, not %d", open, p.reasons.open))
	}
	return r
}

// conclude counts mutants, and returns the missing entries.
func conclude(mutants []*mutant, why *reasons, c *count) (missing []string) {
	var last place
	for _, m := range mutants {
		c.all++
		switch {
		case m.noticed:
			c.noticed++
		case why.explain(m):
			c.explained++
		default:
			missing = append(missing, m.entry(last)...)
			last = m.at
		}
	}
	return missing
}

// judgement is the work for one package.
type judgement struct {
	*pkg
	dir     string            // for built programs
	replace map[string]string // overlay of the builds: original and replacement files
	built   []tests           // tests of the package, and of the engines that exercise it
	mutants []*mutant         // of the code
	texts   []*mutant
}

func (j *judgement) remove() { os.RemoveAll(j.dir) }

func (j *judgement) run() error {
	files, mutants, err := rewrite(j.pkg)
	if err != nil {
		return err
	}
	for i, m := range mutants {
		if i%max(j.reasons.sample, 1) == 0 {
			j.mutants = append(j.mutants, m)
		}
	}
	j.dir, err = os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := j.write(filepath.Join(j.Dir, name), text); err != nil {
			return err
		}
	}
	if err := j.disableShortcuts(); err != nil {
		return err
	}
	engines := []string{j.ImportPath}
	if j.isShared() {
		engines = j.reasons.engines
	}
	for _, engine := range engines {
		if err := j.ask(engine); err != nil {
			return fmt.Errorf("asking %s: %w", engine, err)
		}
	}
	if j.isShared() {
		program, err := j.build(j.ImportPath, nil)
		if err != nil {
			return err
		}
		j.built = slices.Insert(j.built, 0, tests{program, j.Dir, j.usesRapid(), time.Hour})
		for _, name := range j.reasons.tests {
			program, err := j.build(name, nil)
			if err != nil {
				return err
			}
			j.built = slices.Insert(j.built, 1, tests{program, j.dirOf(name), true, time.Hour})
		}
	}
	for _, t := range j.built {
		if err := j.test(t); err != nil {
			return err
		}
	}
	return nil
}

// alive returns the mutants that were not noticed.
func (j *judgement) alive() (list []*mutant) {
	for _, m := range j.mutants {
		if !m.noticed {
			list = append(list, m)
		}
	}
	return list
}

// write writes a replacement for a file.
func (j *judgement) write(file, text string) error {
	path := filepath.Join(j.dir, fmt.Sprint(len(j.replace), filepath.Base(file)))
	j.replace[file] = path
	return os.WriteFile(path, []byte(text), 0o600)
}

// decisions matches functions in which bounds decide that no further terms are computed.
var decisions = regexp.MustCompile(`(?m)^func \(a (Num|Ball)\) (Round|Sign)\(\) \(.*\{$`)

// disableShortcuts adds a switch to package doubled that disables the decisions.
func (j *judgement) disableShortcuts() error {
	dir, closed := j.dirOf(shared+"doubled"), 0
	for _, name := range []string{"doubled.go", "ball.go"} {
		file := filepath.Join(dir, name)
		from := file
		if changed, ok := j.replace[file]; ok {
			from = changed
		}
		source, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		text := decisions.ReplaceAllStringFunc(string(source), func(head string) string {
			closed++
			return head + "\n\tif mutation.Exactly() {\n\t\treturn 0, false\n\t}\n"
		})
		if mutations := `import "` + shared + `mutation"`; !strings.Contains(text, mutations) {
			text = strings.Replace(text, "\nimport ", "\n"+mutations+"\nimport ", 1)
		}
		if err := j.write(file, text); err != nil {
			return err
		}
	}
	if closed != 3 {
		return fmt.Errorf("%d of 3 decisions of package doubled were found", closed)
	}
	return nil
}

// build compiles the tests of a package with additional files.
func (j *judgement) build(importPath string, more map[string]string) (program string, err error) {
	replace := maps.Clone(j.replace)
	maps.Copy(replace, more)
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	program = filepath.Join(j.dir, strings.ReplaceAll(strings.TrimPrefix(importPath, module), "/", "_")+".test")
	if err := os.WriteFile(program+".json", overlay, 0o600); err != nil {
		return "", err
	}
	_, err = output(command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", program+".json", "-o", program, importPath))
	return program, explain(err)
}

// judgeTest is the test file that is added to an engine.
const judgeTest = `package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/mutation"
)

func TestMutants(t *testing.T) {
	if err := mutation.Answer(os.Stdout, Engine(), vectors, os.Getenv("MUTANTS")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(mutation.ExitCode(err))
	}
}
`

// ask runs the requests on an engine with the mutants.
func (j *judgement) ask(engine string) error {
	test := filepath.Join(j.dir, "judge.go")
	if err := os.WriteFile(test, []byte(judgeTest), 0o600); err != nil {
		return err
	}
	program, err := j.build(engine, map[string]string{filepath.Join(j.dirOf(engine), "mutants_test.go"): test})
	if err != nil {
		return err
	}
	j.built = append(j.built, tests{program, j.dirOf(engine), true, time.Hour})
	var asked []*mutant
	for _, m := range j.alive() {
		if !m.once {
			asked = append(asked, m)
		}
	}
	const most = 200
	var group errgroup.Group
	for some := range slices.Chunk(asked, most) {
		group.Go(func() error { return askAll(program, some) })
	}
	if !j.isShared() {
		group.Go(func() error { return j.askTexts(program) })
	}
	return group.Wait()
}

// askAll runs mutants one after the other. A mutant that hangs, or ends the process, counts as noticed.
func askAll(program string, mutants []*mutant) error {
	for len(mutants) > 0 {
		out, err := answers(program, numbers(mutants))
		judged := 0
		for line := range strings.Lines(string(out)) {
			if _, by, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && judged < len(mutants) {
				mutants[judged].noticed = by != "-"
				judged++
			}
		}
		exit, ended := errors.AsType[*exec.ExitError](err)
		switch {
		case ended && exit.ExitCode() == hung && judged > 0:
		case ended && exit.ExitCode() != failed && judged < len(mutants):
			mutants[judged].noticed = true
			judged++
		case err != nil:
			return explain(err)
		case judged < len(mutants):
			return fmt.Errorf("%d of %d mutants were judged", judged, len(mutants))
		}
		mutants = mutants[judged:]
	}
	return nil
}

// The exit codes of judgeTest.
const (
	failed = 3
	hung   = 4
)

func numbers(mutants []*mutant) string {
	var list []string
	for _, m := range mutants {
		list = append(list, strconv.Itoa(m.number))
	}
	return strings.Join(list, ",")
}

func (j *judgement) askTexts(program string) error {
	out, err := answers(program, "texts")
	for line := range strings.Lines(string(out)) {
		if parts := strings.Split(strings.TrimSpace(line), "\t"); len(parts) == 4 {
			j.texts = append(j.texts, &mutant{at: place{"the formula", parts[2]}, change: parts[3], kind: "text", noticed: parts[1] != "-"})
		}
	}
	number(j.texts)
	return explain(err)
}

func answers(program, mutants string) ([]byte, error) {
	cmd := command(program, "-test.run", "^TestMutants$", "-test.timeout", "0")
	cmd.Env = append(cmd.Env, "MUTANTS="+mutants)
	return output(cmd)
}

// tests is a test program.
type tests struct {
	program, dir string
	rapid        bool          // it draws numbers from a seed
	most         time.Duration // time limit
}

// test runs tests with each mutant that is left.
func (j *judgement) test(t tests) error {
	left := j.alive()
	if len(left) == 0 {
		return nil
	}
	began := time.Now()
	if out, err := output(t.with(&mutant{once: true})); err != nil {
		return fmt.Errorf("the tests fail without any change: %w: %s", err, out)
	}
	t.most = time.Minute + 20*time.Since(began) // longer runs count as hanging
	var group errgroup.Group
	for _, m := range left {
		group.Go(func() error {
			_, err := output(t.with(m))
			_, m.noticed = errors.AsType[*exec.ExitError](err)
			if m.noticed {
				return nil
			}
			return err
		})
	}
	return group.Wait()
}

// with returns the command that runs the tests with a mutant. Tests draw the same numbers each time. It
// skips checks that askAll has run.
func (t *tests) with(m *mutant) *exec.Cmd {
	skipped := "^TestMutants$"
	if !m.once && !m.shared {
		skipped = "^Test(Mutants|Conformance)$"
	}
	args := []string{"-test.short", "-test.failfast", "-test.timeout", t.most.String(), "-test.skip", skipped}
	if t.rapid {
		args = append(args, "-rapid.seed", "1", "-rapid.nofailfile", "-rapid.shrinktime", "0s")
	}
	cmd := command(t.program, args...)
	cmd.Dir = t.dir
	cmd.Env = append(cmd.Env, "MUTANT="+strconv.Itoa(m.number))
	return cmd
}
