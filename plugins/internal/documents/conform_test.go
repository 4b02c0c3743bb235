package documents

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/sdk"
)

// Each document that is published can be, by the newest requirements.
func TestDocumentsConform(t *testing.T) { conform(t, slices.DeleteFunc(published(t), hasEngine)) }

// A document that has an engine in Go, which is published instead, conforms as well.
func TestDocumentsOfEnginesConform(t *testing.T) {
	conform(t, slices.DeleteFunc(published(t), func(file string) bool { return !hasEngine(file) }))
}

func hasEngine(file string) bool {
	_, err := os.Stat(filepath.Join(strings.TrimSuffix(file, ".calc.md"), "main.go"))
	return err == nil
}

func conform(t *testing.T, files []string) {
	t.Helper()
	root := os.DirFS("../../..")
	if len(files) == 0 {
		t.Error("there is no document")
	}
	for _, file := range files {
		t.Run(filepath.ToSlash(file), func(t *testing.T) {
			t.Parallel()
			_, engine := read(t, file)
			open := func(context.Context) (sdk.Engine, func(), error) { return engine, nil, nil }
			r := conformance.Check(t.Context(), open, engine.Vectors(), &conformance.Options{Deadline: time.Minute, HasScript: func(path string) bool {
				_, err := fs.Stat(root, path)
				return err == nil
			}})
			for _, one := range r.Rules {
				for _, f := range one.Findings {
					t.Errorf("%s: %s: found %s, want %s", one.ID, f.Subject, f.Found, f.Want)
				}
			}
		})
	}
}
