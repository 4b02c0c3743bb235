package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// delivered returns the only file of the kind that scripts/package has created. Without
// SLIPSTICK_PACKAGES, which scripts/soak package sets, it skips the test.
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

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestLintian(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		if out := output(t, "lintian", "--allow-root", "--fail-on", "error,warning", delivered(t, "slipstick_*_"+arch+".deb")); out != "" {
			t.Errorf("lintian reports for %s: %s", arch, out)
		}
	}
}

// Installing, upgrading, removing and purging the package leave the expected files.
func TestDpkg(t *testing.T) {
	if wrong := output(t, "unshare", "--mount", "bash", "testdata/dpkg.sh", delivered(t, "slipstick_*_"+runtime.GOARCH+".deb")); wrong != "" {
		t.Error(wrong)
	}
}

// freshTree returns the fresh Debian tree that scripts/soak package has made.
func freshTree(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("SLIPSTICK_TREE")
	if dir == "" {
		t.Skip("scripts/soak package makes a fresh Debian tree")
	}
	return dir
}

// expect checks that the output of a trial has texts.
func expect(t *testing.T, out string, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// In a fresh Debian tree, without a running systemd, the package installs and its unit has no fault. The command of the
// unit answers from the library as its user. Ordinary users find the library too.
func TestFresh(t *testing.T) {
	out := output(t, "unshare", "--mount", "--pid", "--fork", "--mount-proc", "--net", "bash", "testdata/fresh.sh",
		delivered(t, "slipstick_*_"+runtime.GOARCH+".deb"), freshTree(t))
	expect(t, out, "installed: enabled\n", "\nverified: 0\n", "\ncalc: current 1.5 A (1.5)\n",
		"\nexample: balancer\n", "\nexample: gateway\n", "\nexample: monitoring\n", "\nexample: seccomp\n",
		"\nuser: 61200 /usr/bin/slipstick serve --config /etc/slipstick/settings.json", `"current":1.5`, "\ngo engine: \"cantilever-deflection\"\n", "\nstopped: 0\n")
	if strings.Contains(out, "\nlist: 0\n") {
		t.Errorf("ordinary users find no library:\n%s", out)
	}
}

// An upgrade from an older package, SLIPSTICK_OLDER, keeps the snapshots and the published engines in SLIPSTICK_ENGINES. Replay
// computes the snapshot again with its engine. With the library alone, it names the engine that left.
func TestUpgradePackage(t *testing.T) {
	older, engines := os.Getenv("SLIPSTICK_OLDER"), strings.Fields(os.Getenv("SLIPSTICK_ENGINES"))
	if older == "" || len(engines) == 0 {
		t.Skip("SLIPSTICK_OLDER and SLIPSTICK_ENGINES name no older package and its engines")
	}
	args := []string{"--mount", "--pid", "--fork", "--mount-proc", "--net", "bash", "testdata/fresh.sh", delivered(t, "slipstick_*_"+runtime.GOARCH+".deb"), freshTree(t), older}
	out := output(t, "unshare", append(args, engines...)...)
	expect(t, out, "\nverified: 0\n", `"current":1.5`, `snapshot: {"status":"success"`, `pinned: {"id":"ohms-law","status":"success"`, `"calculation_version":"1.0.0"`,
		"replayed: 1 result read: 1 bit-identical", "electrical.basic.ohms_law 1.0.0   not computed: 1, ")
	if strings.Count(out, "stopped: 0\n") != 2 {
		t.Errorf("the servers did not stop:\n%s", out)
	}
}

// The service runs in its sandbox under a booted systemd, with the sandbox of engines. It answers from the library as soon
// as it is installed, and from what is published.
func TestService(t *testing.T) {
	out := output(t, "unshare", "--mount", "--pid", "--fork", "--mount-proc", "bash", "testdata/service.sh",
		delivered(t, "slipstick_*_"+runtime.GOARCH+".deb"), freshTree(t), "testdata/trial.sh")
	if strings.HasPrefix(out, "not run:") {
		t.Skip(out)
	}
	expect(t, out, "CapEff: 0000000000000000 NoNewPrivs: 1 Seccomp: 2", "\nreloaded\n", "\nstopped: success inactive\n",
		"\ndata: 1 750\n", "\nupgraded: active\n", "\npurged: inactive 0 0\n")
	for who, want := range map[string]string{"library: ": `"current":1.5`, "own: ": `"mass":23.55`} {
		_, answer, _ := strings.Cut(out, who)
		answer, _, _ = strings.Cut(answer, "\n")
		if !strings.Contains(answer, want) {
			t.Errorf("%sno %s in\n%s", who, want, out)
		}
	}
	if exposure := output(t, "systemd-analyze", "security", "--offline=true", "--threshold=35", "../../host/deploy/systemd/slipstick.service"); !strings.Contains(exposure, "OK") {
		t.Error(exposure)
	}
}

// Other programs can read the images.
func TestSkopeo(t *testing.T) {
	layout := filepath.Dir(delivered(t, "slipstick.oci/index.json"))
	for _, arch := range []string{"amd64", "arm64"} {
		if out := output(t, "skopeo", "inspect", "--override-arch", arch, "--config", "oci:"+layout); !strings.Contains(out, `"65532:65532"`) || !strings.Contains(out, `"architecture": "`+arch+`"`) {
			t.Errorf("%s: %s", arch, out)
		}
	}
	one, bundle := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "bundle")
	output(t, "skopeo", "copy", "--insecure-policy", "--override-arch", runtime.GOARCH, "oci:"+layout, "oci:"+one+":it")
	output(t, "umoci", "unpack", "--image", one+":it", bundle)
	if out := output(t, filepath.Join(bundle, "rootfs/usr/bin/slipstick"), "version"); !strings.Contains(out, runtime.GOOS+"/"+runtime.GOARCH) {
		t.Error(out)
	}
}
