package terminal_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/release/rebuild"
	"github.com/slipstick/slipstick/registry/provenance"
)

// Each kind of difference has its own text, with all known details.
func TestDifferencesAreNamed(t *testing.T) {
	published := &provenance.Build{Engines: map[string]string{"linux/amd64": "sha256:aa"}, Toolchain: "go1.26.8"}
	said := map[string]bool{}
	for _, kind := range []rebuild.Kind{
		rebuild.ChangedFile, rebuild.MissingFile, rebuild.AddedFile, rebuild.Toolchain, rebuild.Program,
		rebuild.Module, rebuild.Setting, rebuild.Function, rebuild.Section, rebuild.Bytes,
	} {
		d := &rebuild.Difference{Kind: kind, Name: "NAME", Platform: "linux/amd64", Published: "OLD", Found: "NEW"}
		var out bytes.Buffer
		if err := terminal.Rebuilt(&out, &rebuild.Result{Published: published, Difference: d}, false); err != nil {
			t.Fatal(err)
		}
		want := []string{"NAME"}
		switch kind {
		case rebuild.Toolchain, rebuild.Program, rebuild.Bytes:
			want = []string{"OLD", "NEW", "linux/amd64"}
		case rebuild.Module, rebuild.Setting, rebuild.Function, rebuild.Section:
			want = []string{"NAME", "OLD", "NEW", "linux/amd64"}
		}
		for _, w := range want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("%s: %s has no %s", kind, out.String(), w)
			}
		}
		if said[out.String()] {
			t.Errorf("%s has the words of another kind: %s", kind, out.String())
		}
		said[out.String()] = true
	}
}
