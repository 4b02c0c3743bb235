package registry_test

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	conformance "github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/sdk/verification"
)

// signedRegistry is a set of keys with their roles, and a registry of the publisher.
type signedRegistry struct {
	t                                     testing.TB
	dir                                   string
	publisher, reviewer, expert, stranger *sign.Signer
	keys                                  []sign.Key
}

func key(t testing.TB) *sign.Signer {
	t.Helper()
	k, err := sign.NewKey(filepath.Join(t.TempDir(), "key"), "")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// newSignedRegistry publishes beam 1.0.0 and 1.1.0, signed.
func newSignedRegistry(t testing.TB) *signedRegistry {
	t.Helper()
	h := &signedRegistry{t: t, dir: filepath.Join(t.TempDir(), "registry"), publisher: key(t), reviewer: key(t), expert: key(t), stranger: key(t)}
	h.keys = []sign.Key{
		{Name: "publisher", PublicKey: h.publisher.PublicKey(), Roles: []sign.Role{sign.Publishes, sign.Reports}, Capabilities: []string{"*"}},
		{Name: "reviewer", PublicKey: h.reviewer.PublicKey(), Roles: []sign.Role{sign.Reviews}, Capabilities: []string{"mechanical.*"}},
		{Name: "expert", PublicKey: h.expert.PublicKey(), Roles: []sign.Role{sign.Expert}, Capabilities: []string{"*"}},
	}
	for _, version := range []string{"1.0.0", "1.1.0"} {
		c := candidate(beam, version)
		publish(t, h.by(h.publisher), c)
	}
	return h
}

// by returns the registry of a writer who signs with the key, unless it is nil.
func (h *signedRegistry) by(k *sign.Signer) *registry.Registry {
	h.t.Helper()
	r, err := registry.Open(h.dir, &registry.Options{Signer: k})
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

func (h *signedRegistry) trust() *sign.Trust {
	h.t.Helper()
	data, err := json.Marshal(map[string]any{"keys": h.keys})
	if err != nil {
		h.t.Fatal(err)
	}
	trust, err := sign.ReadTrust(data)
	if err != nil {
		h.t.Fatal(err)
	}
	return trust
}

// strict returns the registry of a reader who trusts only these keys.
func (h *signedRegistry) strict() *registry.Registry {
	h.t.Helper()
	r, err := registry.Open(h.dir, &registry.Options{Trust: h.trust(), RequireSignatures: true})
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

func (h *signedRegistry) release(version string) *registry.Release {
	h.t.Helper()
	return release(capability(h.t, h.strict(), beam), version)
}

func (h *signedRegistry) disk() disk { return disk{h.t, filepath.Join(h.dir, beam)} }

func (h *signedRegistry) review(k *sign.Signer, r evidence.Review) {
	h.t.Helper()
	if _, err := h.by(k).AttachReview(h.t.Context(), beam, "1.0.0", r); err != nil {
		h.t.Fatal(err)
	}
}

func reviewOf(kind evidence.ReviewKind, sources ...evidence.Source) evidence.Review {
	return evidence.Review{Reviewer: "A. Meier", Role: "structural engineer", Date: "2026-04-01", Kind: kind, Sources: sources}
}

var roark = evidence.Source{Reference: "Roark's Formulas for Stress and Strain", Edition: "9th", Where: "table 8.1, case 2a"}

// entries returns the entries of index.json with the artifact type, about the version.
func (d disk) entries(artifactType, version string) []v1.Descriptor {
	d.t.Helper()
	return slices.DeleteFunc(d.index().Manifests, func(m v1.Descriptor) bool {
		return m.ArtifactType != artifactType || m.Annotations[v1.AnnotationVersion] != version || m.Annotations[v1.AnnotationRefName] != ""
	})
}

// reforge replaces the last attachment of the type by a changed one, and updates all digests.
func (d disk) reforge(artifactType, version string, change func(*v1.Manifest)) {
	d.t.Helper()
	old := d.entries(artifactType, version)
	last := old[len(old)-1]
	var m v1.Manifest
	d.must(json.Unmarshal(d.read(d.blob(last.Digest)), &m))
	change(&m)
	data, err := json.Marshal(m)
	d.must(err)
	desc := d.add(v1.MediaTypeImageManifest, data)
	d.edit(func(x *v1.Index) {
		i := slices.IndexFunc(x.Manifests, func(e v1.Descriptor) bool { return e.Digest == last.Digest })
		x.Manifests[i].Digest, x.Manifests[i].Size = desc.Digest, desc.Size
	})
}

// layer replaces the layer of a type by the result of change, or removes it.
func layer(d disk, mediaType string, change func([]byte) []byte) func(*v1.Manifest) {
	return func(m *v1.Manifest) {
		i := slices.IndexFunc(m.Layers, func(l v1.Descriptor) bool { return l.MediaType == mediaType })
		data := change(d.read(d.blob(m.Layers[i].Digest)))
		if data == nil {
			m.Layers = slices.Delete(m.Layers, i, i+1)
			return
		}
		m.Layers[i] = d.add(mediaType, data)
	}
}

func TestSignedReleaseIsServed(t *testing.T) {
	h := newSignedRegistry(t)
	rel := h.release("1.0.0")
	mustServe(t, rel)
	if rel.Verification.Tier != verification.EngineTested || len(rel.Evidence) != 3 {
		t.Fatalf("tier %s, evidence %+v", rel.Verification.Tier, rel.Evidence)
	}
	for _, e := range rel.Evidence {
		if !e.Counts || e.Signature == nil || e.Signature.Key != "publisher" || !e.Signature.Holds {
			t.Errorf("%+v, %+v", e, e.Signature)
		}
	}
}

// G2, G6, G12: where signatures are required, a trusted key must have signed exactly the bytes
// of a release. Otherwise it is not served, and its engine is not returned.
func TestStrictRefuses(t *testing.T) {
	statement := func(h *signedRegistry, change func([]byte) []byte) {
		h.disk().reforge(mediatype.Signature, "1.0.0", layer(h.disk(), mediatype.Statement, change))
	}
	signature := func(h *signedRegistry, change func([]byte) []byte) {
		h.disk().reforge(mediatype.Signature, "1.0.0", layer(h.disk(), mediatype.Minisign, change))
	}
	keyed := func(h *signedRegistry, change func(*sign.Key)) { change(&h.keys[0]) }
	at := func(year int) *time.Time { t := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC); return &t }
	for _, tt := range []struct {
		name   string
		tamper func(*signedRegistry)
		why    string
	}{
		{"manifest rewritten", func(h *signedRegistry) {
			d := h.disk()
			spec := spec(beam, "1.0.0")
			spec.Title = "Another beam"
			data, err := json.Marshal(spec)
			d.must(err)
			config, was := d.add(mediatype.Spec, data), d.manifest("1.0.0")
			old := digestOf(d, was)
			d.forge("1.0.0", func(m *v1.Manifest) { m.Config = config })
			x := d.index()
			now := *d.entry(&x, "1.0.0")
			for _, kind := range []string{mediatype.Signature, mediatype.Conformance} { // and all statements moved to it
				d.reforge(kind, "1.0.0", func(m *v1.Manifest) { m.Subject.Digest, m.Subject.Size = now.Digest, now.Size })
			}
			if old == now.Digest {
				t.Fatal("the manifest is as it was")
			}
		}, "it is about the release"},
		{"engine of another version", func(h *signedRegistry) {
			d := h.disk()
			swap(d, "1.0.0", d.manifest("1.1.0").Layers[0])
		}, "it is about the release"},
		{"signature of another version", func(h *signedRegistry) {
			d := h.disk()
			theirs := d.read(d.blob(d.entries(mediatype.Signature, "1.1.0")[0].Digest))
			var from v1.Manifest
			d.must(json.Unmarshal(theirs, &from))
			d.reforge(mediatype.Signature, "1.0.0", func(m *v1.Manifest) { m.Layers = from.Layers })
		}, `it is about "mechanical.statics.beam" "1.1.0"`},
		{"report's signature as the release's", func(h *signedRegistry) {
			d := h.disk()
			var from v1.Manifest
			d.must(json.Unmarshal(d.read(d.blob(d.entries(mediatype.Conformance, "1.0.0")[0].Digest)), &from))
			d.reforge(mediatype.Signature, "1.0.0", func(m *v1.Manifest) { m.Layers = from.Layers })
		}, `type "report"`},
		{"statement changed", func(h *signedRegistry) {
			statement(h, func(b []byte) []byte { return bytes.Replace(b, []byte("20"), []byte("19"), 1) })
		}, "does not hold"},
		{"statement spelled otherwise", func(h *signedRegistry) { statement(h, func(b []byte) []byte { return append(b, ' ') }) }, "does not hold"},
		{"statement that is huge", func(h *signedRegistry) {
			statement(h, func(b []byte) []byte { return append(b, make([]byte, sign.MaxStatement)...) })
		}, "more than the 65536"},
		{"signature cut off", func(h *signedRegistry) { signature(h, func(b []byte) []byte { return b[:len(b)/2] }) }, "none of minisign"},
		{"signature taken away", func(h *signedRegistry) { signature(h, func([]byte) []byte { return nil }) }, "none of minisign"},
		{"signature by a stranger", func(h *signedRegistry) {
			h.drop(mediatype.Signature)
			if _, err := h.by(h.stranger).SignRelease(h.t.Context(), beam, "1.0.0"); err != nil {
				h.t.Fatal(err)
			}
		}, "which the trust file does not have"},
		{"signature by a reviewer", func(h *signedRegistry) {
			h.drop(mediatype.Signature)
			if _, err := h.by(h.reviewer).SignRelease(h.t.Context(), beam, "1.0.0"); err != nil {
				h.t.Fatal(err)
			}
		}, "needs [publish]"},
		{"no signature", func(h *signedRegistry) { h.drop(mediatype.Signature) }, "it is not signed"},
		{"key expired before", func(h *signedRegistry) { keyed(h, func(k *sign.Key) { k.NotAfter = at(2026) }) }, "expired on 2026"},
		{"key not yet in office", func(h *signedRegistry) { keyed(h, func(k *sign.Key) { k.NotBefore = at(2027) }) }, "counts only from 2027"},
		{"key compromised", func(h *signedRegistry) { keyed(h, func(k *sign.Key) { k.RevokedAt, k.Reason = at(2026), "stolen" }) }, "revoked on 2026-01-01T00:00:00Z: stolen"},
		{"key for other capabilities", func(h *signedRegistry) { keyed(h, func(k *sign.Key) { k.Capabilities = []string{"electrical.*"} }) }, "does not count for " + beam},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newSignedRegistry(t)
			mustServe(t, h.release("1.0.0"))
			tt.tamper(h)
			mustRefuse(t, h.release("1.0.0"), tt.why)
			if rel := h.release("1.0.0"); rel.Verification.Tier != verification.Candidate {
				t.Errorf("tier %s", rel.Verification.Tier)
			}
		})
	}
}

