package documents

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/text"
)

var update = flag.Bool("update", false, "add the new versions to the lock file")

const lockFile = "../../documents.lock"

// Whoever pins a version gets the same document forever. So the lock file has the digest of each version, and a document
// that changed needs a new version. This adds the new versions:
//
//	go test ./internal/documents -run TestLock -args -update
func TestLock(t *testing.T) {
	locked := map[string]string{}
	content, err := os.ReadFile(lockFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		name, digest, _ := strings.Cut(strings.TrimSpace(line), " ")
		locked[name] = digest
	}
	files, err := filepath.Glob("../../*/*/*.calc.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d documents, error %v", len(files), err)
	}
	isNew := false
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		e, err := text.Bind(file, source)
		if err != nil {
			t.Fatal(err)
		}
		spec := e.Spec()
		name, digest := spec.Capability+"@"+spec.Version, fmt.Sprintf("sha256:%x", sha256.Sum256(source))
		switch before := locked[name]; {
		case before == "" && *update:
			locked[name], isNew = digest, true
		case before == "":
			t.Errorf("%s is not in documents.lock: run this test with -args -update", name)
		case before != digest:
			t.Errorf("%s changed: give it a new version, or restore the document of %s", file, name)
		}
	}
	if !isNew {
		return
	}
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(locked)) {
		fmt.Fprintln(&lines, name, locked[name])
	}
	err = os.WriteFile(lockFile, []byte(lines.String()), 0o600)
	if err != nil {
		t.Fatal(err)
	}
}
