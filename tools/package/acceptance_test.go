package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
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

// The service runs in its sandbox under a real systemd, with the sandbox of engines.
func TestService(t *testing.T) {
	said := says(t, "unshare", "--mount", "--pid", "--fork", "--mount-proc", "bash", "testdata/service.sh",
		delivered(t, "slipstick_*_"+runtime.GOARCH+".deb"), "testdata/trial.sh", os.Getenv("SLIPSTICK_ENGINE"))
	for _, want := range []string{
		`503 Service Unavailable: {"status":"unready","reasons":[{"code":"NO_ENGINE"}]}`, `"current":1.5`, "CapEff: 0000000000000000 NoNewPrivs: 1 Seccomp: 2",
		"\nreloaded\n", "\nstopped: success inactive\n", "\ndata: 1 750\n", "\nupgraded: active\n", "\npurged: inactive 0 0\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	if exposure := says(t, "systemd-analyze", "security", "--offline=true", "--threshold=35", "../../host/deploy/systemd/slipstick.service"); !strings.Contains(exposure, "OK") {
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
