// Command mutants says which mistakes in engines nobody would notice. It changes one sign,
// operation, comparison, constant or operand of the code at a time, and then of the text of the
// formula. It asks each changed engine what the vectors and the generated requests ask, computes
// each changed text for them, and counts for how many code and text still agree:
//
//	go run ./cmd/mutants ../plugins/mechanical/springs/helical_compression
//	go run ./cmd/mutants -list ../plugins/mechanical/...      the survivors as well
//
// A number counts as changed if it differs by more than 1e-12, which is what the rule
// formula-values allows beside the formula of an engine. Drawings and the words of warnings are
// left out: nothing is computed from them.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	list := flag.Bool("list", false, "say which changes survive")
	flag.Parse()
	if err := run(flag.Args(), *list); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(patterns []string, list bool) error {
	packages, err := load(patterns)
	if err != nil {
		return err
	}
	var code, text count
	for _, p := range packages {
		r, err := judge(p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.ImportPath, err)
		}
		fmt.Printf("%-76s %v %v\n", strings.TrimPrefix(p.ImportPath, module), r.code, r.text)
		code.add(r.code)
		text.add(r.text)
		if list {
			for _, m := range r.survivors {
				fmt.Println("    " + m)
			}
		}
	}
	fmt.Printf("%-76s %v %v\n", "noticed in code and in text", code, text)
	return nil
}

// count is how many of some mutants were noticed.
type count struct{ noticed, all int }

func (c *count) add(d count) { c.noticed, c.all = c.noticed+d.noticed, c.all+d.all }

func (c count) String() string { return fmt.Sprintf("%4d of %4d", c.noticed, c.all) }

const module = "github.com/slipstick/slipstick/plugins/"

// pkg is what `go list` says of a package.
type pkg struct {
	ImportPath, Dir, Export, Name string
	GoFiles                       []string
	DepOnly                       bool

	exports map[string]string // export data of all packages, by import path
}

// load lists the engines of the patterns, with the export data of what they import.
func load(patterns []string) ([]*pkg, error) {
	args := append([]string{"list", "-json=ImportPath,Dir,Export,Name,GoFiles,DepOnly", "-export", "-deps"}, patterns...)
	out, err := command("go", args...).Output()
	if err != nil {
		return nil, explain(err)
	}
	var list []*pkg
	exports := map[string]string{}
	for in := json.NewDecoder(bytes.NewReader(out)); in.More(); {
		p := &pkg{exports: exports}
		if err := in.Decode(p); err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly && p.Name == "main" {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("no engines are named: name their directories, such as ../plugins/mechanical/statics")
	}
	return list, nil
}

func command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	return cmd
}

// explain adds what a command said to its error.
func explain(err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return err
}

// result is what came of the mutants of one engine.
type result struct {
	code, text count
	survivors  []string
}

// judgeTest is what is added to an engine.
const judgeTest = `package main

import (
	"os"
	"strconv"
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/mutation"
)

func TestMutants(t *testing.T) {
	from, _ := strconv.ParseInt(os.Getenv("FROM"), 10, 64)
	to, _ := strconv.ParseInt(os.Getenv("TO"), 10, 64)
	var err error
	if from > 0 {
		err = mutation.Judge(os.Stdout, Engine(), vectors, from, to)
	} else {
		err = mutation.JudgeTexts(os.Stdout, Engine(), vectors)
	}
	if err != nil {
		os.Exit(1)
	}
}
`

// judge builds the engine with all of its mutants in one program, and lets each compute.
func judge(p *pkg) (*result, error) {
	files, mutants, err := rewrite(p)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	files["mutants_test.go"] = judgeTest
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
		overlay.Replace[filepath.Join(p.Dir, name)] = path
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return nil, err
	}
	replaced, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "engine.test")
	if err := os.WriteFile(replaced, text, 0o600); err != nil {
		return nil, err
	}
	if _, err := command("go", "test", "-c", "-vet=off", "-overlay", replaced, "-o", program, p.ImportPath).Output(); err != nil {
		return nil, explain(err)
	}
	r := new(result)
	for r.code.all < len(mutants) {
		if err := r.codes(program, mutants); err != nil {
			return nil, err
		}
	}
	return r, r.texts(program)
}

// codes lets the mutants that are left compute until the last one, or one that does not end.
func (r *result) codes(program string, mutants []mutant) error {
	before := r.code.all
	out, failed := output(program, before+1, len(mutants))
	for line := range strings.Lines(string(out)) {
		if _, by, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && r.code.all < len(mutants) {
			r.judged(&r.code, by, mutants[r.code.all].String())
		}
	}
	if exit, ok := errors.AsType[*exec.ExitError](failed); failed != nil && (!ok || exit.ExitCode() != 1) {
		r.code.add(count{1, 1}) // one that ended the process was noticed
	}
	if r.code.all == before {
		return fmt.Errorf("no mutant was judged: %s", out)
	}
	return nil
}

func (r *result) texts(program string) error {
	out, err := output(program, 0, 0)
	for line := range strings.Lines(string(out)) {
		if parts := strings.Split(strings.TrimSpace(line), "\t"); len(parts) == 3 {
			r.judged(&r.text, parts[1], parts[2])
		}
	}
	return explain(err)
}

// judged counts a mutant. By what it was noticed is "-" for a survivor.
func (r *result) judged(c *count, by, mutant string) {
	c.all++
	if by == "-" {
		r.survivors = append(r.survivors, mutant)
	} else {
		c.noticed++
	}
}

// output is what the test of an engine prints of the mutants from one to another, or of texts.
func output(program string, from, to int) ([]byte, error) {
	cmd := command(program, "-test.run", "^TestMutants$", "-test.timeout", "0")
	cmd.Env = append(cmd.Env, "FROM="+strconv.Itoa(from), "TO="+strconv.Itoa(to))
	return cmd.Output()
}
