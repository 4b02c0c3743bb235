package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/engine/enginetest"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
)

// interpreters print, to standard error, what they can read and do.
var interpreters = map[string]string{
	"perl": `
sub try { my ($name, $ok) = @_; print STDERR $name, $ok ? " yes\n" : " no\n"; }
try("library", eval { require POSIX; 1 });
try("random", open(my $c, "<", "/dev/urandom"));
try("home", open(my $d, ">", "/run/x"));
try("passwd", open(my $e, "<", "/etc/passwd"));
try("host", open(my $f, "<", "HOSTFILE"));
try("write", open(my $g, ">", "/usr/x"));
try("proc", open(my $h, "<", "/proc/sys/kernel/hostname") || open($h, "<", "/proc/kcore"));
try("fork", defined(my $pid = fork()));
try("exec", (system("/bin/true") == 0));
`,
	"python3": `
import os, sys, socket
def t(name, f):
    try:
        f(); print(name, "yes", file=sys.stderr)
    except OSError as e:
        print(name, "no", e, file=sys.stderr)
t("own", lambda: open(sys.argv[0]))
t("library", lambda: __import__("json"))
t("random", lambda: open("/dev/urandom", "rb").read(1))
t("home", lambda: open("/run/x", "w").write("x"))
t("passwd", lambda: open("/etc/passwd"))
t("host", lambda: open("HOSTFILE"))
t("write", lambda: open("/usr/x", "w"))
t("proc", lambda: open("/proc/sys/kernel/hostname"))
t("fork", lambda: os.fork())
t("exec", lambda: os.execv("/bin/true", ["true"]))
t("sealed", lambda: os.statvfs("/usr").f_flag & os.ST_RDONLY and os.statvfs("/usr").f_flag & os.ST_NOSUID or os.stat("/nowhere"))
t("threads", lambda: __import__("threading").Thread(target=print).start())
t("socket", lambda: socket.socket(socket.AF_UNIX))
t("network", lambda: socket.socket(socket.AF_INET))
`,
	"node": `
const fs = require("fs"), net = require("net"), child = require("child_process");
const t = (name, f) => { try { f(); fs.writeSync(2, name + " yes\n") } catch (e) { fs.writeSync(2, name + " no " + e + "\n") } };
t("own", () => fs.readFileSync(process.argv[1]));
t("library", () => require("crypto").createHash("sha256"));
t("random", () => fs.openSync("/dev/urandom"));
t("home", () => fs.writeFileSync("/run/x", "x"));
t("passwd", () => fs.readFileSync("/etc/passwd"));
t("host", () => fs.readFileSync("HOSTFILE"));
t("write", () => fs.writeFileSync("/usr/x", "x"));
t("proc", () => fs.readFileSync("/proc/sys/kernel/hostname"));
t("exec", () => { const r = child.spawnSync("/bin/true"); if (r.error) throw r.error });
`,
}

// needInterpreters skips the test if the sandbox reports that engines that read the system cannot
// start in this container.
func needInterpreters(t *testing.T, j *sandbox.Sandbox) {
	t.Helper()
	if lacks(j, sandbox.Interpreter) {
		t.Skip("parts of /proc are masked in this container")
	}
}

// Interpreters run, with the paths that their release declares, and with nothing else.
func TestInterpreters(t *testing.T) {
	j := newSandbox(t, nil)
	needInterpreters(t, j)
	for name, script := range interpreters {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("/usr/bin", name)
			if _, err := os.Stat(path); err != nil {
				t.Skip("not installed")
			}
			file := filepath.Join(enginetest.ShortDir(t), "file")
			if err := os.WriteFile(file, []byte("secret"), 0o644); err != nil {
				t.Fatal(err)
			}
			if name == "node" {
				path += " --preserve-symlinks-main" // without it, Node would resolve the name of the descriptor
			}
			text := "#!" + path + "\n" + strings.ReplaceAll(script, "HOSTFILE", file)
			said := runScript(t, j, text, []string{"/usr"})
			for what, want := range map[string]string{
				"own": "yes", "library": "yes", "random": "yes", "home": "yes", "threads": "yes", "socket": "yes", "sealed": "yes",
				"passwd": "no", "host": "no", "write": "no", "proc": "no", "fork": "no", "exec": "no", "network": "no",
			} {
				if strings.Contains(said, what+" ") && !strings.Contains(said, what+" "+want) || strings.Count(said, "yes") < 3 {
					t.Errorf("want %s %s:\n%s", what, want, said)
				}
			}
		})
	}
}

