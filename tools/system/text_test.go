package system

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/sdk/enginefile"
)

// textEngines returns the files of text engines with a common runtime, by version.
func textEngines(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "runtime")
	buildEngine(t, program, "text")
	shared, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for version, factor := range map[string]int{"1.0.0": 3, "2.0.0": 4} {
		var file bytes.Buffer
		err := enginefile.Join(&file, bytes.NewReader(shared), &enginefile.Text{Document: fmt.Appendf(nil, "%s %d\n", version, factor), Vectors: []byte(vectorsOf(factor))})
		if err == nil {
			files[version] = filepath.Join(dir, version)
			err = os.WriteFile(files[version], file.Bytes(), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func vectorsOf(factor int) string {
	return fmt.Sprintf(`[
		{"id": "V1", "inputs": {"x": 2}, "expected": {"y": %d}, "rtol": 1e-15, "source": "2*%d"},
		{"id": "E1", "inputs": {"x": 0}, "expected": {"code": "X_MUST_BE_POSITIVE", "field": "x"}, "source": "range"}
	]`, 2*factor, factor)
}

// sizeOf returns the size of all files below a directory.
func sizeOf(t *testing.T, dir string) (size int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}

// Text engines are published, mirrored, served, verified and locked as other engines. Releases share their runtime.
func TestTextEngines(t *testing.T) {
	t.Parallel()
	files := textEngines(t)
	keys, trust := signers(t, sign.Publishes)
	to := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", to, "--sign", keys[sign.Publishes], "--link", files["1.0.0"])
	first := sizeOf(t, to)
	does(t, "publish", "--to", to, "--sign", keys[sign.Publishes], "--link", files["2.0.0"])
	if more := sizeOf(t, to) - first; first < 5_000_000 || more > 100_000 {
		t.Errorf("the first release has %d bytes, the second adds %d", first, more)
	}
	verifies(t, exitOK, []string{"--registry", to, "--trust", trust}, "engine "+runtime.GOOS+"/"+runtime.GOARCH, "multiple 1.0.0", "multiple 2.0.0")
	if out := does(t, "sbom", "test.text.multiple@1.0.0", "--registry", to); !strings.Contains(out, "pkg:golang/google.golang.org/grpc@v") {
		t.Errorf("sbom: %s", out)
	}
	if out := does(t, "show", "multiple", "--text", "--pin", "1.0.0", "--registry", to); out != "1.0.0 3\n" {
		t.Errorf("text %q", out)
	}
	lock := filepath.Join(t.TempDir(), "lock.json")
	does(t, "lock", "--registry", to, "-o", lock)

	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "multiple.calc.md"), []byte("1.0.0 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	again := []string{"rebuild", "test.text.multiple@1.0.0", "--registry", to, "--source", dir}
	if r := slipstick(t.Context(), again...); r.code != exitFailed || !strings.Contains(r.out, "the file vectors is missing") {
		t.Errorf("rebuild without vectors: %+v", r)
	}
	if err := os.WriteFile(filepath.Join(dir, "multiple.csv"), []byte(vectorsOf(3)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := does(t, again...); !strings.Contains(out, "rebuilt: 1 executable, the same bytes") || !strings.Contains(out, "runtime sha256:") {
		t.Errorf("rebuild: %s", out)
	}

	there := startRemoteRegistry(t)
	does(t, "publish", "--to", there.address(), "--mirror", t.TempDir(), "--sign", keys[sign.Publishes], files["1.0.0"], files["2.0.0"])
	for _, h := range []*server{
		startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", to, "--data", t.TempDir(), "--trust", trust, "--locked=" + lock}),
		startRemoteServer(t, there.address(), t.TempDir(), "--trust", trust),
	} {
		for version, want := range map[string]string{"1.0.0": `"result":{"y":15}`, "2.0.0": `"result":{"y":20}`} {
			status, answer := h.post(t, "/api/v1/calc/multiple", fmt.Sprintf(`{"inputs":{"x":5},"calculation_version":%q}`, version))
			if status != 200 || !strings.Contains(answer, want) || !strings.Contains(answer, "multiple@"+version) {
				t.Errorf("%s: %d %s", version, status, answer)
			}
		}
	}

	runtimes, err := filepath.Glob(filepath.Join(to, ".shared", "blobs", "sha256", "*"))
	if err != nil || len(runtimes) != 1 {
		t.Fatalf("runtimes %v, %v", runtimes, err)
	}
	data, err := os.ReadFile(runtimes[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2]++
	if err := os.WriteFile(runtimes[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	verifies(t, exitFailed, []string{"--registry", to, "--trust", trust}, ".shared/blobs/sha256/", "was changed or damaged")
	does(t, "publish", "--to", to, "--sign", keys[sign.Publishes], files["1.0.0"])
	verifies(t, exitOK, []string{"--registry", to, "--trust", trust})
}
