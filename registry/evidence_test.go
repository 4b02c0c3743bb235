package registry_test

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk/verification"
)

func text(s string) *string { return &s }

func TestVerificationIsWhatTheEvidenceSupports(t *testing.T) {
	tested := verification.Record{Tier: verification.EngineTested, EngineTested: true, ReviewKind: text("automated_reference_vectors")}
	cases := []struct {
		name   string
		change func(*registry.Candidate)
		want   verification.Record
	}{
		{"passing report", func(*registry.Candidate) {}, tested},
		{"claim of the same", func(c *registry.Candidate) { c.Spec.Verification = &tested }, tested},
		{"claim of less", func(c *registry.Candidate) { c.Spec.Verification = &verification.Record{Tier: verification.Candidate} }, tested},
		{"no report", func(c *registry.Candidate) { c.Report = nil }, verification.Record{Tier: verification.Candidate}},
		{"neither report nor vectors", func(c *registry.Candidate) { c.Report, c.Vectors = nil, nil }, verification.Record{Tier: verification.Candidate}},
		{"report without vectors", func(c *registry.Candidate) { c.Report = report(0, c.Engines[here]) }, verification.Record{Tier: verification.Candidate}},
		{"report on more engines", func(c *registry.Candidate) { c.Report = report(1, engine("x"), c.Engines[here]) }, tested},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			r, _ := open(t)
			c := candidate(beam, "1.0.0")
			tc.change(&c)
			publish(t, r, c)
			rel := release(capability(t, r, beam), "1.0.0")
			mustServe(t, rel)
			if !reflect.DeepEqual(rel.Verification, tc.want) {
				t.Errorf("verification = %+v, want %+v", rel.Verification, tc.want)
			}
			var want []byte
			if c.Report != nil {
				want = c.Report.JSON
			}
			if !bytes.Equal(rel.Report, want) || (rel.Report == nil) != (want == nil) {
				t.Errorf("report = %q, want %q", rel.Report, want)
			}
		})
	}
}

func TestRemovedReportLowersTheTier(t *testing.T) {
	r, d := published(t)
	d.drop("report 1.0.0")
	rel := release(capability(t, r, beam), "1.0.0")
	if want := (verification.Record{Tier: verification.Candidate}); !reflect.DeepEqual(rel.Verification, want) {
		t.Errorf("verification = %+v, want %+v", rel.Verification, want)
	}
}

func TestClaimsBeyondTheEvidenceAreRefused(t *testing.T) {
	cases := []struct {
		name      string
		claim     verification.Record
		tested    bool // whether the candidate has a report
		want      []string
		supported verification.Tier
	}{
		{"tested without a report", verification.Record{Tier: verification.EngineTested}, false, []string{"tier engine_tested"}, verification.Candidate},
		{"flag without a report", verification.Record{EngineTested: true}, false, []string{"engine_tested"}, verification.Candidate},
		{"kind without a report", verification.Record{ReviewKind: text("automated_reference_vectors")}, false, []string{`review_kind "automated_reference_vectors"`}, verification.Candidate},
		{"internally reviewed", verification.Record{Tier: verification.InternallyReviewed, EngineTested: true, InternallyReviewed: true, SourceChecked: true}, true,
			[]string{"tier internally_reviewed", "internally_reviewed", "source_checked"}, verification.EngineTested},
		{"expert", verification.Record{Tier: verification.ExpertVerified}, true, []string{"tier expert_verified"}, verification.EngineTested},
		{"expert flag", verification.Record{Tier: verification.EngineTested, ExpertReviewed: true}, true, []string{"expert_reviewed"}, verification.EngineTested},
		{"unknown tier", verification.Record{Tier: "gold"}, true, []string{"tier gold"}, verification.EngineTested},
		{"another kind", verification.Record{ReviewKind: text("peer")}, true, []string{`review_kind "peer"`}, verification.EngineTested},
		{"names", verification.Record{ReviewedBy: text("A"), ReviewerRole: text("B"), LastReviewed: text("C")}, true,
			[]string{`reviewed_by "A"`, `reviewer_role "B"`, `last_reviewed "C"`}, verification.EngineTested},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			r, dir := open(t)
			c := candidate(beam, "1.0.0")
			c.Spec.Verification = &tc.claim
			if !tc.tested {
				c.Report = nil
			}
			_, err := r.Publish(t.Context(), c)
			var claim *registry.ClaimError
			if !errors.As(err, &claim) {
				t.Fatalf("error = %v, want a ClaimError", err)
			}
			if claim.Capability != beam || claim.Version != "1.0.0" || claim.Supported != tc.supported || !slices.Equal(claim.Claims, tc.want) {
				t.Errorf("error = %+v, want the claims %q over %s", claim, tc.want, tc.supported)
			}
			if !strings.Contains(err.Error(), tc.want[0]) {
				t.Errorf("text %q does not name %q", err, tc.want[0])
			}
			if files := tree(t, dir); len(files) != 0 {
				t.Errorf("left over: %v", files)
			}
		})
	}
}
