package documents

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/sdk"
)

// Each document can be published by the newest requirements.
func TestDocumentsConform(t *testing.T) {
	root := os.DirFS("../../..")
	for _, file := range published(t) {
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
