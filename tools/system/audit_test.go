package system

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every command of the audit guide works, in its order. The server runs as its operator starts it, and ends before
// the part that works on copies.
func TestAuditGuide(t *testing.T) {
	guide, err := os.ReadFile(filepath.Join(root, "docs", "guides", "audit.md"))
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(built.slipstick, filepath.Join(bin, "slipstick")); err != nil {
		t.Fatal(err)
	}
	a := &author{dir: t.TempDir(), env: append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))}
	for _, engine := range []string{"grey_surface_v1", "grey_surface"} {
		if err := os.Symlink(filepath.Join(built.engines, engine), filepath.Join(a.dir, engine)); err != nil {
			t.Fatal(err)
		}
	}
	copyDocument(t, "electrical/basic/ohms_law", a.dir)
	does(t, "new", "electrical.lighting.lumens_to_lux", "--dir", filepath.Join(a.dir, "engine"), "--checkout", root)
	const address, whole = "http://127.0.0.1:8080", "## 5. Check the ledger"
	asking, offline, found := strings.Cut(string(guide), whole)
	if !found {
		t.Fatalf("the guide has no %q", whole)
	}
	var h *server
	for _, b := range blocks(asking) {
		switch {
		case b.language == "console":
			for i := range b.lines {
				if h != nil {
					b.lines[i] = strings.ReplaceAll(b.lines[i], address, h.url)
				}
			}
			a.types(t, b.lines)
		case strings.HasPrefix(b.lines[0], "slipstick serve "):
			cmd := exec.Command(built.slipstick, append(strings.Fields(b.lines[0])[1:], "--addr", "127.0.0.1:0")...)
			cmd.Dir = a.dir
			h = launchServer(t, cmd)
		}
	}
	h.stop(t)
	for _, b := range blocks(offline) {
		if b.language == "console" {
			a.types(t, b.lines)
		}
	}
	if a.typed < 45 {
		t.Errorf("the guide has only %d commands", a.typed)
	}
}
