package remote_test

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/transparency"
)

// The log of a remote registry is stored there, written by one publisher at a time, and
// mirrored.
func TestLog(t *testing.T) {
	everywhere(t, func(t *testing.T, address string) {
		keeper, mirror := open(t, address), open(t, address)
		publish(t, keeper, candidate(beam, "1.0.0"))
		update := func(o *registry.LogUpdate) (*transparency.Log, error) {
			return keeper.EditLog(t.Context(), nil, func(r *registry.Registry) (*transparency.Log, error) {
				l, _, err := r.UpdateLog(t.Context(), o)
				return l, err
			})
		}
		if _, err := update(nil); err == nil || !strings.Contains(err.Error(), "has no log") {
			t.Errorf("no log: %v", err)
		}
		var was *transparency.Log
		for i, o := range []*registry.LogUpdate{{Create: true}, nil} {
			if i > 0 {
				set(t, keeper, "1.0.0", evidence.Deprecated)
			}
			kept, err := update(o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := mirror.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			got, err := mirror.Mirror().Log(was)
			if err != nil || got == nil || !got.Checkpoint().Equal(kept.Checkpoint()) {
				t.Fatalf("mirrored: %+v, %v", got, err)
			}
			if was != nil && (got.Continues(was.Checkpoint()) != nil || len(got.Entries()) != len(was.Entries())+1) {
				t.Errorf("%d entries after %d", len(got.Entries()), len(was.Entries()))
			}
			was = got
		}
	})
}
