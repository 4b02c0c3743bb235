package evidence_test

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry/evidence"
)

func TestReviewErrors(t *testing.T) {
	const (
		tooMuch  = "a review has notes of at most 10000 bytes, and at most 50 sources"
		noSource = "a source needs a reference, and where in it: table, case, page or equation"
	)
	for _, tt := range []struct {
		want   string
		change func(*evidence.Review)
	}{
		{"", func(*evidence.Review) {}},
		{"the reviewer of a review has between 1 and 200 bytes", func(r *evidence.Review) { r.Reviewer = "" }},
		{"the role of a review has between 1 and 200 bytes", func(r *evidence.Review) { r.Role = strings.Repeat("ä", 101) }},
		{`the kind "peer" of the review is neither internal nor expert`, func(r *evidence.Review) { r.Kind = "peer" }},
		{tooMuch, func(r *evidence.Review) { r.Notes = strings.Repeat("x", 10_001) }},
		{tooMuch, func(r *evidence.Review) { r.Sources = make([]evidence.Source, 51) }},
		{noSource, func(r *evidence.Review) { r.Sources = []evidence.Source{{Reference: "Roark"}} }},
		{noSource, func(r *evidence.Review) { r.Sources = []evidence.Source{{Where: "table 8"}} }},
		{noSource, func(r *evidence.Review) { r.Sources = []evidence.Source{{strings.Repeat("x", 998), "8", "12"}} }},
	} {
		r := evidence.Review{
			Reviewer: strings.Repeat("ä", 100), Role: "engineer", Date: "2026-05-01", Kind: evidence.ExpertReview,
			Sources: []evidence.Source{{"Roark", "8", "table 8"}}, Notes: strings.Repeat("x", 10_000),
		}
		tt.change(&r)
		checkText(t, r.Check(), tt.want)
	}
}

func TestLifecycleErrors(t *testing.T) {
	revoked := evidence.Lifecycle{State: evidence.Revoked, Reason: "wrong"}
	for _, tt := range []struct {
		was, next evidence.Lifecycle
		want      string
	}{
		{next: evidence.Lifecycle{State: evidence.Active}},
		{next: evidence.Lifecycle{State: evidence.Deprecated, Reason: strings.Repeat("x", 500), Sunset: "2027-06-30", Sequence: evidence.MaxSequence}},
		{was: revoked, next: revoked},
		{was: revoked, next: evidence.Lifecycle{State: evidence.Active}, want: "it was revoked, and that is final: publish a new version"},
		{was: revoked, next: evidence.Lifecycle{State: evidence.Revoked, Reason: "x"}, want: "it was revoked already, which is final and keeps its reason: wrong"},
		{next: evidence.Lifecycle{}, want: `unknown state ""`},
		{next: evidence.Lifecycle{State: evidence.Yanked}, want: "a yanked release needs a reason, which its callers see"},
		{next: evidence.Lifecycle{State: evidence.Active, Reason: strings.Repeat("x", 501)}, want: "the reason has 501 bytes: at most 500 are allowed"},
		{next: evidence.Lifecycle{State: evidence.Active, Sunset: "2027-06-30"}, want: "only a deprecated release has a sunset, not one that is active"},
		{next: evidence.Lifecycle{State: evidence.Deprecated, Reason: "x", Sunset: "2027-06-31"}, want: `sunset "2027-06-31" is not a date such as 2027-06-30`},
		{next: evidence.Lifecycle{State: evidence.Active, Sequence: evidence.MaxSequence + 1}, want: "the sequence number 9007199254740992 is above 9007199254740991"},
	} {
		checkText(t, tt.next.Check(tt.was), tt.want)
	}
}

func checkText(t *testing.T, err error, want string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
	}
	if got != want {
		t.Errorf("error = %q, want %q", got, want)
	}
}

func TestParseSource(t *testing.T) {
	for text, want := range map[string]evidence.Source{
		"Roark; 8th ed.; table 8.1": {Reference: "Roark", Edition: "8th ed.", Where: "table 8.1"},
		" IEC 60050-131 ;; 131-11 ": {Reference: "IEC 60050-131", Where: "131-11"},
	} {
		if got, err := evidence.ParseSource(text); got != want || err != nil {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "Roark", "Roark; 8th ed.", "; 8th ed.; table 8.1", "Roark; 8th ed.; ", "a;b;c;d"} {
		if _, err := evidence.ParseSource(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
