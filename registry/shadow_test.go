package registry_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/sign"
)

func TestShadowIsReadAndChangesNothingElse(t *testing.T) {
	r, _ := three(t)
	before := capability(t, r, beam)
	want := evidence.Shadow{Sample: 0.1, Since: since, Until: since.Add(time.Hour)}
	for _, s := range []evidence.Shadow{{Sample: 1, Since: since}, want} { // the last one counts
		if err := r.SetShadow(t.Context(), beam, "2.0.0-rc.1", s); err != nil {
			t.Fatal(err)
		}
	}
	c := capability(t, r, beam)
	got := release(c, "2.0.0-rc.1").Shadow
	if got == nil || *got != want || !got.At(since) || got.At(want.Until) {
		t.Errorf("%+v", got)
	}
	if release(c, "1.1.0").Shadow != nil || c.Current != before.Current || c.Problem != nil || release(c, "2.0.0-rc.1").Lifecycle != release(before, "2.0.0-rc.1").Lifecycle {
		t.Errorf("%+v", c)
	}
	if err := r.SetShadow(t.Context(), beam, "2.0.0-rc.1", evidence.Shadow{Since: since}); err != nil {
		t.Fatal(err)
	}
	if s := release(capability(t, r, beam), "2.0.0-rc.1").Shadow; s.At(since) {
		t.Errorf("stopped, and %+v", s)
	}
}

func TestShadowIsRefused(t *testing.T) {
	r, _ := three(t)
	set(t, r, "1.0.0", lifecycle(evidence.Revoked))
	for name, c := range map[string]struct {
		version string
		s       evidence.Shadow
		want    string
	}{
		"current":       {"1.1.0", evidence.Shadow{Sample: 1, Since: since}, "it is the current version"},
		"revoked":       {"1.0.0", evidence.Shadow{Sample: 1, Since: since}, "it was revoked"},
		"not published": {"9.0.0", evidence.Shadow{Sample: 1, Since: since}, "it is not published"},
		"too much":      {"2.0.0-rc.1", evidence.Shadow{Sample: 1.5, Since: since}, "the sample 1.5 is not a fraction"},
		"over":          {"2.0.0-rc.1", evidence.Shadow{Sample: 1, Since: since, Until: since}, "ends before it starts"},
	} {
		if err := r.SetShadow(t.Context(), beam, c.version, c.s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// Where signatures are required, servers compare only by signed statements. Listing an older
// statement last again changes nothing.
func TestShadowNeedsASignature(t *testing.T) {
	h := newSignedRegistry(t) // statements 1 and 2 made each version current
	compare := func(k *sign.Signer, sample float64) {
		t.Helper()
		if err := h.by(k).SetShadow(t.Context(), beam, "1.0.0", evidence.Shadow{Sample: sample, Since: since}); err != nil {
			t.Fatal(err)
		}
	}
	compare(nil, 1)
	compare(h.stranger, 1)
	if s := h.release("1.0.0").Shadow; s != nil {
		t.Errorf("no statement that counts has %+v", s)
	}
	compare(h.publisher, 0.5)
	compare(h.publisher, 0)
	if s := h.release("1.0.0").Shadow; s == nil || s.Sample != 0 || s.Sequence != 5 || h.beam().Sequence != 5 {
		t.Errorf("%+v, statement %d", s, h.beam().Sequence)
	}
	d := h.disk()
	older := d.entries(mediatype.Shadow, "1.0.0")[2]
	d.edit(func(x *v1.Index) {
		x.Manifests = slices.DeleteFunc(x.Manifests, func(m v1.Descriptor) bool { return m.Digest == older.Digest })
		x.Manifests = append(x.Manifests, older)
	})
	if s := h.release("1.0.0").Shadow; s == nil || s.Sample != 0 {
		t.Errorf("a statement of before counts: %+v", s)
	}
	// Damaged statements compare nothing, and the release is still served.
	for _, e := range d.entries(mediatype.Shadow, "1.0.0") {
		d.must(os.WriteFile(d.blob(e.Digest), []byte("{}"), 0o600))
	}
	if rel := h.release("1.0.0"); rel.Shadow != nil || rel.Problem != nil {
		t.Errorf("%+v, %v", rel.Shadow, rel.Problem)
	}
}
