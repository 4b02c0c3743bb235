package registry_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/provenance"
	"github.com/slipstick/slipstick/registry/sign"
)

// buildOf returns the build of a release from one file with this content.
func buildOf(rel *registry.Release, content string) *provenance.Build {
	return &provenance.Build{
		Engines: rel.Engines, Package: "example.org/beam", Toolchain: "go1.26.8", Settings: []string{"-trimpath"},
		Files: []provenance.File{{Name: "example.org/beam/main.go", SHA256: strings.Repeat(content, 64)}},
	}
}

func TestRebuildersAreTrustedPartiesOtherThanThePublisher(t *testing.T) {
	h := newSignedRegistry(t)
	anna, bert := key(t), key(t)
	h.keys[0].Roles = append(h.keys[0].Roles, sign.Rebuilds)
	h.keys = append(h.keys,
		sign.Key{Name: "anna", PublicKey: anna.PublicKey(), Roles: []sign.Role{sign.Rebuilds}, Capabilities: []string{"*"}},
		sign.Key{Name: "bert", PublicKey: bert.PublicKey(), Roles: []sign.Role{sign.Rebuilds}, Capabilities: []string{"*"}})
	rel := h.release("1.0.0")
	if _, err := evidence.BuildOf(rel.Evidence); err != evidence.ErrUnnamed {
		t.Fatalf("a release without a source: %v", err)
	}
	named, other := buildOf(rel, "a"), buildOf(rel, "b")
	if _, err := h.by(h.publisher).AttachSource(t.Context(), beam, "1.0.0", named); err != nil {
		t.Fatal(err)
	}
	rebuild := func(k *sign.Signer, b *provenance.Build) {
		t.Helper()
		if _, err := h.by(k).AttachRebuild(t.Context(), beam, "1.0.0", b); err != nil {
			t.Fatal(err)
		}
	}
	rebuilders := func(want ...string) {
		t.Helper()
		if got := evidence.Rebuilders(h.release("1.0.0").Evidence); !slices.Equal(got, want) {
			t.Errorf("rebuilt by %q, want %q", got, want)
		}
	}
	tier := h.release("1.0.0").Verification.Tier

	rebuild(h.publisher, named) // the publisher does not count
	rebuild(h.reviewer, named)  // without the role
	rebuild(h.stranger, named)
	rebuild(bert, other) // from other source than the release names
	rebuilders()
	rebuild(anna, named)
	rebuild(anna, named)
	rebuilders("anna")
	rebuild(bert, named)
	rebuilders("anna", "bert")
	rel = h.release("1.0.0")
	if rel.Verification.Tier != tier {
		t.Errorf("rebuilds made the tier %s of %s", rel.Verification.Tier, tier)
	}
	if got, err := evidence.BuildOf(rel.Evidence); err != nil || got.Source() != named.Source() {
		t.Errorf("the release names %v (%v)", got, err)
	}
	for i := range rel.Evidence {
		if e := &rel.Evidence[i]; e.Kind == sign.Rebuild && !e.Counts && e.Why == "" {
			t.Errorf("%+v does not count, without a reason", e)
		}
	}
}

func TestBuildOfOtherExecutablesIsRefused(t *testing.T) {
	h := newSignedRegistry(t)
	b := buildOf(h.release("1.0.0"), "a")
	b.Engines = map[string]string{here: "sha256:" + strings.Repeat("0", 64)}
	if _, err := h.by(h.publisher).AttachSource(t.Context(), beam, "1.0.0", b); err == nil {
		t.Error("a source of other executables was attached")
	}
	c := candidate("mechanical.statics.strut", "1.0.0")
	c.Spec.Tool, c.Source = "strut", b
	if _, err := h.by(h.publisher).Publish(t.Context(), c); err == nil {
		t.Error("a release was published with the source of other executables")
	}
	if _, err := h.by(nil).AttachRebuild(t.Context(), beam, "1.0.0", buildOf(h.release("1.0.0"), "a")); err == nil {
		t.Error("a rebuild was attached that nobody signed")
	}
}

// Where signatures are required, an unsigned source does not count.
func TestUnsignedSourceCountsWhereNoSignatureIsRequired(t *testing.T) {
	h := newSignedRegistry(t)
	if _, err := h.by(nil).AttachSource(t.Context(), beam, "1.0.0", buildOf(h.release("1.0.0"), "a")); err != nil {
		t.Fatal(err)
	}
	if _, err := evidence.BuildOf(h.release("1.0.0").Evidence); err != evidence.ErrUnnamed {
		t.Errorf("with required signatures: %v", err)
	}
	if _, err := evidence.BuildOf(release(capability(t, h.by(nil), beam), "1.0.0").Evidence); err != nil {
		t.Errorf("without: %v", err)
	}
}