// drop removes the statements about 1.0.0 from index.json, by their type.
func (h *signedRegistry) drop(artifactType string) {
	h.t.Helper()
	removed := h.disk().entries(artifactType, "1.0.0")
	h.disk().edit(func(x *v1.Index) {
		x.Manifests = slices.DeleteFunc(x.Manifests, func(m v1.Descriptor) bool {
			return slices.ContainsFunc(removed, func(g v1.Descriptor) bool { return g.Digest == m.Digest })
		})
	})
}

func digestOf(d disk, m v1.Manifest) digest.Digest {
	data, err := json.Marshal(m)
	d.must(err)
	return digest.FromBytes(data)
}

// swap gives a release another engine, and moves all statements to the result.
func swap(d disk, version string, engine v1.Descriptor) {
	d.forge(version, func(m *v1.Manifest) { m.Layers[0] = engine })
	x := d.index()
	now := *d.entry(&x, version)
	for _, kind := range []string{mediatype.Signature, mediatype.Conformance} {
		d.reforge(kind, version, func(m *v1.Manifest) { m.Subject.Digest, m.Subject.Size = now.Digest, now.Size })
	}
}

// An unsigned registry is served, and marked as unsigned. Where signatures are required it is
// not served.
func TestUnsignedRegistry(t *testing.T) {
	h := newSignedRegistry(t)
	h.dir = filepath.Join(t.TempDir(), "registry")
	publish(t, h.by(nil), candidate(beam, "1.0.0"))
	rel := release(capability(t, h.by(nil), beam), "1.0.0")
	mustServe(t, rel)
	if e := rel.Evidence[0]; rel.Verification.Tier != verification.EngineTested || !e.Counts || !strings.Contains(e.Why, "not signed") {
		t.Errorf("tier %s by %+v", rel.Verification.Tier, e)
	}
	mustRefuse(t, h.release("1.0.0"), "it is not signed")
	if _, err := h.by(h.publisher).SignRelease(t.Context(), beam, "1.0.0"); err != nil {
		t.Fatal(err)
	}
	rel = h.release("1.0.0")
	mustServe(t, rel)
	if rel.Verification.Tier != verification.Candidate || rel.Report != nil {
		t.Errorf("tier %s by a report that nobody signed", rel.Verification.Tier)
	}
	if _, err := h.by(h.publisher).AttachReport(t.Context(), beam, "1.0.0", candidate(beam, "1.0.0").Report.JSON); err != nil {
		t.Fatal(err)
	}
	rel = h.release("1.0.0")
	if rel.Verification.Tier != verification.EngineTested {
		t.Errorf("tier %s after the report was signed: %+v", rel.Verification.Tier, rel.Evidence)
	}
}

