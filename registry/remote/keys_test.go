package remote_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry/hostkeys"
)

// The public keys of servers are next to the capabilities. Writing keys replaces only the keys
// with the same name.
func TestHostKeys(t *testing.T) {
	everywhere(t, func(t *testing.T, address string) {
		r := open(t, address)
		if files, err := r.HostKeys(t.Context()); err != nil || len(files) != 0 {
			t.Fatalf("of a new registry: %+v, %v", files, err)
		}
		for _, f := range []hostkeys.File{{Name: "calc", Data: []byte("1")}, {Name: "test.example.org", Data: []byte("2")}, {Name: "calc", Data: []byte("3")}} {
			if err := r.PutHostKeys(t.Context(), f); err != nil {
				t.Fatal(err)
			}
		}
		files, err := open(t, address).HostKeys(t.Context())
		if err != nil || len(files) != 2 || files[0].Name != "calc" || string(files[0].Data) != "3" || string(files[1].Data) != "2" {
			t.Errorf("%+v, %v", files, err)
		}
		if list, err := r.Sync(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("keys are damage of the registry: %v, %v", list, err)
		}
		if err := r.PutHostKeys(t.Context(), hostkeys.File{Name: "../up", Data: []byte("1")}); err == nil {
			t.Error("a name that is a path")
		}
		large := hostkeys.File{Name: "large", Data: bytes.Repeat([]byte{' '}, hostkeys.MaxDocument+1)}
		if err := r.PutHostKeys(t.Context(), large); err != nil {
			t.Fatal(err)
		}
		if _, err := r.HostKeys(t.Context()); err == nil || !strings.Contains(err.Error(), "large: ") {
			t.Errorf("a large document: %v", err)
		}
	})
}
