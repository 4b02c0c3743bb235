package audit_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/host/internal/archive/audit"
	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/hostkeys"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/verification"
	"github.com/slipstick/slipstick/versions"
)

const (
	capability = "test.a.b"
	platform   = "linux/amd64"
)

var digest = "sha256:" + strings.Repeat("0f", 32)

var outputs = []sdk.Field{{Name: "y", Type: sdk.TypeNumber}}

// release returns a release as a registry without engines reads it.
func release(change func(r *registry.Release)) *registry.Release {
	r := &registry.Release{
		Capability: capability, Version: "1.0.0", Digest: digest, EngineDigest: digest, SpecJSON: []byte("{}"), Vectors: []byte("[]"),
		Verification: verification.Record{Tier: verification.Candidate}, Spec: sdk.Spec{Outputs: outputs},
	}
	if change != nil {
		change(r)
	}
	return r
}

func newCatalog(releases ...*registry.Release) *catalog.Catalog {
	return catalog.New([]registry.Capability{{ID: capability, Current: "1.0.0", Releases: releases}})
}

// outcomes returns the kinds of all findings in order, and the outcome of each kind.
func outcomes(a *audit.Audit) (kinds []audit.Kind, of map[audit.Kind]audit.Outcome) {
	of = map[audit.Kind]audit.Outcome{}
	for _, f := range a.Findings {
		kinds, of[f.Kind] = append(kinds, f.Kind), f.Outcome
	}
	return kinds, of
}

func TestRelease(t *testing.T) {
	judged := new(report.Summary)
	judged.EngineDigests = []string{digest}
	for _, tt := range []struct {
		name   string
		change func(r *registry.Release)
		kind   audit.Kind
		want   audit.Outcome
	}{
		{"whole", nil, audit.Tier, audit.Holds},
		{"unsigned", nil, audit.Unsigned, audit.Ignored},
		{"wrong tier", func(r *registry.Release) { r.Verification.Tier = verification.EngineTested }, audit.Tier, audit.Fails},
		{"damaged", func(r *registry.Release) { r.Problem = errors.New("damaged") }, audit.Admission, audit.Fails},
		{"for others", func(r *registry.Release) { r.Problem = &registry.PlatformError{Platform: "plan9/mips"} }, audit.Admission, audit.Ignored},
		{"damaged evidence", func(r *registry.Release) { r.Evidence = []evidence.Evidence{{Broken: true, Counts: true}} }, audit.Evidence, audit.Fails},
		{"evidence of an unknown", func(r *registry.Release) { r.Evidence = []evidence.Evidence{{Unchecked: true}} }, audit.Evidence, audit.Unchecked},
		{"evidence that counts", func(r *registry.Release) { r.Evidence = []evidence.Evidence{{Counts: true}} }, audit.Evidence, audit.Holds},
		{"evidence that does not", func(r *registry.Release) { r.Evidence = []evidence.Evidence{{Report: judged}} }, audit.Evidence, audit.Ignored},
	} {
		a, err := audit.Run(t.Context(), newCatalog(release(tt.change)), capability+"@1.0.0", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, of := outcomes(a); of[tt.kind] != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, of[tt.kind], tt.want)
		}
	}
	a, err := audit.Run(t.Context(), newCatalog(release(nil)), "", nil)
	if kinds, _ := outcomes(a); err != nil || !slices.Equal(kinds, []audit.Kind{audit.Manifest, audit.Spec, audit.Vectors, audit.Unsigned, audit.Tier, audit.Lifecycle}) {
		t.Errorf("%v, %v", kinds, err)
	}
	if a.Count(audit.Holds) != 5 || a.Count(audit.Ignored) != 1 || a.Findings[0].Subject != capability+" 1.0.0" {
		t.Errorf("%+v", a.Findings)
	}
}

func TestTargets(t *testing.T) {
	_, err := audit.Run(t.Context(), newCatalog(release(nil)), capability+"@9.0.0", nil)
	if missing, ok := errors.AsType[*audit.NotPublishedError](err); !ok || missing.Version != "9.0.0" {
		t.Errorf("a version that is not there: %v", err)
	}
	_, err = audit.Run(t.Context(), newCatalog(release(nil)), "other", nil)
	if p, ok := errors.AsType[*problem.Problem](err); !ok || p.Code != problem.CodeEngineNotFound {
		t.Errorf("a capability that is not there: %v", err)
	}
	_, err = audit.Run(t.Context(), newCatalog(), "https://calc.example.org/s/cx_"+strings.Repeat("a", 26), nil)
	if !errors.Is(err, audit.ErrShortID) {
		t.Errorf("a short id: %v", err)
	}
	_, err = audit.Run(t.Context(), newCatalog(), "", &audit.Options{Log: &source.Log{Place: source.Place{Registry: t.TempDir()}, Checkpoint: "none"}})
	if _, ok := errors.AsType[*source.SettingError](err); !ok {
		t.Errorf("a checkpoint that is not there: %v", err)
	}
	broken := catalog.New([]registry.Capability{{ID: capability, Problem: errors.New("unreadable")}})
	if a, err := audit.Run(t.Context(), broken, "", nil); err != nil || len(a.Findings) != 1 || a.Findings[0].Kind != audit.Index || a.Findings[0].Outcome != audit.Fails {
		t.Errorf("%+v, %v", a, err)
	}
}

