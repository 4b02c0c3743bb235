package setting_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/slipstick/slipstick/host/internal/cli/setting"
)

// The current directory has precedence over the user's directory, as in earlier releases.
func TestHome(t *testing.T) {
	here, home := t.TempDir(), t.TempDir()
	t.Chdir(here)
	t.Setenv("HOME", home)
	t.Setenv("XDG_DATA_HOME", "relative")
	is := func(want string) {
		t.Helper()
		if got := setting.Home(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	has := func(dir string) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.ReadDir("/var/lib/slipstick/registry"); err != nil { // skip if a service is installed on this machine
		is("var")
	}
	inHome := filepath.Join(home, ".local", "share", "slipstick")
	has(filepath.Join(inHome, "registry"))
	is(inHome)
	xdg := filepath.Join(home, "xdg")
	has(filepath.Join(xdg, "slipstick", "registry"))
	t.Setenv("XDG_DATA_HOME", xdg)
	is(filepath.Join(xdg, "slipstick"))
	has(filepath.Join("var", "other"))
	is(filepath.Join(xdg, "slipstick"))
	has(filepath.Join("var", "data"))
	is("var")
}

// Without an own registry, commands read the library. In an archive it is next to the program, in a system next to the
// directory of programs.
func TestLibrary(t *testing.T) {
	dir := t.TempDir()
	for _, system := range []string{dir, filepath.Join(dir, "bin")} {
		if got := setting.LibraryOf(system); got != "" {
			t.Errorf("%s, but there is none", got)
		}
	}
	library := filepath.Join(dir, "lib", "slipstick", "registry")
	if err := os.MkdirAll(library, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, system := range []string{dir, filepath.Join(dir, "bin")} {
		if got := setting.LibraryOf(system); got != library {
			t.Errorf("%s, want %s", got, library)
		}
	}
}
