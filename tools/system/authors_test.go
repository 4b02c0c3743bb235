package system

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/release/build"
)

// Every command of the authors' guide works, in its order, without a checkout.
func TestAuthorsGuide(t *testing.T) {
	busy(t)
	guide, err := os.ReadFile(filepath.Join(root, "docs", "start", "go-author.md"))
	if err != nil {
		t.Fatal(err)
	}
	a := newAuthor(t)
	for _, b := range blocks(string(guide)) {
		text := strings.Join(b.lines, "\n")
		switch b.language {
		case "console":
			a.types(t, b.lines)
		case "go":
			a.edits(t, text)
		case "json":
			a.write(t, "vectors.json", text)
		}
	}
	if a.typed < 8 {
		t.Errorf("the guide has only %d commands", a.typed)
	}
}

// author is a new engine author with a shell, an editor, the installed Go, and the files of a release.
type author struct {
	dir   string
	env   []string
	typed int
}

func newAuthor(t *testing.T) *author {
	t.Helper()
	bin, home := t.TempDir(), newHome(t)
	if err := os.Symlink(built.slipstick, filepath.Join(bin, "slipstick")); err != nil {
		t.Fatal(err)
	}
	out, err := goCommand(".", "env", "GOMODCACHE", "GOPROXY", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	machine := strings.Split(string(out), "\n")
	a := &author{dir: t.TempDir()}
	for _, v := range os.Environ() { // the author has no settings of Go or of this repository
		if name, _, _ := strings.Cut(v, "="); !strings.HasPrefix(name, "GO") && !strings.HasPrefix(name, "CGO") && !strings.HasPrefix(name, "SLIPSTICK") && !strings.HasPrefix(name, "XDG") {
			a.env = append(a.env, v)
		}
	}
	// Third-party modules come from the module cache of this machine.
	proxies := "file://" + built.modules + ",file://" + filepath.ToSlash(machine[0]) + "/cache/download," + machine[1]
	a.env = append(a.env, "HOME="+home, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"GOPROXY="+proxies, "GONOSUMDB=github.com/slipstick", "GOTOOLCHAIN=local")
	if os.Getenv("SLIPSTICK_SOAK") == "" {
		a.env = append(a.env, "GOCACHE="+machine[2]) // the soak test starts with an empty cache
	}
	t.Cleanup(func() {
		if out, err := a.command("go clean -modcache").CombinedOutput(); err != nil { // os.RemoveAll cannot remove read-only files
			t.Errorf("%v: %s", err, out)
		}
	})
	return a
}

// newHome returns a home directory in which Go's telemetry is off. Otherwise it would write there from a process that
// outlives its command, while the directory is removed.
func newHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, ".config", "go", "telemetry")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "mode"), []byte("off"), 0o600)); err != nil {
		t.Fatal(err)
	}
	return home
}

func (a *author) command(line string) *exec.Cmd {
	cmd := exec.Command("bash", "-euc", line)
	cmd.Dir, cmd.Env = a.dir, a.env
	if strings.HasPrefix(line, "go ") && os.Getenv("SLIPSTICK_SOAK") == "" {
		// The packages of engines are compiled already with these flags; compiling them without flags takes a
		// minute.
		cmd.Env = append(cmd.Env, "GOFLAGS="+build.Flags, "CGO_ENABLED=0")
	}
	return cmd
}

// types runs the commands of a block and compares their output with the lines that follow them.
func (a *author) types(t *testing.T, lines []string) {
	t.Helper()
	for i := 0; i < len(lines); i++ {
		line, ok := strings.CutPrefix(lines[i], "$ ")
		if !ok {
			continue
		}
		want := ""
		for ; i+1 < len(lines) && !strings.HasPrefix(lines[i+1], "$ "); i++ {
			want += lines[i+1] + "\n"
		}
		a.typed++
		switch {
		case strings.HasPrefix(line, "cd "):
			a.dir = filepath.Join(a.dir, strings.TrimPrefix(line, "cd "))
		case strings.HasPrefix(line, "slipstick dev"):
			a.tries(t, line)
		default:
			out, err := a.command(line).Output()
			if err != nil || want != "" && string(out) != want {
				t.Fatalf("%s: %v\n%s\nwant:\n%s", line, err, out, want)
			}
		}
	}
}

// tries serves the engine until it reports that the engine conforms.
func (a *author) tries(t *testing.T, line string) {
	t.Helper()
	cmd := a.command("exec " + line + " --addr 127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	for lines := bufio.NewScanner(stderr); !strings.Contains(said, " conforms; its page is ") && lines.Scan(); {
		said += lines.Text() + "\n"
	}
	if !strings.Contains(said, " conforms; its page is ") {
		t.Errorf("%s said\n%s", line, said)
	}
	_ = cmd.Process.Signal(os.Interrupt)
	go func() { _, _ = stderr.Read(make([]byte, 1<<20)) }()
	if err := cmd.Wait(); err != nil {
		t.Errorf("%s: %v", line, err)
	}
}

// edits replaces the declaration of the same kind with a piece of Go.
func (a *author) edits(t *testing.T, piece string) {
	t.Helper()
	path := filepath.Join(a.dir, "main.go")
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text, from, to := string(source), "// Input is", "// Engine returns"
	switch {
	case strings.HasPrefix(piece, "func calculate"):
		from, to = "func calculate", ""
	case strings.HasPrefix(piece, "\t\tVersion:"):
		from, to = "\t\tVersion:", "\t\t// Definition describes the calculation"
	case strings.HasPrefix(piece, "\t\tDefinition:"):
		from, to = "\t\tDefinition:", "\t}, calculate)"
	}
	before, rest, ok := strings.Cut(text, from)
	after := ""
	if to != "" {
		_, rest, ok = strings.Cut(rest, to)
		after = "\n" + to + rest
	}
	if !ok {
		t.Fatalf("main.go has no %q", from)
	}
	a.write(t, "main.go", before+piece+"\n"+after)
}

func (a *author) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(a.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
