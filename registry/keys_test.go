package registry_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/hostkeys"
)

func TestHostKeysOfADirectory(t *testing.T) {
	dir := t.TempDir()
	r, err := registry.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if files, err := r.HostKeys(t.Context()); err != nil || len(files) != 0 {
		t.Fatalf("of a new registry: %+v, %v", files, err)
	}
	for _, f := range []hostkeys.File{{Name: "calc", Data: []byte("1")}, {Name: "test.example.org", Data: []byte("2")}, {Name: "calc", Data: []byte("3")}} {
		if err := r.PutHostKeys(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.PutHostKeys(t.Context(), hostkeys.File{Name: "../up"}); err == nil {
		t.Error("a name that is a path")
	}
	files, err := r.HostKeys(t.Context())
	if err != nil || len(files) != 2 || files[0].Name != "calc" || string(files[0].Data) != "3" || string(files[1].Data) != "2" {
		t.Errorf("%+v, %v", files, err)
	}
	if list, err := r.Capabilities(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("keys are a capability: %+v, %v", list, err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".keys", "large.json"), make([]byte, hostkeys.MaxDocument+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.HostKeys(t.Context()); err == nil {
		t.Error("a large document is read")
	}
}