func TestTierFollowsFromReviews(t *testing.T) {
	internal, expert := evidence.InternalReview, evidence.ExpertReview
	for _, tt := range []struct {
		name   string
		say    func(*signedRegistry)
		tier   verification.Tier
		source bool
		by     string // key of a review that does not count, and the reason
	}{
		{"internal, with sources", func(h *signedRegistry) { h.review(h.reviewer, reviewOf(internal, roark)) }, verification.InternallyReviewed, true, ""},
		{"internal, without sources", func(h *signedRegistry) { h.review(h.reviewer, reviewOf(internal)) }, verification.EngineTested, false, ""},
		{"expert, with sources", func(h *signedRegistry) { h.review(h.expert, reviewOf(expert, roark)) }, verification.ExpertVerified, true, ""},
		{"expert, without sources", func(h *signedRegistry) { h.review(h.expert, reviewOf(expert)) }, verification.EngineTested, false, ""},
		{"an expert's internal one", func(h *signedRegistry) { h.review(h.expert, reviewOf(internal, roark)) }, verification.InternallyReviewed, true, ""},
		{"an expert without sources after an internal one with", func(h *signedRegistry) {
			h.review(h.reviewer, reviewOf(internal, roark))
			h.review(h.expert, reviewOf(expert))
		}, verification.InternallyReviewed, true, ""},
		{"an internal one with sources after an expert without", func(h *signedRegistry) {
			h.review(h.expert, reviewOf(expert))
			h.review(h.reviewer, reviewOf(internal, roark))
		}, verification.InternallyReviewed, true, ""},
		{"both with sources", func(h *signedRegistry) {
			h.review(h.expert, reviewOf(expert, roark))
			h.review(h.reviewer, reviewOf(internal, roark))
		}, verification.ExpertVerified, true, ""},
		{"a reviewer who calls himself an expert", func(h *signedRegistry) { h.review(h.reviewer, reviewOf(expert, roark)) }, verification.EngineTested, false, "needs [expert]"},
		{"a publisher who reviews", func(h *signedRegistry) { h.review(h.publisher, reviewOf(internal, roark)) }, verification.EngineTested, false, "needs [review expert]"},
		{"a stranger", func(h *signedRegistry) { h.review(h.stranger, reviewOf(expert, roark)) }, verification.EngineTested, false, "does not have"},
		{"review of another version", func(h *signedRegistry) {
			if _, err := h.by(h.expert).AttachReview(h.t.Context(), beam, "1.1.0", reviewOf(expert, roark)); err != nil {
				h.t.Fatal(err)
			}
			d := h.disk()
			x := d.index()
			about := *d.entry(&x, "1.0.0")
			d.reforge(mediatype.Review, "1.1.0", func(m *v1.Manifest) { m.Subject.Digest, m.Subject.Size = about.Digest, about.Size })
		}, verification.EngineTested, false, `"1.1.0"`},
		{"review rewritten", func(h *signedRegistry) {
			h.review(h.reviewer, reviewOf(internal))
			data, _ := json.Marshal(reviewOf(internal, roark))
			d := h.disk()
			d.reforge(mediatype.Review, "1.0.0", layer(d, mediatype.Review+"+json", func([]byte) []byte { return data }))
		}, verification.EngineTested, false, "it is about a document"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newSignedRegistry(t)
			tt.say(h)
			rel := h.release("1.0.0")
			mustServe(t, rel)
			v := rel.Verification
			if v.Tier != tt.tier || v.SourceChecked != tt.source || v.Check() != nil {
				t.Errorf("%+v, want tier %s, source_checked %v", v, tt.tier, tt.source)
			}
			last := rel.Evidence[len(rel.Evidence)-1]
			if last.Counts != (tt.by == "") || !strings.Contains(last.Why, tt.by) {
				t.Errorf("%+v, want one with %q", last, tt.by)
			}
			if (v.ReviewedBy != nil) != last.Counts {
				t.Errorf("reviewed_by %v", v.ReviewedBy)
			}
			unsigned := release(capability(t, h.by(nil), beam), "1.0.0") // without a trust file no review counts
			if unsigned.Verification.Tier != verification.EngineTested || unsigned.Verification.ReviewedBy != nil {
				t.Errorf("without a trust file: %+v", unsigned.Verification)
			}
		})
	}
}

