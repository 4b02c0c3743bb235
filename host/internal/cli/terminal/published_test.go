package terminal_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/publish"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

func TestPublished(t *testing.T) {
	result := publish.Result{
		Publication: registry.Publication{Capability: "a.b.c", Version: "1.0.0", Status: registry.Published, Current: "1.0.0", Engines: map[string]string{publish.Platform: "sha256:1"}},
		Spec:        sdk.Spec{Group: "b", Tool: "c"},
		Report:      &report.Report{Vectors: report.Count{Total: 4, Passed: 4}},
	}
	unchanged, restored := result, result
	unchanged.Status, unchanged.Report = registry.Unchanged, nil
	restored.Status, restored.Restored = registry.Unchanged, 2
	for want, r := range map[string]publish.Result{
		"published a.b.c 1.0.0 (4 vectors, engine sha256:1)\n": result,
		"restored a.b.c 1.0.0 (4 vectors, engine sha256:1)\n":  restored,
		"unchanged a.b.c 1.0.0\n":                              unchanged,
	} {
		var b bytes.Buffer
		terminal.Published(&b, r)
		if b.String() != want {
			t.Errorf("%q, want %q", b.String(), want)
		}
	}
	for want, err := range map[string]error{
		"slipstick: a.b.c 1.0.0 conforms; its page is /calc/b/c\n": nil,
		"slipstick: it does not build:\nmain.go:1\n":               &build.FailedError{Output: []byte("main.go:1\n")},
		"slipstick: it does not conform yet:\nno such file\n":      errors.New("no such file"),
	} {
		var b bytes.Buffer
		terminal.Developed(&b, result, err)
		if b.String() != want {
			t.Errorf("%q, want %q", b.String(), want)
		}
	}
}
