package sandbox_test

import (
	"errors"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
)

// Without a sandbox, engines are not confined and no path is refused. This is not an error.
func TestNoSandbox(t *testing.T) {
	for name, j := range map[string]*sandbox.Sandbox{"nil": nil, "unwanted": newUnconfined(t)} {
		if j.Confiner() != nil || j.Check([]string{"/usr"}) != nil {
			t.Errorf("%s: it confines", name)
		}
		if err := j.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if a := newUnconfined(t).Absence(); a != sandbox.Unwanted {
		t.Errorf("absent because of %q", a)
	}
}

// A release may read neither the files of the server nor a directory that contains them. It may
// read other files.
func TestServerFiles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no sandbox here")
	}
	dir := t.TempDir()
	own := sandbox.ServerFiles{Data: filepath.Join(dir, "data"), Lock: ""}
	j, err := sandbox.New(&sandbox.Options{Readable: []string{dir, "/usr"}, Private: own.Private()})
	if err != nil {
		t.Skip(err) // this machine cannot confine
	}
	defer j.Close()
	if j.Absence() != sandbox.NotAbsent || j.Confiner() == nil {
		t.Error("nothing is confined")
	}
	var private *sandbox.PrivateError
	if err := j.Check([]string{dir}); !errors.As(err, &private) {
		t.Errorf("the parent of the data directory: %v", err)
	}
	if err := j.Check([]string{"/usr"}); err != nil {
		t.Error(err)
	}
}

func newUnconfined(t *testing.T) *sandbox.Sandbox {
	t.Helper()
	j, err := sandbox.New(&sandbox.Options{None: true})
	if err != nil {
		t.Fatal(err)
	}
	return j
}