// A verification record has the facts of one review: the reviewer, the role and the date of
// the review that the tier is based on. The name is the name in the trust file, not the one in
// the review.
func TestRecordIsOfOneReview(t *testing.T) {
	internal, expert := evidence.InternalReview, evidence.ExpertReview
	for _, tt := range []struct {
		name    string
		reviews []evidence.ReviewKind // the first one names its source
		key     string
		kind    string
	}{
		{"an internal comparison, an expert's word", []evidence.ReviewKind{internal, expert}, "reviewer", "internal_review"},
		{"an expert's comparison, an internal word", []evidence.ReviewKind{expert, internal}, "expert", "expert_review"},
	} {
		h := newSignedRegistry(t)
		for i, kind := range tt.reviews {
			r, by := reviewOf(kind), h.reviewer
			r.Reviewer, r.Role = "Somebody Else", string(kind)
			if kind == expert {
				by = h.expert
			}
			if i == 0 {
				r.Sources = []evidence.Source{roark}
			}
			h.review(by, r)
		}
		v := h.release("1.0.0").Verification
		if v.ReviewedBy == nil || *v.ReviewedBy != tt.key || *v.ReviewerRole != string(tt.reviews[0]) || *v.ReviewKind != tt.kind ||
			v.ExpertReviewed != (tt.key == "expert") || v.InternallyReviewed != (tt.key == "reviewer") || !v.SourceChecked {
			t.Errorf("%s: %+v", tt.name, v)
		}
	}
}

