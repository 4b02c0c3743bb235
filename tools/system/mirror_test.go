package system

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A registry moves as one file to a directory and to a remote registry, and its releases answer there.
func TestMirror(t *testing.T) {
	t.Parallel()
	engines := swaps(t, "1.0.0", "2.0.0")
	dir := t.TempDir()
	registry, file := filepath.Join(dir, "registry"), filepath.Join(dir, "file.zip")
	does(t, "publish", "--to", registry, engines["1.0.0"])
	does(t, "publish", "--to", registry, engines["2.0.0"])
	does(t, "deprecate", "--registry", registry, "swap", "1.0.0", "--reason", "old")
	const all = "2 versions of 1 capability and 3 records"
	if out := does(t, "mirror", "export", "--registry", registry, file); out != "exported "+all+" to "+file+"\n" {
		t.Errorf("export: %s", out)
	}
	want := does(t, "list", "--registry", registry)
	there := startRemoteRegistry(t)
	for name, to := range map[string]string{"directory": filepath.Join(dir, "copy"), "remote": there.address()} {
		mirror := []string{"--mirror", t.TempDir()}
		for _, imported := range []string{all, "0 versions of 0 capabilities and 0 records"} {
			if out := does(t, append([]string{"mirror", "import", "--to", to, file}, mirror...)...); out != "imported "+imported+" into "+to+"\n" {
				t.Errorf("import into a %s: %s", name, out)
			}
		}
		if got := does(t, append([]string{"list", "--registry", to}, mirror...)...); got != want {
			t.Errorf("list of a %s:\n%s\nwant\n%s", name, got, want)
		}
		if out := does(t, append([]string{"calc", "--registry", to, "--json", "swap", "x=2", "--pin", "1.0.0"}, mirror...)...); !strings.Contains(out, `"by":"1.0.0"`) {
			t.Errorf("calc of a %s: %s", name, out)
		}
		again := filepath.Join(dir, name+".zip")
		if out := does(t, append([]string{"mirror", "export", "--registry", to, again}, mirror...)...); !strings.Contains(out, all) {
			t.Errorf("export of a %s: %s", name, out)
		}
	}

	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("not a ZIP file"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"export", "--registry", registry, file}, exitMisuse, "is there already: name another file"},
		{[]string{"export", "--registry", filepath.Join(dir, "absent"), filepath.Join(dir, "new.zip")}, exitMisuse, "there is no registry at"},
		{[]string{"import", "--to", registry, text}, exitMisuse, "is not a file of slipstick mirror export"},
		{[]string{"import", "--to", registry, filepath.Join(dir, "absent.zip")}, exitMisuse, "absent.zip"},
	} {
		if r := slipstick(t.Context(), append([]string{"mirror"}, tt.args...)...); r.code != tt.code || !strings.Contains(r.err, tt.want) {
			t.Errorf("%v: %d %s, want %d and %q", tt.args, r.code, r.err, tt.code, tt.want)
		}
	}

	// A version that the target has with other bytes is refused.
	forged := filepath.Join(dir, "forged")
	does(t, "publish", "--to", forged, "--revision", "other", engines["1.0.0"])
	if r := slipstick(t.Context(), "mirror", "import", "--to", forged, file); r.code != exitFailed || !strings.Contains(r.err, "refused test.life.swap: version 1.0.0") {
		t.Errorf("other bytes: %d %s%s", r.code, r.out, r.err)
	}
}
