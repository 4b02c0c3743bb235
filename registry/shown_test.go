package registry_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/mediatype"
)

// A release with invisible characters is not published. An older release with such characters
// is shown with U+FFFD, and its engine is still compared with its published Spec.
func TestHiddenCharactersOfReleases(t *testing.T) {
	const hidden, shown = "Be\u202eam\u2028", "Be\ufffdam\ufffd"
	r, dir := open(t)
	c := candidate(beam, "1.0.0")
	c.Spec.Title = hidden
	if _, err := r.Publish(t.Context(), c); err == nil || !strings.Contains(err.Error(), "title: ") || !strings.Contains(err.Error(), "U+202E") {
		t.Errorf("published: %v", err)
	}
	publish(t, r, candidate(beam, "1.0.0"))
	s := spec(beam, "1.0.0")
	s.Title, s.Outputs[0].Doc = hidden, hidden
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	d := disk{t, filepath.Join(dir, beam)}
	config := d.add(mediatype.Spec, data)
	d.forge("1.0.0", func(m *v1.Manifest) { m.Config = config })
	rel := release(capability(t, r, beam), "1.0.0")
	if rel.Problem != nil || rel.Spec.Title != shown || rel.Spec.Outputs[0].Doc != shown || rel.EngineSpec().Title != hidden {
		t.Errorf("%v: title %q, engine %q", rel.Problem, rel.Spec.Title, rel.EngineSpec().Title)
	}
}
