package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/slipstick/slipstick/host/internal/engine/enginetest"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
)

// ground is the installation of a server in its own directory. It has the data directory with a
// key, a registry, a trust file, and system/lib, which engines may read.
type ground struct{ dir string }

func (g ground) path(name string) string { return filepath.Join(g.dir, name) }

const groundKey = "data/keys/snapshot-0001.key"

func layGround(dir string) (ground, error) {
	g := ground{dir}
	var errs []error
	for _, name := range []string{"data/keys", "registry", "system/lib/deep", "elsewhere"} {
		errs = append(errs, os.MkdirAll(g.path(name), 0o755))
	}
	for _, name := range []string{groundKey, "registry/index.json", "trust.json", "system/lib/module", "elsewhere/file"} {
		errs = append(errs, os.WriteFile(g.path(name), []byte(name), 0o644))
	}
	return g, errors.Join(errs...)
}

// sandbox grants everything of the ground except the files of the server.
func (g ground) sandbox(data, trust string) (*sandbox.Sandbox, error) {
	return sandbox.New(&sandbox.Options{Readable: []string{g.dir}, Private: []sandbox.Private{
		{Name: "data directory", Path: data, Secret: true},
		{Name: "registry", Path: g.path("registry")},
		{Name: "trust file", Path: trust, Secret: true},
	}})
}

// judgeAsked checks and launches an engine that asks for the path. It compares the errors with the
// wanted relation, "" for none.
func judgeAsked(j *sandbox.Sandbox, asked string, want sandbox.Relation) error {
	program, err := evilProgram()
	if err != nil {
		return err
	}
	p, err := process.Launch(context.Background(), program, &process.Options{Dir: os.TempDir(), Confiner: j, StartTimeout: patience, ReadOnly: []string{asked}})
	if err == nil {
		p.Close()
	}
	for way, err := range map[string]error{"check": j.Check([]string{asked}), "launch": err} {
		var refused *sandbox.PrivateError
		switch {
		case want == "" && err != nil:
			return fmt.Errorf("%s of %s: %w, want no refusal", way, asked, err)
		case want != "" && (!errors.As(err, &refused) || refused.Relation != want):
			return fmt.Errorf("%s of %s: %v, want that it %s something private", way, asked, err, want)
		}
	}
	return nil
}

// askCase is one way to ask for files of the server.
type askCase struct {
	name        string
	prepare     func(ground) error
	data, trust string // where they are; data and trust.json if empty
	ask         string
	want        sandbox.Relation
}

func (c *askCase) judge(dir string) error {
	g, err := layGround(dir)
	if err == nil && c.prepare != nil {
		err = c.prepare(g)
	}
	if err != nil {
		return err
	}
	data, trust := g.path("data"), g.path("trust.json")
	if c.data != "" {
		data = g.path(c.data)
	}
	if c.trust != "" {
		trust = g.path(c.trust)
	}
	j, err := g.sandbox(data, trust)
	if err != nil {
		return err
	}
	defer j.Close()
	return judgeAsked(j, g.path(c.ask), c.want)
}

func link(from, to string) func(ground) error {
	return func(g ground) error { return os.Link(g.path(from), g.path(to)) }
}

func symlink(target, name string) func(ground) error {
	return func(g ground) error { return os.Symlink(g.path(target), g.path(name)) }
}

func move(from, to string) func(ground) error {
	return func(g ground) error { return os.Rename(g.path(from), g.path(to)) }
}