// runScript runs a script confined and returns what it printed to standard error.
func runScript(t *testing.T, j *sandbox.Sandbox, text string, readOnly []string) string {
	t.Helper()
	p, err := process.Launch(t.Context(), newProgram(t, []byte(text)), &process.Options{Dir: enginetest.ShortDir(t), Confiner: j, StartTimeout: patience, ReadOnly: readOnly})
	if err == nil {
		p.Close()
		t.Fatal("a script that only prints described itself as an engine")
	}
	said := err.Error()
	if _, printed, ok := strings.Cut(said, "it printed "); ok {
		return strings.ReplaceAll(printed, `\n`, "\n")
	}
	return said
}

// The start fails if a release asks for paths that it may not read or that do not exist.
func TestReadOnlyRefused(t *testing.T) {
	j := newSandbox(t, nil)
	needInterpreters(t, j)
	link := filepath.Join(enginetest.ShortDir(t), "link")
	if err := os.Symlink("/etc", link); err != nil {
		t.Fatal(err)
	}
	permissive := newSandbox(t, &sandbox.Options{Readable: []string{"/usr", filepath.Dir(link), "/dev"}})
	for _, tt := range []struct {
		j    *sandbox.Sandbox
		path string
		want string
	}{
		{j, "/", "absolute path"}, {j, "usr", "absolute path"}, {j, "/usr/", "absolute path"}, {j, "/usr/../etc", "absolute path"},
		{j, "/etc", "outside"}, {j, "/root", "outside"}, {j, "/proc", "outside"}, {j, "/usr/nowhere", "no such file"},
		{permissive, link, "outside"}, {permissive, link + "/passwd", "outside"}, {permissive, "/dev/null", "neither"},
		{j, "", "absolute path"},
	} {
		_, err := process.Launch(t.Context(), evil(t), &process.Options{Dir: enginetest.ShortDir(t), Confiner: tt.j, StartTimeout: patience, ReadOnly: []string{tt.path}})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.path, err, tt.want)
		}
	}
	many := make([]string, 100)
	if _, err := process.Launch(t.Context(), evil(t), &process.Options{Dir: enginetest.ShortDir(t), Confiner: j, StartTimeout: patience, ReadOnly: many}); err == nil || !strings.Contains(err.Error(), "100 paths") {
		t.Errorf("many paths: %v", err)
	}
	if said := runScript(t, j, "#!/usr/bin/perl\n", nil); !strings.Contains(said, "declares no read-only paths") {
		t.Errorf("a script without paths: %s", said)
	}
	if said := runScript(t, j, "#!/nowhere/interpreter\n", []string{"/usr"}); !strings.Contains(said, "interpreter") {
		t.Errorf("a script without interpreter: %s", said)
	}
}

// A program that needs the system's libraries runs when it may read them.
func TestDynamicProgram(t *testing.T) {
	path, err := exec.LookPath("/usr/bin/env")
	if err != nil {
		t.Skip(err)
	}
	executable, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	j := newSandbox(t, nil)
	needInterpreters(t, j)
	for _, readOnly := range [][]string{{"/usr"}, {"/lib", "/lib64", "/usr/lib"}} {
		_, err := process.Launch(t.Context(), newProgram(t, executable), &process.Options{Dir: enginetest.ShortDir(t), Confiner: j, StartTimeout: patience, ReadOnly: readOnly})
		if err == nil || strings.Contains(err.Error(), "sandbox:") || strings.Contains(err.Error(), "loading shared") {
			t.Errorf("%v: %v", readOnly, err) // it prints its environment, which is not a handshake
		}
	}
}
