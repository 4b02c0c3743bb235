package terminal

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/host/internal/archive/audit"
	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	answered "github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/hostkeys"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/transparency"
	"github.com/slipstick/slipstick/sdk/verification"
)

// Every kind of finding has its texts, with an error and without.
func TestFindings(t *testing.T) {
	noon := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	r := &registry.Release{Digest: "sha256:aa", SpecJSON: []byte("{}"), Vectors: []byte("[]"), EngineDigest: "sha256:bb",
		Engines: map[string]string{"linux/arm64": "sha256:cc"}, Verification: verification.Record{Tier: verification.Candidate}}
	yanked := &registry.Release{Lifecycle: evidence.Lifecycle{State: evidence.Yanked, Reason: "a wrong constant"}}
	refused := &registry.Release{Problem: errors.New("damaged")}
	record := &snapshot.Record{ID: "cx_e1_0123456789abcdefghij", Content: snapshot.Content{CapabilityID: "a.b", Version: "1.0.0", CreatedAt: noon, EngineDigest: "sha256:dd"}}
	signature := &sign.Signature{KeyID: "ab12", Key: "next", Via: []string{"desk"}, Time: noon}
	why := errors.New("why")
	keys := func(n int) *hostkeys.Document {
		return &hostkeys.Document{Keys: []hostkeys.Key{{ID: "aa", Until: noon}, {ID: "bb", From: noon}}[2-n:]}
	}
	said := map[audit.Kind]bool{}
	for _, tt := range []struct {
		f    audit.Finding
		want string
	}{
		{audit.Finding{Kind: audit.Log, Log: source.Judged{Checkpoint: &transparency.Checkpoint{Size: 1}}}, "transparency log: 1 entry, root AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, not signed by a known key"},
		{audit.Finding{Kind: audit.Log, Log: source.Judged{Checkpoint: &transparency.Checkpoint{Size: 2, Signed: noon, Until: noon}, By: sign.Endorsement{By: "desk", Witnesses: []string{"anna"}}}},
			"transparency log: 2 entries, root AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, signed on 2026-11-01T12:00:00Z by desk, witnessed by anna, until 2026-11-01T12:00:00Z"},
		{audit.Finding{Kind: audit.Log, Err: why}, "transparency log: why"},
		{audit.Finding{Kind: audit.Index, Err: why}, "index: why"},
		{audit.Finding{Kind: audit.PublicKeys, Keys: keys(1)}, "key rotations: one key, bb"},
		{audit.Finding{Kind: audit.PublicKeys, Keys: keys(2)}, "key rotations: 2 keys, each signed by the previous key; the last is bb"},
		{audit.Finding{Kind: audit.PublicKeys, Err: why}, "key rotations: why"},
		{audit.Finding{Kind: audit.Manifest, Release: r}, "release: manifest sha256:aa"},
		{audit.Finding{Kind: audit.Engine, Platform: "linux/arm64", Release: r}, "engine linux/arm64: sha256:cc"},
		{audit.Finding{Kind: audit.Engine, Platform: "linux/arm64", Release: r, Err: why}, "engine linux/arm64: why"},
		{audit.Finding{Kind: audit.Engine, Platform: "linux/arm64", Release: r, Err: why, Outcome: audit.Ignored}, "engine linux/arm64: not here, because it is for another platform"},
		{audit.Finding{Kind: audit.Admission, Outcome: audit.Fails, Err: why}, "admission: why"},
		{audit.Finding{Kind: audit.Admission, Outcome: audit.Ignored, Err: why}, "admission: not here: why"},
		{audit.Finding{Kind: audit.Spec, Release: r}, "Spec: 2 bytes"},
		{audit.Finding{Kind: audit.Vectors, Release: r}, "vectors: 2 bytes"},
		{audit.Finding{Kind: audit.Evidence, Evidence: &evidence.Evidence{Kind: "release", Signature: signature, Why: "too late"}},
			"publisher's signature: of this release; signed by next (ab12), which replaced desk on 2026-11-01; too late"},
		{audit.Finding{Kind: audit.Evidence, Platform: "linux/arm64", Evidence: &evidence.Evidence{Kind: "report", Report: new(report.Summary)}},
			"conformance report: 0 of 0 vectors, about the engine for linux/arm64"},
		{audit.Finding{Kind: audit.Evidence, Evidence: &evidence.Evidence{Kind: "report", Report: new(report.Summary), Signature: &sign.Signature{KeyID: "ab12"}}},
			"conformance report: 0 of 0 vectors, about other bytes; signed by key ab12"},
		{audit.Finding{Kind: audit.Evidence, Evidence: &evidence.Evidence{Kind: "current", Lead: &evidence.Lead{Sequence: 4}}}, "current: current from then on, statement 4"},
		{audit.Finding{Kind: audit.Unsigned}, "signatures: nothing is signed: the digests prove that nothing was damaged, but not who published it"},
		{audit.Finding{Kind: audit.Tier, Release: r}, "tier: candidate, sources not checked"},
		{audit.Finding{Kind: audit.Lifecycle, Release: r}, "status: active"},
		{audit.Finding{Kind: audit.Lifecycle, Release: yanked}, "status: yanked: a wrong constant"},
		{audit.Finding{Kind: audit.Record, Record: record}, "record: a.b 1.0.0, stored on 2026-11-01"},
		{audit.Finding{Kind: audit.Origin, Data: "var/data"}, "snapshot signature: one of the keys in var/data"},
		{audit.Finding{Kind: audit.Origin, Key: &hostkeys.Found{Name: "keys.json", Key: &keys(2).Keys[0]}}, "snapshot signature: signed by the key aa of keys.json, which signs from the beginning until 2026-11-01T12:00:00Z"},
		{audit.Finding{Kind: audit.Origin, Key: &hostkeys.Found{Name: "keys.json", Key: &keys(2).Keys[1]}}, "snapshot signature: signed by the key bb of keys.json, which signs from 2026-11-01T12:00:00Z until now"},
		{audit.Finding{Kind: audit.Origin, Outcome: audit.Unchecked, Err: snapshot.ErrUnsigned},
			"snapshot signature: not checked: it is not a signed copy, which public keys could check; fetch that (curl HOST/api/v1/share/ID/signed > snapshot.json) and verify the file"},
		{audit.Finding{Kind: audit.Origin, Outcome: audit.Fails, Err: why}, "snapshot signature: why"},
		{audit.Finding{Kind: audit.Origin, Outcome: audit.Unchecked, Err: why}, "snapshot signature: why; pass the public keys of its server with --keys"},
		{audit.Finding{Kind: audit.ComputedBy, Platform: "linux/arm64"}, "published release: published, with the engine that computed it (linux/arm64)"},
		{audit.Finding{Kind: audit.OtherEngine, Record: record}, "published release: cx_e1_0123456789abcd was computed by the engine sha256:dd, which the release does not have"},
		{audit.Finding{Kind: audit.NoCapability, Record: record}, "published release: a.b is not published here"},
		{audit.Finding{Kind: audit.NoVersion, Record: record}, "published release: a.b 1.0.0 is not published here"},
		{audit.Finding{Kind: audit.Recomputed, Release: r}, "recomputation: bit-identical, by the engine sha256:bb"},
		{audit.Finding{Kind: audit.Recomputed, Err: why}, "recomputation: why"},
		{audit.Finding{Kind: audit.Recomputed, Err: problem.New("A_CODE", "Do this.", "a detail")}, "recomputation: A_CODE: a detail\n  Do this."},
		{audit.Finding{Kind: audit.Withheld, Release: yanked}, "recomputation: the release must not be executed: it is yanked: a wrong constant"},
		{audit.Finding{Kind: audit.Withheld, Release: refused}, "recomputation: the release must not be executed: it is refused: damaged"},
		{audit.Finding{Kind: audit.Included, Record: record}, "record: a.b 1.0.0, answered on 2026-11-01; it is in a segment with a signed root"},
		{audit.Finding{Kind: audit.Included, Err: why}, "record: why"},
		{audit.Finding{Kind: audit.Recorder, Key: &hostkeys.Found{Name: "var/data", Key: &keys(2).Keys[1]}}, "ledger signature: signed by the key bb of var/data, which signs from 2026-11-01T12:00:00Z until now"},
		{audit.Finding{Kind: audit.Recorder, Outcome: audit.Unchecked, Err: why}, "ledger signature: why; pass the public keys of its server with --keys"},
		{audit.Finding{Kind: audit.Batch, Answered: &answered.Record{Rows: 1200, Time: noon}}, "record: a batch of 1200 rows, answered on 2026-11-01; it is in a segment with a signed root"},
		{audit.Finding{Kind: audit.Rows}, "rows: the same rows as in the file, in the same order"},
		{audit.Finding{Kind: audit.Rows, Err: why}, "rows: why"},
		{audit.Finding{Kind: audit.Outcomes, Answered: &answered.Record{Rows: 1200}}, "recomputation: 1200 rows have bit-identical outcomes"},
		{audit.Finding{Kind: audit.Outcomes, Answered: &answered.Record{Rows: 1200, Missed: []answered.Span{{First: 1000, Count: 200}}}},
			"recomputation: 1000 rows have bit-identical outcomes; 200 other rows had been rejected by a limit or a failure"},
		{audit.Finding{Kind: audit.Tabled, Release: &registry.Release{Capability: "data.a.b", Version: "1.0.0"}}, "table: data.a.b 1.0.0 is published, and has not changed"},
		{audit.Finding{Kind: audit.Outcomes, Err: why}, "recomputation: why"},
	} {
		said[tt.f.Kind] = true
		if what, detail := describe(&tt.f); what+": "+detail != tt.want {
			t.Errorf("%s: %s\nwant %s", what, detail, tt.want)
		}
	}
	for kind := range findings {
		if !said[kind] {
			t.Errorf("no case for kind %d (%s)", kind, findings[kind].what)
		}
	}
	if len(findings) != int(audit.Outcomes)+1 {
		t.Errorf("%d of %d kinds have words", len(findings), audit.Outcomes+1)
	}
}

func TestFindingsAreWritten(t *testing.T) {
	a := &audit.Audit{Findings: []audit.Finding{
		{Subject: "a.b", Kind: audit.Index, Outcome: audit.Fails, Err: errors.New("x\ny")}, {Subject: "a.b", Kind: audit.Unsigned, Outcome: audit.Ignored},
	}}
	var text, document bytes.Buffer
	if err := errors.Join(Findings(&text, a), FindingsJSON(&document, a)); err != nil {
		t.Fatal(err)
	}
	want := "a.b\n  fails      index                 x\\u000ay\n  ignored    signatures            nothing is signed"
	if !strings.HasPrefix(text.String(), want) || !strings.HasSuffix(text.String(), "\n0 hold, 1 fail, 0 could not be checked, 1 ignored\n") {
		t.Errorf("%s", text.String())
	}
	var read struct {
		Findings []FindingText
		Count    map[string]int
	}
	if err := json.Unmarshal(document.Bytes(), &read); err != nil || len(read.Findings) != 2 || read.Findings[0].Detail != "x\ny" || len(read.Count) != 2 {
		t.Errorf("%s, %v", document.String(), err)
	}
}
