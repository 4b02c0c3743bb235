package confine_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/slipstick/slipstick/host/internal/engine/confine"
)

// Without a sandbox nothing is confined and nothing refused; that is no error.
func TestNoSandbox(t *testing.T) {
	for name, j := range map[string]*confine.Sandbox{"nil": nil, "unwanted": enter(t, &confine.Options{None: true})} {
		if j.Confiner() != nil || j.Refusal([]string{"/usr"}) != nil {
			t.Errorf("%s: it confines", name)
		}
		j.Close()
	}
	if a := enter(t, &confine.Options{None: true}).Absence(); a != confine.Unwanted {
		t.Errorf("absent because of %q", a)
	}
}

// Files of the host are refused to a release that asks for them, and only these.
func TestRefusal(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no sandbox here")
	}
	dir := t.TempDir()
	own := confine.Own{Data: filepath.Join(dir, "data"), Lock: ""}
	j, err := confine.Enter(&confine.Options{Readable: []string{dir, "/usr"}, Own: own})
	if err != nil {
		t.Skip(err) // this machine cannot confine
	}
	defer j.Close()
	if j.Absence() != confine.NotAbsent || j.Confiner() == nil {
		t.Error("nothing is confined")
	}
	if err := j.Refusal([]string{dir}); !confine.IsPrivate(err) {
		t.Errorf("the parent of the data directory: %v", err)
	}
	if err := j.Refusal([]string{"/usr"}); err != nil {
		t.Error(err)
	}
}

func enter(t *testing.T, o *confine.Options) *confine.Sandbox {
	t.Helper()
	j, err := confine.Enter(o)
	if err != nil {
		t.Fatal(err)
	}
	return j
}
