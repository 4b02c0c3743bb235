package system

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/slipstick/slipstick/registry/sign"
)

// openTerminal returns both ends of a terminal. Bytes written to the keyboard count as typed.
func openTerminal(t *testing.T) (keyboard, screen *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { keyboard.Close() })
	if err := unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { screen.Close() })
	return keyboard, screen
}

// On a terminal, review asks for missing values.
func TestReviewAsks(t *testing.T) {
	dir, keys, trust := signedRegistry(t)
	keyboard, screen := openTerminal(t)
	if _, err := keyboard.WriteString("Anna Meier\nelectrical engineer\ninternal\n"); err != nil {
		t.Fatal(err)
	}
	r := slipstickOn(t.Context(), screen, "review", "ohms-law@1.0.1", "--registry", dir, "--key", keys[sign.Reviews])
	if r.code != exitOK || !strings.Contains(r.err, "Name of the reviewer?") {
		t.Fatalf("%+v", r)
	}
	verifies(t, exitOK, []string{"ohms-law", "--registry", dir, "--trust", trust}, "internal, Anna Meier, electrical engineer, ", ", sources not checked")
}

// The command asks twice for a new password, and does not show it.
func TestKeysNewAsks(t *testing.T) {
	for typed, why := range map[string]string{"one\nanother\n": "the passwords differ", "\n\n": "the password is empty"} {
		keyboard, screen := openTerminal(t)
		if _, err := keyboard.WriteString(typed); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), "key")
		if r := slipstickOn(t.Context(), screen, "keys", "new", name); r.code != exitMisuse || !strings.Contains(r.err, why) {
			t.Errorf("%+v, want %q", r, why)
		}
		if _, err := os.Stat(name + ".key"); err == nil {
			t.Error("a key was made")
		}
	}
}