// calculator returns the same result for every calculation.
type calculator struct {
	result float64
	err    error
}

func (c calculator) Calculate(context.Context, calc.Request) (*calc.Answer, error) {
	if c.err != nil {
		return nil, c.err
	}
	return answer(c.result), nil
}

func (c calculator) Recompute(context.Context, *registry.Release, value.Values) (record.Outcome, error) {
	return record.Outcome{Result: value.Values{value.NumberOf(c.result)}}, c.err
}

func (c calculator) Batch(context.Context, *catalog.Catalog, batch.Input, []versions.Pin, []record.Span) (*record.Record, error) {
	return nil, c.err
}

func (c calculator) Study(context.Context, []byte) ([]byte, error) {
	return fmt.Appendf(nil, `{"status":"success","plan":{},"drawn":%v}`+"\n", c.result), c.err
}

func answer(result float64) *calc.Answer {
	spec := &sdk.Spec{Capability: capability, Tool: "b", Version: "1.0.0", Outputs: outputs}
	return &calc.Answer{
		Release: &registry.Release{EngineDigest: digest},
		Success: response.Success{Template: &response.Template{Spec: spec}, ID: "b", Outcome: sdk.Outcome{Result: value.Values{value.NumberOf(result)}}},
	}
}

func TestSnapshot(t *testing.T) {
	data := t.TempDir()
	store, err := snapshot.Open(filepath.Join(data, "keys"))
	if err != nil {
		t.Fatal(err)
	}
	created, err := store.Create(t.Context(), snapshot.Content{
		ToolID: "b", CapabilityID: capability, Version: "1.0.0", EngineDigest: digest,
		Inputs: []byte("{}"), Result: answer(2).AppendJSON(nil), CreatedAt: time.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	with := func(digest string) func(r *registry.Release) {
		return func(r *registry.Release) {
			r.Platforms, r.Engines = []string{platform}, map[string]string{platform: digest}
		}
	}
	other := release(func(r *registry.Release) { r.Version = "2.0.0" })
	revoked := release(func(r *registry.Release) { r.Lifecycle.State = evidence.Revoked })
	for _, tt := range []struct {
		name    string
		catalog *catalog.Catalog
		data    string
		run     *calculator
		kind    audit.Kind
		want    audit.Outcome
	}{
		{"record", newCatalog(other), data, nil, audit.Record, audit.Holds},
		{"ours", newCatalog(other), data, nil, audit.Origin, audit.Holds},
		{"of another server", newCatalog(other), t.TempDir(), nil, audit.Origin, audit.Unchecked},
		{"published", newCatalog(release(with(digest))), data, nil, audit.ComputedBy, audit.Holds},
		{"by other bytes", newCatalog(release(with("sha256:00"))), data, nil, audit.OtherEngine, audit.Fails},
		{"no version", newCatalog(other), data, nil, audit.NoVersion, audit.Fails},
		{"no capability", catalog.New(nil), data, nil, audit.NoCapability, audit.Fails},
		{"revoked", newCatalog(revoked), data, &calculator{result: 2}, audit.Withheld, audit.Unchecked},
		{"the same again", newCatalog(release(nil)), data, &calculator{result: 2}, audit.Recomputed, audit.Holds},
		{"another number", newCatalog(release(nil)), data, &calculator{result: 3}, audit.Recomputed, audit.Fails},
		{"no number", newCatalog(release(nil)), data, &calculator{err: errors.New("the engine died")}, audit.Recomputed, audit.Fails},
	} {
		o := &audit.Options{Data: tt.data}
		ended := tt.run == nil || tt.kind == audit.Withheld
		if tt.run != nil {
			o.Start = func() (audit.Calculator, func(), error) { return tt.run, func() { ended = true }, nil }
		}
		a, err := audit.Run(t.Context(), tt.catalog, "https://calc.example.org/s/"+created.ID, o)
		if err != nil {
			t.Fatal(tt.name, err)
		}
		if _, of := outcomes(a); of[tt.kind] != tt.want || !ended {
			t.Errorf("%s: %q, want %q; ended %v", tt.name, of[tt.kind], tt.want, ended)
		}
		if tt.name != "another number" {
			continue
		}
		i := slices.IndexFunc(a.Findings, func(f audit.Finding) bool { return f.Kind == tt.kind })
		if changed, ok := errors.AsType[*audit.OutcomeError](a.Findings[i].Err); !ok || len(changed.Differences) != 1 || changed.Differences[0].Path != "y" {
			t.Errorf("%s: %v", tt.name, a.Findings[i].Err)
		}
	}
}

// A snapshot of a sheet has its calls, which a recomputed answer lacks. Its numbers count.
func TestSheetSnapshot(t *testing.T) {
	data := t.TempDir()
	store, err := snapshot.Open(filepath.Join(data, "keys"))
	if err != nil {
		t.Fatal(err)
	}
	sheet := answer(2)
	called := &response.Called{Capability: "test.a.c", Inputs: []byte("{}"), Result: []byte(`{"z":1}`)}
	sheet.Success.Steps = []response.Step{{Step: formula.Step{Kind: formula.CalledStep}, Called: called}}
	created, err := store.Create(t.Context(), snapshot.Content{
		ToolID: "b", CapabilityID: capability, Version: "1.0.0", EngineDigest: digest,
		Inputs: []byte("{}"), Result: sheet.AppendJSON(nil), CreatedAt: time.Now(),
	})
	if err != nil || !strings.Contains(string(created.Body), `"result":{"z":1}`) {
		t.Fatalf("%s, %v", created.Body, err)
	}
	for result, want := range map[float64]audit.Outcome{2: audit.Holds, 3: audit.Fails} {
		a, err := audit.Run(t.Context(), newCatalog(release(nil)), "https://calc.example.org/s/"+created.ID, &audit.Options{
			Data: data, Start: func() (audit.Calculator, func(), error) { return calculator{result: result}, func() {}, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, of := outcomes(a); of[audit.Recomputed] != want {
			t.Errorf("recomputed %v: %q, want %q", result, of[audit.Recomputed], want)
		}
	}
}

// A study in a snapshot is recomputed, and every byte of its result counts.
func TestStudySnapshot(t *testing.T) {
	data := t.TempDir()
	store, err := snapshot.Open(filepath.Join(data, "keys"))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := calculator{result: 2}.Study(t.Context(), nil)
	created, err := store.Create(t.Context(), snapshot.Content{
		ToolID: "b", CapabilityID: capability, Version: "1.0.0", EngineDigest: digest, Inputs: []byte("{}"), Result: text, CreatedAt: time.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	for result, want := range map[float64]audit.Outcome{2: audit.Holds, 3: audit.Fails} {
		a, err := audit.Run(t.Context(), newCatalog(release(nil)), "https://calc.example.org/s/"+created.ID, &audit.Options{
			Data: data, Start: func() (audit.Calculator, func(), error) { return calculator{result: result}, func() {}, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, of := outcomes(a); of[audit.Recomputed] != want {
			t.Errorf("again it draws %v: %q, want %q", result, of[audit.Recomputed], want)
		}
	}
}

// If public keys are given, only they verify a snapshot. For a URL, Run fetches the signed copy.
func TestPublicKeys(t *testing.T) {
	keys := func(seed string) (*snapshot.Keys, hostkeys.File) {
		t.Helper()
		k, err := snapshot.LoadKeys("", strings.Repeat(seed, 32))
		if err != nil {
			t.Fatal(err)
		}
		document, err := k.Public().JSON()
		if err != nil {
			t.Fatal(err)
		}
		return k, hostkeys.File{Name: seed, Data: document}
	}
	ours, published := keys("2a")
	_, others := keys("2b")
	store, err := snapshot.New(ours, &snapshot.Options{File: snapshot.NewFile(t.TempDir(), nil)})
	if err != nil {
		t.Fatal(err)
	}
	created, err := store.Create(t.Context(), snapshot.Content{
		ToolID: "b", CapabilityID: capability, Version: "1.0.0", EngineDigest: digest, Inputs: []byte("{}"), Result: answer(2).AppendJSON(nil),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name         string
		keys         []hostkeys.File
		keysAre, was audit.Outcome
	}{
		{"its keys", []hostkeys.File{published}, audit.Holds, audit.Holds},
		{"among others", []hostkeys.File{published, others}, audit.Holds, audit.Holds},
		{"keys of another server", []hostkeys.File{others}, audit.Holds, audit.Fails},
		{"no keys", []hostkeys.File{{Name: "none", Data: []byte("{}")}}, audit.Fails, audit.Fails},
	} {
		asked := ""
		a, err := audit.Run(t.Context(), newCatalog(), "https://calc.example.org/base/s/"+created.ID, &audit.Options{
			Keys: tt.keys,
			Fetch: func(ctx context.Context, address string) ([]byte, error) {
				asked = address
				signed, err := store.Signed(ctx, created.ID)
				return signed.Body, err
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, of := outcomes(a); of[audit.PublicKeys] != tt.keysAre || of[audit.Origin] != tt.was {
			t.Errorf("%s: keys %q, origin %q", tt.name, of[audit.PublicKeys], of[audit.Origin])
		}
		if want := "https://calc.example.org/base/api/v1/share/" + created.ID + "/signed"; asked != want {
			t.Errorf("%s was asked, want %s", asked, want)
		}
	}
}

// A changed record has one finding only.
func TestChangedRecord(t *testing.T) {
	a, err := audit.Run(t.Context(), newCatalog(), "cx_e1_AAAA", nil)
	if err != nil || len(a.Findings) != 1 || a.Findings[0].Kind != audit.Record || a.Findings[0].Outcome != audit.Fails {
		t.Errorf("%+v, %v", a, err)
	}
}