// An engine cannot read a path that contains a file of the server, is such a file, or lies in one,
// whatever its name is.
func TestPrivate(t *testing.T) {
	needInterpreters(t, newSandbox(t, nil))
	for _, c := range []askCase{
		{name: "apart", ask: "system"},
		{name: "a file apart", ask: "system/lib/module"},
		{name: "data with a longer name beside it", prepare: move("elsewhere", "data2"), ask: "data2"},
		{name: "around everything", ask: ".", want: sandbox.Contains},
		{name: "data below", prepare: move("data", "system/data"), data: "system/data", ask: "system", want: sandbox.Contains},
		{name: "the data directory", ask: "data", want: sandbox.Is},
		{name: "in the data directory", ask: "data/keys", want: sandbox.LiesIn},
		{name: "a key", ask: groundKey, want: sandbox.LiesIn},
		{name: "in the registry", ask: "registry/index.json", want: sandbox.LiesIn},
		{name: "the trust file", ask: "trust.json", want: sandbox.Is},
		{name: "a trust file below", prepare: move("trust.json", "system/lib/trust.json"), trust: "system/lib/trust.json", ask: "system/lib", want: sandbox.Contains},
		{name: "asked through a link", prepare: symlink("data/keys", "way"), ask: "way", want: sandbox.LiesIn},
		{name: "asked through two links", prepare: func(g ground) error {
			return errors.Join(symlink("data", "first")(g), os.Symlink("first/keys", g.path("second")))
		}, ask: "second", want: sandbox.LiesIn},
		{name: "the host goes through a link", prepare: func(g ground) error {
			return errors.Join(move("data", "system/lib/real")(g), symlink("system/lib/real", "data")(g))
		}, ask: "system", want: sandbox.Contains},
		{name: "the host goes through a relative link", prepare: func(g ground) error {
			return errors.Join(move("data", "system/lib/real")(g), os.Symlink("system/lib", g.path("way")))
		}, data: "way/real", ask: "system/lib", want: sandbox.Contains},
		{name: "not made yet", data: "system/lib/new/data", ask: "system", want: sandbox.Contains},
		{name: "not made yet, apart", data: "new/data", ask: "system"},
		{name: "not made yet, through a link", prepare: symlink("system/lib/new", "way"), data: "way/data", ask: "system", want: sandbox.Contains},
		{name: "a hard link to a key", prepare: link(groundKey, "system/lib/innocent"), ask: "system/lib", want: sandbox.MayLinkTo},
		{name: "a hard link to the trust file", prepare: link("trust.json", "system/innocent"), ask: "system", want: sandbox.MayLinkTo},
		{name: "a hard link to the trust file, asked for", prepare: link("trust.json", "system/innocent"), ask: "system/innocent", want: sandbox.Is},
		{name: "files of the registry are shared", prepare: link("registry/index.json", "elsewhere/index.json"), ask: "system"},
		{name: "a registry in the data directory", prepare: func(g ground) error {
			return errors.Join(move("registry", "data/registry")(g), symlink("data/registry", "registry")(g), link("data/registry/index.json", "elsewhere/index.json")(g))
		}, ask: "system"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.judge(realDir(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

// realDir is a short directory without a link in its path, as visible paths need.
func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(enginetest.ShortDir(t))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A change while the server runs counts at the next start.
func TestPrivateLater(t *testing.T) {
	needInterpreters(t, newSandbox(t, nil))
	g, err := layGround(realDir(t))
	if err != nil {
		t.Fatal(err)
	}
	j, err := g.sandbox(g.path("data"), g.path("trust.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	judge := func(want sandbox.Relation) {
		t.Helper()
		if err := judgeAsked(j, g.path("system"), want); err != nil {
			t.Error(err)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	judge("")
	must(link(groundKey, "system/innocent")(g))
	judge(sandbox.MayLinkTo)
	must(os.Remove(g.path("system/innocent")))
	judge("")
	must(errors.Join(move("data", "system/data")(g), symlink("system/data", "data")(g)))
	judge(sandbox.Contains)
	must(errors.Join(os.Remove(g.path("data")), move("system/data", "data")(g)))
	judge("")
}

func bind(from, to string) func(ground) error {
	return func(g ground) error { return mountAt(g.path(from), g.path(to), "", unix.MS_BIND) }
}

func bindAll(from, to string) func(ground) error {
	return func(g ground) error { return mountAt(g.path(from), g.path(to), "", unix.MS_BIND|unix.MS_REC) }
}

func tmpfs(at string) func(ground) error {
	return func(g ground) error { return mountAt("tmpfs", g.path(at), "tmpfs", 0) }
}

// mountAt makes the directory, or file, that it mounts on.
func mountAt(from, to, kind string, flags uintptr) error {
	if info, err := os.Stat(from); kind == "" && err == nil && info.Mode().IsRegular() {
		if err := os.WriteFile(to, nil, 0o644); err != nil {
			return err
		}
	} else if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(from, to, kind, flags, ""); err != nil {
		return fmt.Errorf("mount %s on %s: %w", from, to, err)
	}
	return nil
}

func inTurn(steps ...func(ground) error) func(ground) error {
	return func(g ground) error {
		for _, do := range steps {
			if err := do(g); err != nil {
				return err
			}
		}
		return nil
	}
}

func makeDir(name string) func(ground) error {
	return func(g ground) error { return os.MkdirAll(g.path(name), 0o755) }
}

// mountCases are ways to ask for files of the server that need mounts.
var mountCases = []askCase{
	{name: "something else is mounted below", prepare: bind("elsewhere", "system/else"), ask: "system"},
	{name: "data is mounted below", prepare: bind("data", "system/x"), ask: "system", want: sandbox.Is},
	{name: "what data lies in is mounted below", prepare: inTurn(makeDir("around"), move("data", "around/data"), bind("around", "system/x")), data: "around/data", ask: "system", want: sandbox.Contains},
	{name: "a part of data is mounted below", prepare: bind("data/keys", "system/lib/x"), ask: "system/lib", want: sandbox.LiesIn},
	{name: "a key is mounted below", prepare: bind(groundKey, "system/lib/x"), ask: "system/lib", want: sandbox.LiesIn},
	{name: "a key is what is mounted", prepare: bind(groundKey, "system/lib/x"), ask: "system/lib/x", want: sandbox.LiesIn},
	{name: "the host goes through a mount", prepare: inTurn(move("data", "system/real"), bind("system/real", "data")), ask: "system", want: sandbox.Contains},
	{name: "the host goes through a mount, and data is missing", prepare: bind("system", "way"), data: "way/new", ask: "system", want: sandbox.Contains},
	{name: "data is a file system of its own", prepare: inTurn(tmpfs("system/own"), makeDir("system/own/data")), data: "system/own/data", ask: "system", want: sandbox.Contains},
	{name: "a part of that is mounted below", prepare: inTurn(tmpfs("own"), makeDir("own/data/keys"), bind("own/data/keys", "system/k")), data: "own/data", ask: "system", want: sandbox.LiesIn},
	{name: "mounts are mounted with what they lie in", prepare: inTurn(makeDir("around"), tmpfs("around/own"), makeDir("around/own/data"), bindAll("around", "system/x")), data: "around/own/data", ask: "system", want: sandbox.Contains},
	{name: "another mount hides data", prepare: inTurn(bind("data", "system/x"), tmpfs("system/x")), ask: "system", want: sandbox.Is},
	{name: "names that mount tables escape", prepare: bind("data/keys", "system/a b\\c\td\n#"), ask: "system", want: sandbox.LiesIn},
	{name: "a hard link on another mount of the file system", prepare: inTurn(link(groundKey, "elsewhere/innocent"), bind("elsewhere", "system/x")), ask: "system/x", want: sandbox.MayLinkTo},
	{name: "a hard link, and another file system is asked for", prepare: inTurn(link(groundKey, "elsewhere/innocent"), tmpfs("own")), ask: "own"},
}

// playMountedHost judges the cases in a new mount namespace.
func playMountedHost() error {
	evilPath = os.Getenv(evilVar)
	if err := unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""); err != nil {
		return err
	}
	dir, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return err
	}
	failed := 0
	for i, c := range mountCases {
		if err := c.judge(filepath.Join(dir, fmt.Sprint(i))); err != nil {
			failed++
			fmt.Printf("%s: %v\n", c.name, err)
		}
	}
	fmt.Printf("judged %d, failed %d\n", len(mountCases), failed)
	return nil
}

func TestPrivateMounts(t *testing.T) {
	needInterpreters(t, newSandbox(t, nil))
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env = []string{roleVar + "=mounted host", evilVar + "=" + evilPath, "TMPDIR=" + enginetest.ShortDir(t)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if !almighty(t) {
		one := func(id int) []syscall.SysProcIDMap { return []syscall.SysProcIDMap{{HostID: id, Size: 1}} }
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings, cmd.SysProcAttr.GidMappings = one(os.Geteuid()), one(os.Getegid())
	}
	out, err := cmd.CombinedOutput()
	if want := fmt.Sprintf("judged %d, failed 0\n", len(mountCases)); err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
}

// Files that are not part of the system are only readable if the operator allows it.
func TestDefaultReadable(t *testing.T) {
	if slices.Contains(sandbox.DefaultReadable(), "/opt") {
		t.Error("/opt is readable by default: hosts are installed there, with their keys")
	}
	err := newSandbox(t, nil).Check([]string{"/opt"})
	if _, there := os.Stat("/opt"); there == nil && (err == nil || !strings.Contains(err.Error(), "outside of what engines may be shown")) {
		t.Errorf("/opt: %v", err)
	}
}
