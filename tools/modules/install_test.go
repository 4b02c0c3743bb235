package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/module"
)

// The tags of a release are sufficient for go install. A proxy that is made from the tags has the released
// modules. An older release does not change. The test releases the current commit twice.
func TestInstall(t *testing.T) {
	top, err := git(".", nil, "rev-parse", "--show-toplevel")
	if err != nil {
		t.Skip("this is not a checkout of Git")
	}
	clone, proxy, fromTags := filepath.Join(t.TempDir(), "clone"), t.TempDir(), t.TempDir()
	gits(t, ".", "clone", "--quiet", "--shared", "--no-tags", strings.TrimSpace(top), clone)
	sums := map[string]string{}
	for _, version := range []string{"0.8.0", "0.9.0"} {
		commit(t, clone, "sdk/release.txt", version+"\n")
		var out bytes.Buffer
		r := release{repository: clone, version: version, out: proxy, tag: true}
		if err := r.run(&out, nil); err != nil {
			t.Fatal(err)
		}
		sums[version] = out.String()
	}
	for version, want := range sums {
		var got []string
		for _, name := range all {
			tag := name + "/v" + version
			of, err := pack(clone, tag, name, module.Version{Path: modulePrefix + name, Version: "v" + version}, time.Unix(0, 0), fromTags)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, of...)
		}
		if strings.Join(got, "") != want {
			t.Errorf("the tags of %s have the modules\n%s\nthe release has\n%s", version, strings.Join(got, ""), want)
		}
	}

	u := newUser(t, fromTags)
	command := modulePrefix + "host/cmd/slipstick@v"
	if out := u.run("go install -n " + command + "0.8.0"); !strings.Contains(out, "host@v0.8.0/cmd/slipstick") {
		t.Errorf("the older version:\n%s", out)
	}
	u.run("go install " + command + "0.9.0")
	if out := u.run("slipstick version --json"); !strings.Contains(out, `"version":"0.9.0"`) {
		t.Errorf("version: %s", out)
	}
	u.run("slipstick new --text a.b.twice")
	second := "go install github.com/slipstick/slipstick/sdk/cmd/slipstick-text@v0.9.0"
	if out := u.fails("slipstick publish --to registry twice.calc.md"); !strings.Contains(out, second+"\n") {
		t.Errorf("the error does not have the line %s:\n%s", second, out)
	}
	u.run(second)
	u.run("slipstick publish --to registry twice.calc.md")
	if out := u.run("slipstick calc --registry registry a.b.twice width=1 height=2 thickness=0.1 density=1000"); !strings.Contains(out, "kg") {
		t.Errorf("calc: %s", out)
	}
	if os.Getenv("SLIPSTICK_SOAK") == "" {
		return
	}
	if out := u.run("slipstick new a.b.thrice"); strings.Contains(out, "go mod tidy") {
		t.Errorf("new: %s", out)
	}
	u.run("cd thrice && go test ./... && slipstick build && slipstick check thrice")
	for _, name := range all { // each module compiles alone, with the versions of its own go.mod
		u.run("cd $(go mod download -json " + modulePrefix + name + "@v0.9.0 | sed -n 's/.*\"Dir\": \"\\(.*\\)\".*/\\1/p') && go vet ./...")
	}
}

// user has Go and a module proxy, and no checkout.
type user struct {
	*testing.T
	dir string
	env []string
}

func newUser(t *testing.T, proxy string) *user {
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE", "GOCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	settings := strings.Split(string(out), "\n")
	u := &user{T: t, dir: t.TempDir()}
	bin, home := t.TempDir(), t.TempDir()
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !strings.HasPrefix(name, "GO") && !strings.HasPrefix(name, "SLIPSTICK") && !strings.HasPrefix(name, "XDG") {
			u.env = append(u.env, v)
		}
	}
	u.env = append(u.env, "HOME="+home, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GOBIN="+bin, "GOTOOLCHAIN=local", "GOTELEMETRY=off",
		"GOMODCACHE="+filepath.Join(home, "modules"), "GOPROXY=file://"+proxy+",file://"+settings[0]+"/cache/download,"+settings[2], "GONOSUMDB=github.com/slipstick")
	if os.Getenv("SLIPSTICK_SOAK") == "" { // with the flags of scripts/lib.sh, most packages are compiled already
		u.env = append(u.env, "GOCACHE="+settings[1], "CGO_ENABLED=0", "GOFLAGS=-trimpath -tags=grpcnotrace,arrow_json_stdlib -gcflags=all=-dwarf=false")
	}
	t.Cleanup(func() { u.run("go clean -modcache") }) // os.RemoveAll cannot remove read-only files
	return u
}

func (u *user) bash(line string) (string, error) {
	cmd := exec.Command("bash", "-euc", line)
	cmd.Dir, cmd.Env = u.dir, u.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (u *user) run(line string) string {
	u.Helper()
	out, err := u.bash(line)
	if err != nil {
		u.Fatalf("%s: %v\n%s", line, err, out)
	}
	return out
}

func (u *user) fails(line string) string {
	u.Helper()
	out, err := u.bash(line)
	if err == nil {
		u.Errorf("%s: it succeeds\n%s", line, out)
	}
	return out
}
