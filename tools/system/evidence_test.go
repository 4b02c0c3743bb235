package system

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry/sign"
)

// Every command of the guides to signatures and verification works, in its order.
func TestVerificationGuides(t *testing.T) {
	t.Parallel()
	signing := mustRead(t, filepath.Join(root, "docs", "guides", "sign.md"))
	verifying := mustRead(t, filepath.Join(root, "docs", "guides", "verify.md"))
	bin := t.TempDir()
	if err := os.Symlink(built.slipstick, filepath.Join(bin, "slipstick")); err != nil {
		t.Fatal(err)
	}
	a := &author{dir: t.TempDir(), env: append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))}
	copyDocument(t, "electrical/basic/ohms_law", a.dir)
	const address = "http://127.0.0.1:8080"
	var h *server // the server that the third party calls
	for _, b := range append(blocks(string(signing)), blocks(string(verifying))...) {
		switch b.language {
		case "console":
			if asks := strings.Contains(strings.Join(b.lines, "\n"), address); asks {
				h = startServer(t, "--registry", filepath.Join(a.dir, "registry"))
				for i := range b.lines {
					b.lines[i] = strings.ReplaceAll(b.lines[i], address, h.url)
				}
			} else if h != nil && h.cmd.ProcessState == nil {
				h.stop(t)
			}
			a.types(t, b.lines)
		case "json":
			text := strings.Join(b.lines, "\n")
			for _, name := range []string{"desk", "anna"} {
				var entry sign.Key
				if err := json.Unmarshal(mustRead(t, filepath.Join(a.dir, name+".json")), &entry); err != nil {
					t.Fatal(err)
				}
				text = strings.Replace(text, `"`+strings.ToUpper(name)+`"`, `"`+entry.PublicKey+`"`, 1)
			}
			a.write(t, "trust.json", text)
		}
	}
	if a.typed < 14 {
		t.Errorf("the guides have only %d commands", a.typed)
	}
}