// A review with an impossible date is refused, and does not count if it was written without
// the check.
func TestDateOfAReview(t *testing.T) {
	h := newSignedRegistry(t)
	soon := time.Now().UTC().AddDate(0, 0, 3).Format(time.DateOnly)
	for _, day := range []string{"1999-12-31", "2026-02-26", soon, "2099-01-01"} { // the release was published on 2026-03-01
		r := reviewOf(evidence.ExpertReview, roark)
		r.Date = day
		if _, err := h.by(h.expert).AttachReview(t.Context(), beam, "1.0.0", r); err == nil || !strings.Contains(err.Error(), r.Date) {
			t.Errorf("%s: %v", day, err)
		}
		if err := h.by(h.expert).AttachWhatever(t.Context(), beam, "1.0.0", r); err != nil {
			t.Fatal(err)
		}
		rel := h.release("1.0.0")
		last := rel.Evidence[len(rel.Evidence)-1]
		if last.Review == nil || last.Counts || last.Broken || !strings.Contains(last.Why, r.Date) || rel.Verification.Tier != verification.EngineTested || rel.Verification.ReviewedBy != nil {
			t.Errorf("%s: %+v, %+v", day, last, rel.Verification)
		}
	}
}

// Without a report a review does not raise the tier.
func TestReviewOfWhatWasNotTested(t *testing.T) {
	h := newSignedRegistry(t)
	h.drop(mediatype.Conformance)
	h.review(h.expert, reviewOf(evidence.ExpertReview, roark))
	if v := h.release("1.0.0").Verification; v.Tier != verification.Candidate || !v.ExpertReviewed || v.EngineTested {
		t.Errorf("%+v", v)
	}
}

