package conformance_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/text"
)

// The documents that test the text runtime are examples for authors, so they keep all rules.
func TestDocumentsOfTheRuntimeKeepEveryRule(t *testing.T) {
	files, err := filepath.Glob("../sdk/text/testdata/*.calc.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d documents, error %v", len(files), err)
	}
	root := os.DirFS("..")
	exists := func(path string) bool {
		_, err := fs.Stat(root, path)
		return err == nil
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			source, err := text.Read(file)
			if err != nil {
				t.Fatal(err)
			}
			engine, err := text.BindWith(file, source)
			if err != nil {
				t.Fatal(err)
			}
			open := func(context.Context) (sdk.Engine, func(), error) { return engine, nil, nil }
			r := conformance.Check(t.Context(), open, engine.Vectors(), &conformance.Options{Deadline: time.Minute, HasScript: exists})
			for _, one := range r.Rules {
				for _, f := range one.Findings {
					t.Errorf("%s: %s: found %s, want %s", one.ID, f.Subject, f.Found, f.Want)
				}
			}
		})
	}
}
