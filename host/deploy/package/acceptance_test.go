package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// delivered is the one file that scripts/package has made of that kind. Without
// SLIPSTICK_PACKAGES, which scripts/soak package sets, the test is left out.
func delivered(t *testing.T, pattern string) string {
	t.Helper()
	dir := os.Getenv("SLIPSTICK_PACKAGES")
	if dir == "" {
		t.Skip("scripts/soak package asks what is delivered")
	}
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: %v %v", pattern, files, err)
	}
	return files[0]
}

func says(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestLintian(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		if said := says(t, "lintian", "--allow-root", "--fail-on", "error,warning", delivered(t, "slipstick_*_"+arch+".deb")); said != "" {
			t.Errorf("lintian says of %s: %s", arch, said)
		}
	}
}

// Installing, upgrading, removing and purging the package leave what they should.
func TestDpkg(t *testing.T) {
	if wrong := says(t, "unshare", "--mount", "bash", "testdata/dpkg.sh", delivered(t, "slipstick_*_"+runtime.GOARCH+".deb")); wrong != "" {
		t.Error(wrong)
	}
}

// The service runs in its sandbox under a real systemd, with the jail of engines.
func TestService(t *testing.T) {
	said := says(t, "unshare", "--mount", "--pid", "--fork", "--mount-proc", "bash", "testdata/service.sh",
		delivered(t, "slipstick_*_"+runtime.GOARCH+".deb"), "testdata/trial.sh", os.Getenv("SLIPSTICK_ENGINE"))
	for _, want := range []string{
		`503 Service Unavailable: {"status":"unready"}`, `"current":1.5`, "CapEff: 0000000000000000 NoNewPrivs: 1 Seccomp: 2",
		"\nreloaded\n", "\nstopped: success inactive\n", "\ndata: 1 750\n", "\nupgraded: active\n", "\npurged: inactive 0 0\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	if exposure := says(t, "systemd-analyze", "security", "--offline=true", "--threshold=35", "../systemd/slipstick.service"); !strings.Contains(exposure, "OK") {
		t.Error(exposure)
	}
}

// Other readers of images see what was written.
func TestSkopeo(t *testing.T) {
	layout := filepath.Dir(delivered(t, "slipstick.oci/index.json"))
	for _, arch := range []string{"amd64", "arm64"} {
		if said := says(t, "skopeo", "inspect", "--override-arch", arch, "--config", "oci:"+layout); !strings.Contains(said, `"65532:65532"`) || !strings.Contains(said, `"architecture": "`+arch+`"`) {
			t.Errorf("%s: %s", arch, said)
		}
	}
	one, bundle := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "bundle")
	says(t, "skopeo", "copy", "--insecure-policy", "--override-arch", runtime.GOARCH, "oci:"+layout, "oci:"+one+":it")
	says(t, "umoci", "unpack", "--image", one+":it", bundle)
	if said := says(t, filepath.Join(bundle, "rootfs/usr/bin/slipstick"), "version"); !strings.Contains(said, runtime.GOOS+"/"+runtime.GOARCH) {
		t.Error(said)
	}
}

// podman is a podman with images and settings of its own, which end with the test.
type podman struct{ args, env []string }

func newPodman(t *testing.T) *podman {
	t.Helper()
	dir := t.TempDir()
	settings := filepath.Join(dir, "containers.conf")
	const text = `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "crun"
`
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	policy := filepath.Join(dir, "policy.json")
	if err := os.WriteFile(policy, []byte(`{"default":[{"type":"insecureAcceptAnything"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	// crun refuses a mixture of both versions of cgroups: the second is hidden from it.
	script := `umount /sys/fs/cgroup/unified 2>/dev/null; mount --bind "$1" /etc/containers/policy.json || exit; shift; exec podman "$@"`
	return &podman{
		[]string{"--mount", "sh", "-c", script, "podman", policy, "--root", filepath.Join(dir, "storage"), "--runroot", filepath.Join(dir, "run"), "--storage-driver", "vfs"},
		append(os.Environ(), "CONTAINERS_CONF="+settings),
	}
}

// try runs podman and returns what it prints.
func (p *podman) try(t *testing.T, args ...string) (string, error) {
	cmd := exec.Command("unshare", append(p.args, args...)...) // which also cleans up when the test is over
	cmd.Env = p.env
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("podman %s: %w: %s", strings.Join(args, " "), err, complaints.String())
	}
	return strings.TrimSpace(string(out)), err
}

func (p *podman) must(t *testing.T, args ...string) string {
	t.Helper()
	out, err := p.try(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestPodman runs both images without a network, without rights and on a root that cannot be
// written.
func TestPodman(t *testing.T) {
	strict := []string{"run", "--detach", "--network", "none", "--read-only", "--cap-drop", "all", "--security-opt", "no-new-privileges"}
	p := newPodman(t)
	t.Run("library", func(t *testing.T) {
		it := p.start(t, delivered(t, "slipstick-library-*-"+runtime.GOARCH+".docker.tar"), strict, "serve", "--no-jail")
		p.eventually(t, "exec", it, "/usr/bin/slipstick", "health")
		p.must(t, "healthcheck", "run", it)
		if answer := p.must(t, "exec", it, "/usr/bin/slipstick", "calc", "--no-jail", "ohms-law", "V=12", "R=8"); !strings.Contains(answer, "1.5 A") {
			t.Error(answer)
		}
		if ready := p.must(t, "logs", it); strings.Contains(ready, "out of service") {
			t.Error(ready)
		}
	})
	t.Run("without engines", func(t *testing.T) {
		options := append(strict, "--env", "SLIPSTICK_REGISTRY=oci://127.0.0.1:5000/calc")
		it := p.start(t, delivered(t, "slipstick-[0-9]*-linux-"+runtime.GOARCH+".docker.tar"), options, "serve", "--no-jail")
		if code := p.must(t, "wait", it); code == "0" || code == "2" {
			t.Errorf("a host without its registry ends with %s", code)
		}
	})
}

// start loads an image, runs it, and removes both when the test ends.
func (p *podman) start(t *testing.T, archive string, options []string, args ...string) string {
	t.Helper()
	_, image, _ := strings.Cut(p.must(t, "load", "--input", archive), "Loaded image: ")
	it := p.must(t, append(append(options, image), args...)...)
	t.Cleanup(func() {
		if out, err := p.try(t, "rm", "--force", "--time", "20", it); err != nil {
			t.Log(out, err)
		}
		if out, err := p.try(t, "rmi", "--force", image); err != nil {
			t.Log(out, err)
		}
	})
	return it
}

// eventually runs podman until it succeeds.
func (p *podman) eventually(t *testing.T, args ...string) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if _, err = p.try(t, args...); err == nil {
			return
		}
	}
	t.Fatal(err)
}