func TestLifecycleNeedsASignature(t *testing.T) {
	h := newSignedRegistry(t)
	setState := func(k *sign.Signer, state evidence.State, at time.Time) {
		t.Helper()
		s := evidence.Lifecycle{State: state, Reason: "wrong constant", Since: at}
		if err := h.by(k).SetLifecycle(t.Context(), beam, "1.0.0", s); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now().Add(-time.Hour)
	setState(h.publisher, evidence.Yanked, now)
	setState(nil, evidence.Active, now.Add(time.Minute))
	setState(h.stranger, evidence.Active, now.Add(time.Minute))
	if s := h.release("1.0.0").Lifecycle; s.State != evidence.Yanked {
		t.Errorf("a record that nobody who counts has signed made it %s", s.State)
	}
	// Listing an older record last again changes nothing.
	setState(h.publisher, evidence.Active, now.Add(2*time.Minute))
	d := h.disk()
	yank := d.entries(mediatype.Lifecycle, "1.0.0")[0]
	d.edit(func(x *v1.Index) {
		x.Manifests = slices.DeleteFunc(x.Manifests, func(m v1.Descriptor) bool { return m.Digest == yank.Digest })
		x.Manifests = append(x.Manifests, yank)
	})
	if s := h.release("1.0.0").Lifecycle; s.State != evidence.Active {
		t.Errorf("a record of before made it %s", s.State)
	}
	// A release that may have been revoked is not executed, independent of the signer of the
	// record.
	setState(nil, evidence.Revoked, now.Add(3*time.Minute))
	mustRefuse(t, h.release("1.0.0"), "a record revokes it")
}

func TestRevokedIsFinalOnDisk(t *testing.T) {
	h := newSignedRegistry(t)
	now := time.Now().Add(-time.Hour)
	for i, state := range []evidence.State{evidence.Deprecated, evidence.Revoked} {
		s := evidence.Lifecycle{State: state, Reason: "x", Since: now.Add(time.Duration(i) * time.Minute)}
		if err := h.by(h.publisher).SetLifecycle(t.Context(), beam, "1.0.0", s); err != nil {
			t.Fatal(err)
		}
	}
	d := h.disk()
	d.edit(func(x *v1.Index) { slices.Reverse(x.Manifests) })
	for name, r := range map[string]*registry.Registry{"strict": h.strict(), "unsigned": h.by(nil)} {
		if rel := release(capability(t, r, beam), "1.0.0"); rel.Lifecycle.State != evidence.Revoked || rel.Available() {
			t.Errorf("%s: %s", name, rel.Lifecycle.State)
		}
	}
}

// A key that took over from a key in the trust file counts. It no longer counts if the old key
// was compromised.
func TestReleaseByRotatedKey(t *testing.T) {
	h := newSignedRegistry(t)
	next, err := h.publisher.Rotate(filepath.Join(t.TempDir(), "next"), "", time.Now(), nil)
	if err != nil {
		t.Fatal(err)
	}
	publish(t, h.by(next), func() registry.Candidate { c := candidate(beam, "1.2.0"); c.Created = time.Now(); return c }())
	rel := h.release("1.2.0")
	mustServe(t, rel)
	if s := rel.Evidence[0].Signature; !slices.Equal(s.Via, []string{"publisher"}) {
		t.Errorf("%+v", s)
	}
	long := time.Now().Add(-time.Hour)
	h.keys[0].RevokedAt = &long
	mustRefuse(t, h.release("1.2.0"), "was revoked")
	mustRefuse(t, h.release("1.0.0"), "was revoked")
	h.keys = append(h.keys, sign.Key{Name: "next", PublicKey: next.PublicKey(), Roles: []sign.Role{sign.Publishes, sign.Reports}, Capabilities: []string{"*"}})
	mustServe(t, h.release("1.2.0"))
}

func TestAttachRefuses(t *testing.T) {
	h := newSignedRegistry(t)
	r := h.by(h.publisher)
	for name, report := range map[string][]byte{
		"exactly these bytes": report(3, engine("other")).JSON,
		"did not pass":        bytes.Replace(candidate(beam, "1.0.0").Report.JSON, []byte(`"passed":true`), []byte(`"passed":false`), 1),
		"is not one":          []byte("passed"),
	} {
		if _, err := r.AttachReport(t.Context(), beam, "1.0.0", report); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
	vague := reviewOf(evidence.InternalReview, evidence.Source{Reference: "Roark"})
	for _, bad := range []evidence.Review{{}, vague, {Reviewer: "A", Role: "B", Date: "today", Kind: "internal"}, {Reviewer: "A", Role: "B", Date: "2026-01-01", Kind: "peer"}} {
		if _, err := r.AttachReview(t.Context(), beam, "1.0.0", bad); err == nil {
			t.Errorf("%+v was attached", bad)
		}
	}
	if _, err := h.by(nil).AttachReview(t.Context(), beam, "1.0.0", reviewOf(evidence.InternalReview)); err == nil {
		t.Error("a review without a signature was attached")
	}
	if _, err := r.SignRelease(t.Context(), beam, "9.9.9"); err == nil || !strings.Contains(err.Error(), "9.9.9") {
		t.Errorf("%v", err)
	}
}

// A follower sees a late review.
func TestFollowerSeesLateReview(t *testing.T) {
	h := newSignedRegistry(t)
	f := h.strict().Follow()
	before, _, err := f.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.review(h.expert, reviewOf(evidence.ExpertReview, roark))
	after, changed, err := f.Look(t.Context())
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	if v := release(after[0], "1.0.0").Verification; v.Tier != verification.ExpertVerified {
		t.Errorf("%+v", v)
	}
	if release(after[0], "1.1.0") != release(before[0], "1.1.0") {
		t.Error("a release without new statements is another")
	}
}

// A release for two platforms is unverified on a platform without a report about the engine
// for it.
func TestReportsPerPlatform(t *testing.T) {
	h := newSignedRegistry(t)
	other, foreign := "linux/arm64", program(elf.EM_AARCH64, "there")
	if here == other {
		other, foreign = "linux/amd64", program(elf.EM_X86_64, "there")
	}
	c := candidate(beam, "1.2.0")
	c.Engines[other], c.Report = foreign, nil
	r := h.by(h.publisher)
	publish(t, r, c)
	for _, step := range []struct {
		report *conformance.Document
		tier   verification.Tier
	}{{report(3, foreign), verification.Candidate}, {report(3, c.Engines[here]), verification.EngineTested}, {report(3, foreign), verification.EngineTested}} {
		if _, err := r.AttachReport(t.Context(), beam, "1.2.0", step.report.JSON); err != nil {
			t.Fatal(err)
		}
		rel := h.release("1.2.0")
		mustServe(t, rel)
		if rel.Verification.Tier != step.tier || step.tier == verification.EngineTested && !bytes.Contains(rel.Report, []byte(rel.EngineDigest)) {
			t.Errorf("tier %s by %s, want %s", rel.Verification.Tier, rel.Report, step.tier)
		}
		if err := rel.CheckEngine(other); err != nil {
			t.Error(err)
		}
	}
	d := h.disk()
	d.write(d.blob(digest.FromBytes(foreign)), []byte("changed"))
	if err := h.release("1.2.0").CheckEngine(other); err == nil || !strings.Contains(err.Error(), "was changed or damaged") {
		t.Errorf("%v", err)
	}
}
